/* Bumpy spheres: S1, S1P and S1R (two that meet), S2 (27 that close in), S4 and C1 (eight around
 * a middle one), S5 (two that pass). A body is a unit sphere with a radial sum of sines that
 * wanders with time. */
#include "scenes/parts.h"

/* Vertices are shaped in blocks: the sines of a whole block are one loop that compilers make
 * wide, and sines are most of the cost of a pose. */
enum { BLOCK = 64, WAVES = 4 };

/* Radii in the directions of vertices [first, first + count), within [0.9, 1.1]; `phase` tells
 * the bodies apart. */
static void bumps(const scene_mesh *mesh, size_t first, size_t count, float time, float phase, float radius[BLOCK])
{
  const float k = 24.0f;
  float wave[WAVES][BLOCK] = {{0}};
  for (size_t i = 0; i < count; ++i) {
    vec3 d = vec3_load(mesh->rest, first + i);
    wave[0][i] = k * d.x + 2.1f * time + phase;
    wave[1][i] = k * d.y - 1.7f * time + 1.3f * phase + 1.0f;
    wave[2][i] = k * d.z + 1.9f * time + 0.7f * phase + 2.0f;
    wave[3][i] = 0.35f * k * (d.x + d.y - d.z) - 2.3f * time + phase;
  }
  for (int w = 0; w < WAVES; ++w)
    for (int i = 0; i < BLOCK; ++i) wave[w][i] = scene_sin(wave[w][i]);
  for (size_t i = 0; i < count; ++i)
    radius[i] = 1.0f + 0.1f * (0.28f * (wave[0][i] + wave[1][i] + wave[2][i]) + 0.16f * wave[3][i]);
}

static size_t block_size(const scene_mesh *mesh, size_t first)
{
  return mesh->vertex_count - first < BLOCK ? mesh->vertex_count - first : BLOCK;
}

static void shape(scene_mesh *mesh, float time, float phase)
{
  float radius[BLOCK];
  for (size_t first = 0; first < mesh->vertex_count; first += BLOCK) {
    size_t count = block_size(mesh, first);
    bumps(mesh, first, count, time, phase, radius);
    for (size_t i = 0; i < count; ++i)
      vec3_store(mesh->xyz, first + i, vec3_scale(vec3_load(mesh->rest, first + i), radius[i]));
  }
}

static void shift(scene_mesh *mesh, vec3 by)
{
  for (size_t i = 0; i < mesh->vertex_count; ++i) vec3_store(mesh->xyz, i, vec3_add(vec3_load(mesh->xyz, i), by));
}

/* x to the power y, x at least 0, of our own for the reason that scene_wave() has: Taylor's series
 * of the logarithm and of the exponential, after a power of two each; right to about 1e-15. */
static double power(double x, double y)
{
  const double ln2 = 0.69314718055994530942;
  int e;
  if (!(x > 0)) return 0;
  double m = frexp(x, &e), log = 0, sum = 1;
  if (m < 0.70710678118654752440) m *= 2, --e;
  const double z = (m - 1) / (m + 1);
  for (int k = 23; k >= 1; k -= 2) log = log * z * z + 2.0 / k;
  const double v = y * (log * z + e * ln2), whole = floor(v / ln2 + 0.5), r = v - whole * ln2;
  for (int k = 16; k >= 1; --k) sum = 1 + sum * r / k;
  return ldexp(sum, (int)whole);
}

/* -------------------------------------------------------------------------------- S1 and S1P -- */

static vec3 s1_direction(void) { return vec3_make(0.64f, 0.60f, 0.48f); }

/* Between the centres: from 2.6 to 1.2, slower towards the end. */
static float s1_distance(float u) { return 2.6f - 1.4f * (float)power(u, 0.8f); }

void scene_s1_pose_model(scene_mesh *a, scene_mesh *b, int step, float shift_b[3])
{
  float u = scene_progress(step, SCENE_S1_STEPS);
  shape(a, 6 * u, 0.0f);
  shape(b, 6 * u, 2.5f);
  vec3_store(shift_b, 0, vec3_scale(s1_direction(), s1_distance(u)));
}

