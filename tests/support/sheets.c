#include "support/sheets.h"

#include <math.h>
#include <stdlib.h>

const char *sheet_text(int kind)
{
  static const char *const words[] = {
#define SHEET_WORD(name, word) word,
      SHEET_LIST(SHEET_WORD)
#undef SHEET_WORD
  };
  return words[kind];
}

#define TURN 6.283185307179586

static double noise(int i, int j, int k)
{
  uint32_t h = (uint32_t)i * 374761393u + (uint32_t)j * 668265263u + (uint32_t)k * 2246822519u;
  h = (h ^ h >> 13) * 1274126177u;
  return (double)(h ^ h >> 16) / 4294967296.0 - 0.5;
}

typedef struct cell {
  double u, v; /* 0 .. 1 */
  int i, j, n;
} cell;

static void roll(const cell *c, double turns, double t, double p[3])
{
  double angle = turns * TURN * c->u, radius = 1 + 0.15 * sin(3 * angle * (1 + 0.1 * t)) * c->v;
  p[0] = radius * cos(angle);
  p[1] = 2 * c->v;
  p[2] = radius * sin(angle);
}

static void ramp(const cell *c, double lift, double t, double p[3])
{
  double angle = 2.3 * TURN * c->u, radius = 0.5 + 0.7 * c->v;
  p[0] = radius * cos(angle);
  p[1] = radius * sin(angle);
  p[2] = lift * (sin(3 * angle + t) * (0.5 + c->v));
}

/* A tube that is bent: its open end comes out of its own side. */
static void sleeve(const cell *c, double t, double p[3])
{
  double angle = TURN * c->v * 0.97, bend = (1.02 + 0.05 * t) * TURN * c->u, big = 1.0 - 0.35 * c->u;
  double small = 0.42 * (1 - 0.2 * c->u), out = big + small * cos(angle);
  p[0] = out * cos(bend);
  p[1] = out * sin(bend);
  p[2] = small * sin(angle) + 0.15 * c->u;
}

static void knot(const cell *c, double t, double p[3])
{
  double a = TURN * 0.98 * c->u, w = 0.5 * (c->v - 0.5);
  p[0] = sin(a) + 2 * sin(2 * a) + w * cos(3 * a + t);
  p[1] = cos(a) - 2 * cos(2 * a) + w * sin(3 * a);
  p[2] = (0.1 - 0.2 * t) * -sin(3 * a) + w * 0.3;
}

static void dented_sphere(const cell *c, double t, double p[3])
{
  double theta = 0.5 * TURN * (0.02 + 0.96 * c->v), phi = TURN * c->u;
  double r = 1 - (1.9 + 0.2 * t) * exp(-8 * ((theta - 1.5) * (theta - 1.5) + (phi - 3) * (phi - 3)));
  p[0] = r * sin(theta) * cos(phi);
  p[1] = r * sin(theta) * sin(phi);
  p[2] = r * cos(theta);
}

static void place_cell(int kind, const cell *c, double t, double p[3])
{
  double x = 2 * c->u - 1, y = 2 * c->v - 1;
  p[0] = x, p[1] = y, p[2] = 0;
  switch (kind) {
  case SHEET_WAVE:
    p[2] = 0.2 * sin(5 * x + t) * cos(4 * y);
    break;
  case SHEET_CRUMPLED:
    for (int k = 0; k < 3; ++k) p[k] += (1.0 + t) / c->n * 2 * noise(c->i, c->j, k);
    break;
  case SHEET_FOLDED:
    p[0] = 0.4 * x + (0.25 + 0.1 * t) * sin(9 * x + 2 * y);
    p[2] = 0.5 * cos(9 * x);
    break;
  case SHEET_ROLL_1:
    roll(c, 1.05, t, p);
    break;
  case SHEET_ROLL_1_5:
    roll(c, 1.5, t, p);
    break;
  case SHEET_ROLL_2:
    roll(c, 2, t, p);
    break;
  case SHEET_RAMP:
    ramp(c, 0.05, t, p);
    break;
  case SHEET_RIBBON:
    ramp(c, 0, t, p);
    break;
  case SHEET_SLEEVE:
    sleeve(c, t, p);
    break;
  case SHEET_KNOT:
    knot(c, t, p);
    break;
  case SHEET_TWIST: {
    double a = (1.5 + t) * TURN * c->u, w = y * (0.3 + 0.7 * fabs(x));
    p[0] = 0.2 * x + 0.35 * sin(2.5 * y) * sin(2 * a);
    p[1] = w * cos(a) + 0.1 * sin(2 * a);
    p[2] = w * sin(a);
    break;
  }
  case SHEET_SPHERE:
    dented_sphere(c, t, p);
    break;
  default:
    break;
  }
}

