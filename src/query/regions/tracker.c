/* Regions from frame to frame. A frame is a list of (body, triangle, region and side), sorted;
 * two frames are merged like sorted lists, and every triangle that both have counts for the two
 * regions. */
#include "body/body.h"
#include "core/context.h"
#include "core/sort.h"
#include "pliant/regions.h"

#include <stdlib.h>
#include <string.h>

/* A triangle of a region. */
typedef struct track_mark {
  uint64_t body; /* its identity */
  uint32_t triangle;
  uint32_t owner; /* region * 2 + side */
} track_mark;

/* What is kept of a region. */
typedef struct track_state {
  uint64_t body[2];
  uint32_t id, age;
  double depth, length;
} track_state;

typedef struct track_frame {
  ARRAY(track_mark) marks;
  ARRAY(track_state) states;
} track_frame;

/* Two regions of two frames that share triangles. */
typedef struct track_link {
  uint32_t before, now;
  uint32_t shared[2][2]; /* by side before and side now */
  uint32_t weight;
} track_link;

struct pl_tracker {
  owned link;
  pl_context *context;
  track_frame reference, frame[2];
  int last; /* the frame that the next one is compared with */
  uint32_t next_id;
  ARRAY(track_link) links;
  ARRAY(uint32_t) uses; /* by patch: regions that have it */
  ARRAY(uint32_t) heir; /* by region before: 1 + the region that keeps its id */
  ARRAY(uint64_t) keys, sorting;
  ARRAY(pl_track) rows;
  ARRAY(pl_track) ended;
  pl_result answer;
};

static void destroy(owned *self) { pl_tracker_destroy((pl_tracker *)self); }

pl_status pl_tracker_create(pl_context *context, pl_tracker **out)
{
  const pl_status status = owned_create(context, sizeof **out, "a tracker", destroy, out);
  if (status == PL_OK) (*out)->next_id = 1;
  return status;
}

static void free_frame(const pl_allocator *allocator, track_frame *f)
{
  array_free_all(allocator, &f->marks, &f->states);
}

void pl_tracker_destroy(pl_tracker *t)
{
  if (!t) return;
  pl_context *context = t->context;
  const pl_allocator *allocator = &context->def.allocator;
  owned_unlink(context, &t->link);
  free_frame(allocator, &t->reference);
  for (int i = 0; i < 2; ++i) free_frame(allocator, &t->frame[i]);
  array_free_all(allocator, &t->links, &t->uses, &t->heir, &t->keys, &t->sorting, &t->rows, &t->ended);
  mem_free(allocator, t);
}

static pl_status no_memory(pl_tracker *t) { return fail(t->context, PL_ERROR_MEMORY, "no memory to follow regions"); }

/* ------------------------------------------------------------------------------------ frames -- */

