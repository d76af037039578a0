/* First contacts of bodies that turn: rigid bodies, skins, and bodies that deform, of two, one and
 * scenes, against the reference; and on paths that are computed here, at sampled times, nothing
 * touches before the time that was found. */
#include "support/impacts.h"
#include "support/skins.h"

#include <math.h>
#include <stdio.h>

enum { SPHERE = 2, ROUNDS = 8, BODIES = 4, BONES = 3, SAMPLES = 60 };

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  shapes shape;
  skin_rows rows;
  pl_body *body[BODIES];  /* rigid, rigid, skin, free */
  pl_body *ghost[BODIES]; /* free bodies that stand where a path is at some time */
  pl_transform start[BODIES], end[BODIES], bones[2][BONES];
  double axis[3], point[3], angle; /* of the free one */
  test_rng rng;
} stage;

enum { RIGID, OTHER, SKIN, FREE };

static void stage_open(stage *s, int threads)
{
  pl_context_def def = pl_context_def_default();
  pl_skin_def skin = pl_skin_def_default();
  def.threads = threads;
  s->rng = (test_rng){7};
  assert_int_equal(pl_context_create(&def, &s->context), PL_OK);
  shapes_create(&s->shape, SPHERE);
  const pl_mesh_def mesh = mesh_of(&s->shape, 0, true);
  s->rows = skin_rows_make(mesh.positions.data, mesh.positions.count, BONES, 2, SKIN_SMOOTH, &s->rng);
  skin.bone_count = BONES;
  skin.weights = skin_weights(&s->rows, true);
  assert_int_equal(pl_body_create_rigid(s->context, &mesh, NULL, &s->body[RIGID]), PL_OK);
  assert_int_equal(pl_body_create_rigid(s->context, &mesh, NULL, &s->body[OTHER]), PL_OK);
  assert_int_equal(pl_body_create_skin(s->context, &mesh, &skin, NULL, &s->body[SKIN]), PL_OK);
  assert_int_equal(pl_body_create_free(s->context, &mesh, NULL, &s->body[FREE]), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    pl_member_def member = pl_member_def_default();
    member.self = i == SKIN;
    assert_int_equal(pl_scene_add(s->scene, s->body[i], &member), PL_OK);
    assert_int_equal(pl_body_create_free(s->context, &mesh, NULL, &s->ghost[i]), PL_OK);
  }
}

static void stage_close(stage *s)
{
  pl_context_destroy(s->context);
  shapes_free(&s->shape);
  skin_rows_free(&s->rows);
}

/* ------------------------------------------------------------------------------------- paths -- */

static void place(const pl_transform *t, const double x[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = t->m[k][0] * x[0] + t->m[k][1] * x[1] + t->m[k][2] * x[2] + t->t[k];
}

/* Rodrigues' formula. */
static void turn(const double axis[3], const double point[3], double angle, const double x[3], double out[3])
{
  double r[3], along = 0, length = 0;
  for (int k = 0; k < 3; ++k) length += axis[k] * axis[k], r[k] = x[k] - point[k];
  for (int k = 0; k < 3; ++k) along += r[k] * axis[k] / length;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = point[k] + along * axis[k] * (1 - cos(angle)) + r[k] * cos(angle) +
             (axis[i] * r[j] - axis[j] * r[i]) / sqrt(length) * sin(angle);
  }
}

/* The turn from one rotation to another: its axis from the antisymmetric part, its angle from the
 * trace; a fixed point by least squares, which is where the axis is. */
