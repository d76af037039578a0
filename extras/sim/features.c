/* Level "all": features that meet on the way, or come near, as rows of the contact system.
 *
 * A vertex and a face, or two edges, are a point on each side: a weighted sum of vertices, whose
 * terms are the weighted sum of theirs. Features that come near may approach until they are as
 * near as the thickness, those that would meet not at all. Within one body both sides are one
 * (rows.c). */
#include "triangles.h"

/* A point of a body: up to three vertices with weights. */
typedef struct place {
  uint32_t body;
  int count;
  uint32_t vertex[3];
  double weight[3];
} place;

static void vertex_at(const sim_world *world, uint32_t b, uint32_t vertex, double time, double out[3])
{
  const body *of = &world->bodies[b];
  const shape *s = &world->shapes[of->shape];
  body_vertex(s, of, vertex, time * world->def.step, out);
}

static void place_at(const sim_world *world, const place *p, double time, double out[3])
{
  memset(out, 0, 3 * sizeof *out);
  for (int i = 0; i < p->count; ++i) {
    double x[3];
    vertex_at(world, p->body, p->vertex[i], time, x);
    for (int k = 0; k < 3; ++k) out[k] += p->weight[i] * x[k];
  }
}

/* Weights of the corners for the point of a triangle that is nearest to x, clamped to it. */
static void on_face(const sim_world *world, uint32_t b, uint32_t triangle, double time, const double x[3], place *out)
{
  const shape *s = &world->shapes[world->bodies[b].shape];
  const uint32_t *v = &s->triangles[3 * triangle];
  double corner[3][3], d[3], e[3], w[3];
  for (int i = 0; i < 3; ++i) vertex_at(world, b, v[i], time, corner[i]);
  for (int k = 0; k < 3; ++k)
    d[k] = corner[1][k] - corner[0][k], e[k] = corner[2][k] - corner[0][k], w[k] = x[k] - corner[0][k];
  double dd = dot3(d, d), de = dot3(d, e), ee = dot3(e, e), wd = dot3(w, d), we = dot3(w, e), det = dd * ee - de * de;
  double f = det > 0 ? (ee * wd - de * we) / det : 1.0 / 3, g = det > 0 ? (dd * we - de * wd) / det : 1.0 / 3;
  f = fmin(fmax(f, 0), 1), g = fmin(fmax(g, 0), 1 - f);
  *out = (place){.body = b, .count = 3, .vertex = {v[0], v[1], v[2]}, .weight = {1 - f - g, f, g}};
}

static void on_edge(const sim_world *world, uint32_t b, const uint32_t ends[2], double time, const double x[3],
                    place *out)
{
  double from[3], to[3], along[3], w[3];
  vertex_at(world, b, ends[0], time, from);
  vertex_at(world, b, ends[1], time, to);
  for (int k = 0; k < 3; ++k) along[k] = to[k] - from[k], w[k] = x[k] - from[k];
  double length = dot3(along, along), f = length > 0 ? fmin(fmax(dot3(along, w) / length, 0), 1) : 0.5;
  *out = (place){.body = b, .count = 2, .vertex = {ends[0], ends[1]}, .weight = {1 - f, f}};
}

static void on_vertex(uint32_t b, uint32_t vertex, place *out)
{
  *out = (place){.body = b, .count = 1, .vertex = {vertex}, .weight = {1}};
}

static uint32_t index_of(const sim_world *world, const pl_body *b)
{
  return (uint32_t)((body *)pl_body_user(b) - world->bodies);
}

static void places_of(const sim_world *world, const pl_impact *hit, place *a, place *b)
{
  uint32_t of_a = index_of(world, hit->a), of_b = index_of(world, hit->b);
  double x[3];
  if (hit->kind == PL_FEATURE_EDGE_EDGE) {
    on_edge(world, of_a, hit->feature_a, hit->time, hit->point, a);
    on_edge(world, of_b, hit->feature_b, hit->time, hit->point, b);
  } else if (hit->kind == PL_FEATURE_VERTEX_FACE) {
    on_vertex(of_a, hit->feature_a[0], a);
    vertex_at(world, of_a, hit->feature_a[0], hit->time, x);
    on_face(world, of_b, hit->feature_b[0], hit->time, x, b);
  } else {
    on_vertex(of_b, hit->feature_b[0], b);
    vertex_at(world, of_b, hit->feature_b[0], hit->time, x);
    on_face(world, of_a, hit->feature_a[0], hit->time, x, a);
  }
}