static int compare_marks(const void *a, const void *b)
{
  const track_mark *x = a, *y = b;
  if (x->body != y->body) return x->body < y->body ? -1 : 1;
  if (x->triangle != y->triangle) return x->triangle < y->triangle ? -1 : 1;
  return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static bool add_marks(pl_tracker *t, track_frame *f, uint64_t body, const uint32_t *triangles, size_t count,
                      uint32_t owner)
{
  if (!array_reserve(&t->context->def.allocator, &f->marks, f->marks.count + count)) return false;
  for (size_t i = 0; i < count; ++i) f->marks.data[f->marks.count++] = (track_mark){body, triangles[i], owner};
  return true;
}

static bool add_region(pl_tracker *t, track_frame *f, const pl_result *r, const pl_group *group, size_t index)
{
  const pl_region *row = &r->regions[index];
  const uint64_t bodies[2] = {group->a->identity, group->b->identity};
  f->states.data[index] = (track_state){{bodies[0], bodies[1]}, 0, 0, row->depth, row->length};
  bool room = true;
  for (uint32_t s = 0; s < 2; ++s) {
    const pl_region_side *side = &row->side[s];
    uint32_t owner = 2 * (uint32_t)index + s;
    room = room && add_marks(t, f, bodies[s], r->parts->triangles + side->triangle_begin,
                             side->triangle_end - side->triangle_begin, owner);
    for (size_t i = side->patch_begin; i < side->patch_end; ++i) {
      const pl_patch *own = &r->parts->patches[r->parts->patch_ids[i]];
      if (t->uses.data[r->parts->patch_ids[i]] == 1)
        room = room && add_marks(t, f, bodies[s], r->parts->patch_triangles + own->begin, own->end - own->begin, owner);
    }
  }
  return room;
}

static pl_status take_frame(pl_tracker *t, track_frame *f, const pl_result *r)
{
  const pl_allocator *allocator = &t->context->def.allocator;
  f->marks.count = f->states.count = 0;
  if (!r) return PL_OK;
  if (r->count >= UINT32_MAX / 2) return fail(t->context, PL_ERROR_ARGUMENT, "%zu regions are too many", r->count);
  if (!array_reserve(allocator, &f->states, r->count + 1) ||
      !array_reserve(allocator, &t->uses, r->parts->patch_count + 1))
    return no_memory(t);
  memset(t->uses.data, 0, r->parts->patch_count * sizeof *t->uses.data);
  for (size_t i = 0; i < r->parts->patch_id_count; ++i) ++t->uses.data[r->parts->patch_ids[i]];
  for (size_t g = 0; g < r->group_count; ++g)
    for (size_t i = r->groups[g].begin; i < r->groups[g].end; ++i)
      if (!add_region(t, f, r, &r->groups[g], i)) return no_memory(t);
  f->states.count = r->count;
  if (f->marks.count) qsort(f->marks.data, f->marks.count, sizeof *f->marks.data, compare_marks);
  return PL_OK;
}

/* ------------------------------------------------------------------------------------- links -- */

static uint64_t link_key(const track_mark *before, const track_mark *now)
{
  return (uint64_t)before->owner << 32 | now->owner;
}

/* Lists owner before << 32 | owner now for each triangle that both frames have. */
static bool list_shared(pl_tracker *t, const track_frame *before, const track_frame *now)
{
  const pl_allocator *allocator = &t->context->def.allocator;
  const track_mark *a = before->marks.data, *b = now->marks.data;
  size_t n = before->marks.count, m = now->marks.count;
  t->keys.count = 0;
  for (size_t i = 0, k = 0; i < n && k < m;) {
    if (a[i].body != b[k].body || a[i].triangle != b[k].triangle) {
      bool less = a[i].body != b[k].body ? a[i].body < b[k].body : a[i].triangle < b[k].triangle;
      less ? ++i : ++k;
      continue;
    }
    size_t end_a = i, end_b = k;
    while (end_a < n && a[end_a].body == a[i].body && a[end_a].triangle == a[i].triangle) ++end_a;
    while (end_b < m && b[end_b].body == b[k].body && b[end_b].triangle == b[k].triangle) ++end_b;
    if (!array_reserve(allocator, &t->keys, t->keys.count + (end_a - i) * (end_b - k))) return false;
    for (size_t x = i; x < end_a; ++x)
      for (size_t y = k; y < end_b; ++y) t->keys.data[t->keys.count++] = link_key(&a[x], &b[y]);
    i = end_a;
    k = end_b;
  }
  return true;
}

/* How much two regions share: on both sides, or not at all. Within one body the sides may have
 * changed places. */
static uint32_t weigh(const track_link *l, bool self)
{
  uint32_t straight = l->shared[0][0] && l->shared[1][1] ? l->shared[0][0] + l->shared[1][1] : 0;
  uint32_t crossed = self && l->shared[0][1] && l->shared[1][0] ? l->shared[0][1] + l->shared[1][0] : 0;
  return straight > crossed ? straight : crossed;
}

static int compare_links(const void *a, const void *b)
{
  const track_link *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  if (x->before != y->before) return x->before < y->before ? -1 : 1;
  return x->now < y->now ? -1 : x->now > y->now;
}

/* The links of two frames, the heaviest first. */
static pl_status find_links(pl_tracker *t, const track_frame *before, const track_frame *now)
{
  const pl_allocator *allocator = &t->context->def.allocator;
  t->links.count = 0;
  if (!list_shared(t, before, now) || !array_reserve(allocator, &t->sorting, t->keys.count + 1) ||
      !array_reserve(allocator, &t->links, t->keys.count + 1))
    return no_memory(t);
  for (size_t i = 0; i < t->keys.count; ++i) { /* regions first, sides last */
    uint64_t key = t->keys.data[i], a = key >> 32, b = (uint32_t)key;
    t->keys.data[i] = (a >> 1) << 33 | (b >> 1) << 2 | (a & 1) << 1 | (b & 1);
  }
  if (t->keys.count) sort_keys(t->keys.data, t->sorting.data, t->keys.count);
  for (size_t i = 0; i < t->keys.count; ++i) {
    uint64_t key = t->keys.data[i];
    uint32_t a = (uint32_t)(key >> 33), b = (uint32_t)(key >> 2) & 0x7fffffff;
    track_link *l = t->links.count ? &t->links.data[t->links.count - 1] : NULL;
    if (!l || l->before != a || l->now != b) {
      l = &t->links.data[t->links.count++];
      *l = (track_link){.before = a, .now = b};
    }
    ++l->shared[key >> 1 & 1][key & 1];
  }
  size_t kept = 0;
  for (size_t i = 0; i < t->links.count; ++i) {
    track_link *l = &t->links.data[i];
    const track_state *s = &before->states.data[l->before], *u = &now->states.data[l->now];
    bool same = s->body[0] == u->body[0] && s->body[1] == u->body[1];
    l->weight = same ? weigh(l, s->body[0] == s->body[1]) : 0;
    if (l->weight) t->links.data[kept++] = *l;
  }
  t->links.count = kept;
  if (kept) qsort(t->links.data, kept, sizeof *t->links.data, compare_links);
  return PL_OK;
}

/* -------------------------------------------------------------------------------------- rows -- */

static void compare_with_reference(pl_tracker *t)
{
  for (size_t i = 0; i < t->links.count; ++i) {
    const track_state *s = &t->reference.states.data[t->links.data[i].before];
    pl_track *row = &t->rows.data[t->links.data[i].now];
    row->known = true;
    if (s->depth > row->known_depth) row->known_depth = s->depth;
    if (s->length > row->known_length) row->known_length = s->length;
  }
}

/* Ids go along the heaviest links; those that are left split or merge. */
static void give_ids(pl_tracker *t, const track_frame *before, track_frame *now)
{
  for (size_t i = 0; i < t->links.count; ++i) {
    const track_link *l = &t->links.data[i];
    pl_track *row = &t->rows.data[l->now];
    const track_state *s = &before->states.data[l->before];
    row->born = false;
    if (row->id || t->heir.data[l->before]) continue;
    row->id = s->id;
    row->age = s->age + 1;
    row->last_depth = s->depth;
    row->last_length = s->length;
    t->heir.data[l->before] = l->now + 1;
  }
  for (size_t i = 0; i < t->links.count; ++i) {
    const track_link *l = &t->links.data[i];
    pl_track *row = &t->rows.data[l->now];
    if (!t->heir.data[l->before]) { /* merges: `into` for the list of ends */
      t->heir.data[l->before] = l->now + 1;
      ++row->merged;
    } else if (!row->id && !row->parent) {
      row->parent = before->states.data[l->before].id;
    }
  }
  for (size_t i = 0; i < t->rows.count; ++i) {
    if (!t->rows.data[i].id) t->rows.data[i].id = t->next_id++;
    now->states.data[i].id = t->rows.data[i].id;
    now->states.data[i].age = t->rows.data[i].age;
  }
}

static int compare_ends(const void *a, const void *b)
{
  const pl_track *x = a, *y = b;
  return x->id < y->id ? -1 : x->id > y->id;
}

static void list_ends(pl_tracker *t, const track_frame *before)
{
  t->ended.count = 0;
  for (size_t i = 0; i < before->states.count; ++i) {
    uint32_t heir = t->heir.data[i], id = before->states.data[i].id, into = heir ? t->rows.data[heir - 1].id : 0;
    if (into != id) t->ended.data[t->ended.count++] = (pl_track){.id = id, .into = into};
  }
  if (t->ended.count) qsort(t->ended.data, t->ended.count, sizeof *t->ended.data, compare_ends);
}

/* A result of another question has no parts. NULL is none. */
static pl_status check_regions(const pl_tracker *t, const pl_result *regions)
{
  return !regions || regions->parts ? PL_OK : fail(t->context, PL_ERROR_ARGUMENT, "this is no result of pl_regions()");
}

pl_status pl_tracker_set_reference(pl_tracker *tracker, const pl_result *regions)
{
  if (!tracker) return fail_null("tracker");
  pl_status status = check_regions(tracker, regions);
  return status == PL_OK ? take_frame(tracker, &tracker->reference, regions) : status;
}

pl_status pl_tracker_follow(pl_tracker *t, const pl_result *regions, const pl_result **out)
{
  if (out) *out = NULL;
  if (!t) return fail_null("tracker");
  if (!regions || !out) return fail(t->context, PL_ERROR_ARGUMENT, "%s is NULL", regions ? "out" : "regions");
  const pl_allocator *allocator = &t->context->def.allocator;
  track_frame *before = &t->frame[t->last], *now = &t->frame[!t->last];
  pl_status status = check_regions(t, regions);
  if (status == PL_OK) status = take_frame(t, now, regions);
  if (status != PL_OK) return status;
  if (!array_reserve(allocator, &t->rows, regions->count + 1) ||
      !array_reserve(allocator, &t->heir, before->states.count + 1) ||
      !array_reserve(allocator, &t->ended, before->states.count + 1))
    return no_memory(t);
  memset(t->rows.data, 0, (regions->count + 1) * sizeof *t->rows.data);
  memset(t->heir.data, 0, (before->states.count + 1) * sizeof *t->heir.data);
  t->rows.count = regions->count;
  for (size_t i = 0; i < t->rows.count; ++i) t->rows.data[i].born = true;
  status = find_links(t, &t->reference, now);
  if (status != PL_OK) return status;
  compare_with_reference(t);
  status = find_links(t, before, now);
  if (status != PL_OK) return status;
  give_ids(t, before, now);
  list_ends(t, before);
  t->last = !t->last;
  t->answer = (pl_result){
      .tracks = t->rows.data, .count = t->rows.count, .ended = t->ended.data, .ended_count = t->ended.count};
  *out = &t->answer;
  return PL_OK;
}
