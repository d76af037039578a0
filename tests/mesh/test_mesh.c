/* Meshes: what is refused and how it is reported, neighbours against brute force, counts of real
 * files. */
#include "io/io.h"
#include "mesh/mesh.h"

#include "support/support.h" /* after our headers: cmocka has a macro named fail */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- support -- */

static pl_context *context_with(failing *f)
{
  pl_context_def def = pl_context_def_default();
  if (f) def.allocator = (pl_allocator){f, failing_allocate, failing_release};
  def.threads = 1;
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static pl_mesh_def mesh_def(pl_positions positions, const uint32_t *triangles, size_t count)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = positions;
  def.triangles = triangles;
  def.triangle_count = count;
  return def;
}

static const double tetra_xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t tetra[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

static pl_mesh_def tetra_def(void) { return mesh_def(pl_positions_f64(tetra_xyz, 4), tetra, 4); }

/* ---------------------------------------------------------------------------------- refusals -- */

static void expect_refused(pl_context *context, const pl_mesh_def *def, pl_status status, const char *message)
{
  assert_int_equal(pl_mesh_check(context, def), status);
  if (!strstr(pl_context_message(context), message)) fail_msg("message: %s", pl_context_message(context));
  pl_mesh *mesh = (pl_mesh *)1;
  assert_int_equal(pl_mesh_create(context, def, &mesh), status);
  assert_null(mesh);
  pl_mesh_info info;
  assert_int_equal(pl_mesh_get_info(context, def, &info), status);
}

static void refuses_bad_definitions(void **state)
{
  (void)state;
  pl_context *context = context_with(NULL);
  pl_mesh_def def = tetra_def();
  assert_int_equal(pl_mesh_check(context, &def), PL_OK);
  assert_int_equal(pl_mesh_check(NULL, &def), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_mesh_create(context, &def, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_mesh_get_info(context, &def, NULL), PL_ERROR_ARGUMENT);
  expect_refused(context, NULL, PL_ERROR_ARGUMENT, "the mesh definition is NULL");

  def.struct_size = 1;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "pl_mesh_def_default");
  def = tetra_def();
  def.triangle_count = 0;
  expect_refused(context, &def, PL_ERROR_MESH, "the mesh has no triangle");
  def.triangle_count = ((size_t)1 << 30) + 1;
  expect_refused(context, &def, PL_ERROR_MESH, "1073741825 triangles are too many");
  def = tetra_def();
  def.triangles = NULL;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "NULL");
  def.triangles = (const uint32_t *)((const char *)tetra + 2);
  def.triangle_count = 3;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "aligned");
  pl_context_destroy(context);
}

static void refuses_bad_positions(void **state)
{
  (void)state;
  pl_context *context = context_with(NULL);
  pl_mesh_def def = tetra_def();
  def.positions.data = NULL;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "NULL");
  def = tetra_def();
  def.positions.type = (pl_scalar)7;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "type 7");
  def = tetra_def();
  def.positions.stride = 23;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "stride of 23 bytes: a vertex takes 24");
  def.positions.stride = 28;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "multiple of 8");
  def = tetra_def();
  def.positions.data = (const char *)tetra_xyz + 4;
  def.positions.count = 3;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "aligned");
  def = tetra_def();
  def.positions.count = (size_t)1 << 32;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "4294967296 vertices are too many");
  def.positions.count = 1000;
  def.positions.stride = SIZE_MAX / 8;
  def.positions.stride -= def.positions.stride % 8;
  expect_refused(context, &def, PL_ERROR_ARGUMENT, "do not fit");
  def = tetra_def();
  def.positions.count = 0;
  expect_refused(context, &def, PL_ERROR_MESH, "triangle 0 names vertex 0 of 0");
  def.positions.count = 3;
  expect_refused(context, &def, PL_ERROR_MESH, "triangle 1 names vertex 3 of 3");
  assert_int_equal(positions_check(context, pl_positions_f32(NULL, 0)), PL_OK);
  pl_context_destroy(context);
}

/* One number that is not finite, at every place of arrays of every length: none is overlooked,
 * and each is named. */
