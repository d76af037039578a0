/* Near pairs of triangles: what two leaves could not rule out is measured four pairs at a time,
 * in the order in which it was found. */
#ifndef KERNELS_NEAR_PAIRS_INL
#define KERNELS_NEAR_PAIRS_INL

#include "kernels/distance.h"
#include "kernels/measure.inl"
#include "kernels/near_features.inl"

static inline void load_triangle(const distance_walk *d, int side, uint32_t i, double out[3][3])
{
  const walk_side *s = d->walk->plan->side[side];
  for (int c = 0; c < 3; ++c) walk_point(d->walk, side, s->tree->prims.tri[3 * (size_t)i + (size_t)c], out[c]);
}

static inline pl_pair pair_of(const distance_walk *d, uint32_t a, uint32_t b)
{
  const walk_plan *w = d->walk->plan;
  return (pl_pair){w->side[0]->tree->prims.tri_id[a], w->side[1]->tree->prims.tri_id[b]};
}

/* Proves the distances of some lanes of pairs that were searched, and gathers the near ones. */
static bool near_prove(distance_walk *d, const measured_pairs *m, const waiting_pairs *w, unsigned lanes)
{
  closest c[MEASURED];
  unsigned proven = measure_prove(m, c);
  if (!walk_room(d->walk, &d->near, MEASURED)) return false;
  for (; lanes; lanes &= lanes - 1) {
    int i = __builtin_ctz(lanes);
    if (!(proven >> i & 1)) {
      double a[3][3], b[3][3];
      features f = measured_features(m, i);
      measured_get(m, i, a, b);
      tri_tri_distance_unproven((const double(*)[3])a, (const double(*)[3])b, &f, &c[i]);
    }
    if (!(c[i].distance <= d->plan->limit)) continue;
    pl_near_pair *n = &d->near.data[d->near.count++];
    pl_pair id = pair_of(d, w->a[i], w->b[i]);
    *n = (pl_near_pair){.a = id.a, .b = id.b, .distance = c[i].distance};
    memcpy(n->point_a, c[i].a, sizeof c[i].a);
    memcpy(n->point_b, c[i].b, sizeof c[i].b);
  }
  return true;
}

/* The same of those that wait for it. */
static bool near_prove_searched(distance_walk *d)
{
  near_queue *q = &d->queue;
  unsigned lanes = (1u << q->searched.count) - 1;
  q->searched.count = 0;
  return near_prove(d, &q->pairs, &q->searched, lanes);
}

static KERNEL_INLINE void near_load(const distance_walk *d, int side, uint32_t i, int lane, double out[3][3][MEASURED])
{
  double corner[3][3];
  load_triangle(d, side, i, corner);
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) out[c][k][lane] = corner[c][k];
}

/* Searches the nearest features of those that were found; what may be near is to be proven. */
static bool near_search(distance_walk *d)
{
  near_queue *q = &d->queue;
  measured_pairs m;
  for (int i = 0; i < MEASURED; ++i) { /* lanes without a pair repeat the first */
    int k = i < q->found.count ? i : 0;
    near_load(d, 0, q->found.a[k], i, m.a);
    near_load(d, 1, q->found.b[k], i, m.b);
  }
  unsigned left = measure_search(&m, d->within) & ((1u << q->found.count) - 1);
  if (q->searched.count == 0 && __builtin_popcount(left) >= MEASURED - 1) {
    bool room = near_prove(d, &m, &q->found, left);
    q->found.count = 0;
    return room;
  }
  for (; left; left &= left - 1) {
    int k = __builtin_ctz(left), i = q->searched.count++;
    if (i == 0) measured_copy(&q->pairs, &m); /* lanes without a pair have numbers, too */
    measured_move(&q->pairs, i, &m, k);
    q->searched.a[i] = q->found.a[k];
    q->searched.b[i] = q->found.b[k];
    if (q->searched.count == MEASURED && !near_prove_searched(d)) return false;
  }
  q->found.count = 0;
  return true;
}

/* The features of those that were found. */
static bool near_features(distance_walk *d)
{
  waiting_pairs *w = &d->queue.found;
  const primitives *of[2] = {&d->walk->plan->side[0]->tree->prims, &d->walk->plan->side[1]->tree->prims};
  feature_batch batch;
  batch.walk = d;
  batch.count = batch.proof_count = 0;
  for (int i = 0; i < w->count; ++i) {
    feature_triangles *t = &batch.pair[i];
    const uint32_t at[2] = {w->a[i], w->b[i]};
    t->close[0] = d->plan->rings ? w->close[i] : 0;
    t->close[1] = rings_turned(t->close[0]);
    for (int side = 0; side < 2; ++side) {
      t->vertex[side] = of[side]->tri + 3 * (size_t)at[side];
      t->id[side] = of[side]->tri_id[at[side]];
      t->owned[side] = d->plan->owners[side][t->id[side]];
      load_triangle(d, side, at[side], t->corner[side]);
    }
    features_list(&batch, (uint8_t)i);
  }
  w->count = 0;
  if (!walk_room(d->walk, &d->features, MOST_FEATURES)) return false;
  features_run(&batch);
  return true;
}

static bool near_step(distance_walk *d) { return d->plan->owners[0] ? near_features(d) : near_search(d); }

/* Two triangles, by their places in tree order. */
static inline void near_put(distance_walk *d, uint32_t a, uint32_t b)
{
  waiting_pairs *w = &d->queue.found;
  w->a[w->count] = a;
  w->b[w->count] = b;
  if (++w->count == (d->plan->owners[0] ? WAITING : MEASURED)) near_step(d);
}

/* Measures all that wait. */
static void near_finish(distance_walk *d)
{
  if (d->walk->stopped) return;
  if (d->queue.found.count && !near_step(d)) return;
  if (d->queue.searched.count) near_prove_searched(d);
}

#endif
