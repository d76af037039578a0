/* A cloth solver with contact: a cloth falls over a ball, onto the floor and onto itself, in float,
 * and never intersects anything, whatever the springs want.
 *
 * Positions x are free of intersections at all times. A step makes a target y by springs and by
 * the contacts that are kept, which know nothing of safety, and then moves x towards y:
 *   - each vertex by itself, within the radius that the certificate gives it: no search;
 *   - where that is not enough, all together by one free step, then with a renewed certificate.
 * docs/how-to/solver.md explains it; `pliant bench layers` runs this file on a stack of cloth. */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct spring {
  uint32_t v, w;
  float length;
} spring;

typedef struct solver {
  pl_context *context;
  pl_scene *scene; /* the cloth is its first member */
  pl_body *cloth;
  pl_certificate *sure;
  pl_holder *holder;
  const pl_result *kept; /* features within the margin at the last renewal */
  uint32_t count;        /* vertices */
  float (*x)[3], (*y)[3], (*old)[3], (*speed)[3];
  spring *springs;
  size_t spring_count;
  float step, thickness, margin;
  size_t searches, checks; /* so far */
  double contact_s, all_s; /* seconds in the library, and in all */
} solver;

static double clock_s(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(const solver *s, pl_status status)
{
  if (status != PL_OK) fprintf(stderr, "%s\n", pl_context_message(s->context)), exit(1);
}

/* --------------------------------------------------------------------------- what wants what -- */

static void pull(solver *s, const spring *e)
{
  float *p = s->y[e->v], *q = s->y[e->w], d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  const float by = 0.45f * (1 - e->length / sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  for (int k = 0; k < 3; ++k) p[k] += by * d[k], q[k] -= by * d[k];
}

/* Pushes the points of a contact apart along its normal until they are a thickness apart; the
 * weights say how much each vertex takes. What slides is slowed down. */
static void push(solver *s, const pl_feature_pair *c, bool both)
{
  double apart = c->distance, squares = 0, slide[3] = {0}, along = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      const uint32_t a = c->vertex_a[i], b = c->vertex_b[i];
      double move = c->weight_a[i] * ((double)s->y[a][k] - (double)s->x[a][k]);
      if (both) move -= c->weight_b[i] * ((double)s->y[b][k] - (double)s->x[b][k]);
      apart += move * c->normal[k], along += move * c->normal[k], slide[k] += move;
      if (k == 0) squares += c->weight_a[i] * c->weight_a[i] + (both ? c->weight_b[i] * c->weight_b[i] : 0);
    }
  const double missing = (double)s->thickness - apart;
  if (!(missing > 0)) return;
  for (int k = 0; k < 3; ++k) {
    const double by = (missing * c->normal[k] - 0.3 * (slide[k] - along * c->normal[k])) / squares;
    for (int i = 0; i < 3; ++i) {
      s->y[c->vertex_a[i]][k] += (float)(c->weight_a[i] * by);
      if (both) s->y[c->vertex_b[i]][k] -= (float)(c->weight_b[i] * by);
    }
  }
}

static void make_target(solver *s)
{
  pl_question how = pl_question_default();
  const pl_result *found;
  const double start = clock_s();
  how.given = s->kept;
  how.margin = 1.5 * (double)s->thickness;              /* what is farther apart waits for a later step */
  check(s, pl_measure(pl_all(s->scene), &how, &found)); /* no search */
  s->contact_s += clock_s() - start;
  for (uint32_t v = 0; v < s->count; ++v)
    for (int k = 0; k < 3; ++k) s->y[v][k] = s->x[v][k] + s->step * (s->speed[v][k] - (k == 1 ? 9.81f * s->step : 0));
  for (int round = 0; round < 8; ++round) {
    for (size_t i = 0; i < s->spring_count; ++i) pull(s, &s->springs[i]);
    for (size_t g = 0; g < found->group_count; ++g)
      for (size_t i = found->groups[g].begin; i < found->groups[g].end && found->groups[g].a == s->cloth; ++i)
        push(s, &found->features[i], found->groups[g].b == s->cloth);
  }
}

/* --------------------------------------------------------------------------- what is allowed -- */

static void renew(solver *s)
{
  pl_question def = pl_question_default();
  def.margin = (double)s->margin;
  def.holder = s->holder;
  check(s, pl_certificate_renew(s->sure, pl_all(s->scene), &def, &s->kept));
  memcpy(s->old, s->x, s->count * sizeof *s->x); /* where the radii begin */
  ++s->searches;
}

/* Moves each vertex towards its target, to at most half of its radius. Returns how many have not
 * arrived, and in *left the greatest part of a move that is missing. */
static size_t move_within_radii(solver *s, float *left)
{
  size_t late = 0;
  const double *radius = pl_certificate_radii(s->sure, s->cloth, NULL);
  pl_certificate_state state;
  for (uint32_t v = 0; v < s->count; ++v) {
    float d[3], length = 0;
    for (int k = 0; k < 3; ++k) d[k] = s->y[v][k] - s->old[v][k], length += d[k] * d[k];
    /* a radius of a few roundings allows no move */
    const float most = radius[v] > 1e-5 ? 0.5f * (float)radius[v] : 0,
                part = sqrtf(length) > most ? most / sqrtf(length) : 1;
    for (int k = 0; k < 3; ++k) s->x[v][k] = part < 1 ? s->old[v][k] + part * d[k] : s->y[v][k];
    if (part < 1) *left = fmaxf(*left, (1 - part) * sqrtf(length)), ++late;
  }
  check(s, pl_body_set_positions(s->cloth, pl_positions_f32(s->x[0], s->count)));
  check(s, pl_certificate_spend(s->sure, &state)); /* proves it for the rounded numbers */
  if (!state.holds) fprintf(stderr, "the certificate does not hold: %g spent\n", state.spent), exit(1);
  ++s->checks;
  return late;
}

/* All vertices by the same part of their ways, as far as nothing meets. */
static void move_together(solver *s)
{
  pl_question def = pl_question_default();
  pl_step_body cloth = {s->cloth, s->x, 0, PL_F32};
  const pl_result *taken;
  def.margin = (double)s->thickness;
  def.kept_gap = 0.2;
  check(s, pl_body_keep_pose(s->cloth));
  check(s, pl_body_set_positions(s->cloth, pl_positions_f32(s->y[0], s->count)));
  check(s, pl_free_step(pl_all(s->scene), &cloth, 1, &def, &taken));
  ++s->searches;
}

static void advance(solver *s)
{
  const double start = clock_s();
  for (int round = 0; round < 3; ++round) {
    float left = 0;
    const size_t late = move_within_radii(s, &left);
    if (!late || (round && late < s->count / 8)) break;   /* they go on in the next step: some are wedged in */
    if (round == 0 && left > s->margin) move_together(s); /* something flies */
    renew(s);
  }
  s->contact_s += clock_s() - start;
}

static void solver_step(solver *s)
{
  const double start = clock_s();
  float(*before)[3] = malloc(s->count * sizeof *before);
  if (!before) exit(1);
  memcpy(before, s->x, s->count * sizeof *before);
  make_target(s);
  advance(s);
  for (uint32_t v = 0; v < s->count; ++v)
    for (int k = 0; k < 3; ++k) s->speed[v][k] = 0.995f * (s->x[v][k] - before[v][k]) / s->step;
  free(before);
  s->all_s += clock_s() - start;
}

/* ------------------------------------------------------------------------------------ meshes -- */

static void add_spring(solver *s, uint32_t v, uint32_t w)
{
  float square = 0;
  for (int k = 0; k < 3; ++k) square += (s->x[v][k] - s->x[w][k]) * (s->x[v][k] - s->x[w][k]);
  s->springs[s->spring_count++] = (spring){v, w, sqrtf(square)};
}

static pl_body *add_body(solver *s, const float *xyz, uint32_t count, const uint32_t *triangles, size_t triangle_count)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_member_def member = pl_member_def_default();
  pl_body *body;
  mesh.positions = pl_positions_f32(xyz, count);
  mesh.triangles = triangles, mesh.triangle_count = triangle_count;
  member.self = s->cloth == NULL; /* the cloth, which comes first, may meet itself */
  check(s, pl_body_create_free(s->context, &mesh, NULL, &body));
  check(s, pl_scene_add(s->scene, body, &member));
  return body;
}