static void names_what_is_not_finite(void **state)
{
  (void)state;
  enum { MOST = 41, STRIDE = 5 };
  const double bad[] = {NAN, INFINITY, -INFINITY, -NAN};
  const char *const names[] = {"nan", "inf", "-inf", "nan"};
  pl_context *context = context_with(NULL);
  for (int kind = 0; kind < 4; ++kind)
    for (size_t count = 1; count <= MOST; ++count)
      for (size_t at = 0; at < 3 * count; ++at) {
        static float f[STRIDE * MOST + 1];
        static double d[STRIDE * MOST];
        bool packed = kind < 2;
        size_t row = packed ? 3 : STRIDE;
        for (size_t i = 0; i < STRIDE * MOST; ++i) {
          f[i + 1] = packed ? FLT_MAX : NAN; /* what stands between vertices is nobody's business */
          d[i] = packed ? -DBL_MAX : NAN;
        }
        for (size_t i = 0; i < 3 * count; ++i)
          f[i / 3 * row + i % 3 + 1] = -FLT_MAX, d[i / 3 * row + i % 3] = DBL_MIN / 4;
        pl_positions p = kind % 2 ? pl_positions_strided(PL_F64, d, count, row * 8)
                                  /* aligned to 4 bytes only */
                                  : pl_positions_strided(PL_F32, f + 1, count, row * 4);
        for (int set = 0; set < ISA_COUNT; ++set)
          if (isa_present((isa)set)) assert_true(positions_finite(p, (isa)set));
        assert_int_equal(positions_check(context, p), PL_OK);
        size_t which = at % 4;
        f[at / 3 * row + at % 3 + 1] = (float)bad[which];
        d[at / 3 * row + at % 3] = bad[which];
        for (int set = 0; set < ISA_COUNT; ++set)
          if (isa_present((isa)set)) assert_false(positions_finite(p, (isa)set));
        assert_int_equal(positions_check(context, p), PL_ERROR_POSITIONS);
        char expected[64];
        snprintf(expected, sizeof expected, "vertex %zu is not finite (%s)", at / 3, names[which]);
        assert_ptr_equal(strstr(pl_context_message(context), expected), pl_context_message(context));
      }
  pl_context_destroy(context);
}

static void reads_positions_of_any_kind(void **state)
{
  (void)state;
  float f[] = {9, 1, 2, 3, 9, 4, 5, 6};
  double d[] = {0.1, 0.2, 0.3, DBL_MAX, -0.0, 5e-324};
  double out[3];
  positions_get(pl_positions_strided(PL_F32, f + 1, 2, 16), 1, out);
  assert_true(out[0] == 4 && out[1] == 5 && out[2] == 6);
  positions_get(pl_positions_f64(d, 2), 1, out);
  assert_true(out[0] == DBL_MAX && out[1] == 0 && signbit(out[1]) && out[2] == 5e-324);
}

/* -------------------------------------------------------------------------------- neighbours -- */

static bool has_edge(const uint32_t *triangle, uint32_t a, uint32_t b)
{
  for (int e = 0; e < 3; ++e) {
    uint32_t c = triangle[e], d = triangle[(e + 1) % 3];
    if (a != b && ((a == c && b == d) || (a == d && b == c))) return true;
  }
  return false;
}

static void check_fans(const pl_mesh *mesh, const pl_mesh_def *def)
{
  for (uint32_t v = 0; v < def->positions.count; ++v) {
    const uint32_t *fan;
    size_t count = pl_mesh_vertex_triangles(mesh, v, &fan), k = 0;
    for (uint32_t t = 0; t < def->triangle_count; ++t) {
      const uint32_t *c = def->triangles + 3 * t;
      if (c[0] != v && c[1] != v && c[2] != v) continue;
      assert_true(k < count);
      assert_int_equal(fan[k++], t);
    }
    assert_int_equal(k, count);
    assert_int_equal(pl_mesh_vertex_triangles(mesh, v, NULL), count);
    assert_true(count || !fan);
  }
  const uint32_t *none = def->triangles;
  assert_int_equal(pl_mesh_vertex_triangles(mesh, (uint32_t)def->positions.count, &none), 0);
  assert_null(none);
}

