#include "update/kinetic.h"
#include "core/heap.h"
#include "tree/places.h"

#include <string.h>

enum { NO_PLACE = UINT32_MAX };

/* ------------------------------------------------------------------------------------ create -- */

static size_t extents_of(const kinetic *k) { return EXTENTS + (size_t)(k->slots - 1) * k->per_slot; }

pl_status kinetic_create(pl_context *context, const tree *t, const flight *plans, bool box_tree, kinetic *k)
{
  const pl_allocator *allocator = &context->def.allocator;
  *k = (kinetic){.context = context, .tree = t, .plans = plans, .per_slot = box_tree ? 1 : EXTENTS};
  k->slots = 1 + t->nodes.inner_count * (uint32_t)t->nodes.width;
  k->who = mem_new(allocator, extents_of(k), sizeof *k->who);
  k->key = mem_new(allocator, extents_of(k), sizeof *k->key);
  k->place = mem_new(allocator, extents_of(k), sizeof *k->place);
  k->queue = mem_raw(allocator, extents_of(k), sizeof *k->queue);
  k->dirty = mem_new(allocator, k->slots, sizeof *k->dirty);
  k->waiting = mem_raw(allocator, k->slots, sizeof *k->waiting);
  k->changed = mem_new(allocator, t->prims.vertex_count, sizeof *k->changed);
  if (box_tree) k->plane = mem_new(allocator, k->slots, sizeof *k->plane);
  if (k->who && k->key && k->place && k->queue && k->dirty && k->waiting && k->changed && (k->plane || !box_tree))
    return PL_OK;
  kinetic_free(k);
  return fail(context, PL_ERROR_MEMORY, "no memory for the certificates of %u volumes", t->nodes.inner_count);
}

void kinetic_free(kinetic *k)
{
  if (!k->context) return;
  void *parts[] = {k->who, k->key, k->place, k->queue, k->dirty, k->waiting, k->changed, k->plane};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) mem_free(&k->context->def.allocator, parts[i]);
  memset(k, 0, sizeof *k);
}

size_t kinetic_bytes(const kinetic *k)
{
  const size_t per_extent = sizeof *k->who + sizeof *k->key + sizeof *k->place + sizeof *k->queue;
  const size_t per_slot = sizeof *k->dirty + sizeof *k->waiting + (k->plane ? sizeof *k->plane : 0);
  return extents_of(k) * per_extent + k->slots * per_slot + k->tree->prims.vertex_count;
}

/* ------------------------------------------------------------------------------------- queue -- */

/* Extents by key. */
#define SOONER(k, x, y) ((k)->key[x] < (k)->key[y])
#define PUT_EXTENT(k, heap, at, extent) ((k)->place[(heap)[at] = (extent)] = (uint32_t)(at))
HEAP(extents, uint32_t, kinetic, SOONER, PUT_EXTENT)

static void sift(kinetic *k, uint32_t at, uint32_t extent) { extents_sift(k, k->queue, k->queued, at, extent); }

static void take_out(kinetic *k, uint32_t extent)
{
  uint32_t at = k->place[extent], last = k->queue[--k->queued];
  k->place[extent] = NO_PLACE;
  if (last != extent) sift(k, at, last);
}

static void set_key(kinetic *k, uint32_t extent, double key)
{
  bool in = k->place[extent] != NO_PLACE;
  k->key[extent] = key;
  if (key == INFINITY) {
    if (in) take_out(k, extent);
    return;
  }
  sift(k, in ? k->place[extent] : k->queued++, extent);
}

/* --------------------------------------------------------------------------------- an extent -- */

/* The candidates of an extent: two lists of vertices. */
typedef struct candidates {
  const uint32_t *list[2];
  uint32_t count[2];
} candidates;

static int32_t reference_of(const kinetic *k, uint32_t slot)
{
  return slot == KINETIC_ROOT ? TREE_ROOT : k->tree->nodes.child[slot - 1];
}

/* `own` has room for the vertices of the children. */
static candidates candidates_of(const kinetic *k, uint32_t slot, uint32_t component, uint32_t own[8])
{
  const tree *t = k->tree;
  const primitives *p = &t->prims;
  int32_t child = reference_of(k, slot);
  if (child < 0)
    return (candidates){{p->list + p->list_first[~child]}, {p->list_first[~child + 1] - p->list_first[~child]}};
  if (k->plane)
    return (candidates){
        {p->order + p->vertex_first[child], p->extra + p->extra_first[child]},
        {p->vertex_end[child] - p->vertex_first[child], p->extra_first[child + 1] - p->extra_first[child]}};
  const uint32_t *who = k->who + (size_t)(1 + (uint32_t)child * (uint32_t)t->nodes.width) * EXTENTS + component;
  for (uint32_t i = 0; i < t->nodes.children[child]; ++i) own[i] = who[i * EXTENTS];
  return (candidates){{own}, {t->nodes.children[child]}};
}

