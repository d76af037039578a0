/* A scene asked from two of the caller's threads at once: one finds contacts, the other casts
 * rays. Both ask about the same bodies, whose volumes are refitted as the queries need them. The
 * bodies move between two frames, when nobody asks; moving them earlier would be refused with
 * PL_ERROR_BUSY. */
#include <pliant/pliant.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 60, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), BODIES = 3, RAYS = 400, FRAMES = 5 };

typedef struct world {
  pl_context *context;
  pl_scene *scene;
  pl_body *bodies[BODIES];
  float xyz[3 * VERTICES];
  size_t contacts, hits; /* of this frame, each written by its own thread */
} world;

static uint32_t triangles[3 * TRIANGLES];

static void wave(float *xyz, int body, int frame)
{
  for (int i = 0; i < VERTICES; ++i) {
    float x = (float)(i % SIDE) / SIDE - 0.5f, y = (float)(i / SIDE) / SIDE - 0.5f;
    xyz[3 * i + 0] = x;
    xyz[3 * i + 1] = y;
    xyz[3 * i + 2] = 0.1f * (float)body + 0.08f * sinf(9 * x + (float)frame + 2.5f * (float)body) * cosf(7 * y);
  }
}

static int must(world *w, pl_status status)
{
  if (status == PL_OK) return 1;
  fprintf(stderr, "%s\n", pl_context_message(w->context)); /* this thread's own message */
  return 0;
}

static void *find_contacts(void *argument)
{
  world *w = argument;
  const pl_result *found; /* ours until this thread asks this question again */
  if (must(w, pl_touching(pl_all(w->scene), NULL, &found))) w->contacts = found->count;
  return NULL;
}

static void *cast_rays(void *argument)
{
  world *w = argument;
  pl_ray rays[RAYS];
  for (int i = 0; i < RAYS; ++i) {
    const double from[3] = {(i % 20) / 20.0 - 0.475, (i / 20) / 20.0 - 0.475, 5}, down[3] = {0, 0, -1};
    rays[i] = pl_ray_from(from, down);
  }
  const pl_result *found;
  if (!must(w, pl_cast(pl_all(w->scene), rays, RAYS, NULL, &found))) return NULL;
  w->hits = 0;
  for (size_t i = 0; i < found->count; ++i) w->hits += found->hits[i].body != NULL;
  return NULL;
}

static int play(world *w, int frame)
{
  for (int i = 0; i < BODIES; ++i) {
    wave(w->xyz, i, frame);
    if (!must(w, pl_body_set_positions(w->bodies[i], pl_positions_f32(w->xyz, VERTICES)))) return 0;
  }
  pthread_t first, second;
  if (pthread_create(&first, NULL, find_contacts, w) != 0) return 0;
  int both = pthread_create(&second, NULL, cast_rays, w) == 0;
  pthread_join(first, NULL);
  if (both) pthread_join(second, NULL);
  printf("frame %d: %s, %zu of %d rays hit\n", frame, w->contacts ? "contacts" : "no contact", w->hits, RAYS);
  return both && w->contacts && w->hits;
}

int main(void)
{
  static world w;
  size_t k = 0;
  for (uint32_t y = 0; y + 1 < SIDE; ++y)
    for (uint32_t x = 0; x + 1 < SIDE; ++x) {
      const uint32_t v = y * SIDE + x, two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
      for (int i = 0; i < 6; ++i) triangles[k++] = two[i];
    }
  if (pl_context_create(NULL, &w.context) != PL_OK) return 1;
  int good = must(&w, pl_scene_create(w.context, NULL, &w.scene));
  for (int i = 0; good && i < BODIES; ++i) {
    wave(w.xyz, i, 0);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(w.xyz, VERTICES);
    mesh.triangles = triangles;
    mesh.triangle_count = TRIANGLES;
    good = must(&w, pl_body_create_free(w.context, &mesh, NULL, &w.bodies[i])) &&
           must(&w, pl_scene_add(w.scene, w.bodies[i], NULL));
  }
  for (int frame = 1; good && frame <= FRAMES; ++frame) good = play(&w, frame);
  pl_context_destroy(w.context);
  return good ? 0 : 1;
}
