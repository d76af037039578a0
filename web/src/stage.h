/* What the viewer shows: bodies that are posed frame by frame, from the scenes of scenes/ or
 * from files, in one scene of the library. Compiled for the browser and for the test that
 * compares its contacts with those of this machine. */
#ifndef WEB_STAGE_H
#define WEB_STAGE_H

#include "web/src/web.h"

typedef struct web_stage web_stage;

/* One body. */
typedef struct web_part {
  char name[96];
  uint32_t *triangles; /* 3 * triangle_count; of the stage's data, or of `welded` */
  uint32_t *welded;    /* owned; NULL: there was nothing to weld */
  size_t triangle_count, vertex_count;
  bool self; /* its contacts with itself count */

  pl_body *driver; /* moves as the source says: free, rigid, morphing, skinned */
  pl_body *body;   /* is asked: the driver, or a free body that gets the driver's positions */
  double *moved;   /* 3 * vertex_count: those positions; NULL if body is driver */
  float *xyz;      /* 3 * vertex_count: to be drawn */
  uint8_t *touch;  /* triangle_count: bit 0 touches another body, bit 1 its own */
} web_part;

/* Where parts come from. */
typedef struct web_source {
  /* Creates the driver of a part. */
  pl_status (*make)(web_stage *stage, size_t part, const pl_body_def *def, pl_body **out);
  /* Moves the drivers to a frame. false: web_message() says why. */
  bool (*pose)(web_stage *stage, int frame);
  void (*close)(web_stage *stage); /* frees stage->data; part->triangles are its own */
} web_source;

struct web_stage {
  pl_context *context;
  pl_scene *scene;
  const web_source *source;
  void *data;
  web_part *parts;
  size_t part_count;
  int frames; /* at least 1 */
  double fps;
  int frame;
  int edits;     /* how often the mesh of a part has changed: its triangles are others then */
  bool fallback; /* a setting does not suit some body, which has another */
  bool ready;
  char note[512];
};

web_stage *web_stage_create(pl_context *context, const web_source *source, void *data);
void web_stage_destroy(web_stage *stage); /* NULL is allowed */
/* Room for one more part, all 0 but its counts; NULL: out of memory, and web_message() says so. */
web_part *web_stage_part(web_stage *stage, const char *name, uint32_t *triangles, size_t triangles_count,
                         size_t vertices);
/* Makes the bodies with these settings and poses them as they were. */
int web_stage_settle(web_stage *stage, const char *settings);
int web_stage_pose(web_stage *stage, int frame);
/* All contacts, or one for each pair of bodies. */
int web_stage_touching(web_stage *stage, int first);

/* Skinned figures that walk: see walkers.c. */
enum { WALKER_BONES = 10, WALKER_PER_VERTEX = 2 };
typedef struct walker_mesh {
  size_t vertex_count, triangle_count;
  float *rest;         /* 3 * vertex_count */
  uint32_t *triangles; /* 3 * triangle_count */
  uint32_t *bones;     /* WALKER_PER_VERTEX * vertex_count */
  double *weights;     /* as many; they add up to 1 */
} walker_mesh;
bool walker_make(int detail, walker_mesh *out); /* detail 1 .. 8; false: out of memory */
void walker_free(walker_mesh *mesh);
/* The bones of walker `who` at a part of its way, from 0 to 1. */
void walker_pose(int who, double part, pl_transform bones[WALKER_BONES]);

#endif
