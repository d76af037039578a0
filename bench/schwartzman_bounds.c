/* The animal is cut into patches by halves along the longest side. Of each patch in some poses:
 * which directions do all its triangles face (exact, from the positions of all vertices), which
 * of them does the published bound prove (bench/bounded_normals.c), and does our method prove
 * that the patch faces one way? The last is asked of a body that consists of the patch alone,
 * with the public query: a governed body whose root is proven by its cone tests no triangle and
 * opens no node. */
#include "bench/schwartzman_bounds.h"

#include "bench/bounded_normals.h"
#include "bench/flights.h"
#include "pliant/pliant.h"
#include "scenes/governed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int sizes[] = {16, 64, 256, 1024, 4096};
static const int poses[] = {15, 40, 65, 90};
enum { SIZES = sizeof sizes / sizeof *sizes, POSES = sizeof poses / sizeof *poses, BONES = SCENE_ANIMAL_BONES };
enum { MOST_PROBES = 96 }; /* patches of a size that our method is asked about */

static const struct gait {
  const char *key;
  bool runs, nine;
} gaits[] = {{"walking", false, false}, {"running", true, false}, {"walking, 9 weights", false, true}};
enum { GAITS = sizeof gaits / sizeof *gaits };

static const bench_column columns[] = {{"case", "bounds of normals", 0},
                                       {"patch_triangles", "triangles of a patch", 0},
                                       {"patches", "patches", 0},
                                       {"exact_14", "14 directions: exact", 3},
                                       {"published_14", "eq. 6 to 17", 3},
                                       {"published_bits", "of exact bits", 3},
                                       {"unsound", "unsound", 0},
                                       {"published_us", "us", 2},
                                       {"probes", "patches", 0},
                                       {"exact_26", "26 directions: exact", 3},
                                       {"ours_26", "ours", 3},
                                       {"sample_14", "eq. 6 to 17", 3},
                                       {"ours_us", "us", 2}};

/* The animal in all poses. */
typedef struct stage {
  bench_report *report;
  pl_context *context;
  scene_animal animal;
  double matrix[POSES][BONES][9], shift[POSES][BONES][3];
  uint32_t *facing[POSES]; /* of every triangle: the directions that it faces, a bit each */
  uint32_t *order;         /* triangles, patch after patch */
  float *middle;           /* of every triangle, 3 numbers */
} stage;

typedef struct counts {
  double patches, exact_14, published_14, exact_bits, published_bits, unsound, published_ms;
  double probes, exact_26, ours, ours_ms, sample_14; /* of some of the patches */
} counts;

static bool failed(const stage *s) { return bench_fail(s->report, "%s", pl_context_message(s->context)); }
static bool out_of_memory(const stage *s) { return bench_fail(s->report, "out of memory"); }

/* ---------------------------------------------------------------------------------- the body -- */

static pl_status make_body(const stage *s, const pl_mesh_def *mesh, const uint32_t *bones, const float *weights,
                           pl_body **out)
{
  pl_skin_def skin = pl_skin_def_default();
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_GOVERNED;
  skin.bone_count = BONES;
  skin.weights.vertex_count = mesh->positions.count;
  skin.weights.per_vertex = s->animal.per_vertex;
  skin.weights.governors = bones;
  skin.weights.values = weights;
  skin.weights.type = PL_F32;
  skin.weights.normalise = true;
  return pl_body_create_skin(s->context, mesh, &skin, &def, out);
}

static pl_status set_pose(const stage *s, pl_body *body, int pose)
{
  pl_transform bones[BONES];
  for (int k = 0; k < BONES; ++k) {
    memcpy(bones[k].m, s->matrix[pose][k], sizeof bones[k].m);
    memcpy(bones[k].t, s->shift[pose][k], sizeof bones[k].t);
  }
  return pl_body_set_bones(body, bones, BONES);
}