void scene_s1_pose(scene_mesh *a, scene_mesh *b, int step)
{
  float shift_b[3];
  scene_s1_pose_model(a, b, step, shift_b);
  shift(b, vec3_load(shift_b, 0));
}

/* The round part beyond `plane` along `axis` lies flat, the bumps stay. */
static void shape_pressed(scene_mesh *mesh, float time, float phase, vec3 axis, float plane)
{
  float radius[BLOCK];
  for (size_t first = 0; first < mesh->vertex_count; first += BLOCK) {
    size_t count = block_size(mesh, first);
    bumps(mesh, first, count, time, phase, radius);
    for (size_t i = 0; i < count; ++i) {
      vec3 d = vec3_load(mesh->rest, first + i), p = d;
      float over = vec3_dot(d, axis) - plane;
      if (over > 0) p = vec3_sub(p, vec3_scale(axis, over));
      vec3_store(mesh->xyz, first + i, vec3_add(p, vec3_scale(d, radius[i] - 1.0f)));
    }
  }
}

void scene_s1p_pose(scene_mesh *a, scene_mesh *b, int step)
{
  float u = scene_progress(step, SCENE_S1_STEPS), distance = s1_distance(u);
  vec3 n = s1_direction();
  shape_pressed(a, 6 * u, 0.0f, n, 0.5f * distance);
  shape_pressed(b, 6 * u, 2.5f, vec3_scale(n, -1.0f), 0.5f * distance);
  shift(b, vec3_scale(n, distance));
}

/* A number in [-1, 1) that depends on its place only. */
static float noise_at(uint64_t place)
{
  uint64_t x = (place + 1) * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 32;
  return (float)(x >> 40) * 0x1p-23f - 1;
}

/* Every vertex swings around its place with a phase of its own. The way is a little more than an
 * edge at 20 480 triangles, and falls slower than edges do with the number of triangles: each
 * triangle meets more of the other body's, the more there are. */
static void roughen(scene_mesh *mesh, float time, uint64_t body)
{
  const float way = 0.0455f * (float)power((double)mesh->triangle_count / 20480, -0.15);
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
    mesh->xyz[i] += way * scene_sin(time + 3.14159f * noise_at(2 * (uint64_t)i + body));
}

void scene_s1r_pose_model(scene_mesh *a, scene_mesh *b, int step, float shift_b[3])
{
  float u = scene_progress(step, SCENE_S1_STEPS);
  scene_s1_pose_model(a, b, step, shift_b);
  roughen(a, 6 * u, 0);
  roughen(b, 6 * u, 1);
}

void scene_s1r_pose(scene_mesh *a, scene_mesh *b, int step)
{
  float shift_b[3];
  scene_s1r_pose_model(a, b, step, shift_b);
  shift(b, vec3_load(shift_b, 0));
}

/* ---------------------------------------------------------------------------------------- S2 -- */

/* On a lattice of 3 x 3 x 3 with some jitter, which shrinks to its centre; neighbours turn in
 * opposite directions. */
placement scene_s2_placement(int body, int step)
{
  float u = scene_progress(step, SCENE_S2_STEPS), gap = 2.7f - 1.2f * u, k = (float)body;
  vec3 cell = vec3_make((float)(body % 3 - 1), (float)(body / 3 % 3 - 1), (float)(body / 9 - 1));
  vec3 jitter = vec3_make(0.17f * scene_sin(1.0f * k), 0.17f * scene_sin(2.3f * k), 0.17f * scene_sin(3.7f * k));
  placement p = {(body % 2 ? 2.0f : -2.5f) * u + k, vec3_scale(vec3_add(cell, jitter), gap)};
  return p;
}

