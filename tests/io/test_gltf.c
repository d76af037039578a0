/* The real glTF models: counts as their README gives them, and poses against values taken from
 * the raw keys by hand. */
#include "io/gltf_support.h"

typedef struct known {
  const char *path;
  size_t bodies, vertices, triangles; /* vertices and triangles of each mesh once */
  size_t animations;
  bool skinned;
} known;

#define GLB(name) "gltf/" #name "/" #name ".glb"
#define GLTF(name) "gltf/" #name "/" #name ".gltf"

static const known KNOWN[] = {
    {GLB(CesiumMan), 1, 3273, 4672, 1, true},
    {GLB(Fox), 1, 1728, 576, 3, true},
    {GLB(RiggedFigure), 1, 370, 256, 1, true},
    {GLB(RiggedSimple), 1, 160, 188, 1, true},
    {GLB(RecursiveSkeletons), 84, 40, 76, 1, true},
    {GLTF(SimpleSkin), 1, 10, 8, 1, true},
    {GLB(AnimatedMorphCube), 1, 24, 12, 1, false},
    {GLB(AnimatedMorphSphere), 1, 1876, 960, 1, false},
    {GLB(MorphStressTest), 1, 1528, 2412, 3, false},
    {GLB(MorphPrimitivesTest), 1, 30, 32, 0, false},
    {GLTF(SimpleMorph), 1, 3, 1, 1, false},
    {GLB(CesiumMilkTruck), 3, 3995, 2856, 1, false},
    {GLB(BoxAnimated), 2, 320, 254, 1, false},
    {GLB(InterpolationTest), 10, 28, 14, 9, false},
    {GLTF(AnimatedTriangle), 1, 3, 1, 1, false},
    {GLTF(DiffuseTransmissionPlant), 9, 50369, 68409, 1, false},
    {GLTF(FlightHelmet), 6, 55392, 94722, 0, false},
    {GLTF(ToyCar), 3, 77429, 108936, 0, false},
    {GLTF(SheenCloth), 1, 58081, 115200, 0, false},
    {GLB(NegativeScaleTest), 11, 2032, 3884, 0, false},
    {GLTF(SimpleSparseAccessor), 1, 14, 12, 0, false},
    /* 49 with the four meshes of points and lines */
    {GLTF(MeshPrimitiveModes), 3, 21, 16, 0, false},
    {GLTF(TriangleWithoutIndices), 1, 3, 1, 0, false},
    {GLB(Box), 1, 24, 12, 0, false},
    {GLB(BoxInterleaved), 1, 24, 12, 0, false},
    {"nasty/trimesh/mode5.gltf", 54, 3610, 2786, 0, false}, /* 412 strips */
    {"nasty/trimesh/nested.glb", 3, 72, 36, 0, false},
    {"nasty/trimesh/no_indices_3storybuilding.glb", 3, 216, 72, 0, false},
};

static void test_counts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; ++i) {
    gltf_scene *s = read_model(KNOWN[i].path);
    size_t vertices = 0, triangles = 0;
    for (size_t b = 0; b < gltf_body_count(s); ++b) {
      const gltf_body *body = gltf_body_at(s, b);
      bool seen = false;
      for (size_t k = 0; k < b; ++k) seen |= gltf_body_at(s, k)->mesh == body->mesh;
      vertices += seen ? 0 : body->mesh->vertex_count;
      triangles += seen ? 0 : body->mesh->triangle_count;
      assert_int_equal(body->has_skin, KNOWN[i].skinned);
    }
    if (gltf_body_count(s) != KNOWN[i].bodies || vertices != KNOWN[i].vertices || triangles != KNOWN[i].triangles)
      fail_msg("%s: %zu bodies, %zu vertices, %zu triangles", KNOWN[i].path, gltf_body_count(s), vertices, triangles);
    assert_int_equal(gltf_animation_count(s), KNOWN[i].animations);
    exercise(s);
    gltf_free(s);
  }
}

