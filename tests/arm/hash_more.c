/* Hashes of questions within one body, of scenes, and of options: sorted, filtered, first, with
 * a budget; and of embedded and point-based bodies. */
#include "hash.h"
#include "scenes/ask.h"

#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>

static void add_near(sums *s, const pl_near_pair *pairs, size_t count)
{
  for (size_t i = 0; i < count; ++i) {
    ADD(s, KIND_WITHIN, pairs[i].a);
    ADD(s, KIND_WITHIN, pairs[i].b);
    ADD(s, KIND_WITHIN, pairs[i].distance);
    ADD(s, KIND_WITHIN, pairs[i].point_a);
    ADD(s, KIND_WITHIN, pairs[i].point_b);
  }
  s->count[KIND_WITHIN] += count;
}

/* Near triangles and features, and the least distance, within one body. */
void hash_within(sums *s, pl_body *body)
{
  for (uint32_t rings = 1; rings < 3; ++rings) {
    pl_question near = pl_question_default();
    near.rings = rings;
    near.sorted = rings == 2;
    const pl_result *pairs = NULL;
    hash_check(s, ask_near_triangles(pl_self(body), 0.03, &near, &pairs));
    add_near(s, pairs->near_pairs, pairs->count);
    hash_add_counters(s, KIND_WITHIN, &pairs->counters);
    pl_question feature = pl_question_default();
    feature.rings = rings;
    const pl_result *features = NULL;
    hash_check(s, ask_near(pl_self(body), 0.02, &feature, &features));
    hash_add_features(s, KIND_WITHIN, features->features, features->count);
    hash_add_counters(s, KIND_WITHIN, &features->counters);
    pl_question least = pl_question_default();
    least.rings = rings;
    least_row distance;
    hash_check(s, ask_least(pl_self(body), &least, &distance));
    hash_add_distance(s, KIND_WITHIN, &distance);
  }
}

static bool is_even(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user;
  return (pair.a ^ pair.b) % 2 == 0;
}

static bool is_even_contact(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  return a != b && is_even(user, a, b, pair);
}

/* Pairs: sorted and filtered, the first alone, and as many as a budget of tests finds. */
void hash_options(sums *s, pl_body *a, pl_body *b)
{
  for (int i = 0; i < 3; ++i) {
    pl_question def = pl_question_default();
    def.sorted = i == 0;
    def.filter = i == 0 ? is_even : NULL;
    def.first = i == 1;
    def.budget_tests = i == 2 ? 500 : 0;
    const pl_result *found = NULL;
    hash_check(s, pl_touching(pl_two(a, b), &def, &found));
    hash_add(s, KIND_OPTIONS, found->pairs, found->count * sizeof *found->pairs);
    ADD(s, KIND_OPTIONS, found->partial);
    hash_add_counters(s, KIND_OPTIONS, &found->counters);
    s->count[KIND_OPTIONS] += found->count;
  }
  pl_question near = pl_question_default();
  near.relative = 0.01;
  near.budget_tests = 3000;
  near.filter = is_even;
  least_row distance;
  hash_check(s, ask_least(pl_two(a, b), &near, &distance));
  hash_add_distance(s, KIND_OPTIONS, &distance);
}

static void add_list(sums *s, const pl_pair *pairs, size_t count)
{
  hash_add(s, KIND_CANDIDATES, pairs, count * sizeof *pairs);
  s->count[KIND_CANDIDATES] += count;
}

/* Features whose boxes along the whole path overlap, of two bodies and of one; after
 * pl_body_keep_pose(). */
void hash_candidates(sums *s, pl_body *a, pl_body *b)
{
  for (int i = 0; i < 4; ++i) {
    pl_question def = pl_question_default();
    def.sorted = i % 2;
    def.margin = i % 2 ? 0.01 : 0;
    const pl_result *found = NULL;
    hash_check(s, pl_candidates(pl_two(a, i < 2 ? b : a), &def, &found));
    const pl_candidate_lists *lists = found->lists;
    add_list(s, found->candidates + lists->vertex_face, lists->face_vertex - lists->vertex_face);
    add_list(s, found->candidates + lists->face_vertex, lists->edge_edge - lists->face_vertex);
    add_list(s, found->candidates + lists->edge_edge, lists->end - lists->edge_edge);
    hash_add_counters(s, KIND_CANDIDATES, &found->counters);
  }
}

/* The questions of a scene that hash.c does not ask: filtered pairs, the least distance twice,
 * first contact, rays. */
