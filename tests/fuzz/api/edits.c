/* Edits of meshes: corners change, vertices are split and merged, triangles and vertices come. The
 * twin gets the same batch, and positions of its new vertices that follow from what the fuzzer
 * keeps. Indices are the next ones, and nothing goes for good. */
#include "world.h"

enum { MOST_OPS = 4 };

typedef struct batch {
  pl_edit edit;
  size_t added, vertices, triangles; /* afterwards */
  uint32_t split[MOST_OPS], split_first[MOST_OPS + 1], split_triangles[MOST_OPS], changed[MOST_OPS],
      changed_corners[3 * MOST_OPS], corners[3 * MOST_OPS], merged[2];
  bool named[MOST_TRIANGLES];
  /* what new vertices come with */
  double at[MOST_REFERENCES][3 * MOST_OPS];
  void *data[MOST_REFERENCES];
  pl_positions poses[MOST_REFERENCES];
  uint32_t governors[MOST_WEIGHTS * MOST_OPS];
  double weights[MOST_WEIGHTS * MOST_OPS];
  pl_weights rows;
} batch;

static void *longer(const void *from, size_t size, size_t before, size_t now)
{
  char *to = fuzz_array(now, size);
  memcpy(to, from, before * size);
  return to;
}

static void lengthen(double **array, size_t before, size_t now)
{
  if (!*array) return;
  double *to = longer(*array, 3 * sizeof(double), before, now);
  free(*array);
  *array = to;
}

/* ------------------------------------------------------------------------------------- plan -- */

static void plan_triangles(world *w, const fuzz_body *b, batch *e)
{
  const size_t room = MOST_TRIANGLES - (b->triangle_count < MOST_TRIANGLES ? b->triangle_count : MOST_TRIANGLES);
  for (int k = pick(w, MOST_OPS); k > 0; --k) {
    const uint32_t t = (uint32_t)below(w, (int)b->triangle_count);
    if (e->named[t]) continue;
    e->named[t] = true;
    for (int c = 0; c < 3; ++c)
      e->changed_corners[3 * e->edit.changed_count + (size_t)c] = (uint32_t)below(w, (int)e->vertices);
    e->changed[e->edit.changed_count++] = t;
  }
  for (int k = pick(w, MOST_OPS); k > 0 && e->edit.added_count < room; --k, ++e->edit.added_count)
    for (int c = 0; c < 3; ++c) e->corners[3 * e->edit.added_count + (size_t)c] = (uint32_t)below(w, (int)e->vertices);
  e->triangles = b->triangle_count + e->edit.added_count;
  if (!chance(w, 3)) return;
  e->merged[0] = (uint32_t)below(w, (int)b->vertex_count);
  e->merged[1] = (uint32_t)below(w, (int)e->vertices);
  e->edit.merged_count = e->merged[0] != e->merged[1];
}

static void plan(world *w, const fuzz_body *b, batch *e)
{
  *e = (batch){.edit = pl_edit_default(), .vertices = b->vertex_count};
  seed_of(w);
  for (int k = b->borrow ? 0 : pick(w, MOST_OPS); k > 0 && e->vertices < MOST_VERTICES; --k, ++e->vertices) ++e->added;
  for (int k = b->borrow ? 0 : pick(w, MOST_OPS); k > 0 && e->vertices < MOST_VERTICES; --k) {
    const uint32_t t = (uint32_t)below(w, (int)b->triangle_count), i = (uint32_t)e->edit.split_count;
    if (e->named[t]) continue;
    e->named[t] = true;
    e->split[i] = b->triangles[3 * t + (uint32_t)below(w, 3)];
    e->split_triangles[i] = t;
    e->split_first[i + 1] = i + 1;
    ++e->edit.split_count;
    ++e->vertices;
  }
  plan_triangles(w, b, e);
  e->edit.split_vertices = e->split;
  e->edit.split_first = e->split_first;
  e->edit.split_triangles = e->split_triangles;
  e->edit.changed_triangles = e->changed;
  e->edit.changed_corners = e->changed_corners;
  e->edit.added_corners = e->corners;
  e->edit.merged_vertices = e->merged;
}

static void plan_weights(world *w, const fuzz_body *b, batch *e)
{
  const bool bones = b->motion == PL_MOTION_SKIN;
  for (size_t i = 0; i < e->added; ++i) {
    const double x = uniform(w, bones ? 0 : -0.5, 0.5), y = uniform(w, 0, 0.5);
    const double row[MOST_WEIGHTS] = {x, y, 1 - x - y};
    for (size_t k = 0; k < MOST_WEIGHTS; ++k) {
      e->governors[MOST_WEIGHTS * i + k] = (uint32_t)below(w, bones ? b->bone_count : (int)b->control_count);
      e->weights[MOST_WEIGHTS * i + k] = row[k];
    }
  }
  e->rows = (pl_weights){e->added, NULL, MOST_WEIGHTS, e->governors, e->weights, PL_F64, false};
  e->edit.weights = &e->rows;
}