static void test_refused(void **state)
{
  (void)state;
  static const struct {
    const char *path, *says;
  } cases[] = {{"nasty/trimesh/empty_nodes.glb", "empty_nodes.glb: its scene has no triangles"},
               {"static/cow.obj", "cow.obj:1: its JSON is broken"},
               {"gltf", "is a directory"},
               {"gltf/Box/Box.bin", "no such file"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    gltf_scene *s;
    io_error error;
    bool ok = gltf_read(data_path(cases[i].path), NULL, &s, &error);
    check_scene(ok, s, &error);
    if (strstr(error.text, "this build has no jansson")) skip();
    if (ok || !strstr(error.text, cases[i].says)) fail_msg("%s", error.text);
  }
}

/* ------------------------------------------------------------------------------------ meshes -- */

static void test_interleaved_is_the_same(void **state)
{
  (void)state;
  gltf_scene *a = read_model(GLB(Box)), *b = read_model(GLB(BoxInterleaved));
  const gltf_mesh *x = gltf_body_at(a, 0)->mesh, *y = gltf_body_at(b, 0)->mesh;
  assert_memory_equal(x->positions, y->positions, 3 * x->vertex_count * sizeof(float));
  assert_memory_equal(x->triangles, y->triangles, 3 * x->triangle_count * sizeof(uint32_t));
  gltf_free(a);
  gltf_free(b);
}

static void test_sparse_positions(void **state)
{
  (void)state;
  gltf_scene *s = read_model(GLTF(SimpleSparseAccessor));
  const float *p = gltf_body_at(s, 0)->mesh->positions;
  for (int i = 0; i < 14; ++i) { /* two rows of seven, three of the upper one lifted */
    float lift = i == 8 ? 1 : i == 10 ? 2 : i == 12 ? 3 : 0;
    assert_true(p[3 * i] == (float)(i % 7) && p[3 * i + 1] == (float)(i / 7) + lift && p[3 * i + 2] == 0);
  }
  gltf_free(s);
}

/* All three modes draw the same six-sided figure: the fan's are wound like the list's. */
static void test_modes(void **state)
{
  (void)state;
  gltf_scene *s = read_model(GLTF(MeshPrimitiveModes));
  static const size_t counts[] = {6, 4, 6};
  for (size_t b = 0; b < 3; ++b) {
    const gltf_mesh *mesh = gltf_body_at(s, b)->mesh;
    assert_int_equal(mesh->triangle_count, counts[b]);
    double sign = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
      const float *p[3];
      for (int k = 0; k < 3; ++k) p[k] = mesh->positions + 3 * mesh->triangles[3 * t + (size_t)k];
      double area = ((double)p[1][0] - p[0][0]) * ((double)p[2][1] - p[0][1]) -
                    ((double)p[1][1] - p[0][1]) * ((double)p[2][0] - p[0][0]);
      assert_true(area != 0 && area * sign >= 0); /* all of a mesh turn the same way */
      sign = area;
    }
  }
  assert_string_equal(gltf_note(s), "left out: 4 primitives of points or lines");
  gltf_free(s);
}

static void test_mirrored(void **state)
{
  (void)state;
  gltf_scene *s = read_model(GLB(NegativeScaleTest));
  gltf_pose *pose = pose_of(s);
  static const char *const mirrored[] = {"NegativeScaleFront", "NotShinyMinus1", "Shiny1", "Dark1"};
  int count = 0;
  for (size_t b = 0; b < gltf_body_count(s); ++b) {
    const gltf_body *body = gltf_body_at(s, b);
    bool expected = false;
    for (int i = 0; i < 4; ++i) expected |= strcmp(body->name, mirrored[i]) == 0;
    assert_int_equal(body->mirrored, expected);
    count += expected;
    if (strcmp(body->name, "ShinyMinus1") != 0) continue;
    /* Parent: half a turn about z, scale -1, at (1, -3.5, 0); child the same at (2, 0, 0). The
     * turn and the scale make diag(1, 1, -1), twice: the identity, at (1 + 2, -3.5, 0). */
    const gltf_transform *t = gltf_pose_transform(pose, b);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) assert_near(t->m[i][k], i == k, 1e-12);
    assert_near(t->t[0], 3, 1e-12);
    assert_near(t->t[1], -3.5, 1e-12);
    assert_near(t->t[2], 0, 1e-12);
  }
  assert_int_equal(count, 4);
  gltf_pose_free(pose);
  gltf_free(s);
}

