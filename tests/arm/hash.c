/* What every query answers, as hashes: one line per kind of query, over all volumes, strategies
 * and arities, free, rigid and morphing bodies; other motions are in hash_motions.c. The lines
 * must be the same for every instruction set and machine; tests/arm/run compares them.
 *   hash [SIMD [few|all [THREADS]]]   the instruction set, `best` if not given; few: each volume
 *                                     and each strategy once instead of all combinations, for
 *                                     machines that are emulated; 1 thread if not given */
#include "hash.h"
#include "scenes/ask.h"

#include "scenes/morph.h"
#include "scenes/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREQUENCY = 8, SMALL = 5, STEPS = 4, RAYS = 400 };

void hash_check(const sums *s, pl_status status)
{
  if (status == PL_OK) return;
  fprintf(stderr, "hash: %s\n", pl_context_message(s->context));
  exit(1);
}

void hash_add(sums *s, enum kind kind, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; ++i) s->hash[kind] = (s->hash[kind] ^ bytes[i]) * 0x100000001b3u;
}

void hash_add_counters(sums *s, enum kind kind, const pl_counters *c)
{
  ADD(s, kind, c->n_v);
  ADD(s, kind, c->n_p);
  ADD(s, kind, c->n_u);
}

/* ------------------------------------------------------------------------------- the queries -- */

void hash_add_distance(sums *s, enum kind kind, const least_row *d)
{
  ADD(s, kind, d->distance);
  ADD(s, kind, d->lower);
  ADD(s, kind, d->point_a);
  ADD(s, kind, d->point_b);
  ADD(s, kind, d->triangle_a);
  ADD(s, kind, d->triangle_b);
  hash_add_counters(s, kind, &d->counters);
  s->count[kind] += d->distance > 0;
}

static void ask_pairs(sums *s, pl_body *a, pl_body *b)
{
  const pl_result *found = NULL;
  hash_check(s, pl_touching(pl_two(a, b), NULL, &found));
  hash_add(s, KIND_PAIRS, found->pairs, found->count * sizeof *found->pairs);
  hash_add_counters(s, KIND_PAIRS, &found->counters);
  s->count[KIND_PAIRS] += found->count;
}

static void ask_distances(sums *s, pl_body *a, pl_body *b)
{
  least_row distance;
  hash_check(s, ask_least(pl_two(a, b), NULL, &distance));
  hash_add_distance(s, KIND_DISTANCE, &distance);
  for (int i = 0; i < 3; ++i) {
    double point[3] = {0.3 * i - 0.5, 1.7 - 0.4 * i, 0.2 + i};
    hash_check(s, ask_point(a, point, false, &distance));
    hash_add_distance(s, KIND_POINT, &distance);
  }
  const pl_result *near = NULL;
  hash_check(s, ask_near_triangles(pl_two(a, b), 0.02, NULL, &near));
  for (size_t i = 0; i < near->count; ++i) {
    ADD(s, KIND_NEAR, near->near_pairs[i].a);
    ADD(s, KIND_NEAR, near->near_pairs[i].b);
    ADD(s, KIND_NEAR, near->near_pairs[i].distance);
    ADD(s, KIND_NEAR, near->near_pairs[i].point_a);
  }
  hash_add_counters(s, KIND_NEAR, &near->counters);
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
    pl_question def = pl_question_default();
    def.ray_mode = (pl_ray_mode)mode;
    def.coherent = mode == PL_RAY_MODE_CLOSEST;
    const pl_result *hits = NULL;
    hash_check(s, pl_cast(pl_one(body), rays, RAYS, &def, &hits));
    size_t count = hits->offsets ? hits->offsets[RAYS] : RAYS;
    for (size_t i = 0; i < count; ++i) add_hit(s, &hits->hits[i]);
    hash_add_counters(s, KIND_RAYS, &hits->counters);
  }
}

/* Cones, boxes and hashing, with and without neighbours. */
static void ask_self(sums *s, pl_body *body)
{
  static const pl_self_method methods[] = {PL_SELF_METHOD_CONES, PL_SELF_METHOD_BOXES, PL_SELF_METHOD_HASH};
  for (int i = 0; i < 6; ++i) {
    pl_question def = pl_question_default();
    def.self_method = methods[i / 2];
    def.rings = (i % 2) ? 0 : 1;
    const pl_result *found = NULL;
    hash_check(s, pl_touching(pl_self(body), &def, &found));
    hash_add(s, KIND_SELF, found->pairs, found->count * sizeof *found->pairs);
    hash_add_counters(s, KIND_SELF, &found->counters);
    s->count[KIND_SELF] += found->count;
  }
}