/* The cluster of each. */
static void plan_homes(world *w, const fuzz_body *b, batch *e)
{
  for (size_t i = 0; i < e->added; ++i) e->governors[i] = (uint32_t)below(w, (int)pl_body_match_cluster_count(b->body));
  e->rows = (pl_weights){.vertex_count = e->added, .per_vertex = 1, .governors = e->governors};
  e->edit.weights = &e->rows;
}

/* Positions of the new vertices, as the body's numbers are; of a morph in every reference. */
static void plan_places(world *w, const fuzz_body *b, batch *e)
{
  const bool rest = is_controlled(b->motion); /* ordinary numbers, as those of its shape */
  const int poses = b->motion == PL_MOTION_MORPH ? b->reference_count : 1;
  for (int r = 0; r < poses; ++r) {
    for (size_t i = 0; i < 3 * e->added; ++i) {
      const double x = ordinary(w), y = rest ? x : sized(w, x);
      e->at[r][i] = b->type == PL_F32 ? (double)(float)fmin(fmax(y, -(double)FLT_MAX), (double)FLT_MAX) : y;
    }
    e->data[r] = positions_make(w, e->at[r], e->added, b->type, &e->poses[r]);
  }
  e->edit.vertices = e->poses[0];
  if (b->motion == PL_MOTION_MORPH) e->edit.poses = e->poses + 1;
  if (b->motion == PL_MOTION_MORPH) e->edit.pose_count = (size_t)poses - 1;
  if (b->motion == PL_MOTION_SKIN || b->motion == PL_MOTION_EMBED) plan_weights(w, b, e);
  if (b->motion == PL_MOTION_MATCH) plan_homes(w, b, e);
  if (b->motion == PL_MOTION_EMBED) e->edit.vertices = (pl_positions){.count = e->added};
}

/* ------------------------------------------------------------------------------------ keep -- */

static void keep_places(fuzz_body *b, const batch *e)
{
  const size_t n = b->vertex_count;
  lengthen(&b->base, n, e->vertices);
  lengthen(&b->model, n, e->vertices);
  lengthen(&b->at, n, e->vertices);
  for (int r = 0; r < b->reference_count; ++r) lengthen(&b->reference[r], n, e->vertices);
  for (size_t i = 0; i < e->vertices - n; ++i) {
    const size_t to = 3 * (n + i), from = i < e->added ? 0 : 3 * (size_t)e->split[i - e->added];
    for (size_t k = 0; k < 3; ++k) {
      const bool split = i >= e->added;
      b->base[to + k] = split ? b->base[from + k] : fmin(fmax(e->at[0][3 * i + k], -1e7), 1e7);
      if (b->model) b->model[to + k] = split ? b->model[from + k] : e->at[0][3 * i + k];
      for (int r = 0; r < b->reference_count; ++r)
        b->reference[r][to + k] = split ? b->reference[r][from + k] : e->at[r][3 * i + k];
      if (b->model) b->most = fmax(b->most, fabs(b->model[to + k]));
    }
  }
}

static void keep_weights(fuzz_body *b, const batch *e)
{
  const size_t n = b->vertex_count, row = MOST_WEIGHTS;
  if (!b->bone || b->motion != PL_MOTION_SKIN) return;
  uint32_t *bone = longer(b->bone, row * sizeof *bone, n, e->vertices);
  double *weight = longer(b->weight, row * sizeof *weight, n, e->vertices);
  for (size_t i = 0; i < e->vertices - n; ++i) {
    const bool split = i >= e->added;
    const size_t from = split ? row * e->split[i - e->added] : 0;
    memcpy(bone + row * (n + i), split ? bone + from : e->governors + row * i, row * sizeof *bone);
    memcpy(weight + row * (n + i), split ? weight + from : e->weights + row * i, row * sizeof *weight);
  }
  free(b->bone);
  free(b->weight);
  b->bone = bone;
  b->weight = weight;
}