/* ------------------------------------------------------------------------------------ morphs -- */

static void test_simple_morph(void **state)
{
  (void)state;
  gltf_scene *s = read_model(GLTF(SimpleMorph));
  gltf_pose *pose = pose_of(s);
  const gltf_body *body = gltf_body_at(s, 0);
  assert_true(body->morphs && !body->moves && gltf_body_morphs(s, 0, 0) && !gltf_body_morphs(s, 0, GLTF_REST));
  assert_true(gltf_duration(s, 0) == 4 && gltf_duration(s, GLTF_REST) == 0);
  static const double expected[][3] = {{-1, 0, 0},    {0, 0, 0}, {0.5, 0, 0.5},   {1, 0, 1}, {1.25, 0.25, 1}, {2, 1, 1},
                                       {2.5, 1, 0.5}, {3, 1, 0}, {3.75, 0.25, 0}, {4, 0, 0}, {100, 0, 0}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
    evaluate(pose, 0, expected[i][0]);
    const double *w = gltf_pose_weights(pose, 0);
    double xyz[9];
    io_error error;
    assert_true(w[0] == expected[i][1] && w[1] == expected[i][2]);
    assert_true(gltf_pose_positions(pose, 0, xyz, &error));
    /* Only the third corner moves: (0.5, 0.5) + w0 (-1, 1) + w1 (1, 1). */
    double corner[9] = {0, 0, 0, 1, 0, 0, 0.5 - w[0] + w[1], 0.5 + w[0] + w[1], 0};
    for (int k = 0; k < 9; ++k) assert_true(xyz[k] == corner[k]);
  }
  evaluate(pose, GLTF_REST, 2);
  assert_true(gltf_pose_weights(pose, 0)[0] == 0.5 && gltf_pose_weights(pose, 0)[1] == 0.5);
  gltf_pose_free(pose);
  gltf_free(s);
}

