/* The two simulation steps whose colliding pairs the data names: what pl_impacts() reports is
 * compared with them pair by pair, and pair by pair with every candidate decided in integers. So
 * there is no pair too many and none too few, and each has its time. */
#include "exact/crossing.h"
#include "io/io.h"
#include "pliant/pliant.h"

#include "support/moving.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACES, EDGES, KINDS };

/* Two features by number: the vertex and the face, or the edges, the lesser first. */
typedef struct named_pair {
  uint64_t key;
  double time;
} named_pair;

typedef struct named_pairs {
  named_pair *pairs; /* by key */
  size_t count, room;
} named_pairs;

static void add_pair(named_pairs *list, uint32_t first, uint32_t second, double time)
{
  if (list->count == list->room) {
    list->room = 2 * list->room + 1024;
    list->pairs = realloc(list->pairs, list->room * sizeof *list->pairs);
    assert_non_null(list->pairs);
  }
  list->pairs[list->count++] = (named_pair){(uint64_t)first << 32 | second, time};
}

static int compare_pairs(const void *x, const void *y)
{
  const named_pair *a = x, *b = y;
  return (a->key > b->key) - (a->key < b->key);
}

static void sort_pairs(named_pairs *list)
{
  if (list->count) qsort(list->pairs, list->count, sizeof *list->pairs, compare_pairs);
  for (size_t i = 1; i < list->count; ++i) assert_true(list->pairs[i].key != list->pairs[i - 1].key);
}

/* Times below 0 are not known. */
static void assert_same_pairs(const named_pairs *got, const named_pairs *wanted, const char *what)
{
  for (size_t i = 0, k = 0; i < got->count || k < wanted->count; ++i, ++k) {
    const named_pair none = {UINT64_MAX, -1}, g = i < got->count ? got->pairs[i] : none,
                     w = k < wanted->count ? wanted->pairs[k] : none;
    if (g.key != w.key)
      fail_msg("%s: features %u and %u are %s", what, (unsigned)((g.key < w.key ? g.key : w.key) >> 32),
               (unsigned)(g.key < w.key ? g.key : w.key), g.key < w.key ? "reported and do not meet" : "missing");
    if (g.time >= 0 && w.time >= 0 && g.time != w.time)
      fail_msg("%s: features %u and %u meet at %.17g, not at %.17g", what, (unsigned)(g.key >> 32), (unsigned)g.key,
               w.time, g.time);
  }
}

/* ---------------------------------------------------------------------------------- one step -- */

typedef struct real_step {
  const char *scene, *from, *to;
  size_t overlaps[KINDS], contacts[KINDS];
  io_mesh mesh[2];
  pl_context *context;
  pl_body *body;
  uint32_t (*edges)[2];
  uint32_t edge_count;
} real_step;

static const char *path_in(const real_step *s, const char *folder, const char *name)
{
  static char path[256];
  snprintf(path, sizeof path, "ccd-scenes/%s/%s/%s", s->scene, folder, name);
  return data_path(path);
}

static void open_step(real_step *s)
{
  io_error error;
  char name[64];
  snprintf(name, sizeof name, "%s.ply", s->from);
  assert_true(io_mesh_read(path_in(s, "frames", name), &s->mesh[0], &error));
  snprintf(name, sizeof name, "%s.ply", s->to);
  assert_true(io_mesh_read(path_in(s, "frames", name), &s->mesh[1], &error));
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f64(s->mesh[0].xyz, s->mesh[0].vertex_count);
  def.triangles = s->mesh[0].triangles;
  def.triangle_count = s->mesh[0].triangle_count;
  assert_int_equal(pl_context_create(NULL, &s->context), PL_OK);
  assert_int_equal(pl_body_create_free(s->context, &def, NULL, &s->body), PL_OK);
  assert_int_equal(pl_body_keep_pose(s->body), PL_OK);
  assert_int_equal(pl_body_set_positions(s->body, pl_positions_f64(s->mesh[1].xyz, s->mesh[1].vertex_count)), PL_OK);
}

static void close_step(real_step *s)
{
  pl_context_destroy(s->context);
  free(s->edges);
  for (int i = 0; i < 2; ++i) io_mesh_free(&s->mesh[i]);
}

/* The number of an edge: edges are by their greater vertex, then by the lesser. */
static uint32_t edge_number(const real_step *s, const uint32_t edge[2])
{
  uint32_t low = 0, high = s->edge_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const uint32_t *e = s->edges[middle];
    if (e[1] < edge[1] || (e[1] == edge[1] && e[0] < edge[0]))
      low = middle + 1;
    else
      high = middle;
  }
  assert_true(low < s->edge_count && s->edges[low][0] == edge[0] && s->edges[low][1] == edge[1]);
  return low;
}

/* ------------------------------------------------------------------------------- three lists -- */

static void take_found(real_step *s, named_pairs out[KINDS])
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.all = true;
  assert_int_equal(pl_impacts(pl_self(s->body), &def, &found), PL_OK);
  for (size_t i = 0; i < found->count; ++i) {
    const pl_impact *p = &found->impacts[i];
    if (p->kind == PL_FEATURE_EDGE_EDGE) {
      uint32_t a = edge_number(s, p->feature_a), b = edge_number(s, p->feature_b);
      add_pair(&out[EDGES], a < b ? a : b, a < b ? b : a, p->time);
    } else {
      assert_int_equal(p->kind, PL_FEATURE_VERTEX_FACE);
      add_pair(&out[FACES], p->feature_a[0], p->feature_b[0], p->time);
    }
  }
}

