/* What every query answers, as hashes: one line per kind of query, over all volumes, strategies and arities, free, rigid and morphing
 * bodies. The lines must be the same for every instruction set and machine; tests/arm/run compares them.
 *   hash [SIMD]     the instruction set; the best one if not given */
#include "pliant/pliant.h"

#include "scenes/morph.h"
#include "scenes/scenes.h"

#include <stdio.h>
#include <stdlib.h>

enum { FREQUENCY = 8, SMALL = 5, STEPS = 4, RAYS = 400 };

/* X(NAME, word). */
#define KIND_LIST(X)                                                                                                   \
  X(PAIRS, "pairs") X(DISTANCE, "distance") X(NEAR, "near") X(POINT, "point") X(RAYS, "rays") X(BOX, "boxes")
enum kind {
#define KIND_NAME(name, word) KIND_##name,
  KIND_LIST(KIND_NAME)
#undef KIND_NAME
      KIND_COUNT
};

typedef struct sums {
  uint64_t hash[KIND_COUNT]; /* FNV-1a */
  uint64_t count[KIND_COUNT];
  pl_context *context;
} sums;

static void check(const sums *s, pl_status status)
{
  if (status == PL_OK) return;
  fprintf(stderr, "hash: %s\n", pl_context_message(s->context));
  exit(1);
}

static void add(sums *s, enum kind kind, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; ++i) s->hash[kind] = (s->hash[kind] ^ bytes[i]) * 0x100000001b3u;
}
#define ADD(s, kind, value) add(s, kind, &(value), sizeof(value))

static void add_counters(sums *s, enum kind kind, const pl_counters *c)
{
  ADD(s, kind, c->n_v);
  ADD(s, kind, c->n_p);
  ADD(s, kind, c->n_u);
}

/* ----------------------------------------------------------------------------------------------------- the queries -- */

static void add_distance(sums *s, enum kind kind, const pl_distance *d)
{
  ADD(s, kind, d->distance);
  ADD(s, kind, d->lower);
  ADD(s, kind, d->point_a);
  ADD(s, kind, d->point_b);
  ADD(s, kind, d->triangle_a);
  ADD(s, kind, d->triangle_b);
  add_counters(s, kind, &d->counters);
  s->count[kind] += d->distance > 0;
}

static void ask_pairs(sums *s, pl_body *a, pl_body *b)
{
  const pl_pairs *found = NULL;
  check(s, pl_body_collide(a, b, NULL, &found));
  add(s, KIND_PAIRS, found->pairs, found->count * sizeof *found->pairs);
  add_counters(s, KIND_PAIRS, &found->counters);
  s->count[KIND_PAIRS] += found->count;
}

static void ask_distances(sums *s, pl_body *a, pl_body *b)
{
  pl_distance distance;
  check(s, pl_body_distance(a, b, NULL, &distance));
  add_distance(s, KIND_DISTANCE, &distance);
  for (int i = 0; i < 3; ++i) {
    double point[3] = {0.3 * i - 0.5, 1.7 - 0.4 * i, 0.2 + i};
    check(s, pl_body_distance_point(a, point, NULL, &distance));
    add_distance(s, KIND_POINT, &distance);
  }
  const pl_near_pairs *near = NULL;
  check(s, pl_body_near(a, b, 0.02, NULL, &near));
  for (size_t i = 0; i < near->count; ++i) {
    ADD(s, KIND_NEAR, near->pairs[i].a);
    ADD(s, KIND_NEAR, near->pairs[i].b);
    ADD(s, KIND_NEAR, near->pairs[i].distance);
    ADD(s, KIND_NEAR, near->pairs[i].point_a);
  }
  add_counters(s, KIND_NEAR, &near->counters);
  s->count[KIND_NEAR] += near->count;
}

static void add_hit(sums *s, const pl_hit *hit)
{
  ADD(s, KIND_RAYS, hit->t);
  ADD(s, KIND_RAYS, hit->triangle);
  if (hit->triangle == PL_NONE) return;
  ADD(s, KIND_RAYS, hit->u);
  ADD(s, KIND_RAYS, hit->v);
  ADD(s, KIND_RAYS, hit->normal);
  ++s->count[KIND_RAYS];
}