static uint32_t facing_of(const double *a, const double *b, const double *c)
{
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  uint32_t bits = 0;
  for (int d = 0; d < BN_DIRECTIONS; ++d) {
    const double *w = bn_directions[d];
    bits |= (uint32_t)(w[0] * n[0] + w[1] * n[1] + w[2] * n[2] > 0) << d;
  }
  return bits;
}

/* What all triangles face in all poses, from the positions of the whole body. */
static bool find_facing(stage *s)
{
  const scene_mesh *m = &s->animal.mesh;
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body = NULL;
  double *xyz = malloc(3 * m->vertex_count * sizeof *xyz);
  mesh.positions = pl_positions_f32(m->rest, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  bool good = xyz && make_body(s, &mesh, s->animal.bones, s->animal.weights, &body) == PL_OK;
  for (int p = 0; p < POSES && good; ++p) {
    good = set_pose(s, body, p) == PL_OK && pl_body_positions(body, NULL, m->vertex_count, PL_F64, xyz, 0) == PL_OK;
    for (size_t t = 0; t < m->triangle_count && good; ++t) {
      const uint32_t *c = m->triangles + 3 * t;
      s->facing[p][t] = facing_of(xyz + 3 * (size_t)c[0], xyz + 3 * (size_t)c[1], xyz + 3 * (size_t)c[2]);
    }
  }
  pl_body_destroy(body);
  free(xyz);
  return good || failed(s);
}

static bool stage_open(stage *s, const struct gait *gait, int triangles)
{
  if (!(gait->nine ? scene_animal_make_nine : scene_animal_make)(triangles, &s->animal)) return out_of_memory(s);
  const scene_mesh *m = &s->animal.mesh;
  bool good = (s->order = malloc(m->triangle_count * sizeof *s->order)) &&
              (s->middle = malloc(3 * m->triangle_count * sizeof *s->middle));
  for (int p = 0; p < POSES && good; ++p) {
    (gait->runs ? scene_animal_run : scene_animal_walk)(poses[p], s->matrix[p], s->shift[p]);
    good = (s->facing[p] = malloc(m->triangle_count * sizeof *s->facing[p])) != NULL;
  }
  if (!good) return out_of_memory(s);
  for (size_t t = 0; t < m->triangle_count; ++t) {
    s->order[t] = (uint32_t)t;
    for (size_t k = 0; k < 3; ++k)
      s->middle[3 * t + k] = m->rest[3 * m->triangles[3 * t] + k] + m->rest[3 * m->triangles[3 * t + 1] + k] +
                             m->rest[3 * m->triangles[3 * t + 2] + k];
  }
  return find_facing(s);
}

static void stage_close(stage *s)
{
  scene_animal_free(&s->animal);
  for (int p = 0; p < POSES; ++p) free(s->facing[p]);
  free(s->order);
  free(s->middle);
}

/* ----------------------------------------------------------------------------------- patches -- */

typedef struct placed {
  float at;
  uint32_t triangle;
} placed;

static int by_place(const void *a, const void *b)
{
  const placed *x = a, *y = b;
  return x->at != y->at ? (x->at > y->at ? 1 : -1) : (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/* Sorts a range of the order along the longest side of its middles. */
static bool sort_range(stage *s, size_t begin, size_t end)
{
  float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  placed *list = malloc((end - begin) * sizeof *list);
  if (!list) return out_of_memory(s);
  for (size_t i = begin; i < end; ++i)
    for (size_t k = 0; k < 3; ++k) {
      low[k] = fminf(low[k], s->middle[3 * (size_t)s->order[i] + k]);
      high[k] = fmaxf(high[k], s->middle[3 * (size_t)s->order[i] + k]);
    }
  size_t axis = 0;
  for (size_t k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  for (size_t i = begin; i < end; ++i)
    list[i - begin] = (placed){s->middle[3 * (size_t)s->order[i] + axis], s->order[i]};
  qsort(list, end - begin, sizeof *list, by_place);
  for (size_t i = begin; i < end; ++i) s->order[i] = list[i - begin].triangle;
  free(list);
  return true;
}

/* A body of a patch alone, its vertices numbered anew. */
static pl_body *body_of(const stage *s, const uint32_t *triangles, size_t count)
{
  const scene_mesh *m = &s->animal.mesh;
  const size_t per = (size_t)s->animal.per_vertex;
  uint32_t *number = malloc(m->vertex_count * sizeof *number), *corners = malloc(3 * count * sizeof *corners);
  uint32_t *bones = malloc(3 * count * per * sizeof *bones);
  float *weights = malloc(3 * count * per * sizeof *weights), *xyz = malloc(9 * count * sizeof *xyz);
  pl_body *body = NULL;
  size_t n = 0;
  if (number && corners && bones && weights && xyz) {
    memset(number, 0xff, m->vertex_count * sizeof *number);
    for (size_t i = 0; i < 3 * count; ++i) {
      const size_t v = m->triangles[3 * (size_t)triangles[i / 3] + i % 3];
      if (number[v] == UINT32_MAX) {
        memcpy(xyz + 3 * n, m->rest + 3 * v, 3 * sizeof *xyz);
        memcpy(bones + per * n, s->animal.bones + per * v, per * sizeof *bones);
        memcpy(weights + per * n, s->animal.weights + per * v, per * sizeof *weights);
        number[v] = (uint32_t)n++;
      }
      corners[i] = number[v];
    }
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(xyz, n);
    mesh.triangles = corners;
    mesh.triangle_count = count;
    if (make_body(s, &mesh, bones, weights, &body) != PL_OK) body = NULL;
  }
  free(number), free(corners), free(bones), free(weights), free(xyz);
  return body;
}

/* Returns whether our method proves that the patch faces one direction. Then nothing of it is
 * tested, nor opened. */
static bool probe(const stage *s, const uint32_t *triangles, size_t count, const uint32_t exact[POSES],
                  const uint32_t published[POSES], counts *c)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.self_method = PL_SELF_METHOD_CONES_MAY_MISS;
  pl_body *body = body_of(s, triangles, count);
  bool good = body && set_pose(s, body, 0) == PL_OK &&
              pl_touching(pl_self(body), &def, &found) == PL_OK; /* builds the patches */
  for (int p = 0; p < POSES && good; ++p) {
    double start = bench_cpu_ms();
    good = set_pose(s, body, p) == PL_OK && pl_touching(pl_self(body), &def, &found) == PL_OK;
    c->ours_ms += bench_cpu_ms() - start;
    if (!good) break;
    ++c->probes;
    const bool proven = found->counters.n_p == 0 && found->counters.n_v <= 1;
    if (proven && !exact[p]) {
      good = bench_fail(s->report, "a patch is proven that faces no direction; please report this");
      break;
    }
    if (proven)
      bench_compared(&s->report->compared, "patches that our cones prove", "normals of all triangles", poses[p], count);
    c->ours += proven;
    c->exact_26 += exact[p] != 0;
    c->sample_14 += published[p] != 0;
  }
  pl_body_destroy(body);
  return good || (s->report->error[0] ? false : failed(s));
}

static int bits_in(uint32_t x) { return __builtin_popcount(x); }

static bool examine(const stage *s, const uint32_t *triangles, size_t count, bool ours, counts *c)
{
  const uint32_t few = (1u << BN_PUBLISHED_DIRECTIONS) - 1;
  const scene_animal *a = &s->animal;
  const bn_surface surface = {a->mesh.rest, a->mesh.triangles, a->bones, a->weights, a->per_vertex, BONES};
  bn_patch patch;
  uint32_t published[POSES], exact[POSES];
  if (!bn_patch_make(&surface, triangles, count, &patch))
    return bench_fail(s->report, "a patch has too many governors");
  for (int p = 0; p < POSES; ++p) {
    exact[p] = UINT32_MAX >> (32 - BN_DIRECTIONS);
    for (size_t i = 0; i < count; ++i) exact[p] &= s->facing[p][triangles[i]];
    double start = bench_cpu_ms();
    published[p] = bn_patch_directions(&patch, (const double(*)[9])s->matrix[p], (const double(*)[3])s->shift[p]);
    c->published_ms += bench_cpu_ms() - start;
    ++c->patches;
    c->exact_14 += (exact[p] & few) != 0;
    c->exact_bits += bits_in(exact[p] & few);
    c->published_14 += published[p] != 0;
    c->published_bits += bits_in(published[p] & exact[p]);
    c->unsound += bits_in(published[p] & ~exact[p]);
  }
  return !ours || probe(s, triangles, count, exact, published, c);
}

/* Halves ranges down to patches of at most `most` triangles. */
static bool cut(stage *s, size_t begin, size_t end, size_t most, size_t apart, size_t *seen, counts *c)
{
  if (end - begin <= most) return examine(s, s->order + begin, end - begin, (*seen)++ % apart == 0, c);
  const size_t middle = begin + (end - begin) / 2;
  return sort_range(s, begin, end) && cut(s, begin, middle, most, apart, seen, c) &&
         cut(s, middle, end, most, apart, seen, c);
}

/* ------------------------------------------------------------------------------------ report -- */

static void append(bench_report *r, const char *key, int size, const counts *c)
{
  const double numbers[] = {size,
                            c->patches,
                            c->exact_14 / c->patches,
                            c->published_14 / c->patches,
                            c->published_bits / c->exact_bits,
                            c->unsound,
                            1e3 * c->published_ms / c->patches,
                            c->probes,
                            c->exact_26 / c->probes,
                            c->ours / c->probes,
                            c->sample_14 / c->probes,
                            1e3 * c->ours_ms / c->probes};
  bench_text(&r->variants, key);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(&r->variants, numbers[i]);
}

static bool run_gait(bench_report *report, pl_context *context, const struct gait *gait, int triangles)
{
  stage s = {.report = report, .context = context};
  bool good = stage_open(&s, gait, triangles);
  const size_t total = s.animal.mesh.triangle_count;
  bench_compared_scene(&report->compared, POSES, "bounds, %s", gait->key);
  for (int i = 0; i < SIZES && good && (size_t)sizes[i] < total; ++i) {
    counts c = {.patches = 0};
    size_t seen = 0, parts = total / (size_t)sizes[i], apart = (2 * parts + MOST_PROBES - 1) / MOST_PROBES;
    bench_progress(report, "%s: bounds of normals, %s, patches of %d", report->experiment, gait->key, sizes[i]);
    good = cut(&s, 0, total, (size_t)sizes[i], apart, &seen, &c);
    if (!good) break;
    append(report, gait->key, sizes[i], &c);
    if (gait == gaits && sizes[i] == 64) {
      bench_headline_add(report, "bounds_published", c.sample_14 / c.probes, NAN);
      bench_headline_add(report, "bounds_ours", c.ours / c.probes, NAN);
    }
  }
  stage_close(&s);
  return good;
}

bool schwartzman_bounds(const bench_options *options, bench_report *report)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = 1;
  bench_table_init(&report->variants, columns, sizeof columns / sizeof *columns);
  if (pl_context_create(&def, &context) != PL_OK) return bench_fail(report, "out of memory");
  bool good = true;
  for (int g = 0; g < GAITS && good; ++g) good = run_gait(report, context, &gaits[g], options->quick ? 1280 : 81920);
  pl_context_destroy(context);
  bench_note(report,
             "Bounds of normals: the part of the patches, in %d poses, for which a direction is faced by all "
             "triangles: exact, by the published "
             "bounds of 14 directions, and by our method of 26, asked of bodies that are a patch alone (up to %d a "
             "size). Unsound: directions "
             "that the published bounds claim and a triangle does not face.",
             POSES, MOST_PROBES);
  return good;
}