/* The pairs that the data calls colliding. Its numbers are those of vertices, then of edges,
 * then of faces. */
static void take_labelled(const real_step *s, int kind, named_pairs *out)
{
  char name[64];
  snprintf(name, sizeof name, "%s%s.json", s->from, kind == EDGES ? "ee" : "vf");
  FILE *boxes = fopen(path_in(s, "boxes", name), "r");
  snprintf(name, sizeof name, "%s%s_mma_bool.json", s->from, kind == EDGES ? "ee" : "vf");
  FILE *labels = fopen(path_in(s, "mma_bool", name), "r");
  assert_true(boxes && labels);
  const uint32_t vertices = (uint32_t)s->mesh[0].vertex_count, first = kind == EDGES ? vertices : 0,
                 second = kind == EDGES ? vertices : vertices + s->edge_count;
  unsigned i, k;
  char label[8];
  assert_int_equal(fgetc(boxes), '[');
  assert_int_equal(fgetc(labels), '[');
  while (fscanf(boxes, " [ %u , %u ] %*[],]", &i, &k) == 2) {
    assert_int_equal(fscanf(labels, " %7[a-z] %*[],]", label), 1);
    if (strcmp(label, "true") != 0) continue;
    i -= first;
    k -= second;
    add_pair(out, kind == EDGES && k < i ? k : i, kind == EDGES && k < i ? i : k, -1);
  }
  fclose(boxes);
  fclose(labels);
}

static void decide(const real_step *s, int kind, const pl_pair *p, named_pairs *out)
{
  uint32_t corner[4];
  if (kind == EDGES) {
    memcpy(corner, s->edges[p->a], 2 * sizeof *corner);
    memcpy(corner + 2, s->edges[p->b], 2 * sizeof *corner);
  } else {
    corner[0] = p->a;
    memcpy(corner + 1, s->mesh[0].triangles + 3 * (size_t)p->b, 3 * sizeof *corner);
  }
  double start[4][3], end[4][3], time;
  for (int c = 0; c < 4; ++c) {
    memcpy(start[c], s->mesh[0].xyz + 3 * (size_t)corner[c], sizeof start[c]);
    memcpy(end[c], s->mesh[1].xyz + 3 * (size_t)corner[c], sizeof end[c]);
  }
  if (crossing_exact(kind == EDGES ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE, (const double(*)[3])start,
                     (const double(*)[3])end, &time))
    add_pair(out, p->a, p->b, time);
}

/* All candidates, which the data counts, decided in integers alone if `brute`; the numbers of
 * edges. */
static void take_candidates(real_step *s, bool brute, named_pairs out[KINDS])
{
  const pl_result *near;
  assert_int_equal(pl_candidates(pl_self(s->body), NULL, &near), PL_OK);
  const candidate_list faces = candidates_of(near, PL_FEATURE_VERTEX_FACE),
                       edges = candidates_of(near, PL_FEATURE_EDGE_EDGE);
  assert_int_equal(faces.count, s->overlaps[FACES]);
  assert_int_equal(edges.count, s->overlaps[EDGES]);
  s->edge_count = (uint32_t)near->lists->edge_count_a;
  s->edges = malloc((s->edge_count + 1) * sizeof *s->edges);
  memcpy(s->edges, near->lists->edges_a, s->edge_count * sizeof *s->edges);
  for (size_t i = 0; i < faces.count && brute; ++i) decide(s, FACES, &faces.pairs[i], &out[FACES]);
  for (size_t i = 0; i < edges.count && brute; ++i) decide(s, EDGES, &edges.pairs[i], &out[EDGES]);
}

static void check_step(real_step *s, bool brute)
{
  named_pairs found[KINDS] = {{0}}, labelled[KINDS] = {{0}}, decided[KINDS] = {{0}};
  open_step(s);
  take_candidates(s, brute, decided);
  take_found(s, found);
  for (int kind = 0; kind < KINDS; ++kind) {
    take_labelled(s, kind, &labelled[kind]);
    sort_pairs(&found[kind]);
    sort_pairs(&labelled[kind]);
    sort_pairs(&decided[kind]);
    assert_int_equal(labelled[kind].count, s->contacts[kind]);
    assert_same_pairs(&found[kind], &labelled[kind], s->scene);
    if (brute) assert_same_pairs(&found[kind], &decided[kind], s->scene);
    free(found[kind].pairs);
    free(labelled[kind].pairs);
    free(decided[kind].pairs);
  }
  close_step(s);
}

static void cloth_funnel(void **state)
{
  (void)state;
  data_needed();
  real_step s = {.scene = "cloth-funnel", .from = "227", .to = "228", .overlaps = {7319, 33770}, .contacts = {27, 107}};
  check_step(&s, true);
}

static void armadillo_rollers(void **state)
{
  (void)state;
  data_needed();
  real_step s = {.scene = "armadillo-rollers",
                 .from = "326",
                 .to = "327",
                 .overlaps = {2031902, 5068080},
                 .contacts = {4650, 19308}};
  check_step(&s, test_soaks()); /* 7 million pairs in integers: half a minute */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cloth_funnel), cmocka_unit_test(armadillo_rollers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
