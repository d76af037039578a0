#include "motion/governed.h"

#include "math/round.h"
#include "mesh/mesh.h"
#include "mesh/weights.h"

#include <math.h>
#include <string.h>

enum { MOST_GOVERNORS = 65536 };
static const double most_off = 1e-4;    /* of the sum of a vertex's weights */
static const double most_entry = 1e100; /* of a transform, as of a body's */

/* ----------------------------------------------------------------------------------- weights -- */

pl_status governed_check_row(pl_context *context, const pl_weights *w, size_t v, size_t governors, bool negative,
                             double *sum)
{
  *sum = 0;
  for (size_t e = weights_begin(w, v); e < weights_begin(w, v + 1); ++e) {
    double x = weights_at(w, e);
    if (w->governors[e] >= governors)
      return fail(context, PL_ERROR_ARGUMENT, "a weight of vertex %zu names governor %u of %zu", v, w->governors[e],
                  governors);
    if (!(fabs(x) <= most_entry) || (x < 0 && !negative))
      return fail(context, PL_ERROR_ARGUMENT, "vertex %zu has the weight %g for governor %u: it must be %s", v, x,
                  w->governors[e], negative ? "finite" : "0 or more");
    *sum += x;
  }
  if (w->normalise ? !(*sum > 0) : !(fabs(*sum - 1) <= most_off))
    return fail(context, PL_ERROR_ARGUMENT, "the weights of vertex %zu add up to %.9g: they must add up to %s", v, *sum,
                w->normalise ? "more than 0" : "1, or be normalised");
  return PL_OK;
}

uint32_t governed_copy_row(governed *g, const pl_weights *w, size_t v, double sum)
{
  double all = 0, total = 0;
  const uint32_t begin = g->entries;
  for (size_t e = weights_begin(w, v); e < weights_begin(w, v + 1); ++e) {
    double x = w->normalise ? weights_at(w, e) / sum : weights_at(w, e);
    if (x == 0) continue;
    g->governor[g->entries] = w->governors[e];
    g->weight[g->entries++] = x;
    all += fabs(x);
    total += x;
  }
  const uint32_t length = g->entries - begin;
  g->live_entries += length;
  g->longest = length > g->longest ? length : g->longest;
  g->sum = fmax(g->sum, all * (1 + 1e-9));
  g->off = fmax(g->off, fabs(total - 1) + length * all * 0x1p-52);
  return begin;
}

pl_status governed_create(pl_context *context, const pl_weights *w, size_t governor_count, bool negative, governed *out)
{
  memset(out, 0, sizeof *out);
  pl_status status = weights_check_rows(context, w);
  if (status != PL_OK) return status;
  if (governor_count == 0 || governor_count > MOST_GOVERNORS)
    return fail(context, PL_ERROR_ARGUMENT, "%zu governors: there must be 1 to %d", governor_count, MOST_GOVERNORS);
  const pl_allocator *allocator = &context->def.allocator;
  governed *g = out;
  size_t entries = weights_begin(w, w->vertex_count) - weights_begin(w, 0);
  g->vertex_count = w->vertex_count;
  g->governor_count = governor_count;
  if (!(mem_take(allocator, &g->first, w->vertex_count + 1) && mem_take(allocator, &g->governor, entries + 1) &&
        mem_take(allocator, &g->weight, entries + 1) && mem_take(allocator, &g->now, governor_count) &&
        mem_take_new(allocator, &g->columns, 12 * governor_count) &&
        mem_take_new(allocator, &g->size, governor_count) && mem_take_new(allocator, &g->floats, governor_count)))
    status = fail(context, PL_ERROR_MEMORY, "no memory for %zu weights", entries);
  for (size_t v = 0; status == PL_OK && v < w->vertex_count; ++v) {
    double sum;
    status = governed_check_row(context, w, v, governor_count, negative, &sum);
    if (status == PL_OK) g->first[v] = governed_copy_row(g, w, v, sum);
  }
  if (status != PL_OK) {
    governed_free(context, g);
    return status;
  }
  g->first[w->vertex_count] = g->entries;
  g->end = g->first + 1;
  for (size_t k = 0; k < governor_count; ++k) g->now[k] = pl_transform_identity();
  return PL_OK;
}