static double screw_of(const pl_transform *from, const pl_transform *to, double axis[3], double point[3])
{
  double r[3][3] = {{0}}, shift[3], trace = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) r[i][j] += to->m[i][k] * from->m[j][k];
  for (int k = 0; k < 3; ++k) {
    trace += r[k][k];
    axis[k] = r[(k + 2) % 3][(k + 1) % 3] - r[(k + 1) % 3][(k + 2) % 3];
    shift[k] = to->t[k] - (r[k][0] * from->t[0] + r[k][1] * from->t[1] + r[k][2] * from->t[2]);
  }
  const double angle = acos(fmin(1, fmax(-1, (trace - 1) / 2)));
  double length = 0, along = 0, side[3];
  for (int k = 0; k < 3; ++k) length += axis[k] * axis[k];
  for (int k = 0; k < 3; ++k) axis[k] /= sqrt(length);
  for (int k = 0; k < 3; ++k) along += shift[k] * axis[k];
  for (int k = 0; k < 3; ++k) shift[k] -= along * axis[k];
  for (int k = 0; k < 3; ++k) side[k] = axis[(k + 1) % 3] * shift[(k + 2) % 3] - axis[(k + 2) % 3] * shift[(k + 1) % 3];
  for (int k = 0; k < 3; ++k) point[k] = (shift[k] + side[k] / tan(angle / 2)) / 2;
  return angle;
}

static const double *rest(const stage *s, size_t v)
{
  return (const double *)mesh_of(&s->shape, 0, true).positions.data + 3 * v;
}

/* A vertex at time t, of the turn alone: what is missing at the end goes straight. */
static void turned(const stage *s, int body, size_t v, double t, double out[3])
{
  double axis[3], point[3], x[3], y[3];
  if (body == FREE) {
    place(&s->start[body], rest(s, v), x);
    turn(s->axis, s->point, s->angle * t, x, out);
    return;
  }
  for (int k = 0; k < 3; ++k) out[k] = 0;
  for (uint32_t e = body == SKIN ? s->rows.first[v] : 0; e < (body == SKIN ? s->rows.first[v + 1] : 1); ++e) {
    const uint32_t bone = body == SKIN ? s->rows.bone[e] : 0;
    const pl_transform *from = body == SKIN ? &s->bones[0][bone] : &s->start[body];
    const double angle = screw_of(from, body == SKIN ? &s->bones[1][bone] : &s->end[body], axis, point);
    place(from, rest(s, v), x);
    turn(axis, point, angle * t, x, y);
    for (int k = 0; k < 3; ++k) out[k] += (body == SKIN ? s->rows.weight[e] : 1) * y[k];
  }
}

static void end_of(const stage *s, int body, size_t v, double out[3])
{
  if (body == SKIN)
    skin_position(&s->rows, s->bones[1], rest(s, 0), v, out);
  else
    place(&s->end[body], rest(s, v), out);
}

/* All vertices at time t. */
static void set_ghost(stage *s, int body, double t)
{
  const size_t n = mesh_of(&s->shape, 0, true).positions.count;
  double(*at)[3] = malloc(n * sizeof *at);
  for (size_t v = 0; v < n; ++v) {
    double one[3], end[3];
    turned(s, body, v, t, at[v]);
    turned(s, body, v, 1, one);
    end_of(s, body, v, end);
    for (int k = 0; k < 3; ++k) at[v][k] += t * (end[k] - one[k]);
  }
  assert_int_equal(pl_body_set_positions(s->ghost[body], pl_positions_f64(at[0], n)), PL_OK);
  free(at);
}

/* ------------------------------------------------------------------------------------- poses -- */

static pl_transform somewhere(stage *s, double x, double y)
{
  pl_transform t = turn_of(&s->rng, 3);
  t.t[0] = x + test_uniform(&s->rng, -0.3, 0.3);
  t.t[1] = y + test_uniform(&s->rng, -0.3, 0.3);
  return t;
}

static void set_free(stage *s, const pl_transform *t)
{
  const size_t n = mesh_of(&s->shape, 0, true).positions.count;
  double(*at)[3] = malloc(n * sizeof *at);
  for (size_t v = 0; v < n; ++v) place(t, rest(s, v), at[v]);
  assert_int_equal(pl_body_set_positions(s->body[FREE], pl_positions_f64(at[0], n)), PL_OK);
  free(at);
}