/* Sheets of side x side vertices over [-size / 2, size / 2], one above the other. */
static void solver_open(solver *s, uint32_t layers, uint32_t side, float size, float height, float apart)
{
  *s = (solver){.count = layers * side * side, .step = 1 / 200.0f, .thickness = 0.004f};
  s->margin = 2 * s->thickness; /* what is farther apart stays beyond the thickness until the next search */
  uint32_t *triangles = malloc(6 * s->count * sizeof *triangles), n = 0;
  float **arrays[4] = {(float **)&s->x, (float **)&s->y, (float **)&s->old, (float **)&s->speed};
  for (int i = 0; i < 4; ++i) *arrays[i] = calloc(s->count, 3 * sizeof(float));
  s->springs = malloc(4 * s->count * sizeof *s->springs);
  if (!triangles || !s->x || !s->y || !s->old || !s->speed || !s->springs) exit(1);
  if (pl_context_create(NULL, &s->context) != PL_OK) exit(1);
  for (uint32_t v = 0; v < s->count; ++v) {
    const uint32_t i = v % side, j = v / side % side, layer = v / side / side;
    const float turn = 0.3f * (float)layer, x = size * ((float)i / (float)(side - 1) - 0.5f);
    const float z = size * ((float)j / (float)(side - 1) - 0.5f);
    s->x[v][0] = cosf(turn) * x - sinf(turn) * z, s->x[v][2] = sinf(turn) * x + cosf(turn) * z;
    s->x[v][1] = height + apart * (float)layer;
  }
  for (uint32_t v = 0; v < s->count; ++v) {
    const bool right = v % side + 1 < side, below = v / side % side + 1 < side;
    const uint32_t p = v, q = v + 1, r = v + side, t = v + side + 1;
    if (right) add_spring(s, p, q);
    if (below) add_spring(s, p, r);
    if (!right || !below) continue;
    add_spring(s, p, t), add_spring(s, q, r);
    const uint32_t two[6] = {p, q, t, p, t, r};
    memcpy(triangles + n, two, sizeof two), n += 6;
  }
  check(s, pl_scene_create(s->context, NULL, &s->scene));
  check(s, pl_holder_create(s->context, &s->holder));
  check(s, pl_certificate_create(s->context, &s->sure));
  s->cloth = add_body(s, s->x[0], s->count, triangles, n / 3);
  free(triangles);
  const float floor_at[4][3] = {{-9, 0, -9}, {9, 0, -9}, {9, 0, 9}, {-9, 0, 9}};
  const uint32_t floor_of[6] = {0, 2, 1, 0, 3, 2};
  add_body(s, floor_at[0], 4, floor_of, 2);
}