static void check_edges(const pl_mesh *mesh, const pl_mesh_def *def)
{
  size_t n = def->triangle_count;
  for (uint32_t t = 0; t < n; ++t)
    for (int e = 0; e < 3; ++e) {
      const uint32_t *others;
      size_t count = pl_mesh_edge_triangles(mesh, t, e, &others);
      uint32_t a = def->triangles[3 * t + (uint32_t)e], b = def->triangles[3 * t + (uint32_t)(e + 1) % 3];
      size_t k = 0;
      for (size_t step = 1; step < n; ++step) { /* from the triangle on, and around */
        uint32_t other = (uint32_t)((t + step) % n);
        if (!has_edge(def->triangles + 3 * other, a, b)) continue;
        assert_true(k < count);
        assert_int_equal(others[k++], other);
      }
      assert_int_equal(k, count);
    }
  assert_int_equal(pl_mesh_edge_triangles(mesh, (uint32_t)n, 0, NULL), 0);
  assert_int_equal(pl_mesh_edge_triangles(mesh, 0, 3, NULL), 0);
  assert_int_equal(pl_mesh_edge_triangles(mesh, 0, -1, NULL), 0);
}

/* Every count of a description by comparing everything with everything. */
static void check_info(const pl_mesh_def *def, const pl_mesh_info *info)
{
  size_t n = def->triangle_count, v = def->positions.count;
  size_t edges = 0, boundary = 0, nonmanifold = 0, misoriented = 0, isolated = 0, duplicates = 0;
  for (uint32_t a = 0; a < v; ++a) {
    bool used = false;
    for (size_t i = 0; i < 3 * n; ++i) used |= def->triangles[i] == a;
    isolated += !used;
    for (uint32_t b = a + 1; b < v; ++b) {
      size_t users = 0, up = 0, down = 0;
      for (size_t t = 0; t < n; ++t) {
        const uint32_t *c = def->triangles + 3 * t;
        users += has_edge(c, a, b);
        for (int e = 0; e < 3; ++e) up += c[e] == a && c[(e + 1) % 3] == b, down += c[e] == b && c[(e + 1) % 3] == a;
      }
      edges += users > 0;
      boundary += users == 1;
      nonmanifold += users > 2;
      misoriented += users == 2 && ((up == 2 && down == 0) || (up == 0 && down == 2));
    }
  }
  for (size_t t = 0; t < n; ++t) {
    bool seen = false;
    for (size_t s = 0; s < t && !seen; ++s)
      for (int turn = 0; turn < 6; ++turn) { /* all orders of three */
        static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
        bool same = true;
        for (int c = 0; c < 3; ++c)
          same &= def->triangles[3 * s + (size_t)c] == def->triangles[3 * t + (size_t)orders[turn][c]];
        seen |= same;
      }
    duplicates += seen;
  }
  assert_int_equal(info->vertices, v);
  assert_int_equal(info->triangles, n);
  assert_int_equal(info->edges, edges);
  assert_int_equal(info->boundary_edges, boundary);
  assert_int_equal(info->nonmanifold_edges, nonmanifold);
  assert_int_equal(info->misoriented_edges, misoriented);
  assert_int_equal(info->isolated_vertices, isolated);
  assert_int_equal(info->duplicate_triangles, duplicates);
}

/* Components by spreading the least label until nothing changes. */
static size_t brute_components(const pl_mesh_def *def)
{
  uint32_t label[64];
  for (uint32_t v = 0; v < 64; ++v) label[v] = v;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t t = 0; t < def->triangle_count; ++t)
      for (int i = 0; i < 9; ++i) {
        uint32_t a = def->triangles[3 * t + (size_t)i / 3], b = def->triangles[3 * t + (size_t)i % 3];
        if (label[a] > label[b]) label[a] = label[b], changed = true;
      }
  }
  size_t components = 0;
  for (uint32_t v = 0; v < def->positions.count; ++v) {
    bool used = false;
    for (size_t i = 0; i < 3 * def->triangle_count; ++i) used |= def->triangles[i] == v;
    components += used && label[v] == v;
  }
  return components;
}

/* Random indices: repeated vertices, doubled triangles, crowded edges and all else that can go
 * wrong, by chance. */