/* Bodies around the origin that turn and change places. */
static void start_step(stage *s, int round)
{
  static const double at[BODIES][2] = {{0, 0}, {2.7, 0}, {0, 2.7}, {2.7, 2.7}};
  for (int i = 0; i < BODIES; ++i) {
    s->start[i] = somewhere(s, at[i][0], at[i][1]);
    s->end[i] = somewhere(s, at[(i + round) % BODIES][0], at[(i + round) % BODIES][1]);
  }
  for (int e = 0; e < 2; ++e) {
    for (int b = 0; b < BONES; ++b) {
      const double apart = 2.7 + test_uniform(&s->rng, -0.1, 0.1);
      s->bones[e][b] = turn_of(&s->rng, e ? 2.5 : 0.05);
      s->bones[e][b].t[1] += apart * (e ? (round & 1) : 1);
    }
    const pl_transform *const t = e ? s->end : s->start;
    for (int i = 0; i < 2; ++i) assert_int_equal(pl_body_set_transform(s->body[i], &t[i]), PL_OK);
    assert_int_equal(pl_body_set_bones(s->body[SKIN], s->bones[e], BONES), PL_OK);
    set_free(s, &t[FREE]);
    for (int i = 0; i < BODIES && !e; ++i) assert_int_equal(pl_body_keep_pose(s->body[i]), PL_OK);
  }
  for (int k = 0; k < 3; ++k) s->axis[k] = test_uniform(&s->rng, -1, 1), s->point[k] = test_uniform(&s->rng, -2, 2);
  s->angle = test_uniform(&s->rng, -7, 7);
  for (int i = 0; i < FREE; ++i) assert_int_equal(pl_body_set_screw(s->body[i], NULL, NULL, 0), PL_OK);
  assert_int_equal(pl_body_set_screw(s->body[FREE], s->axis, s->point, s->angle), PL_OK);
  if (round % 3 == 2) { /* one goes straight */
    assert_int_equal(pl_body_set_screw(s->body[OTHER], s->axis, NULL, 0), PL_OK);
  }
}

/* ------------------------------------------------------------------------------------- tests -- */

static size_t compare(pl_who who, pl_question how, const char *what)
{
  const pl_result *found;
  how.reference = how.all = true;
  assert_int_equal(pl_impacts(who, &how, &found), PL_OK);
  impact_list wanted = copy_impacts(found);
  how.reference = false;
  assert_int_equal(pl_impacts(who, &how, &found), PL_OK);
  assert_all_impacts(found, &wanted, what);
  how.all = false;
  assert_int_equal(pl_impacts(who, &how, &found), PL_OK);
  assert_first_impact(found, &wanted, what);
  const size_t count = wanted.count;
  free(wanted.impacts);
  return count;
}

static void equal_to_the_reference(int threads, int rounds)
{
  stage s;
  size_t contacts = 0, alone = 0;
  stage_open(&s, threads);
  for (int round = 0; round < rounds; ++round) {
    char what[64];
    pl_question how = pl_question_default();
    start_step(&s, round);
    if (round % 4 == 1) how.margin = 0.05;
    if (round % 4 == 2) how.margin = 0.1, how.kept_gap = 0.2;
    if (round % 4 == 3) how.rings = 2;
    snprintf(what, sizeof what, "round %d", round);
    contacts += compare(pl_all(s.scene), how, what);
    contacts += compare(pl_two(s.body[round % BODIES], s.body[(round + 1) % BODIES]), how, what);
    alone += compare(pl_self(s.body[SKIN]), how, what);
  }
  print_message("%zu contacts, %zu within one body\n", contacts, alone);
  assert_true(contacts > 100);
  assert_true(alone > 0);
  stage_close(&s);
}

static void arcs_equal_the_reference(void **state)
{
  (void)state;
  equal_to_the_reference(1, ROUNDS);
}

static void arcs_equal_the_reference_with_threads(void **state)
{
  (void)state;
  equal_to_the_reference(2, ROUNDS / 2);
}

/* Returns whether two bodies touch where their paths are at time t. */
static bool touch_at(stage *s, int a, int b, double t)
{
  const pl_result *pairs;
  set_ghost(s, a, t);
  set_ghost(s, b, t);
  assert_int_equal(pl_touching(pl_two(s->ghost[a], s->ghost[b]), NULL, &pairs), PL_OK);
  return pairs->count > 0;
}