void scene_s2_pose_model(scene_mesh *mesh, int body, int step, float rotation[9], float shift_out[3])
{
  shape(mesh, 5 * scene_progress(step, SCENE_S2_STEPS), 1.9f * (float)body);
  scene_placement_matrix(scene_s2_placement(body, step), rotation, shift_out);
}

void scene_s2_pose(scene_mesh *mesh, int body, int step)
{
  shape(mesh, 5 * scene_progress(step, SCENE_S2_STEPS), 1.9f * (float)body);
  scene_place(mesh, scene_s2_placement(body, step));
}

/* --------------------------------------------------------------------------------- S4 and S5 -- */

void scene_s4_pose(scene_mesh *mesh, int body, int frame)
{
  float u = scene_progress(frame, SCENE_S4_FRAMES), k = (float)body, a = k * 0.785398f;
  placement p = {u * (1 + 0.2f * k), {0, 0, 0}};
  if (body) p.centre = vec3_make(2.6f * scene_cos(a), 0.8f * scene_sin(2 * a + 3 * u), 2.6f * scene_sin(a));
  shape(mesh, 5 * u, 1.9f * k);
  scene_place(mesh, p);
}

/* Four times S4's deformation and turning in nine times its frames, and the ring itself goes
 * round. */
void scene_c1_pose(scene_mesh *mesh, int body, int frame)
{
  float u = scene_progress(frame, SCENE_C1_FRAMES), k = (float)body, a = k * 0.785398f + 1.2f * u;
  placement p = {4 * u * (1 + 0.2f * k), {0, 0, 0}};
  if (body) p.centre = vec3_make(2.6f * scene_cos(a), 0.8f * scene_sin(2 * a + 9 * u), 2.6f * scene_sin(a));
  shape(mesh, 20 * u, 1.9f * k);
  scene_place(mesh, p);
}

/* How much the camera looks away: 0 outside, 1 in the middle of frames 170 to 230. */
static float c1_away(float frame)
{
  float t = 1 - fabsf(frame - 200) / 30;
  return t <= 0 ? 0 : t * t * (3 - 2 * t);
}

/* The paper tells how its frames differ, not how near its camera is. Its dearest frame takes
 * 1.93 times the mean's tracing time (table 7.1, nearly the same at all samplings); ours needs
 * 1.95 times the mean's volume tests. That speaks for a range of about a third of the distance
 * (8.5 +- 3 as 10 +- 3.5; 7 +- 2 gives 1.71); the distance itself is our choice, and covers a
 * quarter of the picture on average. The best frame is its frame 200, with 0.07 of the mean's
 * time: nothing in sight. */
void scene_c1_camera(int frame, double eye[3], double at[3])
{
  float u = scene_progress(frame, SCENE_C1_FRAMES), away = c1_away((float)frame);
  float a = 0.7f + 4.5f * u, r = 8.5f + 3.0f * scene_cos(9 * u);
  vec3 from = vec3_make(r * scene_cos(a), 2.4f + 1.6f * scene_sin(7 * u), r * scene_sin(a));
  /* the middle lies behind the camera when it is all away */
  float turn = a + 3.141593f * (1 + away);
  vec3 to = vec3_make(from.x + r * scene_cos(turn), 2 * away * from.y, from.z + r * scene_sin(turn));
  const float eyes[3] = {from.x, from.y, from.z}, ats[3] = {to.x, to.y, to.z};
  for (int k = 0; k < 3; ++k) {
    eye[k] = eyes[k];
    at[k] = ats[k];
  }
}

void scene_s5_pose(scene_mesh *a, scene_mesh *b, int step)
{
  float u = scene_progress(step, SCENE_S5_STEPS);
  placement pa = {0.7f * u, {0, 0, 0}};
  placement pb = {-0.9f * u, {2.32f + 0.2f * scene_sin(9 * u), 1.4f * (u - 0.5f), 0.5f * scene_sin(5 * u)}};
  shape(a, 5 * u, 0.0f);
  scene_place(a, pa);
  shape(b, 5 * u, 2.5f);
  scene_place(b, pb);
}