void governed_free(pl_context *context, governed *g)
{
  if (g->first && g->end != g->first + 1) mem_free(&context->def.allocator, g->end);
  mem_free_all(&context->def.allocator, g->first, g->governor, g->weight, g->rest, g->controls, g->now, g->next,
               g->size, g->place, g->floats, g->lists, g->leaves, g->leaf_governor, g->leaf_most, g->near_first,
               g->neighbour, g->gradient, g->places, g->columns, g->rest_box);
  memset(g, 0, sizeof *g);
}

pl_status governed_set_controls(pl_context *context, governed *g, pl_positions rest)
{
  if (!(mem_take(&context->def.allocator, &g->controls, 3 * g->governor_count) &&
        mem_take(&context->def.allocator, &g->next, g->governor_count) &&
        mem_take(&context->def.allocator, &g->places, 3 * g->governor_count)))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu control points", rest.count);
  for (size_t k = 0; k < g->governor_count; ++k) {
    positions_get(rest, k, g->controls + 3 * k);
    g->now[k] = pl_transform_identity();
    if (!g->transforms) memcpy(g->now[k].t, g->controls + 3 * k, sizeof g->now[k].t);
  }
  if (!g->transforms) {
    g->rest_size = positions_size(rest);
    g->rest_exponent = motion_exponent(g->rest_size);
  }
  return PL_OK;
}

/* fmax() is not used: gcc 12 for aarch64 fails with an internal error on a loop that takes it of
 * fabs(). */
static double greater(double a, double b) { return a > b ? a : b; }

void governed_bound_rest(governed *g, size_t v)
{
  for (uint32_t e = g->first[v]; e < g->end[v]; ++e) {
    double *box = g->rest_box + 6 * (size_t)g->governor[e];
    for (int i = 0; i < 3; ++i) {
      double x = g->rest[3 * v + (size_t)i];
      box[i] = x < box[i] ? x : box[i];
      box[3 + i] = greater(x, box[3 + i]);
    }
  }
}

pl_status governed_set_rest(pl_context *context, governed *g, pl_positions rest)
{
  if (!(mem_take(&context->def.allocator, &g->rest, 3 * g->vertex_count) &&
        mem_take(&context->def.allocator, &g->rest_box, 6 * g->governor_count)))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu rest positions", g->vertex_count);
  for (size_t v = 0; v < g->vertex_count; ++v) positions_get(rest, v, g->rest + 3 * v);
  for (size_t k = 0; k < 6 * g->governor_count; ++k) g->rest_box[k] = k % 6 < 3 ? INFINITY : -INFINITY;
  for (size_t v = 0; v < g->vertex_count; ++v) governed_bound_rest(g, v);
  g->rest_size = positions_size(rest);
  g->rest_exponent = motion_exponent(g->rest_size);
  g->transforms = true;
  return PL_OK;
}

/* --------------------------------------------------------------------------------- governors -- */

/* An upper bound of the coordinates that this governor gives, partial sums included. */
static double size_of(const governed *g, const pl_transform *t)
{
  double size = 0;
  for (int i = 0; i < 3; ++i) {
    double row = fabs(t->t[i]);
    for (int j = 0; g->transforms && j < 3; ++j) row += fabs(t->m[i][j]) * g->rest_size;
    size = fmax(size, row);
  }
  return size * (1 + 1e-9);
}

/* Transforms of particles follow from positions; others are the caller's. */
static pl_status check_transform(pl_context *context, const governed *g, const pl_transform *to, size_t k)
{
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; g->transforms && j < 3; ++j) {
      if (fabs(to[k].m[i][j]) <= most_entry) continue;
      if (g->near_first)
        return fail(context, PL_ERROR_POSITIONS, "the particles around particle %zu are stretched by more than %g", k,
                    most_entry);
      return fail(context, PL_ERROR_ARGUMENT, "the matrix of governor %zu is %s in row %d, column %d", k,
                  isfinite(to[k].m[i][j]) ? "too large" : "not finite", i, j);
    }
    if (!isfinite(to[k].t[i]))
      return fail(context, g->near_first ? PL_ERROR_POSITIONS : PL_ERROR_ARGUMENT,
                  "governor %zu is not finite along %c", k, "xyz"[i]);
  }
  return PL_OK;
}