static void nothing_touches_on_the_path_before_the_first_contact(void **state)
{
  stage s;
  int met = 0;
  (void)state;
  stage_open(&s, 1);
  for (int round = 0; round < 3 * ROUNDS; ++round) {
    const int a = round % BODIES, b = (round + 1 + round / BODIES % 3) % BODIES;
    const pl_result *found;
    start_step(&s, 3 * round);
    if (a == b) continue;
    assert_int_equal(pl_impacts(pl_two(s.body[a], s.body[b]), NULL, &found), PL_OK);
    const double time = fmin(found->time, 1);
    if (time == 0) continue;
    for (int i = 0; i < SAMPLES; ++i) assert_false(touch_at(&s, a, b, (time - 1e-9) * i / (SAMPLES - 1)));
    if (found->time > 1) continue;
    assert_true(touch_at(&s, a, b, fmin(1, time + 1e-6)));
    ++met;
  }
  assert_true(met > 4);
  stage_close(&s);
}

/* A thin link from the origin along x that turns about z past a post on the y axis. */
static void a_link_that_turns_half_a_circle_hits_the_post(void **state)
{
  static const double link[4][3] = {{0, -0.01, 0}, {2, -0.01, 0}, {2, 0.01, 0}, {0, 0.01, 0}};
  static const double post[4][3] = {{0, 1, -1}, {0.1, 1, -1}, {0.1, 1, 1}, {0, 1, 1}};
  static const uint32_t quad[2][3] = {{0, 1, 2}, {0, 2, 3}};
  const double z[3] = {0, 0, 1}, pi = acos(-1);
  pl_body *body[2];
  pl_context *context;
  const pl_result *found;
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (int b = 0; b < 2; ++b) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(b ? post[0] : link[0], 4);
    mesh.triangles = quad[0], mesh.triangle_count = 2;
    assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &body[b]), PL_OK);
  }
  for (int i = 0; i < 5; ++i) {
    static const double angles[] = {1, 1.5, -1, 2, 0.3}; /* half circles */
    const double angle = angles[i] * pi, hit = atan(10); /* of the post's near edge */
    const double wanted[] = {hit / angle, hit / angle, INFINITY, hit / angle, INFINITY};
    pl_transform t = pl_transform_identity();
    assert_int_equal(pl_body_set_transform(body[0], &t), PL_OK);
    assert_int_equal(pl_body_keep_pose(body[0]), PL_OK);
    t.m[0][0] = t.m[1][1] = cos(angle), t.m[1][0] = sin(angle), t.m[0][1] = -sin(angle);
    assert_int_equal(pl_body_set_transform(body[0], &t), PL_OK);
    assert_int_equal(pl_body_set_screw(body[0], z, NULL, 0), PL_OK);
    assert_int_equal(pl_impacts(pl_two(body[0], body[1]), NULL, &found), PL_OK);
    if (i == 0) assert_int_equal(found->count, 0); /* straight through the axis */
    assert_int_equal(pl_body_set_screw(body[0], z, NULL, angle), PL_OK);
    assert_int_equal(pl_impacts(pl_two(body[0], body[1]), NULL, &found), PL_OK);
    assert_int_equal(found->count, isfinite(wanted[i]));
    if (found->count) assert_true(found->time < wanted[i] && found->time > wanted[i] - 0.01);
    if (i != 4) continue;
    assert_int_equal(pl_body_set_screw(body[0], NULL, NULL, 0), PL_OK); /* the same, derived */
    assert_int_equal(pl_impacts(pl_two(body[1], body[0]), NULL, &found), PL_OK);
    assert_int_equal(found->count, 0);
  }
  pl_context_destroy(context);
}

/* A link that turns faster and faster while its joint swings: neither straight nor a screw. */
static pl_transform on_the_way(double t)
{
  const double angle = 3 * t * t;
  pl_transform at = pl_transform_identity();
  at.m[0][0] = at.m[1][1] = cos(angle), at.m[1][0] = sin(angle), at.m[0][1] = -sin(angle);
  at.t[0] = 0.4 * sin(2 * t);
  return at;
}