/* A picture of 20 x 20 pixels, in tiles for packets, and every third ray along an axis. */
static void ask_rays(sums *s, pl_body *body)
{
  static pl_ray rays[RAYS];
  for (int i = 0; i < RAYS; ++i) {
    double x = (i % 20 - 9.5) / 8, y = (double)(i / 20 - 10) / 8;
    double from[3] = {x, y, -4}, along[3] = {i % 3 ? 0.25 - 0.2 * x : 0, i % 3 ? 0.125 * y : 0, 1};
    rays[i] = pl_ray_from(from, along);
  }
  for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
    pl_ray_def def = pl_ray_def_default();
    def.mode = (pl_ray_mode)mode;
    def.coherent = mode == PL_RAY_MODE_CLOSEST;
    const pl_hits *hits = NULL;
    check(s, pl_body_cast(body, rays, RAYS, &def, &hits));
    size_t count = hits->first ? hits->first[RAYS] : RAYS;
    for (size_t i = 0; i < count; ++i) add_hit(s, &hits->hits[i]);
    add_counters(s, KIND_RAYS, &hits->counters);
  }
}

static void ask_all(sums *s, pl_body *a, pl_body *b)
{
  ask_pairs(s, a, b);
  ask_distances(s, a, b);
  ask_rays(s, a);
  float box[2][3];
  check(s, pl_body_box(a, box[0], box[1]));
  ADD(s, KIND_BOX, box);
  ++s->count[KIND_BOX];
}

/* ------------------------------------------------------------------------------------------------------ the bodies -- */

static pl_positions pose_of(const scene_mesh *mesh, bool doubles, double *wide)
{
  if (!doubles) return pl_positions_f32(mesh->xyz, mesh->vertex_count);
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) wide[i] = (double)mesh->xyz[i] * 1.0000000001;
  return pl_positions_f64(wide, mesh->vertex_count);
}

typedef void (*pose_function)(scene_mesh *a, scene_mesh *b, int step);

/* Two bumpy spheres, in contact (S1P) or passing each other (S5). */
static void play_free(sums *s, const pl_body_def *def, bool doubles, pose_function pose, int last)
{
  scene_mesh mesh[2];
  double *wide[2] = {NULL, NULL};
  pl_body *body[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    if (!scene_geosphere(FREQUENCY - i, &mesh[i])) exit(1);
    wide[i] = malloc(3 * mesh[i].vertex_count * sizeof(double));
    if (!wide[i]) exit(1);
  }
  for (int step = 0; step < STEPS; ++step) {
    pose(&mesh[0], &mesh[1], (step + 1) * last / STEPS - 1);
    for (int i = 0; i < 2; ++i) {
      pl_positions positions = pose_of(&mesh[i], doubles, wide[i]);
      pl_mesh_def given = pl_mesh_def_default();
      given.positions = positions;
      given.triangles = mesh[i].triangles;
      given.triangle_count = mesh[i].triangle_count;
      check(s, body[i] ? pl_body_set_positions(body[i], positions)
                       : pl_body_create_free(s->context, &given, def, &body[i]));
    }
    ask_all(s, body[0], body[1]);
  }
  for (int i = 0; i < 2; ++i) {
    pl_body_destroy(body[i]);
    free(wide[i]);
    scene_mesh_free(&mesh[i]);
  }
}

/* Two morphing bodies that turn and pass through each other. */
static void play_morph(sums *s, const pl_body_def *def)
{
  morph_mesh mesh;
  if (!morph_b1_body(SMALL, &mesh)) exit(1);
  pl_positions references[MORPH_REFERENCES];
  for (int i = 0; i < MORPH_REFERENCES; ++i) references[i] = pl_positions_f32(mesh.references[i], mesh.vertex_count);
  pl_mesh_def given = pl_mesh_def_default();
  given.triangles = mesh.triangles;
  given.triangle_count = mesh.triangle_count;
  pl_morph_def morph = pl_morph_def_default();
  morph.references = references;
  morph.reference_count = MORPH_REFERENCES;
  pl_body *body[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) check(s, pl_body_create_morph(s->context, &given, &morph, def, &body[i]));
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < 2; ++i) {
      morph_pose pose;
      morph_b1_pose(i, 120 + 50 * step, &pose);
      pl_transform at;
      for (int k = 0; k < 9; ++k) at.m[k / 3][k % 3] = pose.rotation[k];
      for (int k = 0; k < 3; ++k) at.t[k] = pose.shift[k];
      check(s, pl_body_set_weights(body[i], pose.weight, MORPH_REFERENCES));
      check(s, pl_body_set_transform(body[i], &at));
    }
    ask_all(s, body[0], body[1]);
  }
  for (int i = 0; i < 2; ++i) pl_body_destroy(body[i]);
  morph_mesh_free(&mesh);
}

