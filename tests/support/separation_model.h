/* What a separation list must report (pliant/kinetic.h): all pairs of features, one after the
 * other, from one change of plans or triangles to the next. Those that were reported in the
 * segment are known by their vertices, until the plan of one of them changes. For the test that
 * compares on any numbers, and for the fuzzer, which uses public functions only. */
#ifndef SUPPORT_SEPARATION_MODEL_H
#define SUPPORT_SEPARATION_MODEL_H

#include "pliant/kinetic.h"

#include <stdlib.h>
#include <string.h>

enum { MODEL_MOST = 8192 };

typedef struct model_contact {
  double time;
  pl_feature kind;
  /* as reported; and the vertices of both, a face's in ascending order */
  uint32_t feature[4], vertex[4];
} model_contact;

typedef struct model_side {
  uint32_t vertex_count;
  size_t count; /* triangles */
  const uint32_t *triangles;
} model_side;

typedef struct model {
  model_side side[2];
  bool self; /* both sides are one body */
  /* Do these vertices touch in the present interval of time? A vertex and a face, or two edges;
   * the first of them are of side `first`. */
  bool (*touch)(void *user, bool edges, const uint32_t vertex[4], int first, double *time);
  void *user;
  model_contact known[MODEL_MOST], found[MODEL_MOST];
  size_t known_count, found_count;
} model;

static inline bool model_knows(const model *m, const model_contact *c)
{
  for (size_t i = 0; i < m->known_count; ++i)
    if (m->known[i].kind == c->kind && !memcmp(m->known[i].vertex, c->vertex, sizeof c->vertex)) return true;
  return false;
}

static inline void model_try(model *m, model_contact *c, const uint32_t vertex[4], int first)
{
  if (model_knows(m, c) || !m->touch(m->user, c->kind == PL_FEATURE_EDGE_EDGE, vertex, first, &c->time)) return;
  if (m->found_count == MODEL_MOST || m->known_count == MODEL_MOST) abort();
  m->known[m->known_count++] = m->found[m->found_count++] = *c;
}

static inline int model_by_number(const void *x, const void *y)
{
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

static inline bool model_uses(const model_side *s, uint32_t v)
{
  for (size_t i = 0; i < 3 * s->count; ++i)
    if (s->triangles[i] == v) return true;
  return false;
}

/* The vertices of a side against the faces of the other. */
static inline void model_vertices(model *m, int side)
{
  const model_side *x = &m->side[side], *y = &m->side[!side];
  for (uint32_t v = 0; v < x->vertex_count; ++v)
    for (uint32_t f = 0; f < y->count && model_uses(x, v); ++f) {
      const uint32_t *t = y->triangles + 3 * f, vertex[4] = {v, t[0], t[1], t[2]};
      if (m->self && (v == t[0] || v == t[1] || v == t[2])) continue;
      model_contact c = {.kind = side ? PL_FEATURE_FACE_VERTEX : PL_FEATURE_VERTEX_FACE,
                         .feature = {side ? f : v, side ? f : v, side ? v : f, side ? v : f}};
      c.vertex[side ? 3 : 0] = v;
      memcpy(c.vertex + !side, t, 3 * sizeof *t);
      qsort(c.vertex + !side, 3, sizeof *t, model_by_number);
      model_try(m, &c, vertex, side);
    }
}

static inline bool model_has_edge(const model_side *s, uint32_t low, uint32_t high)
{
  for (size_t i = 0; i < 3 * s->count; ++i) {
    uint32_t x = s->triangles[i], y = s->triangles[i / 3 * 3 + (i + 1) % 3];
    if ((x == low && y == high) || (x == high && y == low)) return true;
  }
  return false;
}

static inline void model_edges(model *m, uint32_t low, uint32_t high)
{
  const uint32_t n = m->side[1].vertex_count;
  for (uint32_t j = 0; j < n * n; ++j) {
    const uint32_t e[4] = {low, high, j / n, j % n};
    if (e[2] >= e[3] || !model_has_edge(&m->side[1], e[2], e[3])) continue;
    if (m->self && (j <= low * n + high || e[0] == e[2] || e[0] == e[3] || e[1] == e[2] || e[1] == e[3])) continue;
    model_contact c = {.kind = PL_FEATURE_EDGE_EDGE};
    memcpy(c.feature, e, sizeof e);
    memcpy(c.vertex, e, sizeof e);
    model_try(m, &c, e, 0);
  }
}

/* Appends the contacts of the present interval to `found`. */
static inline void model_interval(model *m)
{
  model_vertices(m, 0);
  if (!m->self) model_vertices(m, 1);
  for (uint32_t low = 0; low < m->side[0].vertex_count; ++low)
    for (uint32_t high = low + 1; high < m->side[0].vertex_count; ++high)
      if (model_has_edge(&m->side[0], low, high)) model_edges(m, low, high);
}

/* The plan of a vertex has changed. */
static inline void model_forget(model *m, int side, uint32_t v)
{
  size_t left = 0;
  for (size_t i = 0; i < m->known_count; ++i) {
    const model_contact *c = &m->known[i];
    const int of_a = c->kind == PL_FEATURE_VERTEX_FACE ? 1 : c->kind == PL_FEATURE_FACE_VERTEX ? 3 : 2;
    bool gone = false;
    for (int k = 0; k < 4; ++k) gone = gone || (c->vertex[k] == v && (m->self || (k >= of_a) == side));
    if (!gone) m->known[left++] = *c;
  }
  m->known_count = left;
}

static inline int model_compare(const void *x, const void *y)
{
  const model_contact *a = x, *b = y;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  for (int i = 0; i < 4; ++i)
    if (a->feature[i] != b->feature[i]) return a->feature[i] < b->feature[i] ? -1 : 1;
  return 0;
}

/* Is a report what was found, in the order of time? Empties `found`. Times are compared as well, if
 * `timed`. */
static inline bool model_agrees(model *m, const pl_result *got, bool timed)
{
  const size_t count = m->found_count;
  bool same = got->count == count;
  m->found_count = 0;
  if (!same) return false;
  model_contact *all = malloc((count + 1) * sizeof *all);
  if (!all) abort();
  for (size_t i = 0; i < count; ++i) {
    const pl_impact *p = &got->impacts[i];
    all[i] = (model_contact){.time = timed ? p->time : 0, .kind = p->kind};
    memcpy(all[i].feature, p->feature_a, sizeof p->feature_a);
    memcpy(all[i].feature + 2, p->feature_b, sizeof p->feature_b);
    if (!timed) m->found[i].time = 0;
    same = same && (!i || p->time >= p[-1].time);
  }
  qsort(all, count, sizeof *all, model_compare);
  qsort(m->found, count, sizeof *m->found, model_compare);
  for (size_t i = 0; i < count && same; ++i) same = model_compare(&all[i], &m->found[i]) == 0;
  free(all);
  return same;
}

#endif