pl_status governed_check(pl_context *context, const governed *g, const pl_transform *to, double *reach)
{
  double most = 0;
  for (size_t k = 0; k < g->governor_count; ++k) {
    pl_status status = check_transform(context, g, to, k);
    if (status != PL_OK) return status;
    most = fmax(most, size_of(g, &to[k]));
  }
  *reach = most * g->sum;
  if (!isfinite(*reach) || !isfinite(most))
    return fail(context, PL_ERROR_POSITIONS, "the governors take positions out of the range of double");
  return PL_OK;
}

static void set_columns(governed *g, size_t k)
{
  const pl_transform *t = &g->now[k];
  double *to = g->columns + (g->transforms ? 12 : 3) * k;
  for (int l = 0; g->transforms && l < 3; ++l)
    for (int i = 0; i < 3; ++i) *to++ = t->m[i][l];
  memcpy(to, t->t, sizeof t->t);
}

void governed_set(governed *g, const pl_transform *to)
{
  g->most_size = 0;
  g->most_norm = 0;
  for (size_t k = 0; k < g->governor_count; ++k) {
    governor_floats *f = &g->floats[k];
    g->now[k] = to[k];
    set_columns(g, k);
    g->size[k] = size_of(g, &to[k]);
    f->norm = 0;
    for (int i = 0; g->transforms && i < 3; ++i) {
      float row = 0;
      for (int j = 0; j < 3; ++j) {
        f->m[i][j] = (float)to[k].m[i][j]; /* may be infinite: the lanes refuse such a norm */
        row += fabsf(f->m[i][j]);
      }
      row = row * FLOAT_MORE + 0x1p-126f; /* a denormal float is right to 2^-24 of 2^-126 */
      f->norm = row > f->norm ? row : f->norm;
    }
    g->most_size = greater(g->size[k], g->most_size);
    g->most_norm = f->norm > g->most_norm ? f->norm : g->most_norm;
  }
}

/* The box of what governor k makes of its vertices, merged into another. */
static void add_image(const governed *g, size_t k, extent3 *e)
{
  const pl_transform *t = &g->now[k];
  const double *box = g->transforms ? g->rest_box + 6 * k : NULL;
  if (box && !(box[0] < INFINITY)) return;
  for (int i = 0; i < 3; ++i) {
    double middle = t->t[i], half = 0;
    for (int j = 0; box && j < 3; ++j) {
      middle += t->m[i][j] * (0.5 * box[j] + 0.5 * box[3 + j]);
      half += fabs(t->m[i][j]) * (0.5 * box[3 + j] - 0.5 * box[j]);
    }
    e->low[i] = middle - half < e->low[i] ? middle - half : e->low[i];
    e->high[i] = greater(middle + half, e->high[i]);
  }
}

/* A vertex is the sum of w q, q in the box of all images with the middle c and the half size h.
 * The |w| add up to at most `sum` and the w to 1 up to `off`: it is within sum h + off |c| of c.
 * Roundings are within 2^-40 of the sizes that took part. */
extent3 governed_hull(const governed *g)
{
  extent3 e = extent_none();
  for (size_t k = 0; k < g->governor_count; ++k) add_image(g, k, &e);
  for (int i = 0; i < 3; ++i) {
    const double middle = extent_middle(&e, i);
    double half = (0.5 * e.high[i] - 0.5 * e.low[i]) * g->sum + fabs(middle) * g->off + 0x1p-40 * g->sum * g->most_size;
    e.low[i] = middle - half;
    e.high[i] = middle + half;
  }
  return e;
}

/* ------------------------------------------------------------------------ by leaf, for lanes -- */

/* The governors of a leaf's vertices, each once, in the order of first use. `place` is scratch:
 * 1 + the place of each, 0 for the others, and all 0 again at the end. */
static uint32_t leaf_governors(const governed *g, const uint32_t *list, uint32_t n, uint32_t *place, uint32_t *out)
{
  uint32_t count = 0;
  for (uint32_t k = 0; k < n; ++k)
    for (uint32_t e = g->first[list[k]]; e < g->end[list[k]]; ++e) {
      uint32_t governor = g->governor[e];
      if (place[governor]) continue;
      if (out) out[count] = governor;
      place[governor] = ++count;
    }
  return count;
}