/* Two skinned spheres that bend and turn. The bones are rotations by rational numbers: libraries of other machines have other sines. */
static void play_skin(sums *s, const pl_body_def *def)
{
  enum { BONES = 5, PER_VERTEX = 2 };
  scene_mesh mesh;
  if (!scene_geosphere(8, &mesh)) exit(1);
  uint32_t *bone = malloc(PER_VERTEX * mesh.vertex_count * sizeof *bone);
  float *weight = malloc(PER_VERTEX * mesh.vertex_count * sizeof *weight);
  if (!bone || !weight) exit(1);
  for (size_t v = 0; v < mesh.vertex_count; ++v) {
    double along = ((double)mesh.rest[3 * v] + 1) * 0.5 * (BONES - 1) * 0.999;
    uint32_t first = along > 0 ? (uint32_t)along : 0;
    bone[2 * v] = first;
    bone[2 * v + 1] = first + 1;
    weight[2 * v + 1] = (float)(along - first);
    weight[2 * v] = 1 - weight[2 * v + 1];
  }
  pl_mesh_def given = pl_mesh_def_default();
  given.positions = pl_positions_f32(mesh.rest, mesh.vertex_count);
  given.triangles = mesh.triangles;
  given.triangle_count = mesh.triangle_count;
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = BONES;
  skin.weights = (pl_weights){mesh.vertex_count, NULL, PER_VERTEX, bone, weight, PL_F32, true};
  pl_body *body[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) check(s, pl_body_create_skin(s->context, &given, &skin, def, &body[i]));
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < 2; ++i) {
      pl_transform bones[BONES];
      for (int k = 0; k < BONES; ++k) {
        double u = 0.1 * k * (step + 1) - 0.3 * i, length = 1 + u * u, c = (1 - u * u) / length, t = 2 * u / length;
        bones[k] = (pl_transform){{{c, 0, t}, {0, 1, 0}, {-t, 0, c}}, {1.5 * i - 0.2 * step, 0.1 * k, 0}};
      }
      check(s, pl_body_set_bones(body[i], bones, BONES));
    }
    ask_all(s, body[0], body[1]);
  }
  for (int i = 0; i < 2; ++i) pl_body_destroy(body[i]);
  free(bone);
  free(weight);
  scene_mesh_free(&mesh);
}

int main(int argc, char **argv)
{
  sums s;
  for (int i = 0; i < KIND_COUNT; ++i) s.hash[i] = 0xcbf29ce484222325u, s.count[i] = 0;
  pl_context_def context = pl_context_def_default();
  context.threads = 1;
  context.simd = argc > 1 ? argv[1] : NULL;
  if (pl_context_create(&context, &s.context) != PL_OK) {
    fprintf(stderr, "hash: this machine has no %s\n", argc > 1 ? argv[1] : "memory");
    return 1;
  }
  int turn = 0;
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
    for (int strategy = PL_STRATEGY_BOTTOM_UP; strategy < PL_STRATEGY_COUNT; ++strategy, ++turn) {
      pl_body_def def = pl_body_def_default();
      def.volume = (pl_volume)volume;
      def.strategy = (pl_strategy)strategy;
      def.arity = 2 << turn % 3;
      def.leaf_size = 8 - turn % 5;
      def.builder = (pl_builder)(turn / 2 % PL_BUILDER_COUNT);
      if (strategy == PL_STRATEGY_BLEND)
        play_morph(&s, &def);
      else if (strategy == PL_STRATEGY_GOVERNED)
        play_skin(&s, &def);
      else
        play_free(&s, &def, turn % 4 == 1, turn % 2 ? scene_s5_pose : scene_s1p_pose,
                  turn % 2 ? SCENE_S5_STEPS : SCENE_S1_STEPS);
    }
  static const char *const words[] = {
#define KIND_WORD(name, word) word,
      KIND_LIST(KIND_WORD)
#undef KIND_WORD
  };
  for (int i = 0; i < KIND_COUNT; ++i)
    printf("%-9s %016llx %llu\n", words[i], (unsigned long long)s.hash[i], (unsigned long long)s.count[i]);
  pl_context_destroy(s.context);
  return 0;
}
