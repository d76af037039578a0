/* What is compared of a result: numbers, without padding and addresses. A writer for each kind of
 * rows. */
#ifndef PRODUCT_ROWS_H
#define PRODUCT_ROWS_H

#include "support/cast.h"
#include "support/edits.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <stdlib.h>

enum { BODIES = 3, PROBES = 24 };

typedef struct stage {
  pl_context *context;
  cast_kind kind;
  pl_body *bodies[BODIES];
  pl_scene *scene;
  pl_holder *holder; /* of the reference */
  pl_holder *given;  /* of what is measured */
  pl_ray rays[PROBES];
  double points[3 * PROBES];
  double out[BODIES][3 * 64]; /* of steps */
  edit_model *models;         /* of edited bodies; NULL: others */
} stage;

/* --------------------------------------------------------------------------------- bytes -- */

/* What is compared of a result: numbers, without padding and addresses. */
typedef struct bytes {
  double *data;
  size_t count, capacity;
} bytes;

static void put(bytes *b, double x)
{
  if (b->count == b->capacity) {
    b->capacity = 2 * b->capacity + 1024;
    b->data = realloc(b->data, b->capacity * sizeof *b->data);
    assert_non_null(b->data);
  }
  b->data[b->count++] = x == 0 ? 0 : x;
}

static void put_all(bytes *b, const double *x, int count)
{
  for (int i = 0; i < count; ++i) put(b, x[i]);
}

static void put_floats(bytes *b, const float *x, int count)
{
  for (int i = 0; i < count; ++i) put(b, (double)x[i]);
}

static void put_body(bytes *b, const stage *s, const pl_body *body)
{
  int i = 0;
  while (i < BODIES && s->bodies[i] != body) ++i;
  put(b, body ? i : -1);
}

static void put_pair(bytes *b, pl_pair pair)
{
  put(b, pair.a);
  put(b, pair.b);
}

static void put_groups(bytes *b, const stage *s, const pl_group *groups, size_t count)
{
  put(b, (double)count);
  for (size_t i = 0; i < count; ++i) {
    put_body(b, s, groups[i].a);
    put_body(b, s, groups[i].b);
    put(b, (double)groups[i].begin);
    put(b, (double)groups[i].end);
  }
}

/* ----------------------------------------------------------------------------------- rows -- */

static void write_touching(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) put_pair(b, r->pairs[i]);
}

static void write_segments(bytes *b, const stage *s, const pl_result *r)
{
  write_touching(b, s, r);
  for (size_t i = 0; i < r->count; ++i) {
    put_all(b, r->segments[i].from, 3);
    put_all(b, r->segments[i].to, 3);
    put(b, r->segments[i].touches + 2 * r->segments[i].coplanar);
  }
}

static void write_penetrations(bytes *b, const stage *s, const pl_result *r)
{
  for (size_t i = 0; i < r->count; ++i) {
    const pl_penetration *p = &r->penetrations[i];
    put_body(b, s, p->body);
    put_body(b, s, p->other);
    put(b, p->depth);
    put(b, p->bound);
    put_all(b, p->point, 3);
    put_all(b, p->surface, 3);
    put(b, p->triangle);
    put(b, p->other_triangle);
  }
}

static void write_regions(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) {
    const pl_region *x = &r->regions[i];
    put(b, (double)(x->pair_end - x->pair_begin));
    put(b, (double)(x->contour_end - x->contour_begin));
    put(b, x->length);
    put(b, x->depth);
    for (size_t k = x->pair_begin; k < x->pair_end; ++k) put_pair(b, r->parts->pairs[k]);
  }
}

static void write_near(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) {
    const pl_feature_pair *f = &r->features[i];
    put(b, f->kind);
    put(b, f->triangle_a);
    put(b, f->triangle_b);
    for (int k = 0; k < 3; ++k) put_pair(b, (pl_pair){f->vertex_a[k], f->vertex_b[k]});
    put(b, f->distance);
    put_all(b, f->weight_a, 3);
    put_all(b, f->weight_b, 3);
    put_all(b, f->normal, 3);
  }
}

/* The ends of an edge in the order of their indices. Rows that become one may have named it in
 * either direction, and are as near but for rounding. */
static void order_edge(uint32_t v[3], double weight[3])
{
  if (v[1] != v[2] || v[0] <= v[1]) return;
  const uint32_t first = v[0];
  const double of_first = weight[0];
  v[0] = v[1];
  v[1] = v[2] = first;
  weight[0] = weight[1];
  weight[1] = of_first;
}

static void write_measured(bytes *b, const stage *s, const pl_result *r)
{
  for (size_t i = 0; i < r->count; ++i) {
    pl_feature_pair f = r->features[i];
    order_edge(f.vertex_a, f.weight_a);
    order_edge(f.vertex_b, f.weight_b);
    write_near(b, s, &(pl_result){.features = &f, .count = 1});
  }
}

