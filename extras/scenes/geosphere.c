/* Geodesic sphere: the icosahedron's faces cut in f^2 triangles each, row by row. Vertices of an
 * edge are made when a face first meets it and found again in a table of edges. Cost: O(f^2). */
#include "scenes/parts.h"

#include <stdlib.h>

enum { FREQUENCY_MOST = 5000 }; /* half a thousand million triangles */

static const uint8_t FACES[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};

typedef struct sphere_maker {
  int frequency;
  vec3 corner[12];       /* of the icosahedron, not of unit length: rows are cut on flat faces */
  uint32_t edge[12][12]; /* [low][high]: first inner vertex of an edge, 0: not met yet */
  uint32_t vertices;     /* made so far */
  uint32_t *row[2];      /* the row above, and this one */
  scene_mesh *mesh;
} sphere_maker;

static uint32_t push(sphere_maker *s, vec3 p)
{
  vec3_store(s->mesh->rest, s->vertices, vec3_normalize(p));
  return s->vertices++;
}

static void make_corners(sphere_maker *s)
{
  const float g = (1.0f + sqrtf(5.0f)) * 0.5f;
  const float c[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                          {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  for (int i = 0; i < 12; ++i) {
    s->corner[i] = vec3_make(c[i][0], c[i][1], c[i][2]);
    push(s, s->corner[i]);
  }
}

/* The vertex i steps of f on the way from corner a to corner b. */
static uint32_t on_edge(sphere_maker *s, int a, int b, int i)
{
  if (i == 0) return (uint32_t)a;
  if (i == s->frequency) return (uint32_t)b;
  if (a > b) {
    int swap = a;
    a = b;
    b = swap;
    i = s->frequency - i;
  }
  if (!s->edge[a][b]) {
    s->edge[a][b] = s->vertices;
    for (int k = 1; k < s->frequency; ++k)
      push(s, vec3_lerp(s->corner[a], s->corner[b], (float)k / (float)s->frequency));
  }
  return s->edge[a][b] + (uint32_t)i - 1;
}

static uint32_t face_vertex(sphere_maker *s, const uint8_t *face, int r, int k)
{
  if (r == s->frequency) return on_edge(s, face[1], face[2], k);
  if (k == 0) return on_edge(s, face[0], face[1], r);
  if (k == r) return on_edge(s, face[0], face[2], r);
  float t = (float)r / (float)s->frequency;
  vec3 a = vec3_lerp(s->corner[face[0]], s->corner[face[1]], t),
       b = vec3_lerp(s->corner[face[0]], s->corner[face[2]], t);
  return push(s, vec3_lerp(a, b, (float)k / (float)r));
}

static uint32_t *make_face(sphere_maker *s, const uint8_t *face, uint32_t *out)
{
  s->row[0][0] = face[0];
  for (int r = 1; r <= s->frequency; ++r) {
    uint32_t *above = s->row[0], *here = s->row[1];
    for (int k = 0; k <= r; ++k) here[k] = face_vertex(s, face, r, k);
    for (int k = 0; k < r; ++k) {
      *out++ = above[k], *out++ = here[k], *out++ = here[k + 1];
      if (k + 1 < r) *out++ = above[k], *out++ = here[k + 1], *out++ = above[k + 1];
    }
    s->row[0] = here;
    s->row[1] = above;
  }
  return out;
}

bool scene_geosphere(int f, scene_mesh *out)
{
  *out = (scene_mesh){0};
  if (f < 1 || f > FREQUENCY_MOST) return false;
  size_t cells = (size_t)f * (size_t)f, row = (size_t)f + 1;
  uint32_t *rows = malloc(2 * row * sizeof *rows);
  if (!rows || !scene_mesh_alloc(out, 10 * cells + 2, 20 * cells)) {
    free(rows);
    return false;
  }
  sphere_maker s = {.frequency = f, .row = {rows, rows + row}, .mesh = out};
  make_corners(&s);
  uint32_t *corners = out->triangles;
  for (int i = 0; i < 20; ++i) corners = make_face(&s, FACES[i], corners);
  free(rows);
  return true;
}

int scene_geosphere_frequency(int triangles)
{
  long f = lround(sqrt(triangles / 20.0));
  return f < 1 ? 1 : (int)f;
}
