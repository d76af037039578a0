/* Zachmann and Weller, kinetic ray casting (slides, work in progress there): what a camera sees
 * of two bodies between two keys, kept by events, beside casting every ray at every in-between.
 * Both give the same image, which is checked first. */
#include "bench/flights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int counts[] = {2, 16, 160};
enum { COUNTS = sizeof counts / sizeof *counts };

static const bench_column columns[] = {{"scene", "", 0},           {"triangles", "triangles", 0},
                                       {"pixels", "pixels", 0},    {"in_betweens", "in-betw.", 0},
                                       {"cast_ms", "cast ms", 2},  {"image_ms", "image ms", 2},
                                       {"faster", "faster", 2},    {"starts", "starts", 0},
                                       {"events", "events", 0},    {"changes", "changes", 0},
                                       {"decided", "decided", 0},  {"spans", "spans/pixel", 1},
                                       {"bytes", "bytes/pixel", 0}};

/* One row but for the number of in-betweens. */
typedef struct view {
  bench_report *report;
  pl_context *context;
  const char *key;
  bench_flight flight; /* both bodies as one mesh */
  int side;            /* of the image, in pixels */
  int reps;
  pl_ray *rays;
} view;

typedef struct cost {
  double cast_ms, image_ms;
  double changes; /* pixels that were reported as changed, without the first image */
  pl_kinetic_info info;
} cost;

/* ------------------------------------------------------------------------------------- scene -- */

/* Two bodies become one mesh. */
static bool join(const bench_flight part[2], bench_flight *out)
{
  memset(out, 0, sizeof *out);
  const size_t n = part[0].mesh.vertex_count, m = part[1].mesh.vertex_count, count = part[0].mesh.triangle_count;
  out->mesh.vertex_count = n + m;
  out->mesh.triangle_count = count + part[1].mesh.triangle_count;
  out->mesh.triangles = malloc(3 * out->mesh.triangle_count * sizeof *out->mesh.triangles);
  for (int i = 0; i < 2; ++i) out->key[i] = malloc(3 * (n + m) * sizeof(float));
  if (!out->mesh.triangles || !out->key[0] || !out->key[1]) return false;
  memcpy(out->mesh.triangles, part[0].mesh.triangles, 3 * count * sizeof *out->mesh.triangles);
  for (size_t i = 3 * count; i < 3 * out->mesh.triangle_count; ++i)
    out->mesh.triangles[i] = part[1].mesh.triangles[i - 3 * count] + (uint32_t)n;
  for (int i = 0; i < 2; ++i) {
    memcpy(out->key[i], part[0].key[i], 3 * n * sizeof(float));
    memcpy(out->key[i] + 3 * n, part[1].key[i], 3 * m * sizeof(float));
  }
  return true;
}

static bool make_scene(int scene, int triangles, bench_flight *out)
{
  bench_flight part[2] = {0};
  bool good = bench_flight_sphere(scene, 0, triangles / 2, &part[0]) &&
              bench_flight_sphere(scene, 1, triangles / 2, &part[1]) && join(part, out);
  for (int i = 0; i < 2; ++i) bench_flight_free(&part[i]);
  return good;
}

/* Every second bit of x. */
static int half_bits(int x)
{
  int out = 0;
  for (int i = 0; i < 12; ++i) out |= (x >> 2 * i & 1) << i;
  return out;
}

/* One body is partly behind the other. Pixels in the order of a curve, so that neighbours are
 * near each other; `side` is a power of two. */
static bool make_rays(view *v)
{
  const double eye[3] = {3, 0.6, 3.2}, ahead[3] = {-3, -0.6, -3.2}, right[3] = {3.2, 0, -3};
  const size_t count = (size_t)v->side * (size_t)v->side;
  const double up[3] = {right[1] * ahead[2] - right[2] * ahead[1], right[2] * ahead[0] - right[0] * ahead[2],
                        right[0] * ahead[1] - right[1] * ahead[0]};
  v->rays = malloc(count * sizeof *v->rays);
  for (size_t i = 0; v->rays && i < count; ++i) {
    const double x = 0.85 * ((half_bits((int)i) + 0.5) / v->side - 0.5),
                 y = 0.85 * ((half_bits((int)i >> 1) + 0.5) / v->side - 0.5);
    double to[3];
    for (int k = 0; k < 3; ++k) to[k] = ahead[k] + x * right[k] + y * up[k] / 4.4;
    v->rays[i] = pl_ray_from(eye, to);
  }
  return v->rays;
}

