/* Small meshes, ordinary and nasty. */
#include "world.h"

void *fuzz_array(size_t count, size_t size)
{
  void *block = calloc(count ? count : 1, size);
  if (!block) abort();
  return block;
}

static void set_point(double *at, double x, double y, double z)
{
  at[0] = x;
  at[1] = y;
  at[2] = z;
}

static void set_triangle(fuzz_body *b, size_t i, size_t p, size_t q, size_t r)
{
  b->triangles[3 * i] = (uint32_t)p;
  b->triangles[3 * i + 1] = (uint32_t)q;
  b->triangles[3 * i + 2] = (uint32_t)r;
}

static void mesh_room(fuzz_body *b, size_t vertices, size_t triangles)
{
  b->vertex_count = vertices;
  b->triangle_count = triangles;
  b->triangles = fuzz_array(3 * triangles, sizeof *b->triangles);
  b->base = fuzz_array(3 * vertices, sizeof *b->base);
}

static void mesh_soup(world *w, fuzz_body *b, size_t n)
{
  mesh_room(b, 3 * n, n);
  for (size_t i = 0; i < n; ++i) {
    set_triangle(b, i, 3 * i, 3 * i + 1, 3 * i + 2);
    double centre[3] = {ordinary(w), ordinary(w), ordinary(w)};
    for (size_t k = 0; k < 9; ++k) b->base[9 * i + k] = centre[k % 3] + uniform(w, -0.7, 0.7);
  }
}

static void mesh_grid(world *w, fuzz_body *b, size_t n)
{
  size_t wide = 1 + (size_t)below(w, 6), high = n / (2 * wide) ? n / (2 * wide) : 1;
  mesh_room(b, (wide + 1) * (high + 1), 2 * wide * high);
  double bump = below(w, 2) ? 0 : 0.25;
  for (size_t y = 0; y <= high; ++y)
    for (size_t x = 0; x <= wide; ++x) {
      double *at = b->base + 3 * (y * (wide + 1) + x);
      set_point(at, (double)x - 2, (double)y - 2, bump * (double)((x * y) % 3));
    }
  for (size_t i = 0; i < wide * high; ++i) {
    size_t p = i / wide * (wide + 1) + i % wide;
    set_triangle(b, 2 * i, p, p + 1, p + wide + 1);
    set_triangle(b, 2 * i + 1, p + 1, p + wide + 2, p + wide + 1);
  }
}

static void mesh_fan(world *w, fuzz_body *b, size_t n)
{
  mesh_room(b, n + 2, n);
  double rise = below(w, 3) - 1;
  set_point(b->base, 0, 0, rise);
  for (size_t i = 0; i <= n; ++i)
    set_point(b->base + 3 * (i + 1), 2 * cos(6.2831853 * (double)i / (double)n),
              2 * sin(6.2831853 * (double)i / (double)n), 0);
  for (size_t i = 0; i < n; ++i) set_triangle(b, i, 0, i + 1, i + 2);
}

/* All triangles at one place, with the same vertices or with their own. */
static void mesh_copies(world *w, fuzz_body *b, size_t n)
{
  bool own = below(w, 2);
  mesh_room(b, own ? 3 * n : 3, n);
  double corner[9];
  for (int k = 0; k < 9; ++k) corner[k] = ordinary(w);
  for (size_t i = 0; i < n; ++i) set_triangle(b, i, own ? 3 * i : 0, own ? 3 * i + 1 : 1, own ? 3 * i + 2 : 2);
  for (size_t i = 0; i < 3 * b->vertex_count; ++i) b->base[i] = corner[i % 9];
}

/* Any three of a few vertices: edges of many triangles, repeated ones, segments, points,
 * vertices that nothing uses. */
static void mesh_tangle(world *w, fuzz_body *b, size_t n)
{
  size_t vertices = 3 + (size_t)below(w, 12);
  mesh_room(b, vertices, n);
  for (size_t i = 0; i < 3 * vertices; ++i) b->base[i] = ordinary(w);
  for (size_t i = 0; i < n; ++i)
    set_triangle(b, i, (size_t)below(w, (int)vertices), (size_t)below(w, (int)vertices),
                 (size_t)below(w, (int)vertices));
}

static void mesh_octahedron(world *w, fuzz_body *b)
{
  static const uint8_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                      {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  mesh_room(b, 6, 8);
  double size = 1 + below(w, 3);
  for (size_t v = 0; v < 6; ++v) b->base[3 * v + v / 2] = v % 2 ? -size : size;
  for (size_t i = 0; i < 8; ++i) set_triangle(b, i, faces[i][0], faces[i][1], faces[i][2]);
}

void mesh_make(world *w, fuzz_body *b, size_t most)
{
  int kind = pick(w, 7);
  size_t n = 1 + (size_t)pick(w, 256) % most;
  seed_of(w);
  switch (kind) {
  case 0:
    mesh_soup(w, b, n);
    break;
  case 1:
    mesh_grid(w, b, n);
    break;
  case 2:
    mesh_fan(w, b, n);
    break;
  case 3:
    mesh_copies(w, b, n > 12 ? n / 5 : n);
    break;
  case 4:
    mesh_tangle(w, b, n);
    break;
  case 5:
    mesh_octahedron(w, b);
    break;
  default:
    mesh_grid(w, b, 2 * n > most ? most : 2 * n);
    break;
  }
}
