/* Rods and points beside triangles: lists of a mesh, which are triangles (i, j, j) and (i, i, i)
 * behind its own. Every question takes them as what they are: against the reference, and against
 * functions of single features; what is found as several features is one nearest part. */
#include "pliant/pliant.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 60, FACES = 4, SEGMENTS = 28, POINTS = 8, PARTS = FACES + SEGMENTS + POINTS, BODIES = 2, ROUNDS = 6 };

/* The parts of a mesh, which may be given in two ways. */
typedef struct parts {
  uint32_t face[FACES][3], segment[SEGMENTS][2], point[POINTS];
  uint32_t all[PARTS][3];
} parts;

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  pl_body *body[BODIES];
  double at[BODIES][VERTICES][3];
} stage;

/* The first segments are a chain. */
static void make_parts(parts *p, test_rng *rng)
{
  for (uint32_t k = 0; k < PARTS; ++k) {
    const uint32_t s = k - FACES, i = k >= FACES && s < 20 ? s : 20 + (uint32_t)test_below(rng, 38);
    const uint32_t corners[3] = {i, k < FACES + SEGMENTS ? i + 1 : i,
                                 k < FACES              ? i + 2
                                 : k < FACES + SEGMENTS ? i + 1
                                                        : i};
    memcpy(p->all[k], corners, sizeof corners);
    if (k < FACES)
      memcpy(p->face[k], corners, sizeof corners);
    else if (s < SEGMENTS)
      memcpy(p->segment[s], corners, sizeof p->segment[s]);
    else
      p->point[s - SEGMENTS] = i;
  }
}

static pl_mesh_def mesh_of(const parts *p, bool lists, pl_positions positions)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = positions;
  mesh.triangles = lists ? p->face[0] : p->all[0];
  mesh.triangle_count = lists ? FACES : PARTS;
  if (!lists) return mesh;
  mesh.segments = p->segment[0], mesh.segment_count = SEGMENTS;
  mesh.points = p->point, mesh.point_count = POINTS;
  return mesh;
}