/* Which of two paths realizes an extent from s on? At equal positions the one that is ahead at
 * the end: it is ahead from here on. */
static bool is_ahead(const double *p, uint32_t v, const double *q, uint32_t w, int degree, double s, bool upper)
{
  int order = path_compare(p, q, degree, s);
  for (int c = degree; !order && c > 0; --c) order = (p[c] > q[c]) - (p[c] < q[c]);
  if (!order) return v < w;
  return (order > 0) == upper;
}

/* When `path` may pass that of the vertex that is ahead. */
static double passes(const double *ahead, const double *path, int degree, double s, bool upper)
{
  if (degree == 1 && (upper ? path[1] <= ahead[1] : path[1] >= ahead[1])) return INFINITY;
  return upper ? path_until(ahead, path, degree, s) : path_until(path, ahead, degree, s);
}

/* Decides an extent at k->s: its realizing vertex, and until when. */
static uint32_t decide(const kinetic *k, uint32_t slot, uint32_t component, double *until)
{
  uint32_t own[8];
  const candidates c = candidates_of(k, slot, component, own);
  uint32_t best = c.count[0] ? c.list[0][0] : c.list[1][0];
  const int degree = k->plans->degree, axis = (int)(component % 3);
  const bool upper = component >= 3;
  const double *of_best = flight_path(k->plans, best, axis);
  for (int part = 0; part < 2; ++part)
    for (uint32_t i = 0; i < c.count[part]; ++i) {
      uint32_t v = c.list[part][i];
      const double *path = flight_path(k->plans, v, axis);
      if (v == best || !is_ahead(path, v, of_best, best, degree, k->s, upper)) continue;
      best = v;
      of_best = path;
    }
  *until = INFINITY;
  for (int part = 0; part < 2; ++part)
    for (uint32_t i = 0; i < c.count[part]; ++i) {
      uint32_t v = c.list[part][i];
      if (v == best) continue;
      double t = passes(of_best, flight_path(k->plans, v, axis), degree, k->s, upper);
      *until = t < *until ? t : *until;
    }
  return best;
}

/* ------------------------------------------------------------------------------------ planes -- */

/* The box of a volume at k->s, from its vertices. */
static void box_of(const kinetic *k, uint32_t slot, double box[EXTENTS])
{
  for (uint32_t c = 0; c < EXTENTS; ++c) {
    double until;
    uint32_t v = decide(k, slot, c, &until);
    box[c] = path_value(flight_path(k->plans, v, (int)(c % 3)), k->plans->degree, k->s);
  }
}

/* The plane of each volume: the one that cuts off most of the volume above, here and now. Planes
 * stay; events move them. */
static void choose_planes(kinetic *k)
{
  const structure *n = &k->tree->nodes;
  for (uint32_t node = 0; node < n->inner_count; ++node) {
    double above[EXTENTS], box[EXTENTS];
    box_of(k, kinetic_slot(k->tree, (int32_t)node), above);
    for (uint32_t lane = 0; lane < n->children[node]; ++lane) {
      uint32_t slot = 1 + node * (uint32_t)n->width + lane, best = 0;
      box_of(k, slot, box);
      for (uint32_t c = 1; c < EXTENTS; ++c)
        if (fabs(box[c] - above[c]) > fabs(box[best] - above[best])) best = c;
      k->plane[slot] = (uint8_t)best;
    }
  }
}

/* ------------------------------------------------------------------------------------- start -- */

static bool slot_is_used(const kinetic *k, uint32_t slot)
{
  const structure *n = &k->tree->nodes;
  if (slot == KINETIC_ROOT) return true;
  return (slot - 1) % (uint32_t)n->width < n->children[(slot - 1) / (uint32_t)n->width];
}

static uint64_t start(kinetic *k, double s)
{
  uint64_t made = 0;
  k->s = s;
  k->queued = 0;
  if (k->plane && !k->started) choose_planes(k);
  for (uint32_t slot = k->slots; slot-- > 0;) {
    uint32_t first = kinetic_extent(k, slot), count = slot == KINETIC_ROOT ? EXTENTS : k->per_slot;
    for (uint32_t e = first; e < first + count; ++e) {
      k->key[e] = INFINITY;
      k->place[e] = NO_PLACE;
      if (!slot_is_used(k, slot)) continue;
      k->who[e] = decide(k, slot, kinetic_component(k, e), &k->key[e]);
      if (k->key[e] < INFINITY) PUT_EXTENT(k, k->queue, k->queued, e), ++k->queued;
      ++made;
    }
  }
  for (uint32_t i = k->queued / 2; i-- > 0;) extents_down(k, k->queue, k->queued, i, k->queue[i]);
  k->version = k->plans->version;
  k->started = true;
  ++k->starts;
  return made;
}

