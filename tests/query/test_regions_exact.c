/* Regions against an independent brute force: the common points of all pairs in rational numbers
 * of GMP, joined where end points are equal, which knows neither names nor meshes; and depths, from
 * the points of these that lie on edges (region_depths.h). It shares no step with the library. */
#include "scenes/governed.h"
#include "scenes/scenes.h"
#include "support/region_depths.h"
#include "support/shapes.h"

#include "io/gltf.h"

#include <stdio.h>
#include <string.h>

#ifdef PLIANT_HAVE_GMP
#include <gmp.h>

typedef struct exact_point {
  mpq_t x[3];
} exact_point;

enum { MOST_POINTS = 32 };

/* What two triangles have in common. */
typedef struct exact_piece {
  exact_point at[MOST_POINTS];
  int count;
  int low, high; /* its ends; the same: a point */
  bool area;
  size_t parent;
} exact_piece;

static mpq_t e[12]; /* scratch */

static void point_init(exact_point *p)
{
  for (int k = 0; k < 3; ++k) mpq_init(p->x[k]);
}

static void point_clear(exact_point *p)
{
  for (int k = 0; k < 3; ++k) mpq_clear(p->x[k]);
}

static int compare(const exact_point *a, const exact_point *b)
{
  for (int k = 0; k < 3; ++k) {
    int c = mpq_cmp(a->x[k], b->x[k]);
    if (c) return c;
  }
  return 0;
}

static void minus(exact_point *r, const exact_point *a, const exact_point *b)
{
  for (int k = 0; k < 3; ++k) mpq_sub(r->x[k], a->x[k], b->x[k]);
}

static void cross(exact_point *r, const exact_point *a, const exact_point *b)
{
  for (int k = 0; k < 3; ++k) {
    mpq_mul(e[0], a->x[(k + 1) % 3], b->x[(k + 2) % 3]);
    mpq_mul(e[1], a->x[(k + 2) % 3], b->x[(k + 1) % 3]);
    mpq_sub(r->x[k], e[0], e[1]);
  }
}

static void dot(mpq_t r, const exact_point *a, const exact_point *b)
{
  mpq_set_si(r, 0, 1);
  for (int k = 0; k < 3; ++k) {
    mpq_mul(e[2], a->x[k], b->x[k]);
    mpq_add(r, r, e[2]);
  }
}

/* Twelve points of scratch, so that nothing is allocated in the loops. */
static exact_point s[12];

static void normal_of(const exact_point t[3], exact_point *n)
{
  minus(&s[0], &t[1], &t[0]);
  minus(&s[1], &t[2], &t[0]);
  cross(n, &s[0], &s[1]);
}

/* Is p, a point of the plane, in the closed triangle? */
static bool is_within(const exact_point *p, const exact_point t[3], const exact_point *n)
{
  for (int i = 0; i < 3; ++i) {
    minus(&s[0], &t[(i + 1) % 3], &t[i]);
    minus(&s[1], p, &t[i]);
    cross(&s[2], &s[0], &s[1]);
    dot(e[3], &s[2], n);
    if (mpq_sgn(e[3]) < 0) return false;
  }
  return true;
}

static void add(exact_piece *p, const exact_point *x)
{
  for (int i = 0; i < p->count; ++i)
    if (compare(&p->at[i], x) == 0) return;
  assert_true(p->count < MOST_POINTS);
  point_init(&p->at[p->count]);
  for (int k = 0; k < 3; ++k) mpq_set(p->at[p->count].x[k], x->x[k]);
  ++p->count;
}

/* from + part (to - from) */
static void along(exact_point *r, const exact_point *from, const exact_point *to, mpq_t part)
{
  for (int k = 0; k < 3; ++k) {
    mpq_sub(e[4], to->x[k], from->x[k]);
    mpq_mul(e[4], e[4], part);
    mpq_add(r->x[k], from->x[k], e[4]);
  }
}