static void forget_places(const governed *g, const uint32_t *list, uint32_t n, uint32_t *place)
{
  for (uint32_t k = 0; k < n; ++k)
    for (uint32_t e = g->first[list[k]]; e < g->end[list[k]]; ++e) place[g->governor[e]] = 0;
}

static size_t leaf_floats(const governed *g, uint32_t n, uint32_t governors)
{
  return (size_t)n * ((g->transforms ? 3 : 0) + governors);
}

static float more(double x) { return (float)(x * (1 + 0x1p-20)) + 0x1p-126f; }

static void fill_leaf(const governed *g, governed_leaf *leaf, const uint32_t *list, uint32_t n, const uint32_t *place)
{
  float *to = g->lists + leaf->at;
  double spread = 0;
  for (uint32_t a = 0; g->transforms && a < 3; ++a)
    for (uint32_t k = 0; k < n; ++k, ++to) {
      double d = g->rest[3 * (size_t)list[k] + a] - g->rest[3 * (size_t)list[0] + a];
      *to = (float)d;
      spread = greater(fabs(d), spread);
    }
  leaf->spread = more(spread);
  for (uint32_t k = 0; k < n; ++k)
    for (uint32_t e = g->first[list[k]]; e < g->end[list[k]]; ++e) {
      uint32_t at = place[g->governor[e]] - 1;
      to[(size_t)at * n + k] += (float)g->weight[e];
    }
  for (uint32_t i = 0; i < leaf->count; ++i) {
    double most = 0;
    for (uint32_t k = 0; k < n; ++k) most = greater(fabs((double)to[(size_t)i * n + k]), most);
    g->leaf_most[leaf->first + i] = more(most);
  }
}

/* The sizes of all leaves. */
static void measure_leaves(const governed *g, leaf_lists l, governed_leaf *leaves, uint32_t *place, size_t *governors,
                           size_t *floats)
{
  *governors = *floats = 0;
  for (uint32_t i = 0; i < l.leaf_count; ++i) {
    const uint32_t *list = l.list + l.first[i];
    uint32_t n = l.first[i + 1] - l.first[i];
    leaves[i] = (governed_leaf){.at = *floats, .vertex = list[0], .first = (uint32_t)*governors};
    leaves[i].count = leaf_governors(g, list, n, place, NULL);
    forget_places(g, list, n, place);
    *governors += leaves[i].count;
    *floats += leaf_floats(g, n, leaves[i].count);
  }
}

static void drop_leaves(pl_context *context, governed *g)
{
  mem_free_all(&context->def.allocator, g->leaves, g->leaf_governor, g->leaf_most, g->lists);
  g->leaves = NULL;
  g->leaf_governor = NULL;
  g->leaf_most = NULL;
  g->lists = NULL;
}

pl_status governed_attach(pl_context *context, void *controls, leaf_lists l, size_t *bytes)
{
  governed *g = controls, made = *g;
  if (g->stored) return PL_OK;
  const pl_allocator *allocator = &context->def.allocator;
  size_t governors = 0, floats = 0;
  uint32_t *place = mem_new(allocator, g->governor_count, sizeof *place);
  made.leaves = mem_raw(allocator, l.leaf_count, sizeof *made.leaves);
  made.leaf_governor = NULL;
  made.leaf_most = made.lists = NULL;
  if (place && made.leaves) {
    measure_leaves(g, l, made.leaves, place, &governors, &floats);
    made.leaf_governor = mem_raw(allocator, governors + 1, sizeof *made.leaf_governor);
    made.leaf_most = mem_raw(allocator, governors + 1, sizeof *made.leaf_most);
    made.lists = mem_new(allocator, floats + GOVERNED_SPARE, sizeof *made.lists);
  }
  bool memory = made.leaf_governor && made.leaf_most && made.lists && governors < UINT32_MAX;
  for (uint32_t i = 0; memory && i < l.leaf_count; ++i) {
    const uint32_t *list = l.list + l.first[i];
    uint32_t n = l.first[i + 1] - l.first[i];
    leaf_governors(g, list, n, place, made.leaf_governor + made.leaves[i].first);
    fill_leaf(&made, &made.leaves[i], list, n, place);
    forget_places(g, list, n, place);
  }
  mem_free(allocator, place);
  if (!memory) {
    drop_leaves(context, &made);
    return fail(context, PL_ERROR_MEMORY, "no memory for the leaves of %zu governors", g->governor_count);
  }
  drop_leaves(context, g);
  *g = made;
  g->leaf_entries = (uint32_t)governors;
  *bytes += l.leaf_count * sizeof *g->leaves + governors * 2 * sizeof(float) + floats * sizeof(float);
  return PL_OK;
}