/* Chains of segments, points and some triangles in a box; as lists or as triangles. */
static void stage_open(stage *s, uint64_t seed, bool lists)
{
  test_rng rng = {seed};
  assert_int_equal(pl_context_create(NULL, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  for (int b = 0; b < BODIES; ++b) {
    parts p;
    pl_member_def member = pl_member_def_default();
    for (int i = 0; i < 3 * VERTICES; ++i)
      s->at[b][i / 3][i % 3] = test_below(&rng, 3) ? test_uniform(&rng, 0, 4) : test_below(&rng, 5);
    make_parts(&p, &rng);
    const pl_mesh_def mesh = mesh_of(&p, lists, pl_positions_f64(s->at[b][0], VERTICES));
    member.self = true;
    assert_int_equal(pl_body_create_free(s->context, &mesh, NULL, &s->body[b]), PL_OK);
    assert_int_equal(pl_scene_add(s->scene, s->body[b], &member), PL_OK);
  }
}

typedef pl_status ask_function(pl_who who, const pl_question *how, const pl_result **out);

static size_t compare(ask_function *ask, pl_who who, pl_question how, size_t member, size_t row)
{
  const pl_result *found;
  const void *rows;
  how.reference = true;
  assert_int_equal(ask(who, &how, &found), PL_OK);
  const size_t count = found->count;
  char *wanted = malloc(count * row + 1);
  memcpy(&rows, (const char *)found + member, sizeof rows);
  if (count) memcpy(wanted, rows, count * row);
  how.reference = false;
  assert_int_equal(ask(who, &how, &found), PL_OK);
  memcpy(&rows, (const char *)found + member, sizeof rows);
  assert_int_equal(found->count, count);
  if (count) assert_memory_equal(rows, wanted, count * row);
  free(wanted);
  return count;
}

#define COMPARE(ask, who, how, rows, type) compare(ask, who, how, offsetof(pl_result, rows), sizeof(type))

static void questions_of_rods_and_points_equal_the_reference(void **state)
{
  size_t touching = 0, near = 0, impacts = 0;
  (void)state;
  for (uint64_t round = 1; round <= ROUNDS; ++round) {
    stage s;
    stage_open(&s, round, round % 2);
    const pl_who who[] = {pl_two(s.body[0], s.body[1]), pl_self(s.body[0]), pl_all(s.scene)};
    for (int w = 0; w < 3; ++w) {
      pl_question how = pl_question_default();
      how.sorted = true;
      touching += COMPARE(pl_touching, who[w], how, pairs, pl_pair);
      how.margin = 0.3;
      near += COMPARE(pl_near, who[w], how, features, pl_feature_pair);
      near += COMPARE(pl_near_triangles, who[w], how, near_pairs, pl_near_pair);
      how = pl_question_default();
      COMPARE(pl_nearest, who[w], how, distances, pl_distance);
    }
    for (int b = 0; b < BODIES; ++b) {
      assert_int_equal(pl_body_keep_pose(s.body[b]), PL_OK);
      for (int v = 0; v < VERTICES; ++v) s.at[b][v][b] += b ? 1 : 0.25 * v / VERTICES;
      assert_int_equal(pl_body_set_positions(s.body[b], pl_positions_f64(s.at[b][0], VERTICES)), PL_OK);
    }
    for (int w = 0; w < 3; ++w) {
      pl_question how = pl_question_default();
      how.all = true;
      how.margin = w ? 0 : 0.05;
      impacts += COMPARE(pl_impacts, who[w], how, impacts, pl_impact);
    }
    pl_context_destroy(s.context);
  }
  print_message("%zu touching, %zu near, %zu impacts\n", touching, near, impacts);
  assert_true(touching > 10 && near > 100 && impacts > 50);
}

/* A cube with hair on it and grains around has the inside of the cube alone. */
static void hair_and_sand_change_nothing_about_inside(void **state)
{
  static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  static const uint32_t hair[4][2] = {{7, 8}, {8, 9}, {0, 10}, {11, 12}}, sand[2] = {3, 13};
  static const double beyond[6][3] = {{2, 2, 1},      {3, 1, 2},     {0.5, 0.5, 0.5},
                                      {-1, 0.5, 0.5}, {2, 0.5, 0.5}, {0.5, 2, 2}};
  enum { ASKED = 300 };
  double at[14][3], asked[ASKED][3];
  bool alone[ASKED];
  size_t inside = 0;
  pl_context *context;
  test_rng rng = {3};
  const pl_result *found;
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (int v = 0; v < 24; ++v) at[v / 3][v % 3] = v / 3 >> v % 3 & 1;
  memcpy(at[8], beyond, sizeof beyond);
  for (int i = 0; i < 3 * ASKED; ++i) asked[i / 3][i % 3] = test_uniform(&rng, -0.5, 1.5);
  for (int hairy = 0; hairy < 2; ++hairy) {
    pl_mesh_def mesh = pl_mesh_def_default();
    pl_body *body;
    pl_closure closure;
    mesh.positions = pl_positions_f64(at[0], 14);
    mesh.triangles = faces[0], mesh.triangle_count = 12;
    mesh.segments = hair[0], mesh.segment_count = hairy ? 4 : 0;
    mesh.points = sand, mesh.point_count = hairy ? 2 : 0;
    assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &body), PL_OK);
    assert_int_equal(pl_body_closure(body, &closure, NULL), PL_OK);
    assert_int_equal(closure, PL_CLOSURE_CLOSED);
    assert_int_equal(pl_inside(pl_one(body), pl_positions_f64(asked[0], ASKED), NULL, &found), PL_OK);
    for (int i = 0; i < ASKED; ++i) {
      if (hairy) assert_true((found->points[i].side == PL_SIDE_INSIDE) == alone[i]);
      alone[i] = found->points[i].side == PL_SIDE_INSIDE;
      inside += alone[i];
    }
    assert_int_equal(pl_signed_distance(pl_one(body), pl_positions_f64(asked[0], ASKED), NULL, &found), PL_OK);
    for (int i = 0; i < ASKED; ++i)
      assert_true(found->points[i].distance == 0 || (found->points[i].distance < 0) == alone[i]);
  }
  assert_true(inside > 50 && inside < 2 * ASKED - 50);
  pl_context_destroy(context);
}