/* Where an edge in the plane of b crosses the edges of b. */
static void add_flat(const exact_point *p, const exact_point *q, const exact_point b[3], const exact_point *n,
                     exact_piece *out)
{
  for (int i = 0; i < 3; ++i) {
    minus(&s[3], q, p);
    minus(&s[4], &b[(i + 1) % 3], &b[i]);
    minus(&s[5], &b[i], p);
    cross(&s[6], &s[3], &s[4]);
    dot(e[5], &s[6], n);
    if (mpq_sgn(e[5]) == 0) continue;
    cross(&s[6], &s[5], &s[4]);
    dot(e[6], &s[6], n);
    mpq_div(e[6], e[6], e[5]);
    if (mpq_sgn(e[6]) < 0 || mpq_cmp_si(e[6], 1, 1) > 0) continue;
    along(&s[7], p, q, e[6]);
    if (is_within(&s[7], b, n)) add(out, &s[7]);
  }
}

/* Corners of a in b, and where edges of a pass through b. */
static void collect(const exact_point a[3], const exact_point b[3], exact_piece *out)
{
  exact_point *n = &s[8];
  normal_of(b, n);
  for (int i = 0; i < 3; ++i) {
    const exact_point *p = &a[i], *q = &a[(i + 1) % 3];
    minus(&s[9], p, &b[0]);
    minus(&s[10], q, &b[0]);
    dot(e[7], &s[9], n);
    dot(e[8], &s[10], n);
    int at_p = mpq_sgn(e[7]), at_q = mpq_sgn(e[8]);
    if (at_p == 0 && is_within(p, b, n)) add(out, p);
    if (at_p == 0 && at_q == 0) add_flat(p, q, b, n, out);
    if (at_p * at_q >= 0) continue;
    mpq_sub(e[9], e[7], e[8]);
    mpq_div(e[9], e[7], e[9]);
    along(&s[11], p, q, e[9]);
    if (is_within(&s[11], b, n)) add(out, &s[11]);
  }
}

static void find_ends(exact_piece *p)
{
  for (int i = 1; i < p->count; ++i) {
    if (compare(&p->at[i], &p->at[p->low]) < 0) p->low = i;
    if (compare(&p->at[i], &p->at[p->high]) > 0) p->high = i;
  }
  for (int i = 0; i < p->count; ++i) {
    minus(&s[0], &p->at[p->high], &p->at[p->low]);
    minus(&s[1], &p->at[i], &p->at[p->low]);
    cross(&s[2], &s[0], &s[1]);
    for (int k = 0; k < 3; ++k) p->area = p->area || mpq_sgn(s[2].x[k]);
  }
}

static void piece_of(const double a[3][3], const double b[3][3], exact_piece *out)
{
  exact_point t[2][3];
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 6; ++i) {
    point_init(&t[i / 3][i % 3]);
    for (int k = 0; k < 3; ++k) mpq_set_d(t[i / 3][i % 3].x[k], (i < 3 ? a : b)[i % 3][k]);
  }
  collect(t[0], t[1], out);
  collect(t[1], t[0], out);
  find_ends(out);
  for (int i = 0; i < 6; ++i) point_clear(&t[i / 3][i % 3]);
}

static size_t root_of(exact_piece *all, size_t i)
{
  while (all[i].parent != i) i = all[i].parent = all[all[i].parent].parent;
  return i;
}

static bool share_end(const exact_piece *a, const exact_piece *b)
{
  for (int i = 0; i < a->count; ++i)
    for (int k = 0; k < b->count; ++k) {
      bool ends = (a->area || i == a->low || i == a->high) && (b->area || k == b->low || k == b->high);
      if (ends && compare(&a->at[i], &b->at[k]) == 0) return true;
    }
  return false;
}

static double length_of(const exact_piece *p)
{
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    mpq_sub(e[0], p->at[p->high].x[k], p->at[p->low].x[k]);
    square += mpq_get_d(e[0]) * mpq_get_d(e[0]);
  }
  return sqrt(square);
}

