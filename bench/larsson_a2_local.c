/* Thesis, section 7.3.2: where m of n triangles move, an update from their leaves up takes O(m +
 * log n), or O(m log n) if they are spread. 100 vertices of a sphere move, neighbours or spread,
 * with pl_body_set_vertices(); beside it the same move with pl_body_set_positions() of all.
 * After each move a small probe asks what it touches, at the place where neighbours move. */
#include "bench/larsson_a2_local.h"
#include "scenes/ask.h"

#include "bench/flights.h"
#include "pliant/pliant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOVED = 100, MOVES = 24 };
enum { NEIGHBOURS, SPREAD, ALL_HYBRID, ALL_BOTTOM_UP, WAYS };

static const bench_column columns[] = {{"triangles", "100 vertices move: triangles", 0},
                                       {"neighbours_ms", "neighbours ms", 4},
                                       {"neighbours_query_ms", "query", 4},
                                       {"spread_ms", "spread ms", 4},
                                       {"spread_query_ms", "query", 4},
                                       {"all_ms", "all, hybrid", 4},
                                       {"all_query_ms", "query", 4},
                                       {"all_bottom_up_ms", "all, bottom-up", 4},
                                       {"all_bottom_up_query_ms", "query", 4},
                                       {"faster", "neighbours: faster", 1},
                                       {"faster_bottom_up", "than bottom-up", 1},
                                       {"pairs", "pairs", 0}};

/* A sphere whose vertices move, and a probe that does not. */
typedef struct stage {
  bench_report *report;
  pl_context *context;
  scene_mesh mesh, probe_mesh;
  uint32_t moved[MOVED];
  pl_body *body, *probe;
  double ms[WAYS], query_ms[WAYS];
  size_t pairs;
} stage;

static bool failed(const stage *s) { return bench_fail(s->report, "%s", pl_context_message(s->context)); }

static pl_body *make_body(const stage *s, const scene_mesh *m, pl_strategy strategy)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body_def def = pl_body_def_default();
  pl_body *body;
  def.strategy = strategy;
  mesh.positions = pl_positions_f32(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  return pl_body_create_free(s->context, &mesh, &def, &body) == PL_OK ? body : NULL;
}

typedef struct ranked {
  float height;
  uint32_t vertex;
} ranked;

static int by_height(const void *a, const void *b)
{
  float x = ((const ranked *)a)->height, y = ((const ranked *)b)->height;
  return (x < y) - (x > y);
}

/* The highest vertices, or every n-th from the highest to the lowest. */
static bool choose_vertices(stage *s, bool spread)
{
  size_t n = s->mesh.vertex_count;
  ranked *order = malloc(n * sizeof *order);
  if (!order) return bench_fail(s->report, "out of memory");
  for (size_t i = 0; i < n; ++i) order[i] = (ranked){s->mesh.rest[3 * i + 2], (uint32_t)i};
  qsort(order, n, sizeof *order, by_height);
  for (size_t i = 0; i < MOVED; ++i) s->moved[i] = order[spread ? i * (n / MOVED) : i].vertex;
  free(order);
  return true;
}

/* The vertices that move are lifted, a little more each time. */
static void lift(stage *s, int move, float moved[MOVED][3])
{
  const float scale = 1 + 0.02f * (float)(move + 1) / MOVES;
  for (int i = 0; i < MOVED; ++i)
    for (size_t k = 0; k < 3; ++k)
      moved[i][k] = s->mesh.xyz[3 * s->moved[i] + k] = scale * s->mesh.rest[3 * s->moved[i] + k];
}

static bool ask(stage *s, int way)
{
  const pl_result *found;
  double start = bench_cpu_ms();
  if (pl_touching(pl_two(s->body, s->probe), NULL, &found) != PL_OK) return failed(s);
  s->query_ms[way] = fmin(s->query_ms[way], bench_cpu_ms() - start);
  s->pairs = found->count;
  return true;
}

static bool move_once(stage *s, int way, int move)
{
  float moved[MOVED][3];
  lift(s, move, moved);
  double start = bench_cpu_ms();
  pl_status status = way <= SPREAD
                         ? pl_body_set_vertices(s->body, s->moved, MOVED, pl_positions_f32(moved[0], MOVED))
                         : pl_body_set_positions(s->body, pl_positions_f32(s->mesh.xyz, s->mesh.vertex_count));
  if (status == PL_OK) status = pl_body_update(s->body, NULL);
  double ms = bench_cpu_ms() - start;
  if (status != PL_OK) return failed(s);
  if (move) s->ms[way] = fmin(s->ms[way], ms); /* the first one makes room */
  return ask(s, way);
}