static void solver_close(solver *s)
{
  pl_context_destroy(s->context);
  free(s->x), free(s->y), free(s->old), free(s->speed), free(s->springs);
}

static size_t intersections(solver *s)
{
  const pl_result *found;
  check(s, pl_touching(pl_all(s->scene), NULL, &found));
  return found->count;
}

#ifndef CLOTH_SOLVER_ONLY
enum { AROUND = 48, RINGS = 24, BALL = AROUND * (RINGS + 1), STEPS = 150 };

static void add_ball(solver *s, float radius, float height)
{
  static float at[BALL][3];
  static uint32_t triangles[2 * AROUND * RINGS][3];
  size_t n = 0;
  for (uint32_t v = 0; v < BALL; ++v) {
    const float around = 6.2831853f * (float)(v % AROUND) / AROUND, down = 3.14159265f * (float)(v / AROUND) / RINGS;
    at[v][0] = radius * sinf(down) * cosf(around) + 0.1f, at[v][1] = radius * cosf(down) + height;
    at[v][2] = radius * sinf(down) * sinf(around);
  }
  for (uint32_t v = 0; v + AROUND < BALL; ++v) {
    const uint32_t p = v, q = v / AROUND * AROUND + (v + 1) % AROUND, r = p + AROUND, t = q + AROUND;
    const uint32_t two[2][3] = {{p, q, t}, {p, t, r}};
    memcpy(triangles[n], two, sizeof two), n += 2;
  }
  add_body(s, at[0], BALL, triangles[0], n);
}

int main(void)
{
  solver s;
  size_t bad = 0, on_floor = 0;
  solver_open(&s, 2, 25, 1.2f, 0.56f, 0.02f);
  add_ball(&s, 0.25f, 0.27f);
  renew(&s);
  for (int step = 0; step < STEPS; ++step) {
    solver_step(&s);
    bad += intersections(&s) > 0;
  }
  for (uint32_t v = 0; v < s.count; ++v) on_floor += s.x[v][1] < 0.02f;
  fprintf(stderr, "%d steps: %zu searches, %zu checks; contact takes %.0f %% of the time; %zu vertices on the floor\n",
          STEPS, s.searches, s.checks, 100 * s.contact_s / s.all_s, on_floor);
  printf("%zu steps with intersections; the cloth %s\n", bad, on_floor > 20 ? "lies on the floor" : "hangs in the air");
  solver_close(&s);
  return bad > 0;
}
#endif
