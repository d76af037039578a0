/* Playing pairs of flexible parts. All poses are computed before anything is timed and copied
 * into the arrays that the bodies read just before each frame, as a simulator would leave them;
 * copying is not timed. */
#include "bench/bitar_play.h"
#include "scenes/ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------------------ scenes -- */

void match_free(match *m)
{
  for (int b = 0; b < 2; ++b) {
    scene_mesh_free(&m->mesh[b]);
    free(m->xyz[b]);
  }
  free(m->distance);
  free(m->with);
  *m = (match){0};
}

static size_t pose_bytes(const match *m, int b) { return 3 * m->mesh[b].vertex_count * sizeof(float); }

static float *pose_at(const match *m, int b, int frame)
{
  return m->xyz[b] + 3 * m->mesh[b].vertex_count * (size_t)frame;
}

bool match_make(int scenario, int detail, int stride, int most_frames, match *m)
{
  *m = (match){.scenario = scenario, .frames = (bitar_scenario_of(scenario).frames - 1) / stride + 1};
  if (most_frames && m->frames > most_frames) m->frames = most_frames;
  if (!bitar_scenario_make(scenario, detail, m->mesh)) return false;
  m->distance = calloc((size_t)m->frames, sizeof *m->distance);
  m->with = calloc((size_t)m->frames, sizeof *m->with);
  for (int b = 0; b < 2; ++b) m->xyz[b] = malloc((size_t)m->frames * pose_bytes(m, b));
  if (!m->distance || !m->with || !m->xyz[0] || !m->xyz[1]) return false;
  for (int f = 0; f < m->frames; ++f) {
    bitar_scenario_pose(scenario, m->mesh, f * stride);
    for (int b = 0; b < 2; ++b) memcpy(pose_at(m, b, f), m->mesh[b].xyz, pose_bytes(m, b));
  }
  return true;
}

/* -------------------------------------------------------------------------------------- play -- */