void hash_add_features(sums *s, enum kind kind, const pl_feature_pair *pairs, size_t count)
{
  for (size_t i = 0; i < count; ++i) {
    ADD(s, kind, pairs[i].kind);
    ADD(s, kind, pairs[i].triangle_a);
    ADD(s, kind, pairs[i].triangle_b);
    ADD(s, kind, pairs[i].vertex_a);
    ADD(s, kind, pairs[i].vertex_b);
    ADD(s, kind, pairs[i].distance);
    ADD(s, kind, pairs[i].weight_a);
    ADD(s, kind, pairs[i].weight_b);
    ADD(s, kind, pairs[i].normal);
  }
  s->count[kind] += count;
}

static void ask_features(sums *s, pl_body *a, pl_body *b)
{
  const pl_result *found = NULL;
  hash_check(s, ask_near(pl_two(a, b), 0.02, NULL, &found));
  hash_add_features(s, KIND_FEATURES, found->features, found->count);
  hash_add_counters(s, KIND_FEATURES, &found->counters);
}

/* Contacts, twice so that the second time they are kept, and what is near. */
static void ask_scene(sums *s, pl_body *a, pl_body *b)
{
  pl_scene *scene = NULL;
  hash_check(s, pl_scene_create(s->context, NULL, &scene));
  pl_member_def member = pl_member_def_default();
  member.self = true;
  hash_check(s, pl_scene_add(scene, a, &member));
  hash_check(s, pl_scene_add(scene, b, NULL));
  for (int i = 0; i < 2; ++i) {
    const pl_result *contacts = NULL;
    hash_check(s, pl_touching(pl_all(scene), NULL, &contacts));
    for (size_t k = 0; k < contacts->count; ++k) {
      ADD(s, KIND_SCENE, contacts->pairs[k].a);
      ADD(s, KIND_SCENE, contacts->pairs[k].b);
    }
    hash_add_counters(s, KIND_SCENE, &contacts->counters);
    s->count[KIND_SCENE] += contacts->count;
  }
  const pl_result *near = NULL;
  hash_check(s, ask_near_triangles(pl_all(scene), 0.02, NULL, &near));
  hash_add(s, KIND_SCENE, near->near_pairs, near->count * sizeof *near->near_pairs);
  hash_add_counters(s, KIND_SCENE, &near->counters);
  s->count[KIND_SCENE] += near->count;
  const pl_result *features = NULL;
  hash_check(s, ask_near(pl_all(scene), 0.01, NULL, &features));
  hash_add_features(s, KIND_SCENE, features->features, features->count);
  hash_add_counters(s, KIND_SCENE, &features->counters);
  hash_scene_points(s, scene);
  hash_scene_more(s, scene);
  pl_scene_destroy(scene);
}

static void ask_regions(sums *s, pl_body *body)
{
  static const double lower[3] = {-0.25, -0.5, -1}, upper[3] = {0.75, 0.5, 1}, centre[3] = {0.25, 0.5, 0.5};
  static const double planes[3][4] = {{1, 0.5, 0, 0.125}, {-1, 0.25, 0.5, 0.5}, {0, 0, 3, 1}};
  const pl_zone regions[PL_ZONE_COUNT] = {pl_zone_box(lower, upper), pl_zone_sphere(centre, 0.75),
                                          pl_zone_frustum(planes, 3)};
  for (int i = 0; i < PL_ZONE_COUNT; ++i) {
    const pl_result *found = NULL;
    hash_check(s, pl_overlap(pl_one(body), &regions[i], NULL, &found));
    hash_add(s, KIND_REGIONS, found->triangles, found->count * sizeof *found->triangles);
    hash_add_counters(s, KIND_REGIONS, &found->counters);
    s->count[KIND_REGIONS] += found->count;
  }
}

/* The winding numbers of the closed bodies here are integers; those of open ones need the
 * machine's arc tangent. */
static void ask_points(sums *s, pl_body *body)
{
  enum { POINTS = 64 };
  double points[3 * POINTS];
  for (int i = 0; i < POINTS; ++i) {
    points[3 * i] = (i % 4 - 1.5) * 0.625;
    points[3 * i + 1] = (i / 4 % 4 - 1.5) * 0.6;
    points[3 * i + 2] = (double)(i / 16) * 0.5 - 0.75;
  }
  typedef pl_status (*question)(pl_who, pl_positions, const pl_question *, const pl_result **);
  static const question questions[] = {pl_closest, pl_inside, pl_signed_distance};
  for (int i = 0; i < 3; ++i) {
    const pl_result *found = NULL;
    hash_check(s, questions[i](pl_one(body), pl_positions_f64(points, POINTS), NULL, &found));
    for (size_t k = 0; k < found->count; ++k) {
      const pl_point *r = &found->points[k];
      ADD(s, KIND_POINTS, r->distance);
      ADD(s, KIND_POINTS, r->point);
      ADD(s, KIND_POINTS, r->u);
      ADD(s, KIND_POINTS, r->v);
      ADD(s, KIND_POINTS, r->triangle);
      ADD(s, KIND_POINTS, r->side);
      ADD(s, KIND_POINTS, r->winding);
      s->count[KIND_POINTS] += r->side == PL_SIDE_INSIDE;
    }
    hash_add_counters(s, KIND_POINTS, &found->counters);
  }
}