static void side_of(const sim_world *world, const place *p, row_side *out)
{
  side_begin(world, p->body, out);
  for (int i = 0; i < p->count; ++i) side_add(world, p->vertex[i], p->weight[i], out);
}

static bool add_row(sim_world *world, const row_side *a, const row_side *b, row_def *def)
{
  row_side both;
  def->sides[0] = a, def->sides[1] = b;
  world->triangles->touched[a->body] = 1;
  if (b) world->triangles->touched[b->body] = 1;
  if (b && a->body == b->body) {
    both = *a;
    side_subtract(world, b, &both);
    def->sides[0] = &both, def->sides[1] = NULL;
  }
  return solver_add(world, def) != NULL;
}

/* Parts of one body that are near at rest stay so. */
static bool near_at_rest(const sim_world *world, const place *a, const place *b)
{
  double d[3] = {0};
  const shape *s = &world->shapes[world->bodies[a->body].shape];
  if (a->body != b->body) return false;
  for (int i = 0; i < a->count; ++i)
    for (int k = 0; k < 3; ++k) d[k] += a->weight[i] * s->points[3 * a->vertex[i] + (uint32_t)k];
  for (int i = 0; i < b->count; ++i)
    for (int k = 0; k < 3; ++k) d[k] -= b->weight[i] * s->points[3 * b->vertex[i] + (uint32_t)k];
  return length3(d) < 2 * world->triangles->thickness;
}

static bool add_impact(sim_world *world, const pl_impact *hit, bool near)
{
  place a, b;
  row_side sides[2];
  double from[2][3], to[2][3], apart[3], way = 0;
  row_def def = {.gap = 0};
  places_of(world, hit, &a, &b);
  if (near && near_at_rest(world, &a, &b)) return true;
  memcpy(def.normal, hit->normal, sizeof def.normal);
  place_at(world, &a, hit->time, to[0]), place_at(world, &b, hit->time, to[1]);
  for (int k = 0; k < 3; ++k) apart[k] = to[0][k] - to[1][k];
  double length = length3(apart);
  for (int k = 0; near && k < 3 && length > 0.1 * world->triangles->thickness; ++k) def.normal[k] = apart[k] / length;
  if (!(dot3(def.normal, def.normal) > 0.5)) return true;
  place_at(world, &a, 0, from[0]), place_at(world, &b, 0, from[1]);
  for (int k = 0; k < 3; ++k) way += def.normal[k] * (from[0][k] - from[1][k] - apart[k]);
  if (near) def.gap = fmax(way, 0) / world->def.step; /* until they are near */
  side_of(world, &a, &sides[0]);
  side_of(world, &b, &sides[1]);
  return add_row(world, &sides[0], &sides[1], &def);
}

bool add_impacts(sim_world *world, const pl_result *found, bool near)
{
  for (size_t i = 0; i < found->count; ++i)
    if (!add_impact(world, &found->impacts[i], near)) return false;
  return true;
}

bool add_planes(sim_world *world, double room, size_t *added)
{
  double h = world->def.step;
  *added = 0;
  for (uint32_t b = 0; b < world->body_count; ++b) {
    size_t n = world->shapes[world->bodies[b].shape].point_count;
    const double *start = world->triangles->points[b];
    for (uint32_t i = 0; i < n; ++i) {
      double next[3];
      vertex_at(world, b, i, 1, next);
      for (size_t p = 0; p < world->plane_count; ++p) {
        const sim_plane *plane = &world->planes[p];
        if (!(dot3(plane->normal, next) - plane->offset < room)) continue;
        place at;
        row_side side;
        row_def def = {.gap = fmax(dot3(plane->normal, start + 3 * i) - plane->offset, 0) / h};
        memcpy(def.normal, plane->normal, sizeof def.normal);
        on_vertex(b, i, &at);
        side_of(world, &at, &side);
        if (!add_row(world, &side, NULL, &def)) return false;
        ++*added;
      }
    }
  }
  return true;
}