/* One vertex in the middle, `n` rings of 4 n around it, twice around. */
static void create_fan(int n, world_mesh *out)
{
  int around = 4 * n;
  out->vertex_count = (size_t)(1 + n * around);
  out->triangles = malloc((size_t)(3 * around * (2 * n - 1)) * sizeof *out->triangles);
  uint32_t *at = out->triangles;
  for (int i = 0; i < around; ++i) {
    uint32_t next = (uint32_t)((i + 1) % around);
    *at++ = 0, *at++ = 1 + (uint32_t)i, *at++ = 1 + next;
    for (int r = 0; r + 1 < n; ++r) {
      uint32_t base = 1 + (uint32_t)(r * around), far = base + (uint32_t)around;
      *at++ = base + (uint32_t)i, *at++ = far + (uint32_t)i, *at++ = far + next;
      *at++ = base + (uint32_t)i, *at++ = far + next, *at++ = base + next;
    }
  }
  out->triangle_count = (size_t)(at - out->triangles) / 3;
}

static void create_grid(int n, world_mesh *out)
{
  uint32_t side = (uint32_t)n + 1;
  out->vertex_count = (size_t)side * side;
  out->triangles = malloc(6 * (size_t)n * (size_t)n * sizeof *out->triangles);
  uint32_t *at = out->triangles;
  for (uint32_t j = 0; j < (uint32_t)n; ++j)
    for (uint32_t i = 0; i < (uint32_t)n; ++i) {
      uint32_t a = j * side + i, b = a + 1, c = a + side, d = c + 1;
      *at++ = a, *at++ = b, *at++ = d;
      *at++ = a, *at++ = d, *at++ = c;
    }
  out->triangle_count = 2 * (size_t)n * (size_t)n;
}

void sheet_create(int kind, int n, world_mesh *out)
{
  *out = (world_mesh){0};
  if (kind == SHEET_FAN)
    create_fan(n, out);
  else
    create_grid(n, out);
  out->xyz = malloc(3 * out->vertex_count * sizeof *out->xyz);
  out->xyz_f32 = malloc(3 * out->vertex_count * sizeof *out->xyz_f32);
  sheet_pose(kind, n, 0, out);
}

void sheet_pose(int kind, int n, double time, world_mesh *m)
{
  for (size_t v = 0; v < m->vertex_count; ++v) {
    double *p = m->xyz + 3 * v;
    if (kind == SHEET_FAN) {
      int k = (int)v - 1, ring = k / (4 * n), i = k % (4 * n);
      double a = 2 * TURN * i / (4 * n), r = v ? (ring + 1.0) / n : 0;
      p[0] = r * cos(a), p[1] = r * sin(a), p[2] = (0.1 + 0.1 * time) * r * sin(0.5 * a);
    } else {
      int i = (int)(v % (size_t)(n + 1)), j = (int)(v / (size_t)(n + 1));
      cell c = {(double)i / n, (double)j / n, i, j, n};
      place_cell(kind, &c, time, p);
    }
    for (int k = 0; k < 3; ++k) p[k] = m->xyz_f32[3 * v + (size_t)k] = (float)p[k];
  }
}

void sheet_free(world_mesh *m)
{
  free(m->xyz);
  free(m->xyz_f32);
  free(m->triangles);
  *m = (world_mesh){0};
}