static void neighbours_match_brute_force(void **state)
{
  (void)state;
  pl_context *context = context_with(NULL);
  test_rng rng = {1};
  for (int round = 0; round < 400; ++round) {
    double xyz[3 * 40];
    uint32_t triangles[3 * 60];
    size_t vertices = 1 + (size_t)test_below(&rng, 40), count = 1 + (size_t)test_below(&rng, 60);
    for (size_t i = 0; i < 3 * vertices; ++i) xyz[i] = test_uniform(&rng, -1, 1);
    for (size_t i = 0; i < 3 * count; ++i) triangles[i] = (uint32_t)test_below(&rng, (int)vertices);
    pl_mesh_def def = mesh_def(pl_positions_f64(xyz, vertices), triangles, count);
    pl_mesh *mesh;
    assert_int_equal(pl_mesh_create(context, &def, &mesh), PL_OK);
    check_fans(mesh, &def);
    check_edges(mesh, &def);
    pl_mesh_info info;
    assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
    check_info(&def, &info);
    assert_int_equal(info.components, brute_components(&def));
    size_t repeated = 0;
    for (size_t t = 0; t < count; ++t) {
      const uint32_t *c = triangles + 3 * t;
      repeated += c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
    }
    assert_int_equal(info.degenerate_triangles, repeated); /* random points are not on one line */
    if (round % 2) pl_mesh_destroy(mesh);                  /* the others end with the context */
  }
  pl_mesh_destroy(NULL);
  pl_context_destroy(context);
}

static void describes_a_tetrahedron(void **state)
{
  (void)state;
  pl_context *context = context_with(NULL);
  double xyz[3 * 6];
  memcpy(xyz, tetra_xyz, sizeof tetra_xyz);
  /* two vertices that nobody uses do not widen the box */
  for (int i = 12; i < 18; ++i) xyz[i] = 100;
  pl_mesh_def def = mesh_def(pl_positions_f64(xyz, 6), tetra, 4);
  pl_mesh_info info;
  assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
  assert_int_equal(info.edges, 6);
  assert_int_equal(info.boundary_edges + info.nonmanifold_edges + info.misoriented_edges + info.degenerate_triangles,
                   0);
  assert_int_equal(info.isolated_vertices, 2);
  assert_int_equal(info.components, 1);
  for (int i = 0; i < 3; ++i) assert_true(info.box[0][i] == 0 && info.box[1][i] == 1);
  uint32_t flipped[12];
  memcpy(flipped, tetra, sizeof tetra);
  flipped[0] = 2, flipped[1] = 0;
  def.triangles = flipped;
  assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
  assert_int_equal(info.misoriented_edges, 3);
  pl_context_destroy(context);
}

/* A fan of many triangles around one vertex, and a book of many around one edge: quadratic work
 * would not end. */