/* Data of an edited leaf go where its old ones are; with more governors than there is room for, it
 * is evaluated vertex by vertex until its tree is built again. */
void governed_leaves(void *controls, leaf_lists l, const uint32_t *leaves, size_t count)
{
  governed *g = controls;
  uint32_t *place = g->place;
  for (size_t i = 0; g->leaves && i < count; ++i) {
    governed_leaf *leaf = &g->leaves[leaves[i]];
    const uint32_t *list = l.list + l.first[leaves[i]], n = l.first[leaves[i] + 1] - l.first[leaves[i]];
    const uint32_t governors = leaf_governors(g, list, n, place, NULL);
    forget_places(g, list, n, place);
    const uint32_t end = leaves[i] + 1 < l.leaf_count ? leaf[1].first : g->leaf_entries;
    leaf->vertex = list[0];
    leaf->count = UINT32_MAX;
    if (governors > end - leaf->first) continue;
    leaf->count = leaf_governors(g, list, n, place, g->leaf_governor + leaf->first);
    memset(g->lists + leaf->at, 0, leaf_floats(g, n, governors) * sizeof *g->lists);
    fill_leaf(g, leaf, list, n, place);
    forget_places(g, list, n, place);
  }
}

/* ---------------------------------------------------------------------- the row of the table -- */

void governed_evaluate(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  for (uint32_t i = 0; i < count; ++i) governed_point(controls, list ? list[i] : first + i, out[i]);
}

bool governed_lanes_ready(const void *controls) { return ((const governed *)controls)->leaves != NULL; }

void governed_destroy(pl_context *context, void *controls)
{
  governed_free(context, controls);
  mem_free(&context->def.allocator, controls);
}

/* A kept pose has columns of its own and shares the rest. */
pl_status governed_keep(pl_context *context, const void *controls, void **kept)
{
  const governed *g = controls;
  governed *k = *kept;
  double *columns = k ? k->columns : mem_new(&context->def.allocator, g->governor_count, 12 * sizeof *columns);
  if (!k) k = mem_new(&context->def.allocator, 1, sizeof *k);
  if (!k || !columns) {
    mem_free_all(&context->def.allocator, columns, k);
    return fail(context, PL_ERROR_MEMORY, "no memory for a pose of %zu governors", g->governor_count);
  }
  memcpy(columns, g->columns, g->governor_count * 12 * sizeof *columns);
  *k = *g;
  k->columns = columns;
  *kept = k;
  return PL_OK;
}

void governed_drop(pl_context *context, void *kept)
{
  if (kept) mem_free(&context->def.allocator, ((governed *)kept)->columns);
  mem_free(&context->def.allocator, kept);
}

void governed_follow(const void *controls, void *kept)
{
  governed *k = kept;
  double *columns = k->columns;
  *k = *(const governed *)controls;
  k->columns = columns;
}

#define GOVERNED_ROW(what, how, why)                                                                                   \
  {                                                                                                                    \
    .traits = MOTION_GOVERNED | MOTION_MAY_STORE | MOTION_TRANSFORMS, .evaluate = governed_evaluate,                   \
    .attach = governed_attach, .lanes_ready = governed_lanes_ready, .destroy = governed_destroy,                       \
    .keep = governed_keep, .drop = governed_drop, .instead = what, .edits = how, .unedited = why                       \
  }

const motion_kind pl_inside_motion_SKIN = GOVERNED_ROW("its bones or its transform", &governed_edits, NULL);
const motion_kind pl_inside_motion_EMBED = GOVERNED_ROW("its control points or its transform", &governed_edits, NULL);
const motion_kind pl_inside_motion_SUBDIVIDE =
    GOVERNED_ROW("its control points or its transform", NULL,
                 "its triangles come from subdivision: create it again from an edited control mesh");
const motion_kind pl_inside_motion_POINTS =
    GOVERNED_ROW("its particles or its transform", NULL,
                 "its weights follow from the distances of all vertices to all particles: create it again");