enum { KINDS = 8 };

/* A mesh as a body of each kind, at rest where its vertices are. */
static pl_status create_kind(pl_context *context, int kind, const pl_mesh_def *mesh, pl_body **out)
{
  static const uint32_t governor[5] = {0, 1, 2, 3, 4}, bone[5] = {0};
  static const double one[5] = {1, 1, 1, 1, 1}, time[1] = {0};
  const pl_positions *at = &mesh->positions;
  const pl_weights own = {.vertex_count = 5, .per_vertex = 1, .governors = governor, .values = one, .type = PL_F64};
  pl_morph_def morph = pl_morph_def_default();
  pl_skin_def skin = pl_skin_def_default();
  pl_embed_def embed = pl_embed_def_default();
  pl_particles_def particles = pl_particles_def_default();
  pl_flight_def flight = pl_flight_def_default();
  morph.references = at, morph.reference_count = 1;
  skin.bone_count = 1, skin.weights = own, skin.weights.governors = bone;
  embed.controls = *at, embed.weights = own;
  particles.particles = *at;
  flight.times = time, flight.key_count = 1, flight.poses = at, flight.pose_count = 1;
  switch (kind) {
  case 0:
    return pl_body_create_free(context, mesh, NULL, out);
  case 1:
    return pl_body_create_rigid(context, mesh, NULL, out);
  case 2:
    return pl_body_create_morph(context, mesh, &morph, NULL, out);
  case 3:
    return pl_body_create_skin(context, mesh, &skin, NULL, out);
  case 4:
    return pl_body_create_embed(context, mesh, &embed, NULL, out);
  case 5:
    return pl_body_create_points(context, mesh, &particles, NULL, out);
  case 6:
    return pl_body_create_match(context, mesh, NULL, NULL, out);
  default:
    return pl_body_create_flight(context, mesh, &flight, NULL, out);
  }
}

static void bodies_of_all_kinds_have_segments_and_points(void **state)
{
  static const double at[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1}, {3, 0, 0}},
                      post[2][3] = {{1, 0.5, -1}, {1, 0.5, 1}};
  static const uint32_t rods[3][2] = {{0, 1}, {1, 2}, {2, 3}}, grain[1] = {4}, pole[2] = {0, 1};
  pl_context *context;
  pl_body *other, *body;
  const pl_result *found;
  pl_mesh_def mesh = pl_mesh_def_default(), single = mesh;
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  mesh.positions = pl_positions_f64(at[0], 5);
  mesh.segments = rods[0], mesh.segment_count = 3;
  mesh.points = grain, mesh.point_count = 1;
  single.positions = pl_positions_f64(post[0], 2);
  single.segments = pole, single.segment_count = 1;
  assert_int_equal(pl_body_create_free(context, &single, NULL, &other), PL_OK);
  for (int kind = 0; kind < KINDS; ++kind) {
    pl_question near = pl_question_default();
    near.margin = 1e-9;
    if (create_kind(context, kind, &mesh, &body) != PL_OK) fail_msg("%d: %s", kind, pl_context_message(context));
    assert_int_equal(pl_body_triangle_count(body), 4);
    assert_int_equal(pl_near_triangles(pl_two(body, other), &near, &found), PL_OK);
    assert_true(found->count == 1 && found->near_pairs[0].a == 1 && found->near_pairs[0].b == 0);
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
}