/* The common segments of all pairs, and how deep the bodies are in each other. */
static void ask_contact(sums *s, pl_body *a, pl_body *b)
{
  const pl_result *found = NULL;
  hash_check(s, pl_touching(pl_two(a, b), NULL, &found));
  pl_question given = pl_question_default();
  const pl_result *cut = NULL;
  given.given = found;
  hash_check(s, pl_segments(pl_two(a, b), &given, &cut));
  const pl_segment *segments = cut->segments;
  size_t count = cut->count;
  for (size_t i = 0; i < count; ++i) {
    ADD(s, KIND_SEGMENTS, segments[i].from);
    ADD(s, KIND_SEGMENTS, segments[i].to);
    ADD(s, KIND_SEGMENTS, segments[i].coplanar);
    s->count[KIND_SEGMENTS] += segments[i].touches;
  }
  pl_question def = pl_question_default();
  def.samples = 60;
  const pl_result *deep = NULL;
  hash_check(s, pl_penetrations(pl_two(a, b), &def, &deep));
  for (size_t i = 0; i < deep->count; ++i) {
    const pl_penetration *p = &deep->penetrations[i];
    ADD(s, KIND_DEPTHS, p->depth);
    ADD(s, KIND_DEPTHS, p->bound);
    ADD(s, KIND_DEPTHS, p->point);
    ADD(s, KIND_DEPTHS, p->surface);
    ADD(s, KIND_DEPTHS, p->direction);
    ADD(s, KIND_DEPTHS, p->triangle);
    ADD(s, KIND_DEPTHS, p->other_triangle);
  }
  s->count[KIND_DEPTHS] += deep->count;
}

void hash_add_impacts(sums *s, enum kind kind, const pl_result *found, bool all)
{
  ADD(s, kind, found->time);
  ADD(s, kind, found->safe_step);
  for (size_t k = 0; all && k < found->count; ++k) { /* of several at the start any may be the first */
    const pl_impact *m = &found->impacts[k];
    ADD(s, kind, m->time);
    ADD(s, kind, m->kind);
    ADD(s, kind, m->feature_a);
    ADD(s, kind, m->feature_b);
    ADD(s, kind, m->normal);
    ADD(s, kind, m->point);
  }
  s->count[kind] += found->count;
}

/* On the way from the last step: the first contact, all, and those within a separation. */
static void ask_impacts(sums *s, pl_body *a, pl_body *b)
{
  for (int i = 0; i < 3; ++i) {
    pl_question def = pl_question_default();
    def.all = i > 0;
    def.margin = i == 2 ? 0.005 : 0;
    const pl_result *found = NULL;
    hash_check(s, pl_impacts(pl_two(a, b), &def, &found));
    hash_add_impacts(s, KIND_IMPACTS, found, def.all);
  }
}

void hash_all(sums *s, pl_body *a, pl_body *b)
{
  ask_pairs(s, a, b);
  ask_distances(s, a, b);
  ask_rays(s, a);
  float box[2][3];
  hash_check(s, pl_body_box(a, box[0], box[1]));
  ADD(s, KIND_BOX, box);
  ++s->count[KIND_BOX];
  if (++s->asked % 2) { /* every other step is enough for the slow ones: machines are emulated */
    hash_check(s, pl_body_keep_pose(a));
    hash_check(s, pl_body_keep_pose(b));
    return;
  }
  ask_self(s, a);
  ask_features(s, a, b);
  ask_scene(s, a, b);
  ask_regions(s, a);
  ask_points(s, a);
  ask_contact(s, a, b);
  ask_impacts(s, a, b);
  hash_within(s, a);
  hash_options(s, a, b);
  hash_candidates(s, a, b);
}

