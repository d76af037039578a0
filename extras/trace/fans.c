/* Smooth normals where a ray arrives. A corner's normal is the sum of the normals of the
 * triangles around it, as long as their areas, without those beyond a sharp edge. Made for the
 * hit triangle only: the cost follows the rays, not the mesh, as the trees' does. Vertices at
 * the same place are one (found once, by hashing), because files split them along seams. */
#include "trace/inside.h"

#include <stdlib.h>
#include <string.h>

/* a corner with more triangles is the tip of a cone: its triangles stay flat there */
enum { MOST_AROUND = 128 };

struct trace_fans {
  uint32_t *point; /* of each vertex: its place, numbered from 0 */
  uint32_t *first; /* of each place: its first triangle in `around`; places + 1 */
  uint32_t *around;
};

/* --------------------------------------------------------------------------------- positions -- */

static inline vec position(const pl_positions *p, uint32_t i)
{
  const char *at = (const char *)p->data + (size_t)i * p->stride;
  if (p->type == PL_F32) return vec_of_float((const float *)(const void *)at);
  return vec_of((const double *)(const void *)at);
}

static inline vec face_of(const trace_body *body, uint32_t triangle)
{
  const uint32_t *v = body->triangles + 3 * (size_t)triangle;
  vec a = position(&body->positions, v[0]);
  return vec_cross(vec_sub(position(&body->positions, v[1]), a), vec_sub(position(&body->positions, v[2]), a));
}

/* -------------------------------------------------------------------------------------- fans -- */

static uint64_t hash_of(vec p)
{
  double xyz[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; /* -0 and 0 are one place */
  uint64_t h = 0;
  for (int i = 0; i < 3; ++i) {
    uint64_t bits;
    memcpy(&bits, &xyz[i], sizeof bits);
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

/* Gives every vertex its place; returns the number of places, or 0: out of memory. */
static size_t weld(const pl_positions *positions, uint32_t *point)
{
  size_t size = 16, places = 0;
  while (size < 2 * positions->count) size *= 2;
  uint32_t *table = malloc(size * sizeof *table); /* the first vertex at a place */
  if (!table) return 0;
  memset(table, 0xff, size * sizeof *table);
  for (uint32_t i = 0; i < positions->count; ++i) {
    vec p = position(positions, i);
    size_t k = (size_t)hash_of(p) & (size - 1);
    for (; table[k] != UINT32_MAX; k = (k + 1) & (size - 1)) {
      vec q = position(positions, table[k]);
      if (p.x == q.x && p.y == q.y && p.z == q.z) break;
    }
    if (table[k] == UINT32_MAX) {
      table[k] = i;
      point[i] = (uint32_t)places++;
    } else {
      point[i] = point[table[k]];
    }
  }
  free(table);
  return places;
}

/* Triangles ascend within a fan, so that sums have one order. */
static bool gather(const pl_mesh_def *mesh, size_t places, trace_fans *f)
{
  size_t count = 3 * mesh->triangle_count;
  f->first = calloc(places + 2, sizeof *f->first);
  f->around = malloc(count * sizeof *f->around);
  if (!f->first || !f->around) return false;
  uint32_t *next = f->first + 1; /* shifted by one while it is filled */
  for (size_t c = 0; c < count; ++c) ++next[f->point[mesh->triangles[c]] + 1];
  for (size_t i = 1; i <= places; ++i) next[i] += next[i - 1];
  for (size_t c = 0; c < count; ++c) f->around[next[f->point[mesh->triangles[c]]]++] = (uint32_t)(c / 3);
  return true;
}

pl_status trace_fans_create(const pl_mesh_def *mesh, trace_fans **out)
{
  *out = NULL;
  trace_fans *f = calloc(1, sizeof *f);
  if (!f) return PL_ERROR_MEMORY;
  f->point = malloc((mesh->positions.count + 1) * sizeof *f->point);
  size_t places = f->point ? weld(&mesh->positions, f->point) : 0;
  if (places == 0 || !gather(mesh, places, f)) {
    trace_fans_destroy(f);
    return PL_ERROR_MEMORY;
  }
  *out = f;
  return PL_OK;
}

void trace_fans_destroy(trace_fans *fans)
{
  if (!fans) return;
  free(fans->point);
  free(fans->first);
  free(fans->around);
  free(fans);
}

/* ----------------------------------------------------------------------------------- normals -- */

/* Not of unit length. A triangle takes part if its angle to `face` is less than a sharp edge's:
 * compared by squares, for a root per triangle would cost more than all the rest. */
static vec corner_normal(const trace_body *body, uint32_t vertex, vec face, double cos_crease)
{
  const trace_fans *f = body->fans;
  uint32_t place = f->point[vertex], begin = f->first[place], end = f->first[place + 1];
  if (end - begin > MOST_AROUND) return face;
  double limit = cos_crease * cos_crease * vec_dot(face, face);
  vec sum = vec_make(0, 0, 0);
  for (uint32_t i = begin; i < end; ++i) {
    vec other = face_of(body, f->around[i]);
    double along = vec_dot(other, face);
    if (along > 0 && along * along >= limit * vec_dot(other, other)) sum = vec_add(sum, other);
  }
  return vec_dot(sum, face) > 0 ? sum : face;
}

static vec place_point(const pl_transform *t, vec p)
{
  return vec_make(t->m[0][0] * p.x + t->m[0][1] * p.y + t->m[0][2] * p.z + t->t[0],
                  t->m[1][0] * p.x + t->m[1][1] * p.y + t->m[1][2] * p.z + t->t[1],
                  t->m[2][0] * p.x + t->m[2][1] * p.y + t->m[2][2] * p.z + t->t[2]);
}

/* By the cofactors of the matrix, which keep normals at right angles under any scale. */
static vec place_normal(const pl_transform *t, vec n)
{
  vec a = vec_of(t->m[0]), b = vec_of(t->m[1]), c = vec_of(t->m[2]);
  return vec_make(vec_dot(vec_cross(b, c), n), vec_dot(vec_cross(c, a), n), vec_dot(vec_cross(a, b), n));
}

bool corners_make(const trace_body *body, uint32_t triangle, double cos_crease, corners *out)
{
  const uint32_t *v = body->triangles + 3 * (size_t)triangle;
  for (int i = 0; i < 3; ++i) out->point[i] = position(&body->positions, v[i]);
  vec face = vec_cross(vec_sub(out->point[1], out->point[0]), vec_sub(out->point[2], out->point[0]));
  for (int i = 0; i < 3; ++i) out->normal[i] = corner_normal(body, v[i], face, cos_crease);
  for (int i = 0; i < 3; ++i) {
    if (body->placement) {
      out->point[i] = place_point(body->placement, out->point[i]);
      out->normal[i] = place_normal(body->placement, out->normal[i]);
    }
    double length = vec_length(out->normal[i]);
    if (!(length > 0) || !isfinite(length)) return false;
    out->normal[i] = vec_scale(out->normal[i], 1 / length);
  }
  return true;
}