/* Any path is a chain of screws and a thickness: the most that a vertex is away from the screw of
 * its piece. In a piece that takes h that is at most h^2 / 8 times the sum of the greatest
 * accelerations on both; here 86 and 77. */
static void a_path_of_pieces_is_never_late(void **state)
{
  enum { PIECES = 64, TIMES = 4000 };
  static const double link[4][3] = {{0, -0.01, 0}, {2, -0.01, 0}, {2, 0.01, 0}, {0, 0.01, 0}};
  static const double post[4][3] = {{0, 1, -1}, {0.1, 1, -1}, {0.1, 1, 1}, {0, 1, 1}};
  static const uint32_t quad[2][3] = {{0, 1, 2}, {0, 2, 3}};
  pl_body *body[2];
  pl_context *context;
  const pl_result *found;
  double first = 2, seen = 2;
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (int b = 0; b < 2; ++b) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(b ? post[0] : link[0], 4);
    mesh.triangles = quad[0], mesh.triangle_count = 2;
    assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &body[b]), PL_OK);
  }
  for (int i = 0; i < TIMES && seen > 1; ++i) {
    const pl_transform at = on_the_way((double)i / TIMES);
    assert_int_equal(pl_body_set_transform(body[0], &at), PL_OK);
    assert_int_equal(pl_touching(pl_two(body[0], body[1]), NULL, &found), PL_OK);
    if (found->count) seen = (double)i / TIMES;
  }
  assert_int_equal(pl_body_set_thickness(body[0], (86 + 77) / 8.0 / (PIECES * PIECES), NULL), PL_OK);
  assert_int_equal(pl_body_set_screw(body[0], NULL, NULL, 0), PL_OK);
  for (int i = 0; i < PIECES && first > 1; ++i) {
    const pl_transform from = on_the_way((double)i / PIECES), to = on_the_way((i + 1.0) / PIECES);
    assert_int_equal(pl_body_set_transform(body[0], &from), PL_OK);
    assert_int_equal(pl_body_keep_pose(body[0]), PL_OK);
    assert_int_equal(pl_body_set_transform(body[0], &to), PL_OK);
    assert_int_equal(pl_impacts(pl_two(body[0], body[1]), NULL, &found), PL_OK);
    if (found->count) first = (i + found->time) / PIECES;
  }
  assert_true(seen < 1 && first <= seen && first > seen - 0.01);
  pl_context_destroy(context);
}

/* All contacts of two bodies whose lengths are multiplied by a power of two, in a context of their
 * own. */
static const pl_result *contacts_in_unit(pl_context **context, double unit, bool reference, double margin)
{
  static const double at[2][2][6][3] = {
      {{{0, 0, 0}, {2, 0.1, 0}, {1.5, 0, 1}, {0.3, 0.4, 0.2}, {1.9, 0.3, -0.5}, {0.9, 0.2, 0.8}},
       {{0, 0, 0.1}, {0.2, 1.8, 0}, {0.1, 1.5, 1}, {-0.3, 0.3, 0.2}, {-0.2, 2, -0.4}, {-0.1, 0.9, 0.9}}},
      {{{1, 1, -1}, {1.4, 1.2, -1}, {1.2, 1, 1.5}, {0.8, 0.9, 1}, {1.1, 1.3, 0.3}, {0.9, 0.8, -0.6}},
       {{0.9, 1, -1}, {1.4, 1.1, -1}, {1.2, 1, 1.4}, {0.8, 0.7, 1}, {1.1, 1.2, 0.3}, {0.6, 0.8, -0.5}}}};
  static const uint32_t triangles[4][3] = {{0, 1, 2}, {0, 2, 3}, {1, 4, 2}, {3, 4, 5}};
  const double z[3] = {0, 0, 1};
  pl_body *body[2];
  const pl_result *found;
  assert_int_equal(pl_context_create(NULL, context), PL_OK);
  for (int b = 0; b < 2; ++b) {
    double x[2][18];
    for (int i = 0; i < 36; ++i) x[i / 18][i % 18] = at[b][i / 18][i % 18 / 3][i % 3] * unit;
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(x[0], 6);
    mesh.triangles = triangles[0], mesh.triangle_count = 4;
    assert_int_equal(pl_body_create_free(*context, &mesh, NULL, &body[b]), PL_OK);
    assert_int_equal(pl_body_keep_pose(body[b]), PL_OK);
    assert_int_equal(pl_body_set_positions(body[b], pl_positions_f64(x[1], 6)), PL_OK);
    assert_int_equal(pl_body_set_screw(body[b], z, NULL, b ? -0.2 : 1.4), PL_OK);
  }
  pl_question how = pl_question_default();
  how.all = true;
  how.reference = reference;
  how.margin = margin * unit;
  assert_int_equal(pl_impacts(pl_two(body[0], body[1]), &how, &found), PL_OK);
  return found;
}