static void write_near_triangles(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) {
    const pl_near_pair *p = &r->near_pairs[i];
    put_pair(b, (pl_pair){p->a, p->b});
    put(b, p->distance);
    put_all(b, p->point_a, 3);
    put_all(b, p->point_b, 3);
  }
}

static void write_nearest(bytes *b, const stage *s, const pl_result *r)
{
  for (size_t i = 0; i < r->count; ++i) {
    const pl_distance *d = &r->distances[i];
    put_body(b, s, d->a);
    put_body(b, s, d->b);
    put(b, d->distance);
    put(b, d->lower);
    put_all(b, d->point_a, 3);
    put_all(b, d->point_b, 3);
    put_pair(b, (pl_pair){d->triangle_a, d->triangle_b});
  }
}

static void write_impacts(bytes *b, const stage *s, const pl_result *r)
{
  put(b, r->time);
  put(b, r->safe_step);
  for (size_t i = 0; i < r->count; ++i) {
    const pl_impact *x = &r->impacts[i];
    put_body(b, s, x->a);
    put_body(b, s, x->b);
    put(b, x->time);
    put(b, x->kind);
    for (int k = 0; k < 2; ++k) put_pair(b, (pl_pair){x->feature_a[k], x->feature_b[k]});
    put_all(b, x->normal, 3);
    put_all(b, x->point, 3);
  }
}

static void write_candidates(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  put(b, (double)r->list_count);
  for (size_t i = 0; i < r->list_count; ++i) {
    const double ends[] = {(double)r->lists[i].vertex_face, (double)r->lists[i].face_vertex,
                           (double)r->lists[i].edge_edge, (double)r->lists[i].end};
    put_all(b, ends, 4);
  }
  for (size_t i = 0; i < r->count; ++i) put_pair(b, r->candidates[i]);
}

static void write_step(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  put(b, r->safe_step);
  put(b, r->time);
  put(b, (double)r->tries);
}

static int by_time(const void *x, const void *y)
{
  const pl_window *a = x, *b = y;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

/* Equal times have no order of their own. */
static void write_windows(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  pl_window *rows = malloc((r->count + 1) * sizeof *rows);
  for (size_t i = 0; i < r->count; ++i) rows[i] = r->windows[i];
  for (size_t g = 0; g < r->group_count; ++g)
    qsort(rows + r->groups[g].begin, r->groups[g].end - r->groups[g].begin, sizeof *rows, by_time);
  for (size_t i = 0; i < r->count; ++i) {
    put(b, rows[i].time);
    put_pair(b, (pl_pair){rows[i].a, rows[i].b});
  }
  free(rows);
}

static void write_spheres(bytes *b, const stage *s, const pl_result *r)
{
  for (size_t i = 0; i < r->count; ++i) {
    const pl_sphere_contact *c = &r->spheres[i];
    put_pair(b, (pl_pair){c->a, c->b});
    put_floats(b, c->normal, 3);
    put_floats(b, c->point, 3);
    put(b, (double)c->depth);
    put(b, c->contact);
  }
  put_groups(b, s, r->sphere_point_groups, r->group_count);
  for (size_t i = 0; i < r->sphere_point_count; ++i) {
    put_pair(b, (pl_pair){r->sphere_points[i].point, r->sphere_points[i].node});
    put(b, r->sphere_points[i].side);
  }
}

static void write_hits(bytes *b, const stage *s, const pl_result *r)
{
  put(b, (double)r->done);
  for (size_t i = 0; i < r->count; ++i) {
    const pl_hit *h = &r->hits[i];
    put(b, h->t);
    put(b, h->u);
    put(b, h->v);
    put_all(b, h->normal, 3);
    put_pair(b, (pl_pair){h->triangle, h->member});
    put_body(b, s, h->body);
  }
}

static void write_points(bytes *b, const stage *s, const pl_result *r)
{
  put(b, (double)r->done);
  put(b, r->closure);
  for (size_t i = 0; i < r->count; ++i) {
    const pl_point *p = &r->points[i];
    put(b, p->distance);
    put_all(b, p->point, 3);
    put(b, p->u);
    put(b, p->v);
    put_pair(b, (pl_pair){p->triangle, p->member});
    put(b, p->side);
    put(b, p->closure);
    put(b, p->winding); /* closed bodies: exact */
    put_body(b, s, p->body);
  }
}

static void write_triangles(bytes *b, const stage *s, const pl_result *r)
{
  (void)s;
  for (size_t i = 0; i < r->count; ++i) put(b, r->triangles[i]);
}

#endif