static void crowds_cost_no_more(void **state)
{
  (void)state;
  const uint32_t n = 300000;
  pl_context *context = context_with(NULL);
  double *xyz = calloc(3 * (n + 2), sizeof *xyz);
  uint32_t *triangles = malloc(3 * n * sizeof *triangles);
  for (uint32_t v = 2; v < n + 2; ++v) xyz[3 * v] = v, xyz[3 * v + 1] = (double)v * v;
  xyz[5] = 1;
  for (int book = 0; book < 2; ++book) {
    for (uint32_t t = 0; t < n; ++t) {
      triangles[3 * t] = 0;
      triangles[3 * t + 1] = book ? 1 : t + 1;
      triangles[3 * t + 2] = t + 2;
    }
    pl_mesh_def def = mesh_def(pl_positions_f64(xyz, n + 2), triangles, n);
    pl_mesh *mesh;
    assert_int_equal(pl_mesh_create(context, &def, &mesh), PL_OK);
    const uint32_t *others;
    assert_int_equal(pl_mesh_vertex_triangles(mesh, 0, NULL), n);
    assert_int_equal(pl_mesh_edge_triangles(mesh, 7, 0, &others), book ? n - 1 : 1);
    assert_int_equal(others[0], book ? 8 : 6);
    if (book) assert_int_equal(others[n - 2], 6);
    pl_mesh_info info;
    assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
    assert_int_equal(info.edges, 2 * (size_t)n + 1);
    assert_int_equal(info.nonmanifold_edges, book);
    assert_int_equal(info.boundary_edges, book ? 2 * n : n + 2);
    assert_int_equal(info.components, 1);
    pl_mesh_destroy(mesh);
  }
  free(xyz);
  free(triangles);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------ memory -- */

static void survives_any_failing_allocation(void **state)
{
  (void)state;
  /* with a crowd, a copy and a repeated vertex */
  uint32_t triangles[] = {0, 1, 2, 0, 1, 3, 1, 0, 2, 3, 3, 1};
  pl_mesh_def def = mesh_def(pl_positions_f64(tetra_xyz, 4), triangles, 4);
  failing f = {.until = -1};
  pl_context *context = context_with(&f);
  long before = f.live;
  int failures = 0;
  for (long n = 0;; ++n) {
    f.until = n;
    pl_mesh *mesh;
    pl_mesh_info info;
    mesh_edges edges;
    pl_status create = pl_mesh_create(context, &def, &mesh);
    f.until = n;
    pl_status describe = pl_mesh_get_info(context, &def, &info);
    f.until = n;
    pl_status edge = mesh_edges_create(context, triangles, 4, 4, &edges);
    assert_true(create == PL_OK || (create == PL_ERROR_MEMORY && !mesh));
    assert_true(describe == PL_OK || describe == PL_ERROR_MEMORY);
    assert_true(edge == PL_OK || (edge == PL_ERROR_MEMORY && !edges.of));
    if (edge == PL_OK) mesh_edges_free(context, &edges);
    pl_mesh_destroy(mesh);
    assert_int_equal(f.live, before);
    if (create == PL_OK && describe == PL_OK && edge == PL_OK) break;
    ++failures;
  }
  assert_true(failures > 8);
  f.until = -1;
  pl_mesh *left;
  assert_int_equal(pl_mesh_create(context, &def, &left), PL_OK);
  pl_context_destroy(context); /* takes the mesh along */
  assert_int_equal(f.live, 0);
}

/* -------------------------------------------------------------------------------- real files -- */

typedef struct known {
  const char *path;
  /* edges 0: not told */
  size_t vertices, triangles, edges, boundary, nonmanifold, isolated, duplicates;
} known;

/* What the description of the data says of them. */
static const known files[] = {
    {"static/spot.obj", 2930, 5856, 8784, 0, 0, 0, 0},
    {"static/stanford-bunny.obj", 35947, 69451, 0, 223, 0, 1113, 0},
    {"static/teapot.obj", 3644, 6320, 0, 1036, 0, 0, 0},
    {"static/cow.obj", 2903, 5804, 8706, 0, 0, 0, 0},
    {"static/suzanne.obj", 507, 968, 0, 42, 1, 0, 1},
    {"static/rocker-arm.obj", 10044, 20088, 30132, 0, 0, 0, 0},
    {"static/beetle.obj", 1148, 2053, 0, 296, 47, 0, 0},
    {"static/armadillo.obj", 43243, 86482, 129723, 0, 0, 0, 0},
    {"static/fcl_resources/env.obj", 6540, 2180, 6540, 6540, 0, 0, 0},
    {"static/fcl_resources/rob.obj", 648, 216, 648, 648, 0, 0, 0},
    {"sequences/Rumba_Dancing/shell0.obj", 12811, 25472, 38270, 124, 0, 0, 0},
    {"sequences/cactus_deformed/cactus_deformed_0.off", 620, 1236, 1854, 0, 0, 0, 0},
    {"sequences/ipc-toolkit-tests-data/two-cubes-far.ply", 262, 480, 0, 0, 0, 18, 0},
};

static void counts_of_real_files(void **state)
{
  (void)state;
  data_needed();
  pl_context *context = context_with(NULL);
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    const known *k = &files[i];
    io_mesh file;
    io_error error;
    if (!io_mesh_read(data_path(k->path), &file, &error)) fail_msg("%s", error.text);
    pl_mesh_def def = mesh_def(pl_positions_f64(file.xyz, file.vertex_count), file.triangles, file.triangle_count);
    pl_mesh_info info;
    assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
    assert_int_equal(info.vertices, k->vertices);
    assert_int_equal(info.triangles, k->triangles);
    if (k->edges) assert_int_equal(info.edges, k->edges);
    assert_int_equal(info.boundary_edges, k->boundary);
    assert_int_equal(info.nonmanifold_edges, k->nonmanifold);
    assert_int_equal(info.isolated_vertices, k->isolated);
    assert_int_equal(info.duplicate_triangles, k->duplicates);
    io_mesh_free(&file);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_bad_definitions),      cmocka_unit_test(refuses_bad_positions),
      cmocka_unit_test(names_what_is_not_finite),     cmocka_unit_test(reads_positions_of_any_kind),
      cmocka_unit_test(neighbours_match_brute_force), cmocka_unit_test(describes_a_tetrahedron),
      cmocka_unit_test(crowds_cost_no_more),          cmocka_unit_test(survives_any_failing_allocation),
      cmocka_unit_test(counts_of_real_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