/* ------------------------------------------------------------------------------------ events -- */

/* Those of an edited tree are marks of its places, of which there are enough after it has grown. */
static uint8_t *changed_of(const kinetic *k)
{
  return k->tree->prims.places ? k->tree->prims.places->vertex_marked : k->changed;
}

/* Slots, children before their parents. */
#define DEEPER(k, x, y) ((void)(k), (x) > (y))
HEAP(slots, uint32_t, kinetic, DEEPER, HEAP_PUT)

static void mark(kinetic *k, uint32_t slot, unsigned bits)
{
  bool in = k->dirty[slot] != 0;
  k->dirty[slot] |= (uint8_t)bits;
  if (in || !bits) return;
  slots_push(k, k->waiting, &k->waiting_count, slot);
}

static uint32_t parent_of(const kinetic *k, uint32_t slot)
{
  const uint32_t width = (uint32_t)k->tree->nodes.width;
  return kinetic_slot(k->tree, (int32_t)((slot - 1) / width));
}

/* Decides the marked extents again, children before their parents. */
static uint64_t settle(kinetic *k)
{
  const uint8_t *changed = changed_of(k);
  uint64_t made = 0;
  while (k->waiting_count) {
    uint32_t slot = slots_pop(k, k->waiting, &k->waiting_count);
    unsigned bits = k->dirty[slot], above = 0;
    k->dirty[slot] = 0;
    for (uint32_t c = 0; c < EXTENTS; ++c) {
      if (!(bits >> c & 1)) continue;
      uint32_t e = kinetic_extent(k, slot) + c, before = k->who[e];
      double until;
      k->who[e] = decide(k, slot, kinetic_component(k, e), &until);
      set_key(k, e, until);
      ++made;
      bool other = k->who[e] != before;
      k->updates += other;
      if (!other && !changed[before]) continue;
      above |= 1u << c;
      if (k->notify) k->notify(k->owner, k, e);
    }
    if (slot != KINETIC_ROOT && !k->plane) mark(k, parent_of(k, slot), above);
  }
  return made;
}

uint64_t kinetic_go(kinetic *k, double s)
{
  if (!k->started || k->version != k->plans->version) return start(k, s);
  k->s = s;
  while (k->queued && k->key[k->queue[0]] <= s) {
    uint32_t e = k->queue[0];
    take_out(k, e);
    k->key[e] = INFINITY;
    uint32_t slot = e < EXTENTS ? KINETIC_ROOT : 1 + (e - EXTENTS) / k->per_slot;
    mark(k, slot, 1u << (e - kinetic_extent(k, slot)));
    ++k->events;
  }
  return settle(k);
}

static void mark_leaf(kinetic *k, uint32_t leaf)
{
  uint32_t slot = kinetic_slot(k->tree, (int32_t)~leaf);
  mark(k, slot, (1u << k->per_slot) - 1);
  while (k->plane && slot != KINETIC_ROOT) { /* its vertices are candidates of every volume above */
    slot = parent_of(k, slot);
    mark(k, slot, (1u << (slot == KINETIC_ROOT ? EXTENTS : 1)) - 1);
  }
}

void kinetic_change(kinetic *k, const uint32_t *vertices, size_t count)
{
  const primitives *p = &k->tree->prims;
  const tree_places *r = p->places;
  uint8_t *changed = changed_of(k);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t v = vertices[i];
    changed[v] = 1;
    for (uint32_t at = r ? r->head[v] : NO_VERTEX; at != NO_VERTEX; at = r->next[at])
      mark_leaf(k, places_leaf(r->place[at / 3]));
    for (uint32_t f = r ? 0 : p->fan_first[v]; !r && f < p->fan_first[v + 1]; ++f) mark_leaf(k, p->fan[f]);
  }
  settle(k);
  for (size_t i = 0; i < count; ++i) changed[vertices[i]] = 0;
}

void kinetic_edit(kinetic *k, const uint32_t *leaves, size_t count)
{
  for (size_t i = 0; i < count; ++i) mark_leaf(k, leaves[i]);
  settle(k);
}
