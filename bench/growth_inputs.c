#include "bench/growth_inputs.h"

#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN 6.283185307179586

static void mesh_free(growth_mesh *m)
{
  free(m->xyz);
  free(m->end);
  free(m->triangles);
  *m = (growth_mesh){0};
}

void growth_input_free(growth_input *input)
{
  mesh_free(&input->a);
  mesh_free(&input->b);
}

static bool mesh_new(growth_mesh *m, size_t vertices, size_t triangles)
{
  *m = (growth_mesh){calloc(3 * vertices, sizeof(double)), calloc(3 * vertices, sizeof(double)),
                     calloc(3 * triangles, sizeof(uint32_t)), vertices, triangles};
  if (m->xyz && m->end && m->triangles) return true;
  mesh_free(m);
  return false;
}

static void set(growth_mesh *m, size_t v, double x, double y, double z)
{
  m->xyz[3 * v] = x;
  m->xyz[3 * v + 1] = y;
  m->xyz[3 * v + 2] = z;
}

static void set_triangle(growth_mesh *m, size_t t, size_t a, size_t b, size_t c)
{
  m->triangles[3 * t] = (uint32_t)a;
  m->triangles[3 * t + 1] = (uint32_t)b;
  m->triangles[3 * t + 2] = (uint32_t)c;
}

/* The step: all vertices go by (x, y, z) and turn a little. */
static void move(growth_mesh *m, double x, double y, double z)
{
  for (size_t v = 0; v < m->vertex_count; ++v) {
    const double *p = m->xyz + 3 * v;
    double *q = m->end + 3 * v;
    q[0] = p[0] + x - 0.01 * p[1];
    q[1] = p[1] + y + 0.01 * p[0];
    q[2] = p[2] + z;
  }
}

static void scale(growth_mesh *m, double factor, double shift)
{
  for (size_t i = 0; i < 3 * m->vertex_count; ++i) {
    m->xyz[i] = m->xyz[i] * factor + shift;
    m->end[i] = m->end[i] * factor + shift;
  }
}

/* ----------------------------------------------------------------------------- single meshes -- */

/* A bumpy sphere about (x, 0, 0). */
static bool sphere(size_t n, double radius, double x, growth_mesh *out)
{
  scene_mesh s;
  if (!scene_geosphere(scene_geosphere_frequency((int)n), &s)) return false;
  bool good = mesh_new(out, s.vertex_count, s.triangle_count);
  for (size_t v = 0; good && v < s.vertex_count; ++v) {
    const double d[3] = {(double)s.rest[3 * v], (double)s.rest[3 * v + 1], (double)s.rest[3 * v + 2]};
    double r = radius * (1 + 0.02 * sin(5 * d[0]) * sin(7 * d[1]));
    set(out, v, x + r * d[0], r * d[1], r * d[2]);
  }
  if (good) memcpy(out->triangles, s.triangles, 3 * s.triangle_count * sizeof *out->triangles);
  scene_mesh_free(&s);
  if (good) move(out, x > 0 ? -0.05 : 0.05, 0, 0);
  return good;
}

/* Square grids of unit size, one above the other. */
static bool sheets(size_t n, size_t count, double z, double gap, double shift, growth_mesh *out)
{
  size_t side = (size_t)fmax(1, sqrt((double)n / (2 * (double)count))), row = side + 1, one = row * row;
  if (!mesh_new(out, count * one, count * 2 * side * side)) return false;
  for (size_t s = 0; s < count; ++s)
    for (size_t i = 0; i < one; ++i)
      set(out, s * one + i, ((double)(i / row) + shift) / (double)side, ((double)(i % row) + shift) / (double)side,
          z + gap * (double)s);
  for (size_t t = 0; t < count * side * side; ++t) {
    size_t s = t / (side * side), k = t % (side * side), v = s * one + k / side * row + k % side;
    set_triangle(out, 2 * t, v, v + 1, v + row);
    set_triangle(out, 2 * t + 1, v + 1, v + row + 1, v + row);
  }
  move(out, 0, 0, -0.5 * gap);
  return true;
}

/* Needles from -1 to 1 along a direction, side by side. */
static bool needles(size_t n, const double along[3], double z, growth_mesh *out)
{
  if (!mesh_new(out, 3 * n, n)) return false;
  for (size_t t = 0; t < n; ++t) {
    double at = 2 * ((double)t + 0.5) / (double)n - 1, width = 0.3 / (double)n;
    const double from[3] = {-at * along[1], at * along[0], z};
    for (size_t c = 0; c < 3; ++c) {
      double s = c == 0 ? -1 : 1, off = c == 2 ? width : 0;
      set(out, 3 * t + c, from[0] + s * along[0], from[1] + s * along[1], from[2] + s * along[2] + off);
    }
    set_triangle(out, t, 3 * t, 3 * t + 1, 3 * t + 2);
  }
  move(out, 0, 0, -0.02);
  return true;
}