/* Where on the edge from p to q is x, a point of a triangle with that edge? 0: not within it. */
static double place_on(const exact_point *x, const exact_point *p, const exact_point *q)
{
  minus(&s[0], x, p);
  minus(&s[1], q, p);
  cross(&s[2], &s[0], &s[1]);
  for (int k = 0; k < 3; ++k)
    if (mpq_sgn(s[2].x[k])) return 0;
  dot(e[10], &s[0], &s[1]);
  dot(e[11], &s[1], &s[1]);
  if (mpq_sgn(e[11]) == 0 || mpq_sgn(e[10]) <= 0 || mpq_cmp(e[10], e[11]) >= 0) return 0;
  mpq_div(e[10], e[10], e[11]);
  return mpq_get_d(e[10]);
}

/* The side of a triangle that p is on: 1 in front, where its corners run counterclockwise. */
static int side_of(const exact_point *p, const exact_point t[3])
{
  normal_of(t, &s[8]);
  minus(&s[9], p, &t[0]);
  dot(e[7], &s[9], &s[8]);
  return mpq_sgn(e[7]);
}

static void init_scratch(bool begin)
{
  for (int i = 0; i < 12; ++i) begin ? mpq_init(e[i]) : mpq_clear(e[i]);
  for (int i = 0; i < 12; ++i) begin ? point_init(&s[i]) : point_clear(&s[i]);
}
#endif

/* One body, for the brute force. */
typedef depth_mesh shape_view;

#ifdef PLIANT_HAVE_GMP
static void corners_at(const shape_view *v, uint32_t t, double out[3][3])
{
  for (int c = 0; c < 3; ++c)
    memcpy(out[c], v->xyz + 3 * (size_t)v->triangles[3 * (size_t)t + (size_t)c], sizeof out[c]);
}

/* The cuts of one piece on the edges of triangle t of m: `own` has its corners, `other` those of
 * the other triangle. */
static void cuts_of(const exact_piece *piece, const shape_view *m, uint32_t t, const double own[3][3],
                    const double other[3][3], depth_cut cut, depth_cuts *out)
{
  exact_point p[3], q[3];
  for (int i = 0; i < 6; ++i) {
    exact_point *to = i < 3 ? &p[i] : &q[i - 3];
    point_init(to);
    for (int k = 0; k < 3; ++k) mpq_set_d(to->x[k], (i < 3 ? own : other)[i % 3][k]);
  }
  for (int i = 0; i < piece->count; ++i)
    for (int k = 0; k < 3; ++k) {
      const uint32_t *corner = m->triangles + 3 * (size_t)t;
      int low = corner[k] < corner[(k + 1) % 3] ? k : (k + 1) % 3, high = low == k ? (k + 1) % 3 : k;
      cut.low = corner[low];
      cut.high = corner[high];
      if (compare(&piece->at[i], &p[k]) == 0) m->on[corner[k]] = true;
      cut.at = place_on(&piece->at[i], &p[low], &p[high]);
      if (cut.at == 0) continue;
      int side = side_of(&p[low], q);
      cut.lower = side_of(&p[high], q) == -side ? side : 0;
      out->all[out->count++] = cut;
    }
  for (int i = 0; i < 3; ++i) {
    point_clear(&p[i]);
    point_clear(&q[i]);
  }
}

/* Two triangles at an edge have the same cut. It is clear if they agree. */
static void join_cuts(depth_cuts *cuts)
{
  size_t kept = 0;
  qsort(cuts->all, cuts->count, sizeof *cuts->all, depth_cut_compare);
  for (size_t i = 0; i < cuts->count; ++i) {
    depth_cut *last = kept ? &cuts->all[kept - 1] : NULL;
    if (!last || depth_cut_compare(last, &cuts->all[i]))
      cuts->all[kept++] = cuts->all[i];
    else if (last->lower != cuts->all[i].lower)
      last->lower = 0;
  }
  cuts->count = kept;
}