/* -------------------------------------------------------------------------------- the bodies -- */

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
      hash_check(s, body[i] ? pl_body_set_positions(body[i], positions)
                            : pl_body_create_free(s->context, &given, def, &body[i]));
    }
    hash_all(s, body[0], body[1]);
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
  for (int i = 0; i < 2; ++i) hash_check(s, pl_body_create_morph(s->context, &given, &morph, def, &body[i]));
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < 2; ++i) {
      morph_pose pose;
      morph_b1_pose(i, 120 + 50 * step, &pose);
      pl_transform at;
      for (int k = 0; k < 9; ++k) at.m[k / 3][k % 3] = pose.rotation[k];
      for (int k = 0; k < 3; ++k) at.t[k] = pose.shift[k];
      hash_check(s, pl_body_set_weights(body[i], pose.weight, MORPH_REFERENCES));
      hash_check(s, pl_body_set_transform(body[i], &at));
    }
    hash_all(s, body[0], body[1]);
  }
  for (int i = 0; i < 2; ++i) pl_body_destroy(body[i]);
  morph_mesh_free(&mesh);
}

/* Two skinned spheres that bend and turn. The bones are rotations by rational numbers: libraries
 * of other machines have other sines. */
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
  for (int i = 0; i < 2; ++i) hash_check(s, pl_body_create_skin(s->context, &given, &skin, def, &body[i]));
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < 2; ++i) {
      pl_transform bones[BONES];
      for (int k = 0; k < BONES; ++k) {
        double u = 0.1 * k * (step + 1) - 0.3 * i, length = 1 + u * u, c = (1 - u * u) / length, t = 2 * u / length;
        bones[k] = (pl_transform){{{c, 0, t}, {0, 1, 0}, {-t, 0, c}}, {1.5 * i - 0.2 * step, 0.1 * k, 0}};
      }
      hash_check(s, pl_body_set_bones(body[i], bones, BONES));
    }
    hash_all(s, body[0], body[1]);
  }
  for (int i = 0; i < 2; ++i) pl_body_destroy(body[i]);
  free(bone);
  free(weight);
  scene_mesh_free(&mesh);
}

/* Their order decides the settings of each turn: with another one all hashes would be others. */
static const pl_strategy strategies[] = {PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_TOP_DOWN, PL_STRATEGY_HYBRID,
                                         PL_STRATEGY_BERGEN,    PL_STRATEGY_INFLATE,  PL_STRATEGY_BLEND,
                                         PL_STRATEGY_GOVERNED};
enum { STRATEGIES = sizeof strategies / sizeof strategies[0], VOLUMES = PL_VOLUME_COUNT };

/* Each volume and each strategy at least once. */
static bool is_among_few(int volume, int i)
{
  return VOLUMES < STRATEGIES ? volume == i % VOLUMES : i == volume % STRATEGIES;
}

static void play(sums *s, int volume, int strategy, int turn)
{
  pl_body_def def = pl_body_def_default();
  def.volume = (pl_volume)volume;
  def.strategy = (pl_strategy)strategy;
  def.arity = 2 << turn % 3;
  def.leaf_size = 8 - turn % 5;
  def.builder = (pl_builder)(turn / 2 % PL_BUILDER_COUNT);
  if (strategy == PL_STRATEGY_BLEND)
    play_morph(s, &def);
  else if (strategy == PL_STRATEGY_GOVERNED)
    play_skin(s, &def);
  else
    play_free(s, &def, turn % 4 == 1, turn % 2 ? scene_s5_pose : scene_s1p_pose,
              turn % 2 ? SCENE_S5_STEPS : SCENE_S1_STEPS);
}

int main(int argc, char **argv)
{
  sums s = {.asked = 0};
  const bool few = argc > 2 && !strcmp(argv[2], "few");
  for (int i = 0; i < KIND_COUNT; ++i) s.hash[i] = 0xcbf29ce484222325u, s.count[i] = 0;
  pl_context_def context = pl_context_def_default();
  context.threads = argc > 3 ? atoi(argv[3]) : 1;
  context.simd = argc > 1 && strcmp(argv[1], "best") != 0 ? argv[1] : NULL;
  if (pl_context_create(&context, &s.context) != PL_OK) {
    fprintf(stderr, "hash: this machine has no %s\n", argc > 1 ? argv[1] : "memory");
    return 1;
  }
  int turn = 0;
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
    for (int i = 0; i < STRATEGIES; ++i, ++turn)
      if (!few || is_among_few(volume, i)) play(&s, volume, strategies[i], turn);
  hash_flight(&s);
  hash_match(&s);
  hash_subdivided(&s);
  hash_embedded(&s);
  hash_swept(&s);
  static const char *const words[] = {
#define KIND_WORD(name, word) word,
      KIND_LIST(KIND_WORD)
#undef KIND_WORD
  };
  for (int i = 0; i < KIND_COUNT; ++i)
    printf("%-10s %016llx %llu\n", words[i], (unsigned long long)s.hash[i], (unsigned long long)s.count[i]);
  pl_context_destroy(s.context);
  return 0;
}