void hash_scene_more(sums *s, pl_scene *scene)
{
  pl_question pairs = pl_question_default();
  pairs.filter = is_even_contact;
  pairs.sorted = true;
  const pl_result *contacts = NULL;
  hash_check(s, pl_touching(pl_all(scene), &pairs, &contacts));
  for (size_t i = 0; i < contacts->count; ++i) {
    ADD(s, KIND_SCENE, contacts->pairs[i].a);
    ADD(s, KIND_SCENE, contacts->pairs[i].b);
  }
  hash_add_counters(s, KIND_SCENE, &contacts->counters);
  for (int i = 0; i < 2; ++i) {
    least_row nearest;
    hash_check(s, ask_least(pl_all(scene), NULL, &nearest));
    const uint64_t body_pairs = nearest.body_pairs; /* a size_t has fewer bytes on some machines */
    ADD(s, KIND_SCENE, body_pairs);
    hash_add_distance(s, KIND_SCENE, &nearest);
  }
  for (int all = 0; all < 2; ++all) {
    pl_question impact = pl_question_default();
    impact.all = all;
    const pl_result *found = NULL;
    hash_check(s, pl_impacts(pl_all(scene), &impact, &found));
    hash_add_impacts(s, KIND_SCENE, found, all);
  }
  pl_ray rays[25];
  for (int i = 0; i < 25; ++i) {
    const double from[3] = {(i % 5 - 2) / 4.0, (i / 5 - 2) / 4.0, -4}, along[3] = {0.0625, 0.03125 * (i % 3), 1};
    rays[i] = pl_ray_from(from, along);
  }
  const pl_result *hits = NULL;
  hash_check(s, pl_cast(pl_all(scene), rays, 25, NULL, &hits));
  for (size_t i = 0; i < 25; ++i) {
    ADD(s, KIND_SCENE, hits->hits[i].t);
    ADD(s, KIND_SCENE, hits->hits[i].triangle);
    ADD(s, KIND_SCENE, hits->hits[i].member);
  }
  hash_add_counters(s, KIND_SCENE, &hits->counters);
}

/* ----------------------------------------------------------- embedded and point-based bodies -- */

enum { CONTROLS = 8 };

static double corner(size_t i, int axis) { return (i >> axis & 1) ? 1.25 : -1.25; }

/* Trilinear weights in a cube. */
static void cube_weights(const scene_mesh *mesh, uint32_t *governor, float *weight)
{
  for (size_t v = 0; v < mesh->vertex_count; ++v)
    for (size_t i = 0; i < CONTROLS; ++i) {
      float product = 1;
      for (int axis = 0; axis < 3; ++axis) {
        float along = mesh->rest[3 * v + (size_t)axis] / 2.5f + 0.5f;
        product *= (i >> axis & 1) ? along : 1 - along;
      }
      governor[CONTROLS * v + i] = (uint32_t)i;
      weight[CONTROLS * v + i] = product;
    }
}

static void pose_controls(sums *s, pl_body *body, int which, int step)
{
  double controls[3 * CONTROLS];
  for (size_t i = 0; i < CONTROLS; ++i)
    for (int axis = 0; axis < 3; ++axis)
      controls[3 * i + (size_t)axis] = corner(i, axis) * (1 + 0.0625 * (double)(i % 3) * step) +
                                       (axis == 0 ? (which ? 1.5 - 0.25 * step : 0) : 0.03125 * (double)i);
  hash_check(s, pl_body_set_controls(body, pl_positions_f64(controls, CONTROLS)));
}

static pl_body *new_embedded(sums *s, const scene_mesh *mesh, bool particles, const pl_body_def *def)
{
  double controls[3 * CONTROLS];
  for (size_t i = 0; i < 3 * CONTROLS; ++i) controls[i] = corner(i / 3, (int)(i % 3));
  uint32_t *governor = malloc(CONTROLS * mesh->vertex_count * sizeof *governor);
  float *weight = malloc(CONTROLS * mesh->vertex_count * sizeof *weight);
  if (!governor || !weight) exit(1);
  cube_weights(mesh, governor, weight);
  pl_mesh_def given = pl_mesh_def_default();
  given.positions = pl_positions_f32(mesh->rest, mesh->vertex_count);
  given.triangles = mesh->triangles;
  given.triangle_count = mesh->triangle_count;
  pl_body *body = NULL;
  if (particles) {
    pl_particles_def points = pl_particles_def_default();
    points.particles = pl_positions_f64(controls, CONTROLS);
    hash_check(s, pl_body_create_points(s->context, &given, &points, def, &body));
  } else {
    pl_embed_def embed = pl_embed_def_default();
    embed.controls = pl_positions_f64(controls, CONTROLS);
    embed.weights = (pl_weights){mesh->vertex_count, NULL, CONTROLS, governor, weight, PL_F32, true};
    hash_check(s, pl_body_create_embed(s->context, &given, &embed, def, &body));
  }
  free(governor);
  free(weight);
  return body;
}

void hash_embedded(sums *s)
{
  scene_mesh mesh;
  if (!scene_geosphere(4, &mesh)) exit(1);
  for (int kind = 0; kind < 4; ++kind) {
    pl_body_def def = pl_body_def_default();
    def.strategy = kind % 2 ? PL_STRATEGY_HYBRID : PL_STRATEGY_GOVERNED;
    pl_body *body[2];
    for (int i = 0; i < 2; ++i) body[i] = new_embedded(s, &mesh, kind / 2, &def);
    for (int step = 0; step < 4; ++step) {
      for (int i = 0; i < 2; ++i) pose_controls(s, body[i], i, step);
      hash_all(s, body[0], body[1]);
    }
    for (int i = 0; i < 2; ++i) pl_body_destroy(body[i]);
  }
  scene_mesh_free(&mesh);
}