/* Rows of one question about two bodies, without the bodies. */
static size_t rows_of(pl_context *context, const parts *p, bool lists, const double at[2][VERTICES][3], pl_pair **pairs,
                      pl_feature_pair **features)
{
  pl_body *body[2];
  pl_question how = pl_question_default();
  const pl_result *found;
  for (int b = 0; b < 2; ++b) {
    const pl_mesh_def mesh = mesh_of(p + b, lists, pl_positions_f64(at[b][0], VERTICES));
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body[b]), PL_OK);
    assert_int_equal(pl_body_triangle_count(body[b]), PARTS);
  }
  how.sorted = true;
  assert_int_equal(pl_touching(pl_two(body[0], body[1]), &how, &found), PL_OK);
  const size_t touching = found->count;
  *pairs = malloc(touching * sizeof **pairs + 1);
  if (touching) memcpy(*pairs, found->pairs, touching * sizeof **pairs);
  how.margin = 0.2;
  assert_int_equal(pl_near(pl_two(body[0], body[1]), &how, &found), PL_OK);
  *features = malloc(found->count * sizeof **features + 1);
  if (found->count) memcpy(*features, found->features, found->count * sizeof **features);
  const size_t near = found->count;
  for (int b = 0; b < 2; ++b) pl_body_destroy(body[b]);
  return touching << 32 | near;
}

static void segments_and_points_are_numbered_behind_the_triangles(void **state)
{
  pl_context *context;
  test_rng rng = {7};
  parts p[2];
  double at[2][VERTICES][3];
  pl_pair *pairs[2];
  pl_feature_pair *features[2];
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (int i = 0; i < 6 * VERTICES; ++i)
    at[i / (3 * VERTICES)][i / 3 % VERTICES][i % 3] =
        test_below(&rng, 3) ? test_uniform(&rng, 0, 4) : test_below(&rng, 5);
  for (int b = 0; b < 2; ++b) make_parts(&p[b], &rng);
  const size_t count = rows_of(context, p, true, (const double(*)[VERTICES][3])at, &pairs[0], &features[0]);
  assert_true(count == rows_of(context, p, false, (const double(*)[VERTICES][3])at, &pairs[1], &features[1]));
  assert_true(count >> 32 > 2 && (uint32_t)count > 30);
  assert_memory_equal(pairs[0], pairs[1], (count >> 32) * sizeof *pairs[0]);
  assert_memory_equal(features[0], features[1], (uint32_t)count * sizeof *features[0]);
  for (int i = 0; i < 2; ++i) free(pairs[i]), free(features[i]);
  pl_context_destroy(context);
}

static void meshes_of_segments_and_points_are_checked_and_described(void **state)
{
  static const float at[6][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {0, 5, 0}, {9, 9, 9}};
  static const uint32_t rods[3][2] = {{0, 1}, {1, 2}, {2, 3}}, sand[1] = {4}, wrong[2] = {3, 6};
  pl_context *context;
  pl_mesh *mesh;
  const uint32_t *fan;
  pl_mesh_info info;
  pl_mesh_def def = pl_mesh_def_default();
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  def.positions = pl_positions_f32(at[0], 6);
  assert_int_equal(pl_mesh_check(context, &def), PL_ERROR_MESH);
  def.segments = rods[0], def.segment_count = 3;
  def.points = sand, def.point_count = 1;
  assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
  assert_true(info.triangles == 0 && info.segments == 3 && info.points == 1 && info.components == 2);
  assert_true(info.isolated_vertices == 1 && info.edges == 0 && info.degenerate_triangles == 0);
  assert_true(info.box[1][0] == 3 && info.box[1][1] == 5 && info.box[1][2] == 0);
  assert_int_equal(pl_mesh_create(context, &def, &mesh), PL_OK);
  assert_int_equal(pl_mesh_vertex_triangles(mesh, 1, &fan), 2);
  assert_true(fan[0] == 0 && fan[1] == 1);
  assert_int_equal(pl_mesh_vertex_triangles(mesh, 4, &fan), 1);
  assert_int_equal(fan[0], 3);
  pl_mesh_destroy(mesh);
  def.segments = wrong, def.segment_count = 1;
  assert_int_equal(pl_mesh_check(context, &def), PL_ERROR_MESH);
  assert_non_null(strstr(pl_context_message(context), "segment 0 names vertex 6 of 6"));
  def.segments = NULL;
  assert_int_equal(pl_mesh_check(context, &def), PL_ERROR_ARGUMENT);
  def.segment_count = 0, def.points = wrong, def.point_count = 2;
  assert_int_equal(pl_mesh_check(context, &def), PL_ERROR_MESH);
  assert_non_null(strstr(pl_context_message(context), "point 1 names vertex 6 of 6"));
  def.point_count = (size_t)1 << 31;
  assert_int_equal(pl_mesh_check(context, &def), PL_ERROR_MESH);
  pl_context_destroy(context);
}