/* Depths and areas, of pieces that are found already. */
static void check_depths(const pl_result *found, const exact_piece *all, const size_t *region, shape_view *const m[2],
                         const char *what)
{
  const size_t n = found->parts->pair_count;
  const bool self = m[0] == m[1];
  double size = 0;
  for (size_t i = 0; i < 3 * m[0]->vertices; ++i) size = fmax(size, fabs(m[0]->xyz[i]));
  depth_segments segments = {malloc((2 * n + 1) * sizeof *segments.all), 0};
  depth_cuts cuts = {malloc((6 * MOST_POINTS * n + 1) * sizeof *cuts.all), 0};
  for (int k = 0; k < 2 - self; ++k) {
    m[k]->on = calloc(m[k]->vertices, sizeof *m[k]->on);
    m[k]->part = malloc(m[k]->vertices * sizeof *m[k]->part);
    m[k]->closed = depth_is_closed(m[k]);
  }
  for (size_t i = 0; i < n; ++i) {
    const uint32_t t[2] = {found->parts->pairs[i].a, found->parts->pairs[i].b};
    double corner[2][3][3];
    for (int k = 0; k < 2; ++k) corners_at(m[k], t[k], corner[k]);
    for (int k = 0; k < 2; ++k) {
      depth_segment *g = &segments.all[segments.count++];
      *g = (depth_segment){.mesh = self ? 0 : (uint32_t)k, .triangle = t[k], .region = region[i], .flat = all[i].area};
      for (int c = 0; c < 6; ++c)
        g->end[c / 3][c % 3] = mpq_get_d(all[i].at[c < 3 ? all[i].low : all[i].high].x[c % 3]);
    }
    for (int k = 0; k < 2; ++k)
      cuts_of(&all[i], m[k], t[k], (const double(*)[3])corner[k], (const double(*)[3])corner[!k],
              (depth_cut){.mesh = self ? 0 : (uint32_t)k, .region = region[i], .side = k}, &cuts);
  }
  join_cuts(&cuts);
  for (int k = 0; k < 2 - self; ++k) depth_join(m[k], (uint32_t)k, &cuts);
  for (size_t i = 0; i < found->count; ++i) {
    const pl_region *row = &found->regions[i];
    double depth = 0;
    for (int k = 0; k < 2; ++k) {
      depth_side side = {.m = m[k], .o = m[!k], .cuts = &cuts, .segments = &segments, .region = i, .side = k};
      double want = depth_expected(&side, found, row, self, what);
      if (!(fabs(row->side[k].depth - want) <= 1e-9 * want + 1e-14 * size))
        fail_msg("%s: side %d of region %zu is %.17g deep instead of %.17g", what, k, i, row->side[k].depth, want);
      depth = fmax(depth, want);
    }
    assert_true(fabs(row->depth - depth) <= 1e-9 * depth + 1e-14 * size);
  }
  for (int k = 0; k < 2 - self; ++k) {
    free(m[k]->on);
    free(m[k]->part);
  }
  free(cuts.all);
  free(segments.all);
}

/* Every region of the result is one class of the brute force, with the same length, and the
 * other way round. */
static void check_exactly(const pl_result *found, shape_view *a, shape_view *b, const char *what)
{
  size_t n = found->parts->pair_count, classes = 0;
  exact_piece *all = malloc((n + 1) * sizeof *all);
  double *length = calloc(n + 1, sizeof *length);
  size_t *region = malloc((n + 1) * sizeof *region), *areas = calloc(n + 1, sizeof *areas);
  init_scratch(true);
  for (size_t i = 0; i < found->count; ++i)
    for (size_t k = found->regions[i].pair_begin; k < found->regions[i].pair_end; ++k) region[k] = i;
  for (size_t i = 0; i < n; ++i) {
    double t[3][3], u[3][3];
    corners_at(a, found->parts->pairs[i].a, t);
    corners_at(b, found->parts->pairs[i].b, u);
    piece_of((const double(*)[3])t, (const double(*)[3])u, &all[i]);
    assert_true(all[i].count > 0);
    all[i].parent = i;
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < i; ++k)
      if (share_end(&all[i], &all[k])) {
        size_t x = root_of(all, i), y = root_of(all, k);
        if (x != y) all[x > y ? x : y].parent = x > y ? y : x;
      }
  for (size_t i = 0; i < n; ++i) {
    size_t root = root_of(all, i);
    bool again = all[i].area;
    classes += root == i;
    areas[root] += all[i].area;
    if (region[i] != region[root]) fail_msg("%s: pairs %zu and %zu meet, but not in one region", what, root, i);
    for (size_t k = 0; k < i && !again; ++k)
      again = !all[k].area && compare(&all[i].at[all[i].low], &all[k].at[all[k].low]) == 0 &&
              compare(&all[i].at[all[i].high], &all[k].at[all[k].high]) == 0;
    if (!again) length[root] += length_of(&all[i]);
  }
  if (classes != found->count) fail_msg("%s: %zu regions instead of %zu", what, found->count, classes);
  for (size_t i = 0; i < n; ++i) {
    if (root_of(all, i) != i) continue;
    const pl_region *row = &found->regions[region[i]];
    if (!(fabs(row->length - length[i]) <= 1e-9 * (1e-30 + length[i])))
      fail_msg("%s: region %zu is %.17g long instead of %.17g", what, region[i], row->length, length[i]);
    assert_int_equal(row->areas, areas[i]);
  }
  check_depths(found, all, region, (shape_view *const[]){a, b}, what);
  for (size_t i = 0; i < n; ++i)
    for (int k = 0; k < all[i].count; ++k) point_clear(&all[i].at[k]);
  init_scratch(false);
  free(all);
  free(length);
  free(region);
  free(areas);
}
#endif