/* Squares of lengths left the range of double: contacts were missed, and others made up. */
static void times_do_not_depend_on_the_unit(void **state)
{
  static const int exponents[] = {-540, -700, -1000, 540, 700, 1000};
  (void)state;
  for (int i = 0; i < 24; ++i) {
    pl_context *own[2];
    const double unit = ldexp(1, exponents[i / 4]), margin = i % 2 ? 0.05 : 0;
    const pl_result *right = contacts_in_unit(&own[0], 1, true, margin),
                    *found = contacts_in_unit(&own[1], unit, i % 4 >= 2, margin);
    assert_true(right->count > 10);
    assert_int_equal(found->count, right->count);
    for (size_t k = 0; k < found->count; ++k) {
      const pl_impact *a = &found->impacts[k], *b = &right->impacts[k];
      assert_true(a->time == b->time && a->kind == b->kind);
      assert_memory_equal(a->feature_a, b->feature_a, sizeof a->feature_a);
      assert_memory_equal(a->feature_b, b->feature_b, sizeof a->feature_b);
    }
    for (int c = 0; c < 2; ++c) pl_context_destroy(own[c]);
  }
}

static void wrong_screws_are_refused(void **state)
{
  stage s;
  double xyz[3 * 64];
  const double axis[3] = {0, 1, 0}, none[3] = {0, 0, 0}, point[3] = {NAN, 0, 0};
  const pl_result *found;
  (void)state;
  stage_open(&s, 1);
  start_step(&s, 0);
  assert_int_equal(pl_body_set_screw(s.body[FREE], none, NULL, 1), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_screw(s.body[FREE], axis, point, 1), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_screw(s.body[FREE], axis, NULL, NAN), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_screw(s.body[FREE], axis, NULL, 5000), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_screw(s.body[FREE], NULL, NULL, 0), PL_ERROR_UNSUPPORTED);
  assert_int_equal(pl_body_set_screw(NULL, axis, NULL, 1), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_candidates(pl_all(s.scene), NULL, &found), PL_ERROR_UNSUPPORTED);
  const pl_step_body step = {s.body[FREE], xyz, 0, PL_F64};
  assert_int_equal(pl_free_step(pl_all(s.scene), &step, 1, NULL, &found), PL_ERROR_UNSUPPORTED);
  pl_question how = pl_question_default();
  how.budget_tests = 1;
  assert_int_equal(pl_impacts(pl_all(s.scene), &how, &found), PL_OK);
  assert_true(found->partial);
  how.budget_tests = 0;
  const bool partial = found->partial;
  const double safe = found->safe_step;
  assert_int_equal(pl_impacts(pl_all(s.scene), &how, &found), PL_OK);
  assert_true(partial && !found->partial && safe <= found->safe_step);
  stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arcs_equal_the_reference),
      cmocka_unit_test(arcs_equal_the_reference_with_threads),
      cmocka_unit_test(nothing_touches_on_the_path_before_the_first_contact),
      cmocka_unit_test(a_link_that_turns_half_a_circle_hits_the_post),
      cmocka_unit_test(a_path_of_pieces_is_never_late),
      cmocka_unit_test(times_do_not_depend_on_the_unit),
      cmocka_unit_test(wrong_screws_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