/* ------------------------------------------------------------------------------------ shapes -- */

static bool ordinary(size_t n, growth_input *out)
{
  out->margin = 1e-3;
  return sphere(n, 1, 0, &out->a) && sphere(n, 0.9, 1.85, &out->b);
}

static bool spikes(size_t n, growth_input *out)
{
  growth_mesh *m = &out->a;
  double width = 0.3 / sqrt((double)n);
  if (!mesh_new(m, 2 * n + 1, n)) return false;
  for (size_t i = 0; i < n; ++i) {
    double z = 1 - (2 * (double)i + 1) / (double)n, r = sqrt(1 - z * z), a = 2.399963229728653 * (double)i;
    set(m, 2 * i + 1, r * cos(a), r * sin(a), z);
    set(m, 2 * i + 2, r * cos(a) - width * sin(a), r * sin(a) + width * cos(a), z);
    set_triangle(m, i, 0, 2 * i + 1, 2 * i + 2);
  }
  move(m, 0.05, 0, 0);
  out->margin = 1e-4;
  return sphere(n, 0.1, 1.05, &out->b);
}

static bool disc(size_t n, growth_input *out)
{
  growth_mesh *m = &out->a;
  if (!mesh_new(m, n + 1, n)) return false;
  for (size_t i = 0; i < n; ++i) {
    double a = TURN * (double)i / (double)n;
    set(m, i + 1, cos(a), sin(a), 0);
    set_triangle(m, i, 0, 1 + i, 1 + (i + 1) % n);
  }
  move(m, 0.05, 0, 0.01);
  out->margin = 1e-4;
  return sphere(n, 0.1, 1.05, &out->b);
}

static bool book(size_t n, growth_input *out)
{
  growth_mesh *m = &out->a;
  if (!mesh_new(m, n + 2, n)) return false;
  set(m, 1, 0, 0, 1);
  for (size_t i = 0; i < n; ++i) {
    double a = TURN * (double)i / (double)n;
    set(m, i + 2, cos(a), sin(a), 0.5);
    set_triangle(m, i, 0, 1, i + 2);
  }
  move(m, 0.05, 0, 0);
  out->margin = 1e-4;
  return sphere(n, 0.1, 1.05, &out->b);
}

static bool rim(size_t n, growth_input *out)
{
  growth_mesh *m = &out->a;
  size_t side = n / 5 ? n / 5 : 3;
  if (side < 3) side = 3;
  if (!mesh_new(m, 3 * side + 1, 5 * side)) return false;
  for (size_t i = 0; i < 3 * side; ++i) {
    double a = TURN * ((double)(i % side) + 0.5 * (double)(i / side)) / (double)side, r = 1 + 0.1 * (double)(i / side);
    set(m, i + 1, r * cos(a), r * sin(a), 0.02 * (double)(i / side));
  }
  for (size_t i = 0; i < side; ++i) {
    size_t next = (i + 1) % side;
    set_triangle(m, 5 * i, 0, 1 + i, 1 + next);
    for (size_t ring = 0; ring < 2; ++ring) {
      size_t low = 1 + ring * side, high = low + side;
      set_triangle(m, 5 * i + 1 + 2 * ring, low + i, high + i, low + next);
      set_triangle(m, 5 * i + 2 + 2 * ring, low + next, high + i, high + next);
    }
  }
  move(m, 0.05, 0, 0);
  out->margin = 1e-4;
  return sphere(n, 0.1, 1.25, &out->b);
}

static bool copies(size_t n, growth_input *out)
{
  growth_mesh *m = &out->a;
  if (!mesh_new(m, 3 * n, n)) return false;
  for (size_t t = 0; t < n; ++t) {
    set(m, 3 * t, 0.9, 0.003, 0.002);
    set(m, 3 * t + 1, 0.97, 0.004, 0.002);
    set(m, 3 * t + 2, 0.97, 0.003, 0.003);
    set_triangle(m, t, 3 * t, 3 * t + 1, 3 * t + 2);
  }
  move(m, 0.05, 0, 0);
  out->margin = 1e-6;
  return sphere(n, 1, 0, &out->b);
}

static bool point(size_t n, growth_input *out)
{
  growth_mesh *m = &out->a;
  if (!mesh_new(m, 3 * n, n)) return false;
  for (size_t t = 0; t < n; ++t) set_triangle(m, t, 3 * t, 3 * t + 1, 3 * t + 2);
  for (size_t v = 0; v < m->vertex_count; ++v) set(m, v, 0.95, 0, 0);
  move(m, 0.05, 0, 0);
  out->margin = 1e-6;
  return sphere(n, 1, 0, &out->b);
}