/* The pairs of the last move. */
static bool check(stage *s)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  if (refer_touching(pl_two(s->body, s->probe), NULL, &found) != PL_OK) return failed(s);
  size_t count = found->count;
  pl_pair *right = malloc((count + 1) * sizeof *right);
  if (!right) return bench_fail(s->report, "out of memory");
  if (count) memcpy(right, found->pairs, count * sizeof *right);
  bool good = pl_touching(pl_two(s->body, s->probe), &def, &found) == PL_OK && found->count == count &&
              (!count || !memcmp(right, found->pairs, count * sizeof *right));
  free(right);
  if (!good) return bench_fail(s->report, "other pairs than the reference's after a local move; please report this");
  bench_compared(&s->report->compared, "pairs after the last move", BENCH_REFERENCE, MOVES - 1, count);
  return true;
}

static bool play_way(stage *s, int way)
{
  memcpy(s->mesh.xyz, s->mesh.rest, 3 * s->mesh.vertex_count * sizeof(float));
  s->ms[way] = s->query_ms[way] = INFINITY;
  s->body = make_body(s, &s->mesh, way == ALL_BOTTOM_UP ? PL_STRATEGY_BOTTOM_UP : PL_STRATEGY_HYBRID);
  bool good = (s->body || failed(s)) && choose_vertices(s, way == SPREAD);
  for (int move = 0; move < MOVES && good; ++move) good = move_once(s, way, move);
  good = good && check(s);
  pl_body_destroy(s->body);
  return good;
}

static bool open_stage(stage *s, int triangles)
{
  if (!scene_geosphere(scene_geosphere_frequency(triangles), &s->mesh) || !scene_geosphere(3, &s->probe_mesh))
    return bench_fail(s->report, "out of memory for %d triangles", triangles);
  for (size_t v = 0; v < s->probe_mesh.vertex_count; ++v)
    for (size_t k = 0; k < 3; ++k)
      s->probe_mesh.xyz[3 * v + k] = 0.03f * s->probe_mesh.rest[3 * v + k] + (k == 2 ? 1.02f : 0);
  s->probe = make_body(s, &s->probe_mesh, PL_STRATEGY_BOTTOM_UP);
  return s->probe || failed(s);
}

static void append(const stage *s)
{
  bench_table *t = &s->report->variants;
  bench_number(t, (double)s->mesh.triangle_count);
  for (int way = 0; way < WAYS; ++way) {
    bench_number(t, s->ms[way]);
    bench_number(t, s->query_ms[way]);
  }
  bench_number(t, s->ms[ALL_HYBRID] / s->ms[NEIGHBOURS]);
  bench_number(t, s->ms[ALL_BOTTOM_UP] / s->ms[NEIGHBOURS]);
  bench_number(t, (double)s->pairs);
}

static bool run_size(bench_report *report, pl_context *context, int triangles, double faster[2])
{
  stage s = {.report = report, .context = context};
  bench_progress(report, "%s: 100 vertices of %d triangles", report->experiment, triangles);
  bool good = open_stage(&s, triangles);
  bench_compared_scene(&report->compared, MOVES, "100 vertices of %zu", s.mesh.triangle_count);
  for (int way = 0; way < WAYS && good; ++way) good = play_way(&s, way);
  if (good) append(&s);
  faster[0] = s.ms[ALL_HYBRID] / s.ms[NEIGHBOURS];
  faster[1] = s.ms[ALL_BOTTOM_UP] / s.ms[NEIGHBOURS];
  pl_body_destroy(s.probe);
  scene_mesh_free(&s.mesh);
  scene_mesh_free(&s.probe_mesh);
  return good;
}

bool larsson_a2_local(const bench_options *options, bench_report *report)
{
  static const int sizes[] = {1280, 20480, 81920, 327680, 1310720};
  const int count = options->quick ? 1 : (int)(sizeof sizes / sizeof *sizes);
  double faster[2] = {NAN, NAN};
  pl_context *context;
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  bench_table_init(&report->variants, columns, sizeof columns / sizeof *columns);
  if (pl_context_create(&def, &context) != PL_OK) return bench_fail(report, "out of memory");
  bool good = true;
  for (int i = 0; i < count && good; ++i) good = run_size(report, context, sizes[i], faster);
  pl_context_destroy(context);
  if (!good) return false;
  bench_headline_add(report, "local", faster[0], NAN);
  bench_headline_add(report, "local_bottom_up", faster[1], NAN);
  bench_note(
      report,
      "100 vertices move: pl_body_set_vertices() of neighbours or of vertices spread over the body, beside "
      "pl_body_set_positions() of all; with the update, the least of %d moves. query: what a probe of 180 triangles "
      "touches there. local: neighbours at the largest size, times faster than all, hybrid (local_bottom_up: "
      "bottom-up). "
      "The thesis gives the growth, O(m + log n), and no figure.",
      MOVES - 1);
  return true;
}