/* ----------------------------------------------------------------------------------- methods -- */

static bool play_casts(view *v, int steps, double *ms)
{
  pl_body *body = bench_flight_body(v->context, &v->flight, NULL);
  pl_question def = pl_question_default();
  def.coherent = true;
  const size_t count = (size_t)v->side * (size_t)v->side;
  bool good = body != NULL;
  double start = bench_cpu_ms();
  for (int k = 0; k <= steps && good; ++k) {
    const pl_result *hits;
    good = pl_body_set_time(body, (double)k / steps) == PL_OK &&
           pl_cast(pl_one(body), v->rays, count, &def, &hits) == PL_OK;
  }
  *ms = bench_cpu_ms() - start;
  pl_body_destroy(body);
  return good;
}

/* Some pixels of an image by every triangle. */
static bool check_reference(view *v, pl_body *body, const uint32_t *seen, int in_between)
{
  enum { SOME = 256 };
  pl_ray rays[SOME] = {0};
  const pl_result *hits;
  pl_question slow = pl_question_default();
  slow.reference = true;
  const size_t count = (size_t)v->side * (size_t)v->side, apart = (count + SOME - 1) / SOME;
  size_t n = 0;
  for (size_t i = 0; i < count; i += apart) rays[n++] = v->rays[i];
  if (pl_cast(pl_one(body), rays, n, &slow, &hits) != PL_OK) return false;
  for (size_t i = 0; i < n; ++i)
    if (hits->hits[i].triangle != seen[i * apart])
      return bench_fail(v->report, "%s: pixel %zu of in-between %d differs from the reference; please report this",
                        v->key, i * apart, in_between);
  bench_compared(&v->report->compared, "triangle of some pixels", BENCH_REFERENCE, in_between, n);
  return true;
}

/* The image; compared with casts if there is a body to cast into. */
static bool play_image(view *v, int steps, pl_body *other, cost *out)
{
  pl_body_def body_def = pl_body_def_default();
  body_def.strategy = PL_STRATEGY_KINETIC; /* no positions are stored */
  pl_body *body = bench_flight_body(v->context, &v->flight, &body_def);
  const size_t ray_count = (size_t)v->side * (size_t)v->side;
  pl_kinetic_image *image = NULL;
  bool good = body != NULL;
  double start = bench_cpu_ms();
  out->changes = 0;
  good = good && pl_kinetic_image_create(body, v->rays, ray_count, &image) == PL_OK;
  for (int k = 0; k <= steps && good; ++k) {
    const pl_result *seen;
    const pl_result *hits;
    good = pl_body_set_time(body, (double)k / steps) == PL_OK && pl_kinetic_image_update(image, &seen) == PL_OK;
    if (good && k) out->changes += (double)seen->changed_count;
    if (!good || !other || (k % 5 && k != steps)) continue;
    good = pl_body_set_time(other, (double)k / steps) == PL_OK &&
           pl_cast(pl_one(other), v->rays, ray_count, NULL, &hits) == PL_OK;
    for (size_t i = 0; i < ray_count && good; ++i)
      if (hits->hits[i].triangle != seen->triangles[i])
        good = bench_fail(v->report, "%s: pixel %zu of in-between %d differs from a cast", v->key, i, k);
    if (good) bench_compared(&v->report->compared, "triangle of every pixel", "casts", k, ray_count);
    good = good && check_reference(v, other, seen->triangles, k);
  }
  out->image_ms = fmin(out->image_ms, bench_cpu_ms() - start);
  good = good && pl_kinetic_image_get_info(image, &out->info) == PL_OK;
  pl_kinetic_image_destroy(image);
  pl_body_destroy(body);
  return good;
}

