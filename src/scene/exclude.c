/* Pairs of bodies that a scene does not test. Each of two excluded members lists the other,
 * sorted by address: a search is O(log n). */
#include "scene/scene.h"

#include <string.h>

/* The place of a body in a list, or the place where it would be inserted. */
static size_t place_in(const membership *m, const pl_body *body)
{
  size_t low = 0, high = m->excluded.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((uintptr_t)m->excluded.data[middle] < (uintptr_t)body)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool lists(const membership *m, const pl_body *body)
{
  size_t at = place_in(m, body);
  return at < m->excluded.count && m->excluded.data[at] == body;
}

bool members_excluded(const membership *a, const membership *b)
{
  return a->excluded.count && b->excluded.count && lists(a, b->body);
}

static void drop(membership *m, const pl_body *body)
{
  size_t at = place_in(m, body), after = m->excluded.count - at - 1;
  memmove(m->excluded.data + at, m->excluded.data + at + 1, after * sizeof *m->excluded.data);
  --m->excluded.count;
}

/* Inserts a body; there is room. */
static void insert(membership *m, const pl_body *body)
{
  size_t at = place_in(m, body), after = m->excluded.count - at;
  memmove(m->excluded.data + at + 1, m->excluded.data + at, after * sizeof *m->excluded.data);
  m->excluded.data[at] = body;
  ++m->excluded.count;
}

void members_include(membership *a, membership *b)
{
  if (!members_excluded(a, b)) return;
  drop(a, b->body);
  drop(b, a->body);
}

/* The members of two bodies, both of which must be in the scene. */
static pl_status take_members(pl_scene *scene, pl_body *a, pl_body *b, membership *out[2])
{
  if (!a || !b) return query_refuse_null(scene->context, a ? "body b" : "body a");
  if (a->context != scene->context || b->context != scene->context)
    return fail(scene->context, PL_ERROR_MISMATCH, "body %s is of another context than the scene",
                a->context != scene->context ? "a" : "b");
  out[0] = scene_member(scene, a);
  out[1] = scene_member(scene, b);
  if (!out[0] || !out[1])
    return fail(scene->context, PL_ERROR_ARGUMENT, "body %s is not in the scene: add it first", out[0] ? "b" : "a");
  if (a == b) return fail(scene->context, PL_ERROR_ARGUMENT, "the bodies are the same: give two bodies");
  return PL_OK;
}

static pl_status exclude(pl_scene *scene, pl_body *a, pl_body *b)
{
  membership *m[2] = {NULL, NULL};
  pl_status status = take_members(scene, a, b, m);
  if (status != PL_OK || members_excluded(m[0], m[1])) return status;
  const pl_allocator *allocator = &scene->context->def.allocator;
  for (int i = 0; i < 2; ++i)
    if (!array_reserve(allocator, &m[i]->excluded, m[i]->excluded.count + 1))
      return fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu excluded bodies", m[i]->excluded.count + 1);
  insert(m[0], b);
  insert(m[1], a);
  return PL_OK;
}

static pl_status include(pl_scene *scene, pl_body *a, pl_body *b)
{
  membership *m[2] = {NULL, NULL};
  pl_status status = take_members(scene, a, b, m);
  if (status != PL_OK) return status;
  members_include(m[0], m[1]);
  distance_kept_widen(scene);
  return PL_OK;
}

/* A change of the scene: fails while a query of it runs. */
static pl_status change(pl_scene *scene, pl_body *a, pl_body *b, pl_status (*how)(pl_scene *, pl_body *, pl_body *))
{
  if (!scene) return fail_null("scene");
  pl_status status = call_check(scene->context);
  if (status != PL_OK) return status;
  if (!guard_alone(&scene->guard)) return call_refuse_change(scene->context, &scene->guard);
  status = how(scene, a, b);
  guard_alone_end(&scene->guard);
  return status;
}

pl_status pl_scene_exclude(pl_scene *scene, pl_body *a, pl_body *b) { return change(scene, a, b, exclude); }
pl_status pl_scene_include(pl_scene *scene, pl_body *a, pl_body *b) { return change(scene, a, b, include); }
