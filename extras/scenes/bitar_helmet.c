/* The helmet: rings of vertices around the crown, laid over a dome that is cut out at the face.
 * Rings of 6, 12, .. 54, 56 and 58 vertices around one in the middle make the 385 vertices and
 * 710 triangles of the thesis. A finer helmet has `detail` times the rings, each with a number
 * of vertices between those of its coarse neighbours, so that every triangle becomes detail^2.
 * rest: distance from the crown (1 at the rim) and angle (0 at the face). */
#include "scenes/bitar_parts.h"

enum { RINGS = 11 };
static const int ring_size[RINGS + 1] = {0, 6, 12, 18, 24, 30, 36, 42, 48, 54, 56, 58};

/* Vertices of ring j of the fine mesh, 0 .. RINGS * detail; the middle counts as none. */
static int fine_size(int j, int detail)
{
  int i = j / detail, m = j % detail;
  return i == RINGS ? ring_size[i] * detail : ring_size[i] * (detail - m) + ring_size[i + 1] * m;
}

/* Triangles between two rings; `inner` and `outer` are their first vertices. An inner ring of 0
 * is one vertex. */
static uint32_t *close_gap(uint32_t *corner, uint32_t inner, uint32_t a, uint32_t outer, uint32_t b)
{
  uint32_t i = 0, j = 0;
  while (i < a || j < b) {
    uint32_t at = inner + (a ? i % a : 0), on = outer + j % b;
    *corner++ = at;
    *corner++ = on;
    if (i == a || (j < b && (2 * (uint64_t)j + 1) * a <= (2 * (uint64_t)i + 1) * b))
      *corner++ = outer + ++j % b;
    else
      *corner++ = inner + ++i % a;
  }
  return corner;
}

bool bitar_helmet_make(int detail, scene_mesh *out)
{
  const double turn = 6.28318530717958647692;
  size_t vertices = 1, triangles = 0;
  for (int j = 1; j <= RINGS * detail; ++j) {
    vertices += (size_t)fine_size(j, detail);
    triangles += (size_t)(fine_size(j - 1, detail) + fine_size(j, detail));
  }
  if (!scene_mesh_alloc(out, vertices, triangles)) return false;
  uint32_t *corner = out->triangles, first = 1, before = 0;
  for (int j = 1; j <= RINGS * detail; ++j) {
    uint32_t size = (uint32_t)fine_size(j, detail);
    for (uint32_t k = 0; k < size; ++k)
      vec3_store(out->rest, first + k, vec3_make((float)j / (float)(RINGS * detail), (float)(turn * k / size), 0));
    corner = close_gap(corner, before, (uint32_t)fine_size(j - 1, detail), first, size);
    before = first;
    first += size;
  }
  return true;
}

/* 1 at 0, falling to 0 on both sides. */
static double bump(double x) { return 1 / ((1 + x * x) * (1 + x * x)); }

/* The helmet at rest: higher over the face than over the neck, a comb along the crown, and a
 * brim. */
static point helmet_at_rest(double rho, double phi)
{
  double face = wave_cos(phi), theta = rho * (1.75 - 0.48 * face - 0.05 * face * face);
  double across = wave_sin(theta) * wave_sin(phi), brim = rho > 0.86 ? (rho - 0.86) / 0.14 : 0;
  double r = 1 + 0.10 * bump(7 * across) + (0.16 + 0.10 * face) * brim * brim;
  return (point){1.2 * r * wave_sin(theta) * face, r * across, r * wave_cos(theta)};
}

point bitar_helmet_point(double rho, double phi, double time)
{
  point p = helmet_at_rest(rho, phi);
  double squeeze = wave_sin(1.5707963 * time), dent_x = 0.9 - 1.8 * time, dent_y = 0.35;
  double dx = p.x - dent_x, dy = p.y - dent_y;
  double dent = p.z > 0 ? 0.16 * squeeze * bump(2.5 * sqrt(dx * dx + dy * dy)) * p.z : 0;
  return (point){p.x * (1 + 0.12 * squeeze), p.y * (1 - 0.28 * squeeze), p.z * (1 + 0.06 * squeeze) - dent};
}