/* Two neighbouring keys of the raw file, and the time between them. */
static void test_morph_keys(void **state)
{
  (void)state;
  static const struct {
    const char *path;
    int animation;
    size_t targets;
    double t0, t1, w0[8], w1[8];
  } cases[] = {
      {GLB(AnimatedMorphCube), 0, 2, 1.399999976158142, 1.4333332777023315, {0.95703125}, {0.9697085022926331}},
      {GLB(AnimatedMorphSphere),
       0,
       2,
       2.3999991416931152,
       2.4333324432373047,
       {0.10533646494150162, 0.8946635723114014},
       {0.11907930672168732, 0.8809207081794739}},
      {GLB(MorphStressTest),
       0,
       8,
       3.133333444595337,
       3.1666667461395264,
       {0, 0, 0.4500739872455597},
       {0, 0, 0.35199999809265137}},
      {GLB(MorphStressTest),
       1,
       8,
       0.6666666865348816,
       0.699999988079071,
       {0.8245925903320312, 1, 0.8245925903320312, 0.45007404685020447, 0.10400000214576721},
       {0.7407407164573669, 0.9872592687606812, 0.8960000276565552, 0.5499260425567627, 0.17540743947029114}},
      {GLB(MorphStressTest),
       2,
       8,
       2.133333444595337,
       2.1666667461395264,
       {1, 1, 1, 1, 1, 0.9514075517654419, 0.10400000214576721},
       {1, 1, 1, 1, 1, 0.9872591495513916, 0.17540743947029114}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    gltf_scene *s = read_model(cases[i].path);
    gltf_pose *pose = pose_of(s);
    assert_int_equal(gltf_body_at(s, 0)->mesh->target_count, cases[i].targets);
    for (int k = 0; k <= 4; ++k) {
      evaluate(pose, cases[i].animation, cases[i].t0 + (cases[i].t1 - cases[i].t0) * k / 4);
      for (size_t t = 0; t < cases[i].targets; ++t)
        assert_near(gltf_pose_weights(pose, 0)[t], cases[i].w0[t] + (cases[i].w1[t] - cases[i].w0[t]) * k / 4, 1e-12);
    }
    gltf_pose_free(pose);
    gltf_free(s);
  }
}

/* Both primitives morph, and the weight of 0.5 is the mesh's own. */
static void test_morph_of_primitives(void **state)
{
  (void)state;
  gltf_scene *s = read_model(GLB(MorphPrimitivesTest));
  gltf_pose *pose = pose_of(s);
  const gltf_mesh *mesh = gltf_body_at(s, 0)->mesh;
  assert_true(gltf_body_at(s, 0)->morphs && gltf_pose_weights(pose, 0)[0] == 0.5 && mesh->targets[0]);
  double xyz[90];
  io_error error;
  assert_true(mesh->vertex_count == 30 && gltf_pose_positions(pose, 0, xyz, &error));
  bool moved[2] = {false, false};
  for (size_t i = 0; i < 90; ++i) {
    assert_near(xyz[i], (double)mesh->positions[i] + 0.5 * (double)mesh->targets[0][i], 1e-12);
    moved[i >= 45] |= mesh->targets[0][i] != 0;
  }
  assert_true(moved[0] && moved[1]);
  gltf_pose_free(pose);
  gltf_free(s);
}

/* ----------------------------------------------------------------------------- interpolation -- */

/* Its animations, and what the raw keys say by hand. Body k is moved by the animation of its row
 * only. */
enum { STEP_S, LINEAR_S, CUBIC_S, STEP_R, CUBIC_R, LINEAR_R, STEP_T, CUBIC_T, LINEAR_T };

static double zigzag(double t) /* 1 0 1 0 1 at 0, 0.5 .. 2, straight between them */
{
  double u = fmod(t, 1);
  return u < 0.5 ? 1 - 2 * u : 2 * u - 1;
}

static double smooth(double x) /* a Hermite curve from 0 to 1 without tangents */ { return x * x * (3 - 2 * x); }

static void check_scale(const gltf_transform *t, double scale)
{
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) assert_near(t->m[i][k], i == k ? scale : 0, 1e-12);
}