/* A chain crosses itself once; its joints are not found. */
static void a_chain_meets_itself_only_where_it_crosses(void **state)
{
  static const double at[5][3] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, -1, 0}};
  static const uint32_t rods[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  pl_context *context;
  pl_body *chain;
  pl_closure closure;
  const pl_result *found;
  pl_mesh_def def = pl_mesh_def_default();
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  def.positions = pl_positions_f64(at[0], 5);
  def.segments = rods[0], def.segment_count = 4;
  assert_int_equal(pl_body_create_free(context, &def, NULL, &chain), PL_OK);
  assert_int_equal(pl_touching(pl_self(chain), NULL, &found), PL_OK);
  assert_int_equal(found->count, 1);
  assert_true(found->pairs[0].a + found->pairs[0].b == 3 && found->pairs[0].a * found->pairs[0].b == 0);
  assert_int_equal(pl_body_closure(chain, &closure, NULL), PL_OK);
  assert_int_equal(closure, PL_CLOSURE_CLOSED); /* nothing is open */
  pl_context_destroy(context);
}

/* One body of one part. */
static pl_body *part(pl_context *context, const double at[3][3], int corners)
{
  const uint32_t of[3] = {0, corners > 1, corners > 2 ? 2 : corners > 1};
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  mesh.positions = pl_positions_f64(at[0], (size_t)corners);
  mesh.triangles = of, mesh.triangle_count = 1;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

/* Two parts at a known distance: how many nearest parts there are, of which kind. */
static void one_part(pl_body *a, pl_body *b, double distance, pl_feature kind)
{
  pl_question how = pl_question_default(), again = how;
  const pl_result *found, *nearest, *least;
  const pl_who who = pl_two(a, b);
  how.margin = distance * 1.0001;
  assert_int_equal(pl_near(who, &how, &found), PL_OK);
  again.given = found;
  assert_int_equal(pl_measure(who, &again, &nearest), PL_OK);
  assert_int_equal(nearest->count, 1);
  assert_int_equal(nearest->features[0].kind, kind);
  assert_true(nearest->features[0].distance == distance);
  assert_int_equal(nearest->features[0].multiplicity, found->count);
  assert_int_equal(pl_nearest(who, NULL, &least), PL_OK);
  assert_true(least->distances[0].distance == distance);
}

static void a_near_rod_or_point_is_one_nearest_part(void **state)
{
  static const double rod[3][3] = {{0, 0, 0}, {2, 0, 0}}, across[3][3] = {{1, -1, 0.5}, {1, 1, 0.5}};
  static const double above[3][3] = {{1, 0, 0.25}}, beyond[3][3] = {{2.5, 0, 0}}, here[3][3] = {{1, 0, 0}};
  static const double face[3][3] = {{0, -2, 1}, {2, -2, 1}, {1, 2, 1}};
  pl_context *context;
  const pl_result *found;
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  pl_body *r = part(context, rod, 2), *a = part(context, across, 2), *p = part(context, above, 1);
  pl_body *q = part(context, beyond, 1), *h = part(context, here, 1), *f = part(context, face, 3);
  one_part(r, a, 0.5, PL_FEATURE_EDGE_EDGE);
  one_part(p, r, 0.25, PL_FEATURE_VERTEX_EDGE);
  one_part(r, p, 0.25, PL_FEATURE_EDGE_VERTEX);
  one_part(r, q, 0.5, PL_FEATURE_VERTEX_VERTEX);
  one_part(p, h, 0.25, PL_FEATURE_VERTEX_VERTEX);
  one_part(p, f, 0.75, PL_FEATURE_VERTEX_FACE);
  assert_int_equal(pl_touching(pl_two(r, h), NULL, &found), PL_OK);
  assert_int_equal(found->count, 1);
  assert_int_equal(pl_touching(pl_two(p, h), NULL, &found), PL_OK);
  assert_int_equal(found->count, 0);
  const pl_ray ray = {.origin = {1, 0, -1}, .direction = {0, 0, 1}, .t_max = INFINITY};
  assert_int_equal(pl_cast(pl_one(r), &ray, 1, NULL, &found), PL_OK);
  assert_true(found->hits[0].triangle == 0 && found->hits[0].t == 1);
  pl_context_destroy(context);
}

/* A rod falls onto another, and a particle through a face. */
static void rods_and_particles_meet_at_exact_times(void **state)
{
  static const double rod[3][3] = {{0, 0, 0}, {2, 0, 0}}, face[3][3] = {{0, -2, 0}, {2, -2, 0}, {1, 2, 0}};
  const double across[2][3][3] = {{{1, -1, 0.7}, {1, 1, 0.9}}, {{1, -1, -0.9}, {1, 1, -0.3}}};
  const double particle[2][3][3] = {{{1, 0, 0.3}}, {{1.1, 0.1, -0.4}}};
  pl_context *context;
  const pl_result *found;
  double start[4][3], end[4][3], time;
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (int point = 0; point < 2; ++point) {
    const int n = point ? 1 : 2;
    const double(*way)[3][3] = point ? particle : across;
    pl_body *still = part(context, point ? face : rod, point ? 3 : 2), *moving = part(context, way[0], n);
    assert_int_equal(pl_body_keep_pose(moving), PL_OK);
    assert_int_equal(pl_body_set_positions(moving, pl_positions_f64(way[1][0], (size_t)n)), PL_OK);
    memcpy(start, way[0], (size_t)n * 24), memcpy(end, way[1], (size_t)n * 24);
    memcpy(start[n], point ? face : rod, (size_t)(4 - n) * 24), memcpy(end[n], start[n], (size_t)(4 - n) * 24);
    assert_true(point ? pl_vertex_face_time((const double(*)[3])start, (const double(*)[3])end, &time)
                      : pl_edge_edge_time((const double(*)[3])start, (const double(*)[3])end, &time));
    assert_int_equal(pl_impacts(pl_two(moving, still), NULL, &found), PL_OK);
    assert_true(found->count == 1 && found->time == time);
    assert_int_equal(found->impacts[0].kind, point ? PL_FEATURE_VERTEX_FACE : PL_FEATURE_EDGE_EDGE);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(questions_of_rods_and_points_equal_the_reference),
      cmocka_unit_test(segments_and_points_are_numbered_behind_the_triangles),
      cmocka_unit_test(meshes_of_segments_and_points_are_checked_and_described),
      cmocka_unit_test(a_chain_meets_itself_only_where_it_crosses),
      cmocka_unit_test(bodies_of_all_kinds_have_segments_and_points),
      cmocka_unit_test(hair_and_sand_change_nothing_about_inside),
      cmocka_unit_test(a_near_rod_or_point_is_one_nearest_part),
      cmocka_unit_test(rods_and_particles_meet_at_exact_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