static bool measure(view *v, int steps, cost *out)
{
  pl_body *other = bench_flight_body(v->context, &v->flight, NULL);
  *out = (cost){.image_ms = INFINITY, .cast_ms = INFINITY};
  bool good = other && play_image(v, steps < 16 ? steps : 16, other, out);
  pl_body_destroy(other);
  out->image_ms = INFINITY;
  for (int r = 0; r < v->reps && good; ++r) {
    double ms = INFINITY;
    good = play_image(v, steps, NULL, out) && play_casts(v, steps, &ms);
    out->cast_ms = fmin(out->cast_ms, ms);
  }
  return good;
}

/* -------------------------------------------------------------------------------- experiment -- */

static void append(view *v, int steps, const cost *c)
{
  bench_table *t = &v->report->summary;
  const double pixels = (double)v->side * v->side;
  bench_text(t, v->key);
  const double numbers[] = {(double)v->flight.mesh.triangle_count,
                            pixels,
                            steps,
                            c->cast_ms,
                            c->image_ms,
                            c->cast_ms / c->image_ms,
                            (double)c->info.starts,
                            (double)c->info.events,
                            c->changes,
                            (double)c->info.tests,
                            (double)c->info.kept / pixels,
                            (double)c->info.bytes / pixels};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(t, numbers[i]);
}

static bool play(const bench_options *options, bench_report *report, pl_context *context, int scene, int triangles,
                 int side, bool headline)
{
  view v = {.report = report,
            .context = context,
            .key = bench_flight_key(scene),
            .side = side,
            .reps = options->reps ? options->reps : 1};
  bool good = (make_scene(scene, triangles, &v.flight) && make_rays(&v)) || bench_fail(report, "out of memory");
  for (int i = 0; i < COUNTS && good; ++i) {
    cost c;
    bench_compared_scene(&report->compared, 0, "%s, %d, %d in-betweens", v.key, triangles, counts[i]);
    bench_progress(report, "%s: %s, %d triangles, %d x %d pixels, %d in-betweens", report->experiment, v.key, triangles,
                   side, side, counts[i]);
    good = measure(&v, counts[i], &c);
    if (good) append(&v, counts[i], &c);
    if (good && headline && i > 0)
      bench_headline_add(report, counts[i] == 160 ? "image" : "image_16", c.cast_ms / c.image_ms, NAN);
  }
  if (!good && !report->error[0]) bench_fail(report, "%s: %s", v.key, pl_context_message(context));
  bench_flight_free(&v.flight);
  free(v.rays);
  return good;
}

bool zachmann_4_run(const bench_options *options, bench_report *report)
{
  static const struct row {
    int scene, triangles, side;
  } rows[] = {{FLIGHT_NEAR, 5120, 256},  {FLIGHT_NEAR, 320, 256},   {FLIGHT_NEAR, 40960, 256}, {FLIGHT_NEAR, 5120, 64},
              {FLIGHT_RIGID, 5120, 256}, {FLIGHT_NOISE, 5120, 256}, {FLIGHT_FAST, 5120, 256}};
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  snprintf(report->setting, sizeof report->setting, "two bumpy spheres, 1 thread, processor time");
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  pl_context *context;
  if (pl_context_create(&def, &context) != PL_OK) return bench_fail(report, "out of memory");
  bool good = true;
  for (size_t i = 0; good && i < (options->quick ? 1 : sizeof rows / sizeof *rows); ++i)
    good = play(options, report, context, rows[i].scene,
                options->triangles ? options->triangles
                : options->quick   ? 320
                                   : rows[i].triangles,
                options->quick ? 16 : rows[i].side, i == 0);
  pl_context_destroy(context);
  bench_note(report,
             "Milliseconds of processor time for all images from one key to the next, both ends included. cast: "
             "positions and every ray at each; image: pl_kinetic_image_update().");
  bench_note(report, "starts: rounds at whose begin all rays were traced; events: certificates that failed; changes: "
                     "pixels that got another triangle; decided: pixels that exact tests decided.");
  return good;
}