static bool coplanar(size_t n, growth_input *out)
{
  if (!sheets(n / 4, 1, 0.5, 0, 0, &out->a) || !sheets(n / 4, 1, 0.5, 0, 0.37, &out->b)) return false;
  out->margin = 0;
  return true;
}

/* The grid slides along itself by half an edge. */
static bool grid(size_t n, growth_input *out)
{
  if (!sheets(n, 1, 0, 0, 0, &out->a) || !sheets(n, 1, 0.01, 0, 0.25, &out->b)) return false;
  double edge = 0.5 / sqrt((double)n / 2);
  for (size_t v = 0; v < out->a.vertex_count; ++v) {
    memcpy(out->a.end + 3 * v, out->a.xyz + 3 * v, 3 * sizeof(double));
    out->a.end[3 * v] += edge;
  }
  out->margin = 1e-3;
  return true;
}

/* Two sheets beside each other: the second goes over half of the first. */
static bool slid(size_t n, growth_input *out)
{
  growth_mesh *m = &out->a;
  if (!sheets(n, 2, 0, 0, 0, m) || !sheets(n, 1, 0.01, 0, 0.25, &out->b)) return false;
  for (size_t v = 0; v < m->vertex_count; ++v) {
    const bool second = v >= m->vertex_count / 2;
    m->xyz[3 * v] += second ? 1.1 : 0;
    memcpy(m->end + 3 * v, m->xyz + 3 * v, 3 * sizeof(double));
    m->end[3 * v] -= second ? 0.6 : 0;
  }
  out->margin = 1e-3;
  return true;
}

static bool stack(size_t n, growth_input *out)
{
  out->margin = 1e-4;
  return sheets(n, 16, 0, 0.01, 0, &out->a) && sheets(n, 1, 0.0853, 0.01, 0.1, &out->b);
}

static bool plates(size_t n, growth_input *out)
{
  out->margin = 0.002;
  return sheets(n, 1, 0.5, 0, 0, &out->a) && sheets(n, 1, 0.51, 0.04, 0.25, &out->b);
}

static bool shells(size_t n, growth_input *out)
{
  out->margin = 0.002;
  return sphere(n, 1, 0, &out->a) && sphere(n, 0.95, 0, &out->b);
}

static bool implode(size_t n, growth_input *out)
{
  if (!ordinary(n, out)) return false;
  memset(out->a.end, 0, 3 * out->a.vertex_count * sizeof *out->a.end);
  return true;
}

static bool outlier(size_t n, growth_input *out)
{
  if (!sheets(n, 1, 0, 0, 0, &out->a) || !sheets(n, 1, 0.01, 0, 0.25, &out->b)) return false;
  out->a.xyz[2] = out->a.end[2] = 1e6;
  out->margin = 1e-3;
  return true;
}

static bool slivers(size_t n, growth_input *out)
{
  static const double along[3] = {0.577, 0.577, 0.577};
  out->margin = 1e-6;
  return needles(n, along, 0, &out->a) && sphere(n, 0.1, 1.2, &out->b);
}

static bool crossed(size_t n, growth_input *out)
{
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
  out->margin = 1e-6;
  return needles(n / 4, x, 0, &out->a) && needles(n / 4, y, 0.01, &out->b);
}

static double draw(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static bool soup(size_t n, growth_input *out)
{
  uint64_t state = 7;
  for (int b = 0; b < 2; ++b) {
    growth_mesh *m = b ? &out->b : &out->a;
    if (!mesh_new(m, 3 * n, n)) return false;
    double size = 0.5 / cbrt((double)n);
    for (size_t t = 0; t < n; ++t) {
      const double at[3] = {draw(&state), draw(&state), draw(&state)};
      for (size_t c = 0; c < 3; ++c)
        set(m, 3 * t + c, at[0] + size * draw(&state), at[1] + size * draw(&state), at[2] + size * draw(&state));
      set_triangle(m, t, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    move(m, b ? -0.01 : 0.01, 0, 0);
  }
  out->margin = 1e-4;
  return true;
}

static bool far(size_t n, growth_input *out)
{
  if (!ordinary(n, out)) return false;
  scale(&out->a, 1e-3, 1000);
  scale(&out->b, 1e-3, 1000);
  out->margin = 1e-6;
  return true;
}

static bool huge(size_t n, growth_input *out)
{
  if (!ordinary(n, out)) return false;
  scale(&out->a, 1e300, 0);
  scale(&out->b, 1e300, 0);
  out->margin = 1e297;
  return true;
}

const growth_shape growth_shapes[GROWTH_SHAPES] = {
#define GROWTH_SHAPE_ROW(name, function, what) {what, function},
    GROWTH_SHAPE_LIST(GROWTH_SHAPE_ROW)
#undef GROWTH_SHAPE_ROW
};