static void keep_triangles(fuzz_body *b, const batch *e)
{
  uint32_t *t = longer(b->triangles, 3 * sizeof *t, b->triangle_count, e->triangles);
  for (size_t i = 0; i < e->edit.split_count; ++i)
    for (size_t c = 0; c < 3; ++c) {
      uint32_t *corner = &t[3 * e->split_triangles[i] + c];
      if (*corner == e->split[i]) *corner = (uint32_t)(b->vertex_count + e->added + i);
    }
  for (size_t i = 0; i < 3 * e->edit.changed_count; ++i) t[3 * e->changed[i / 3] + i % 3] = e->changed_corners[i];
  for (size_t i = 0; i < 3 * e->edit.added_count; ++i) t[3 * b->triangle_count + i] = e->corners[i];
  for (size_t i = 0; e->edit.merged_count && i < 3 * e->triangles; ++i)
    if (t[i] == e->merged[0]) t[i] = e->merged[1];
  free(b->triangles);
  b->triangles = t;
  b->triangle_count = e->triangles;
}

static void check_triangles(world *w, const fuzz_body *b, pl_body *body)
{
  uint32_t *t = fuzz_array(3 * b->triangle_count, sizeof *t);
  require(w, pl_body_triangle_count(body) == b->triangle_count && pl_body_vertex_count(body) == b->vertex_count,
          "body %d has other counts after an edit", number_of(w, b));
  require(w, pl_body_triangles(body, t, b->triangle_count) == PL_OK, "no triangles after an edit");
  require(w, !memcmp(t, b->triangles, 3 * b->triangle_count * sizeof *t), "body %d has other triangles after an edit",
          number_of(w, b));
  free(t);
}

static void edit_twin(world *w, fuzz_body *b, const batch *e)
{
  static const double nowhere[3 * MOST_OPS];
  pl_edit edit = e->edit;
  edit.vertices = pl_positions_f64(nowhere, e->added); /* set before they are used */
  edit.weights = NULL;
  edit.poses = NULL;
  edit.pose_count = 0;
  require(w, pl_body_edit(b->twin, &edit) == PL_OK, "the twin of body %d: %s", number_of(w, b),
          pl_context_message(w->oracle));
  b->twin_stale = true;
}

/* ------------------------------------------------------------------------------------ call -- */

static void trace_edit(world *w, const fuzz_body *b, const batch *e)
{
  trace(w, "  {\n  pl_edit edit = pl_edit_default();\n");
  trace_positions(w, "vertices", e->edit.vertices);
  for (size_t i = 0; i < e->edit.pose_count; ++i) trace_positions(w, "pose", e->edit.poses[i]);
  trace_doubles(w, "weights", e->weights, e->edit.weights ? MOST_WEIGHTS * e->added : 0);
  trace_indices(w, "governors", e->governors, e->edit.weights ? MOST_WEIGHTS * e->added : 0);
  trace_indices(w, "split_vertices", e->split, e->edit.split_count);
  trace_indices(w, "split_triangles", e->split_triangles, e->edit.split_count);
  trace_indices(w, "changed_triangles", e->changed, e->edit.changed_count);
  trace_indices(w, "changed_corners", e->changed_corners, 3 * e->edit.changed_count);
  trace_indices(w, "added_corners", e->corners, 3 * e->edit.added_count);
  trace_indices(w, "merged_vertices", e->merged, 2 * e->edit.merged_count);
  trace(w, "  pl_body_edit(body[%d], &edit);\n  }\n", number_of(w, b));
}

/* What cannot be edited says so; numbers at the ends of a range may be refused. */
static void check_refused(world *w, const fuzz_body *b, pl_status status)
{
  refused(w, status, "edit");
  require(w,
          status == PL_ERROR_MEMORY || status == PL_ERROR_UNSUPPORTED ||
              (status == PL_ERROR_POSITIONS && w->profile != PROFILE_ORDINARY),
          "an edit was refused: %s", pl_context_message(w->context));
  check_triangles(w, b, b->body);
}

void call_edit(world *w)
{
  fuzz_body *b = body_of(w);
  batch e;
  if (!b || b->triangle_count > MOST_TRIANGLES || b->vertex_count > MOST_VERTICES) return;
  plan(w, b, &e);
  if (e.added) plan_places(w, b, &e);
  trace_edit(w, b, &e);
  pl_status status = CALL(w, pl_body_edit(b->body, &e.edit));
  if (status == PL_OK) {
    keep_places(b, &e);
    keep_weights(b, &e);
    if (e.added && b->motion == PL_MOTION_FLIGHT) b->since = b->time;
    keep_triangles(b, &e);
    b->vertex_count = e.vertices;
    edit_twin(w, b, &e);
    check_triangles(w, b, b->body);
    check_triangles(w, b, b->twin);
    body_evaluate(w, b);
  } else {
    check_refused(w, b, status);
  }
  for (int r = 0; r < MOST_REFERENCES; ++r) free(e.data[r]);
}