static double clock_ms(const stage *s)
{
  struct timespec t;
  clock_gettime(pl_context_threads(s->context) == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void bodies_free(pl_body *bodies[2])
{
  for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
}

/* Both bodies, reading the meshes' arrays in place, in the pose of frame 0. */
static bool bodies_make(const stage *s, match *m, const pl_body_def *def, pl_body *bodies[2])
{
  pl_body_def borrowing = *def;
  borrowing.borrow = true;
  bodies[0] = bodies[1] = NULL;
  for (int b = 0; b < 2; ++b) {
    memcpy(m->mesh[b].xyz, pose_at(m, b, 0), pose_bytes(m, b));
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(m->mesh[b].xyz, m->mesh[b].vertex_count);
    mesh.triangles = m->mesh[b].triangles;
    mesh.triangle_count = m->mesh[b].triangle_count;
    if (pl_body_create_free(s->context, &mesh, &borrowing, &bodies[b]) == PL_OK &&
        pl_body_update(bodies[b], NULL) == PL_OK)
      continue; /* the first volumes belong to building the tree, which is not timed */
    bodies_free(bodies);
    return bench_fail(s->report, "%s", pl_context_message(s->context));
  }
  return true;
}

/* One frame: positions as a simulator leaves them, update and distance timed. */
static bool play_frame(const stage *s, match *m, pl_body *const bodies[2], int frame, least_row *distance,
                       frame_cost *out)
{
  pl_counters counters[2] = {{0}, {0}};
  pl_status status = PL_OK;
  for (int b = 0; b < 2; ++b) memcpy(m->mesh[b].xyz, pose_at(m, b, frame), pose_bytes(m, b));
  double start = clock_ms(s);
  for (int b = 0; b < 2 && status == PL_OK; ++b) {
    status = pl_body_set_positions(bodies[b], pl_positions_f32(m->mesh[b].xyz, m->mesh[b].vertex_count));
    if (status == PL_OK) status = pl_body_update(bodies[b], &counters[b]);
  }
  double middle = clock_ms(s);
  if (status == PL_OK) status = ask_least(pl_two(bodies[0], bodies[1]), NULL, distance);
  double end = clock_ms(s);
  if (status != PL_OK) return bench_fail(s->report, "%s", pl_context_message(s->context));
  const pl_counters *c = &distance->counters;
  *out = (frame_cost){middle - start, end - middle, (double)c->n_v, (double)c->n_p,
                      (double)(c->n_u + counters[0].n_u + counters[1].n_u)};
  return true;
}

bool match_play(const stage *s, match *m, const pl_body_def *def, const char *name, frame_cost *costs)
{
  pl_body *bodies[2];
  for (int rep = 0; rep < s->reps; ++rep) {
    if (!bodies_make(s, m, def, bodies)) return false;
    bool ok = true;
    for (int f = 0; f < m->frames && ok; ++f) {
      least_row d;
      frame_cost cost;
      ok = play_frame(s, m, bodies, f, &d, &cost);
      if (ok && d.distance != m->distance[f])
        ok = bench_fail(s->report, "%s, scenario %d, frame %d: distance %.17g instead of %.17g", name, m->scenario + 1,
                        f, d.distance, m->distance[f]);
      if (!ok) continue;
      bench_compared(&s->report->compared, "distance, every bit", m->with[f], f, 1);
      if (rep > 0) {
        cost.ms_update = fmin(cost.ms_update, costs[f].ms_update);
        cost.ms_query = fmin(cost.ms_query, costs[f].ms_query);
      }
      costs[f] = cost;
    }
    bodies_free(bodies);
    if (!ok) return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------- check -- */

typedef struct box {
  float low[3], high[3];
} box;

static box box_of(const scene_mesh *m, size_t t)
{
  box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < 9; ++i) {
    const float x = m->xyz[3 * (size_t)m->triangles[3 * t + (size_t)(i / 3)] + (size_t)(i % 3)];
    b.low[i % 3] = fminf(b.low[i % 3], x);
    b.high[i % 3] = fmaxf(b.high[i % 3], x);
  }
  return b;
}

/* Returns whether points of the two may be within the margin. */
static bool near_boxes(const box *a, const box *b, double margin)
{
  for (int k = 0; k < 3; ++k)
    if ((double)a->low[k] - (double)b->high[k] > margin || (double)b->low[k] - (double)a->high[k] > margin)
      return false;
  return true;
}

/* A body of those triangles of one part whose box is within the margin of the box of a triangle
 * of the other: all against all. NULL: it failed. */
static pl_body *near_part(const stage *s, const match *m, int part, double margin)
{
  const scene_mesh *mine = &m->mesh[part], *other = &m->mesh[1 - part];
  box *boxes = malloc(other->triangle_count * sizeof *boxes);
  uint32_t *corners = malloc(3 * mine->triangle_count * sizeof *corners);
  size_t count = 0;
  pl_body *body = NULL;
  for (size_t t = 0; boxes && corners && t < other->triangle_count; ++t) boxes[t] = box_of(other, t);
  for (size_t t = 0; boxes && corners && t < mine->triangle_count; ++t) {
    const box own = box_of(mine, t);
    size_t k = 0;
    while (k < other->triangle_count && !near_boxes(&own, &boxes[k], margin)) ++k;
    if (k < other->triangle_count) memcpy(corners + 3 * count++, mine->triangles + 3 * t, 3 * sizeof *corners);
  }
  if (count) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(mine->xyz, mine->vertex_count);
    mesh.triangles = corners;
    mesh.triangle_count = count;
    if (pl_body_create_free(s->context, &mesh, NULL, &body) != PL_OK) body = NULL;
  }
  free(boxes);
  free(corners);
  return body;
}

/* The reference's distance, of the triangles that can be as near as that. */
static bool check_nearest(const stage *s, const match *m, int frame, double distance)
{
  pl_body *parts[2];
  least_row d = {0};
  for (int b = 0; b < 2; ++b) parts[b] = near_part(s, m, b, distance * (1 + 1e-9));
  bool good = parts[0] && parts[1] && refer_least(pl_two(parts[0], parts[1]), NULL, &d) == PL_OK;
  bodies_free(parts);
  if (!good) return bench_fail(s->report, "out of memory for the reference");
  if (d.distance != distance)
    return bench_fail(s->report, "scenario %d, frame %d: distance %.17g, the reference %.17g; please report this",
                      m->scenario + 1, frame, distance, d.distance);
  return true;
}

bool match_find_distances(const stage *s, match *m, bool reference)
{
  pl_body *bodies[2];
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_BOTTOM_UP;
  if (!bodies_make(s, m, &def, bodies)) return false;
  bool ok = true;
  for (int f = 0; f < m->frames && ok; ++f) {
    least_row d;
    frame_cost cost;
    ok = play_frame(s, m, bodies, f, &d, &cost);
    m->with[f] = reference ? BENCH_REFERENCE : "boxes, all refitted";
    if (ok && reference && refer_least(pl_two(bodies[0], bodies[1]), NULL, &d) != PL_OK)
      ok = bench_fail(s->report, "%s", pl_context_message(s->context));
    if (ok && !reference && f % 5 == 0) {
      ok = check_nearest(s, m, f, d.distance);
      m->with[f] = BENCH_REFERENCE ", of near triangles";
    }
    if (ok) m->distance[f] = d.distance;
    if (ok && !(d.distance > 0))
      ok = bench_fail(s->report, "scenario %d, frame %d: the parts touch", m->scenario + 1, f);
  }
  bodies_free(bodies);
  return ok;
}