static pl_body *body_at(pl_context *context, const double *xyz, size_t vertices, const uint32_t *triangles,
                        size_t count)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  mesh.positions = pl_positions_f64(xyz, vertices);
  mesh.triangles = triangles;
  mesh.triangle_count = count;
  if (pl_body_create_free(context, &mesh, NULL, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* The question, its reference and the brute force agree; returns the number of regions. */
static size_t check(pl_context *context, pl_who who, shape_view *a, shape_view *b, const char *what)
{
  const pl_result *found, *again;
  pl_holder *holder;
  pl_question def = pl_question_default();
  assert_int_equal(pl_holder_create(context, &holder), PL_OK);
  def.holder = holder;
  if (pl_regions(who, &def, &found) != PL_OK) fail_msg("%s: %s", what, pl_context_message(context));
  def.holder = NULL;
  def.reference = true;
  if (pl_regions(who, &def, &again) != PL_OK) fail_msg("%s: %s", what, pl_context_message(context));
  if (found->count != again->count) fail_msg("%s: %zu regions instead of %zu", what, found->count, again->count);
  assert_int_equal(found->parts->pair_count, again->parts->pair_count);
  if (found->count) assert_memory_equal(found->regions, again->regions, found->count * sizeof *found->regions);
  if (found->parts->pair_count)
    assert_memory_equal(found->parts->pairs, again->parts->pairs,
                        found->parts->pair_count * sizeof *found->parts->pairs);
#ifdef PLIANT_HAVE_GMP
  check_exactly(found, a, b, what);
#else
  (void)a;
  (void)b;
#endif
  size_t count = found->count;
  pl_holder_destroy(holder);
  return count;
}

static void generated(void **state)
{
  (void)state;
  size_t total = 0;
  pl_context *context = context_of(NULL);
  for (int step = 0; step < 6; ++step) {
    scene_mesh mesh[2];
    double *xyz[2];
    pl_body *body[2];
    shape_view view[2];
    for (int i = 0; i < 2; ++i) assert_true(scene_geosphere(6, &mesh[i]));
    (step % 2 ? scene_s1r_pose : scene_s1_pose)(&mesh[0], &mesh[1], 100 + 18 * step);
    for (int i = 0; i < 2; ++i) {
      xyz[i] = malloc(3 * mesh[i].vertex_count * sizeof(double));
      for (size_t k = 0; k < 3 * mesh[i].vertex_count; ++k) xyz[i][k] = (double)mesh[i].xyz[k];
      body[i] = body_at(context, xyz[i], mesh[i].vertex_count, mesh[i].triangles, mesh[i].triangle_count);
      view[i] = (shape_view){.xyz = xyz[i],
                             .triangles = mesh[i].triangles,
                             .vertices = mesh[i].vertex_count,
                             .count = mesh[i].triangle_count};
    }
    total += check(context, pl_two(body[0], body[1]), &view[0], &view[1], "bumpy spheres");
    for (int i = 0; i < 2; ++i) {
      pl_body_destroy(body[i]);
      free(xyz[i]);
      scene_mesh_free(&mesh[i]);
    }
  }
  pl_context_destroy(context);
  assert_true(total >= 6);
}

/* A skinned animal that runs, against itself: legs that pass through each other, and joints that
 * are pinched, whose contours are slits. */
static void running(void **state)
{
  (void)state;
  enum { BONES = SCENE_ANIMAL_BONES };
  scene_animal animal;
  assert_true(scene_animal_make(2400, &animal));
  const size_t n = animal.mesh.vertex_count;
  double *xyz = malloc(3 * n * sizeof *xyz), matrix[BONES][9], shift[BONES][3];
  pl_context *context = context_of(NULL);
  size_t total = 0, slits = 0;
  for (int step = 10; step < 100; step += 8) {
    scene_animal_run(step, matrix, shift);
    memset(xyz, 0, 3 * n * sizeof *xyz);
    for (size_t i = 0; i < n * (size_t)animal.per_vertex; ++i) {
      const size_t vertex = i / (size_t)animal.per_vertex, bone = animal.bones[i];
      for (size_t k = 0; k < 3; ++k) {
        double at = shift[bone][k];
        for (size_t c = 0; c < 3; ++c) at += matrix[bone][3 * k + c] * (double)animal.mesh.rest[3 * vertex + c];
        xyz[3 * vertex + k] += (double)animal.weights[i] * at;
      }
    }
    shape_view view = {
        .xyz = xyz, .triangles = animal.mesh.triangles, .vertices = n, .count = animal.mesh.triangle_count};
    pl_body *body = body_at(context, xyz, n, view.triangles, view.count);
    total += check(context, pl_self(body), &view, &view, "animal");
    const pl_result *found;
    assert_int_equal(pl_regions(pl_self(body), NULL, &found), PL_OK);
    for (size_t i = 0; i < found->count; ++i)
      slits += !found->regions[i].side[0].cut_off && !found->regions[i].side[1].cut_off;
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
  scene_animal_free(&animal);
  free(xyz);
  printf("%zu regions, %zu slits\n", total, slits);
  assert_true(total > 10 && slits > 3);
}

/* Boxes on a lattice, as one body each: they share faces, edges and vertices of space with each
 * other, cross, and overlap in planes. The corners of each box are its own. */
static size_t add_box(double *xyz, uint32_t *tri, size_t boxes, const int low[3], const int high[3])
{
  static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 0, 4, 2, 2, 4, 6,
                                     1, 3, 5, 3, 7, 5, 2, 6, 3, 3, 6, 7, 4, 5, 6, 5, 7, 6};
  for (size_t v = 0; v < 8; ++v)
    for (size_t k = 0; k < 3; ++k) xyz[24 * boxes + 3 * v + k] = v >> k & 1 ? high[k] : low[k];
  for (size_t i = 0; i < 36; ++i) tri[36 * boxes + i] = faces[i] + 8 * (uint32_t)boxes;
  return boxes + 1;
}

/* A row of boxes, apart from each other, against a long box. In even rounds all coordinates are
 * even: vertices, edges and faces of both meet. In odd ones those of the long box are odd: its
 * edges cross faces, some of them at their diagonals. */
static void lattice(void **state)
{
  (void)state;
  test_rng rng = {7};
  pl_context *context = context_of(NULL);
  size_t total = 0, deep = 0;
  for (int round = 0; round < test_rounds(240); ++round) {
    enum { MOST = 3 };
    double xyz[2][24 * MOST];
    uint32_t tri[2][36 * MOST];
    pl_body *body[2];
    shape_view view[2];
    for (int i = 0; i < 2; ++i) {
      size_t boxes = 0, wanted = i ? 1 : 1 + (size_t)test_below(&rng, MOST);
      while (boxes < wanted) {
        int low[3], high[3], odd = i ? round % 2 : 0;
        for (int k = 0; k < 3; ++k) {
          bool along = k == 2;
          low[k] = 2 * test_below(&rng, 4) + odd + (along ? 16 * (int)boxes : 0);
          high[k] = low[k] + 2 + 2 * test_below(&rng, along && i ? 20 : 4);
        }
        boxes = add_box(xyz[i], tri[i], boxes, low, high);
      }
      body[i] = body_at(context, xyz[i], 8 * boxes, tri[i], 12 * boxes);
      view[i] = (shape_view){.xyz = xyz[i], .triangles = tri[i], .vertices = 8 * boxes, .count = 12 * boxes};
    }
    total += check(context, pl_two(body[0], body[1]), &view[0], &view[1], "boxes");
    const pl_result *found;
    assert_int_equal(pl_regions(pl_two(body[0], body[1]), NULL, &found), PL_OK);
    for (size_t i = 0; i < found->count; ++i) deep += found->regions[i].depth > 0;
    for (int i = 0; i < 2; ++i) pl_body_destroy(body[i]);
  }
  pl_context_destroy(context);
  assert_true(total > 15 && deep > 8);
}

static void weld(pl_context *context, io_mesh *m)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  assert_int_equal(pl_mesh_weld(context, &mesh, NULL, m->triangles, NULL), PL_OK);
}

/* A mesh against itself, welded. */
static void check_mesh(io_mesh *m, const char *what, size_t regions)
{
  pl_context *context = context_of(NULL);
  weld(context, m);
  shape_view view = {.xyz = m->xyz, .triangles = m->triangles, .vertices = m->vertex_count, .count = m->triangle_count};
  pl_body *body = body_at(context, m->xyz, m->vertex_count, m->triangles, m->triangle_count);
  size_t found = check(context, pl_self(body), &view, &view, what);
  if (found != regions) fail_msg("%s: %zu regions instead of %zu", what, found, regions);
  pl_context_destroy(context);
}

static void captured(void **state)
{
  (void)state;
  data_needed();
  static const struct {
    const char *path;
    size_t regions;
    bool slow;
  } files[] = {{"sequences/cactus_deformed/cactus_deformed_50.off", 1, true},
               {"sequences/ipc-toolkit-tests-data/two-cubes-intersecting.ply", 2, false},
               {"static/suzanne.obj", 8, true},
               {"static/cow.obj", 6, true},
               {"static/teapot.obj", 3, true},
               {"nasty/cgal/spheres_intersecting.off", 1, false},
               {"nasty/cgal/tetra_intersected_by_triangle.off", 1, false}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    io_error error;
    io_mesh m;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (files[i].slow) continue;
#endif
    if (!io_mesh_read(data_path(files[i].path), &m, &error)) fail_msg("%s", error.text);
    check_mesh(&m, files[i].path, files[i].regions);
    io_mesh_free(&m);
  }
}

/* Animated characters, in a pose in which they touch themselves. */
static void gltf(void **state)
{
  (void)state;
  data_needed();
  static const struct {
    const char *path;
    int animation;
    double part; /* of the animation's duration */
    size_t regions;
    bool slow;
  } files[] = {{"gltf/CesiumMan/CesiumMan.glb", 0, 0.3, 5, true},
               {"gltf/Fox/Fox.glb", 1, 0.5, 1, true},
               {"gltf/Fox/Fox.glb", 2, 0.25, 3, false},
               {"gltf/MorphStressTest/MorphStressTest.glb", 0, 0.5, 8, false},
               {"gltf/CesiumMilkTruck/CesiumMilkTruck.glb", 0, 0.5, 17, true}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    io_error error;
    io_mesh m;
    gltf_scene *scene;
    gltf_pose *pose;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (files[i].slow) continue;
#endif
    if (!gltf_read(data_path(files[i].path), NULL, &scene, &error)) fail_msg("%s", error.text);
    assert_true(gltf_pose_create(scene, &pose, &error));
    double time = files[i].part * gltf_duration(scene, files[i].animation);
    assert_true(gltf_evaluate(pose, files[i].animation, time, &error) && gltf_join(scene, pose, &m, &error));
    check_mesh(&m, files[i].path, files[i].regions);
    io_mesh_free(&m);
    gltf_pose_free(pose);
    gltf_free(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(generated), cmocka_unit_test(running), cmocka_unit_test(lattice),
                                     cmocka_unit_test(captured), cmocka_unit_test(gltf)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