static void check_turn(const gltf_transform *t, double angle)
{
  double m[3][3] = {{cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) assert_near(t->m[i][k], m[i][k], 2e-7); /* the keys are floats */
}

/* The file's spline: keys turn by -45 degrees each, all tangents are (0 0 0 1) per second. */
static double cubic_turn(double t)
{
  double at = fmin(floor(t / 0.5), 3), u = t / 0.5 - at, quarter = acos(-1) / 4;
  double a = -at * quarter / 2, b = -(at + 1) * quarter / 2, s = smooth(u);
  double tangent = 0.5 * (u * u * u - 2 * u * u + u) + 0.5 * (u * u * u - u * u);
  return 2 * atan2((1 - s) * sin(a) + s * sin(b), (1 - s) * cos(a) + s * cos(b) + tangent);
}

static void check_interpolation(const gltf_pose *pose, int animation, double t)
{
  const gltf_transform *x = gltf_pose_transform(pose, (size_t)animation);
  double degree = acos(-1) / 180, held = floor(t / 0.5) * 0.5, y = 6.8000001907348633, up = 4;
  switch (animation) {
  case STEP_S:
    check_scale(x, zigzag(held));
    break;
  case LINEAR_S:
    check_scale(x, zigzag(t));
    break;
  case CUBIC_S:
    check_scale(x, smooth(zigzag(t)));
    break;
  case STEP_R:
    check_turn(x, -90 * degree * held);
    break;
  case LINEAR_R:
    check_turn(x, -90 * degree * t);
    break;
  case CUBIC_R:
    check_turn(x, cubic_turn(t));
    break;
  case STEP_T:
    assert_near(x->t[1], y + up * (1 - zigzag(held)), 1e-12);
    break;
  case LINEAR_T:
    assert_near(x->t[1], y + up * (1 - zigzag(t)), 1e-12);
    assert_near(x->t[0], -3.4000000953674316, 1e-12);
    break;
  default:
    assert_near(x->t[1], y + up * smooth(1 - zigzag(t)), 1e-12);
    assert_near(x->t[0], 3.4000000953674316, 1e-12);
  }
}

static void test_interpolation(void **state)
{
  (void)state;
  gltf_scene *s = read_model(GLB(InterpolationTest));
  gltf_pose *pose = pose_of(s);
  for (int a = 0; a < 9; ++a) {
    assert_true(gltf_duration(s, a) == 2);
    for (size_t b = 0; b < 10; ++b) assert_int_equal(gltf_body_moves(s, b, a), b == (size_t)a);
    for (int k = 0; k <= 64; ++k) { /* all keys, and 15 times between each two */
      evaluate(pose, a, k / 32.0);
      check_interpolation(pose, a, k / 32.0);
    }
    evaluate(pose, a, -1);
    check_interpolation(pose, a, 0);
    evaluate(pose, a, 9);
    check_interpolation(pose, a, 2);
  }
  evaluate(pose, GLTF_ALL_ANIMATIONS, 0.75);
  for (int a = 0; a < 9; ++a) check_interpolation(pose, a, 0.75);
  assert_int_equal(gltf_animation_find(s, "Linear Rotation"), LINEAR_R);
  assert_int_equal(gltf_animation_find(s, "8"), 8);
  assert_int_equal(gltf_animation_find(s, "9"), -1);
  assert_int_equal(gltf_animation_find(s, ""), -1);
  gltf_pose_free(pose);
  gltf_free(s);
}

/* A lid that rises with its grandparent, and turns half round between 1.25 s and 2.5 s. */
static void test_hierarchy(void **state)
{
  (void)state;
  gltf_scene *s = read_model(GLB(BoxAnimated));
  gltf_pose *pose = pose_of(s);
  assert_true(gltf_body_at(s, 0)->moves && !gltf_body_at(s, 1)->moves);
  for (double t = 0; t < 4; t += 0.125) {
    evaluate(pose, 0, t);
    const gltf_transform *x = gltf_pose_transform(pose, 0);
    double top = 2.5199999809265137, end = 3.708329916000366;
    double height = t < 1.25 ? top * t / 1.25 : t < 2.5 ? top : t < end ? top * (end - t) / (end - 2.5) : 0;
    double angle = acos(-1) * fmin(fmax((t - 1.25) / 1.25, 0), 1);
    assert_near(x->t[1], height, 1e-12);
    assert_near(x->m[1][1], cos(angle), 1e-9);
    assert_near(fabs(x->m[2][1]), sin(angle), 1e-9);
  }
  gltf_pose_free(pose);
  gltf_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_interleaved_is_the_same),
      cmocka_unit_test(test_sparse_positions),
      cmocka_unit_test(test_modes),
      cmocka_unit_test(test_mirrored),
      cmocka_unit_test(test_simple_morph),
      cmocka_unit_test(test_morph_keys),
      cmocka_unit_test(test_morph_of_primitives),
      cmocka_unit_test(test_interpolation),
      cmocka_unit_test(test_hierarchy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
