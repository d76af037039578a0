/* What `pliant render` knows while it runs: options, the bodies on stage, where they come from,
 * and the writers of pictures. */
#ifndef RENDER_H
#define RENDER_H

#include "common/inputs.h"
#include "common/tree_options.h"
#include "pliant/pliant.h"
#include "pliant/probes.h"
#include "trace/trace.h"

typedef struct render_options {
  bool json, no_shadows, no_reflections, flat, allow_outside, split, contacts;
  int gaps;
  text_list hide; /* names of bodies, or patterns */
  text_list animation;
  /* NULL: not given */
  const char *output, *video, *size, *frames, *camera, *look_at, *lights, *scene;
  int subsample, samples, threads, triangles; /* triangles: 0 leaves them to the scene */
  int sky, ground, up;                        /* as their words; -1 leaves them to the scene */
  double budget_ms, fps, azimuth, elevation, zoom, orbit, fov, mirror, crease; /* NAN: not given */
  tree_options tree;
} render_options;

typedef struct render_job render_job;

/* Where bodies come from. */
typedef struct render_source {
  /* Makes the bodies as they are in frame 0 and tells the number of frames. false (here and
   * below): stderr says why. */
  bool (*open)(render_job *job);
  /* Evaluates a frame: positions, placements and weights in the actors that change. */
  bool (*pose)(render_job *job, size_t frame);
  void (*close)(render_job *job);
} render_source;

extern const render_source render_inputs, render_builtin;

/* A body with what the source evaluates for it. */
typedef struct render_actor {
  const char *name; /* owned by the source */
  pl_body *body;
  trace_fans *fans;
  pl_transform placement; /* of a rigid or morphing body */
  const double *weights;  /* of a morphing one */
  int weight_count;
  bool changed;      /* since it was handed to the library */
  uint8_t *touching; /* of each triangle, for --contacts */
} render_actor;

typedef struct render_totals {
  size_t frames, left_frames, coarse_frames; /* with rays left out; coarser than asked for */
  double rays, ms_set, ms_update, ms_cast, ms_shade, ms_longest;
} render_totals;

typedef struct video video;

struct render_job {
  render_options options;
  input_list inputs;

  const render_source *source;
  void *data;                     /* the source's own */
  size_t frame_count, begin, end; /* of the source; rendered: [begin, end) */
  size_t whole;                   /* end - begin of the undivided run */
  double azimuth, elevation;      /* that suit the source, in degrees */
  int up_axis;
  void (*look)(size_t frame, trace_view *view); /* the source's own camera; NULL: it has none */
  trace_ground_kind ground;
  trace_mood sky;

  pl_context *context;
  pl_scene *scene;
  tracer *tracer;
  pl_body_def def;
  render_actor *actors;
  trace_body *traced; /* of each actor */
  size_t actor_count, actor_capacity;

  trace_settings settings;
  trace_view view;
  trace_world world;
  double ms_moved;  /* of the source's own, for the frame that it has posed */
  double box[2][3]; /* of all that is to be seen */
  uint8_t *rgb;
  video *video;
  render_totals totals;
};

/* One frame's result. */
typedef struct render_frame {
  size_t index;
  char path[4096]; /* of its picture; "": none */
  trace_settings settings;
  trace_stats stats;
  double ms_set;
  size_t pairs, self_pairs; /* --contacts: that touch; those of them within one body */
} render_frame;

/* render_stage.c: the stage and its actors. */
bool render_stage_open(render_job *job);
void render_stage_close(render_job *job);
bool render_add(render_job *job, pl_body *body, const pl_mesh_def *mesh, const char *name);
bool render_hand_on(render_job *job, size_t frame, double *ms);
/* --contacts, between bodies; and, after that, within them (render_self.c). *pairs: how many
 * triangles touch. */
bool render_mark_contacts(render_job *job, size_t frame, size_t *pairs);
bool render_mark_self(render_job *job, size_t frame, size_t *pairs);
bool render_complain_memory(const char *what);

/* render_camera.c: camera, lights and ground, from the options or from the box around
 * everything. */
int render_camera_parse(render_job *job); /* OPTIONS_GO_ON, or an exit code */
bool render_camera_frame(render_job *job);
trace_camera render_camera_at(const render_job *job, size_t frame);

/* render_write.c */
int render_output_parse(render_job *job);
bool render_output_check(render_job *job); /* once the number of frames is known */
bool render_write_picture(render_job *job, render_frame *frame);
void render_write_frame(const render_job *job, const render_frame *frame);
void render_write_end(const render_job *job);

/* render_video.c: raw frames into ffmpeg. */
bool video_open(const char *path, int width, int height, double fps, video **out);
bool video_write(video *v, const uint8_t *rgb);
/* NULL is allowed. keep: false if frames are missing; an older video then stays. false: it could
 * not be kept, and stderr says why. */
bool video_close(video *v, bool keep);

#endif
