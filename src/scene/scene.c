/* Scenes: bodies may be added and removed at any time. */
#include "scene/scene.h"

#include <string.h>

/* -------------------------------------------------------------------------------- membership -- */

membership *scene_member(pl_scene *scene, const pl_body *body)
{
  for (body_scene *m = body->scenes; m; m = m->next)
    if (((membership *)(void *)m)->scene == scene) return (membership *)(void *)m;
  return NULL;
}

/* The body and the scene have been entered alone, or the context is being destroyed. */
static void leave(membership *m)
{
  pl_scene *scene = m->scene;
  body_scene **at = &m->body->scenes;
  while (*at != &m->link) at = &(*at)->next;
  *at = m->link.next;
  while (m->excluded.count) members_include(m, scene_member(scene, m->excluded.data[0]));
  array_free(&scene->context->def.allocator, &m->excluded);
  broad_remove(&scene->broad, m->proxy);
  scene->members.data[m->proxy] = NULL;
  --scene->body_count;
  mem_free(&scene->context->def.allocator, m);
}

/* Called for a body that is being destroyed and has entered all of its scenes. */
static void leave_all(body_scene *first)
{
  while (first) {
    body_scene *next = first->next;
    guard *entered = first->guard;
    leave((membership *)(void *)first);
    guard_alone_end(entered);
    first = next;
  }
}

/* Renumbers the proxies when most are free, so that a scene stays small while bodies are added
 * and removed. */
static void pack(pl_scene *scene)
{
  enum { FEW = 64 };
  if (scene->members.count < FEW || scene->body_count > scene->members.count / 2) return;
  size_t kept = 0;
  kept_forget(scene);
  distance_kept_forget(scene);
  broad_clear(&scene->broad);
  for (size_t i = 0; i < scene->members.count; ++i) {
    membership *m = scene->members.data[i];
    if (!m) continue;
    m->proxy = (uint32_t)kept;
    scene->members.data[kept++] = m;
    /* cannot fail: the room was there for more */
    broad_add(scene->context, &scene->broad, m->proxy);
  }
  scene->members.count = kept;
}

static pl_status check_options(pl_context *context, const pl_member_def *o)
{
  for (int k = 0; o->loose && k < 3; ++k)
    if (!(o->lower[k] <= o->upper[k]) || !isfinite(o->lower[k]) || !isfinite(o->upper[k]))
      return fail(context, PL_ERROR_ARGUMENT, "the loose box is empty or not finite along %c", "xyz"[k]);
  return PL_OK;
}

/* Enters the scene and the body alone: adding and removing changes both. */
static pl_status enter(pl_scene *scene, pl_body *body)
{
  pl_status status = call_check(scene->context);
  if (status != PL_OK) return status;
  if (!guard_alone(&body->guard)) return call_refuse_change(scene->context, &body->guard);
  if (guard_alone(&scene->guard)) return PL_OK;
  guard_alone_end(&body->guard);
  return call_refuse_change(scene->context, &scene->guard);
}

static void enter_end(pl_scene *scene, pl_body *body)
{
  guard_alone_end(&scene->guard);
  guard_alone_end(&body->guard);
}

static pl_status add(pl_scene *scene, pl_body *body, const pl_member_def *options)
{
  pl_context *context = scene->context;
  if (scene_member(scene, body)) return fail(context, PL_ERROR_ARGUMENT, "the body is in the scene already");
  pack(scene);
  if (scene->members.count >= (size_t)1 << 30) return fail(context, PL_ERROR_ARGUMENT, "the scene is full");

  membership *m = mem_new(&context->def.allocator, 1, sizeof *m);
  if (!m || !array_reserve(&context->def.allocator, &scene->members, scene->members.count + 1)) {
    mem_free(&context->def.allocator, m);
    return fail(context, PL_ERROR_MEMORY, "no memory for another body in the scene");
  }
  *m = (membership){.link = {body->scenes, &scene->guard},
                    .scene = scene,
                    .body = body,
                    .options = *options,
                    .proxy = (uint32_t)scene->members.count};
  pl_status status = broad_add(context, &scene->broad, m->proxy);
  if (status != PL_OK) {
    mem_free(&context->def.allocator, m);
    return status;
  }
  scene->members.data[scene->members.count++] = m;
  ++scene->body_count;
  body->scenes = &m->link;
  body->leave = leave_all;
  return PL_OK;
}

