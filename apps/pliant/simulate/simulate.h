/* What `pliant simulate` knows while it runs: options, the world, and the writers of its output. */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "pliant/pliant.h"
#include "render/render.h"
#include "sim/stage.h"
#include "trace/trace.h"

typedef struct simulate_options {
  const char *level, *output, *video, *size, *checkpoint, *resume; /* NULL: not given */
  int frames, every, bodies, points, sweeps, samples, threads, mode, clusters;
  /* NAN: not given */
  double step, budget_ms, friction, stiffness, stretch, damping, yield, creep, gravity, height;
  bool json, csv, keep_volume, quiet, no_sleep;
} simulate_options;

/* A mesh as pictures and files need it. */
typedef struct simulate_mesh {
  const uint32_t *triangles;
  size_t triangle_count, point_count;
  const float *rest; /* from the caller's origin */
} simulate_mesh;

typedef struct simulate_pictures simulate_pictures;
typedef struct simulate_glb simulate_glb;

typedef struct simulate_totals {
  size_t frames, within;
  double ms_detect, ms_respond, ms_deform, ms_longest;
  double energy_start, energy_rise; /* rise: above the lowest so far */
  double energy_least;
} simulate_totals;

typedef struct simulate_job {
  simulate_options options;
  const char *const *files; /* meshes; none: `scene_name` */
  int file_count;
  const char *scene_name;
  int level;
  soft_scene scene;
  sim_world_def world_def;
  sim_body_def body_def;
  sim_world *world;
  simulate_mesh *meshes; /* of each shape */
  size_t mesh_count;
  float **positions; /* of each body, as they were last asked for */
  simulate_pictures *pictures;
  simulate_glb *glb;
  simulate_totals totals;
} simulate_job;

/* simulate_stage.c: bodies from a scene or from files. false (here and below): stderr says why. */
int simulate_scene_refuse(const char *name); /* OPTIONS_GO_ON, or an exit code */
bool simulate_stage_open(simulate_job *job);
void simulate_stage_close(simulate_job *job);
void simulate_take_positions(simulate_job *job);
bool simulate_load(simulate_job *job); /* --resume */
bool simulate_save(simulate_job *job); /* --checkpoint */

/* simulate_write.c: tables, meshes, pictures. */
int simulate_output_parse(const simulate_job *job);
bool simulate_output_open(simulate_job *job);
bool simulate_write_frame(simulate_job *job, size_t frame);
bool simulate_write_end(simulate_job *job); /* also closes files and the video */
void simulate_output_close(simulate_job *job);

/* simulate_glb.c: one animation of all bodies. */
bool simulate_glb_open(const simulate_job *job, simulate_glb **out);
bool simulate_glb_frame(simulate_glb *glb, const simulate_job *job, double seconds);
bool simulate_glb_write(simulate_glb *glb, const simulate_job *job, const char *path);
void simulate_glb_close(simulate_glb *glb); /* NULL is allowed */

#endif