pl_status pl_scene_add(pl_scene *scene, pl_body *body, const pl_member_def *options)
{
  if (!scene) return fail_null("scene");
  pl_context *context = scene->context;
  if (!body) return fail(context, PL_ERROR_ARGUMENT, "body is NULL");
  if (body->context != context)
    return fail(context, PL_ERROR_MISMATCH, "the body belongs to another context than the scene");
  pl_member_def o;
  pl_status status = def_take(context, pl_member_def, options, &o);
  if (status == PL_OK) status = check_options(context, &o);
  if (status == PL_OK) status = enter(scene, body);
  if (status != PL_OK) return status;
  status = add(scene, body, &o);
  enter_end(scene, body);
  return status;
}

pl_status pl_scene_remove(pl_scene *scene, pl_body *body)
{
  if (!scene) return fail_null("scene");
  if (!body) return fail(scene->context, PL_ERROR_ARGUMENT, "body is NULL");
  if (body->context != scene->context)
    return fail(scene->context, PL_ERROR_MISMATCH, "the body belongs to another context than the scene");
  pl_status status = enter(scene, body);
  if (status != PL_OK) return status;
  membership *m = scene_member(scene, body);
  if (m)
    leave(m);
  else
    status = fail(scene->context, PL_ERROR_ARGUMENT, "the body is not in the scene");
  enter_end(scene, body);
  return status;
}

size_t pl_scene_body_count(const pl_scene *scene) { return scene ? scene->body_count : 0; }

/* ------------------------------------------------------------------------------- create, end -- */

static void scene_destroy(owned *link)
{
  pl_scene *scene = (pl_scene *)(void *)link;
  const pl_allocator *allocator = &scene->context->def.allocator;
  for (size_t i = 0; i < scene->members.count; ++i)
    if (scene->members.data[i]) leave(scene->members.data[i]);
  owned_unlink(scene->context, link);
  broad_free(scene->context, &scene->broad);
  array_free_all(allocator, &scene->members, &scene->waiting, &scene->pieces);
  kept_free(scene);
  distance_kept_free(scene);
  owned_end(scene->context, link, &scene->guard);
}

pl_status pl_scene_create(pl_context *context, const pl_scene_def *def, pl_scene **out)
{
  if (out) *out = NULL;
  if (!context) return fail_null("context");
  pl_scene_def d;
  pl_status status = def_take(context, pl_scene_def, def, &d);
  if (status == PL_OK && (unsigned)d.broad >= PL_BROAD_COUNT)
    status = fail(context, PL_ERROR_ARGUMENT, "unknown broad phase");
  if (status == PL_OK) status = owned_create(context, sizeof **out, "a scene", scene_destroy, out);
  if (status == PL_OK) (*out)->kind = d.broad;
  return status;
}

/* Enters the members of a scene that is being destroyed, which changes them. Returns how many
 * were entered: all, or those before one that is in use. */
static size_t enter_members(pl_scene *scene)
{
  size_t i = 0;
  while (i < scene->members.count && (!scene->members.data[i] || guard_alone(&scene->members.data[i]->body->guard)))
    ++i;
  return i;
}

void pl_scene_destroy(pl_scene *scene)
{
  if (!scene || call_check(scene->context) != PL_OK) return;
  if (!guard_alone(&scene->guard)) {
    call_refuse_change(scene->context, &scene->guard);
    return;
  }
  size_t entered = enter_members(scene);
  bool all = entered == scene->members.count;
  for (size_t i = 0; i < entered; ++i) {
    membership *m = scene->members.data[i];
    pl_body *body = m ? m->body : NULL;
    if (m && all) leave(m);
    if (m) guard_alone_end(&body->guard);
  }
  if (all) {
    scene_destroy(&scene->link);
    return;
  }
  guard_alone_end(&scene->guard);
  call_refuse_change(scene->context, &scene->guard);
}
