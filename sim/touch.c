/* Contacts of spheres: the bodies as pliant's that match shapes, in a scene of its own, and pl_scene_touch() at the world's level.
 *
 * A contact counts if the inner spheres of two nodes overlap, or would within the step. The query finds them with margins: how far each body moves in
 * a step, from the mean velocity of all, since only relative motion matters. */
#include "pliant/pliant.h"

#include "detect.h"

#include <stdlib.h>

static const double DEEP =
    0; /* of a body's size: margin for bodies that are in each other deeper than nodes are large */

struct touch_stage {
  pl_context *context;
  pl_scene *scene;
  pl_body **bodies;
  double *margins;  /* of each body */
  pl_plane *planes; /* the world's */
  size_t count, plane_count;
};

void touch_close(sim_world *world)
{
  struct touch_stage *t = world->touch;
  if (!t) return;
  pl_context_destroy(t->context);
  free(t->bodies), free(t->margins), free(t->planes), free(t);
  world->touch = NULL;
}

static sim_status query_failed(sim_world *world)
{
  const char *message = world->touch && world->touch->context ? pl_context_message(world->touch->context) : "";
  return world_fail(world, SIM_ERROR_QUERY, "%s", message[0] ? message : "out of memory for contacts");
}

/* ---------------------------------------------------------------------------------------------------------- opening -- */

static bool open_body(sim_world *world, size_t index)
{
  static const pl_match_kind kinds[] = {PL_MATCH_RIGID, PL_MATCH_LINEAR, PL_MATCH_QUADRATIC};
  struct touch_stage *t = world->touch;
  body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_match_def match = pl_match_def_default();
  mesh.positions = pl_positions_f32(s->points, s->surface_count);
  match.kind = kinds[b->def.mode];
  match.masses = s->masses;
  match.normals = pl_positions_f32(s->normals, s->surface_count);
  match.leaf_points = 2;
  if (pl_body_create_match(t->context, &mesh, &match, NULL, &t->bodies[index]) != PL_OK) return false;
  pl_body_set_user(t->bodies[index], (void *)(uintptr_t)index);
  b->placed = false;
  return pl_scene_add(t->scene, t->bodies[index], NULL) == PL_OK;
}

static bool open_planes(const sim_world *world, struct touch_stage *t)
{
  free(t->planes);
  t->planes = calloc(world->plane_count + 1, sizeof *t->planes);
  t->plane_count = world->plane_count;
  for (size_t i = 0; t->planes && i < world->plane_count; ++i) {
    memcpy(t->planes[i].normal, world->planes[i].normal, sizeof t->planes[i].normal);
    t->planes[i].offset = world->planes[i].offset;
  }
  return t->planes != NULL;
}

/* The stage for the present bodies and planes. Bodies are only ever added. */
static bool open_all(sim_world *world)
{
  struct touch_stage *t = world->touch;
  if (t && t->count == world->body_count && t->plane_count == world->plane_count) return true;
  if (!t) {
    pl_context_def def = pl_context_def_default();
    def.threads = 1;
    t = world->touch = calloc(1, sizeof *t);
    if (!t || pl_context_create(&def, &t->context) != PL_OK || pl_scene_create(t->context, NULL, &t->scene) != PL_OK)
      return false;
  }
  pl_body **bodies = realloc(t->bodies, world->body_count * sizeof *bodies);
  if (bodies) t->bodies = bodies;
  double *margins = realloc(t->margins, world->body_count * sizeof *margins);
  if (margins) t->margins = margins;
  if (!bodies || !margins || !open_planes(world, t)) return false;
  for (; t->count < world->body_count; ++t->count) {
    t->bodies[t->count] = NULL;
    if (!open_body(world, t->count)) return false;
  }
  return true;
}

sim_status touch_open(sim_world *world) { return open_all(world) ? SIM_OK : query_failed(world); }

/* ---------------------------------------------------------------------------------------------------------- placing -- */

/* The state as a map of pliant's: products are not centred there. */
static pl_match_map map_of(const shape *s, const body *b)
{
  pl_match_map map = {0};
  for (int i = 0; i < 3; ++i) {
    map.t[i] = b->state.centre[i];
    for (int j = 0; j < b->columns; ++j) map.m[i][j] = b->state.matrix[i][j];
    for (int j = 3; j < b->columns; ++j) map.t[i] -= b->state.matrix[i][j] * s->product_mean[j - 3];
  }
  return map;
}

static bool place_bodies(sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    if (b->placed) continue;
    pl_match_map map = map_of(&world->shapes[b->shape], b);
    if (pl_body_set_match(world->touch->bodies[i], &map, 1) != PL_OK) return false;
    b->placed = true;
  }
  return true;
}

static void set_margins(sim_world *world)
{
  double mean[3] = {0};
  for (size_t i = 0; i < world->body_count; ++i)
    for (int k = 0; k < 3; ++k) mean[k] += world->bodies[i].state.velocity[k] / (double)world->body_count;
  for (size_t i = 0; i < world->body_count; ++i) {
    const body *b = &world->bodies[i];
    double d[3], size = world->shapes[b->shape].reach;
    for (int k = 0; k < 3; ++k) d[k] = b->state.velocity[k] - mean[k];
    world->touch->margins[i] = fmin(world->def.step * length3(d), size) + DEEP * size;
  }
}

/* ---------------------------------------------------------------------------------------------------------- contacts -- */

/* Two bodies that sleep keep their contacts. */
static bool not_both_asleep(void *user, pl_body *a, pl_body *b)
{
  const sim_world *world = user;
  return !world->bodies[(uintptr_t)pl_body_user(a)].state.asleep ||
         !world->bodies[(uintptr_t)pl_body_user(b)].state.asleep;
}

/* How far two bodies, or a body and a plane, can come closer in a step. */
static float closing(const sim_world *world, const body *a, const body *b)
{
  double d[3];
  for (int k = 0; k < 3; ++k) d[k] = a->state.velocity[k] - b->state.velocity[k];
  return (float)(world->def.step * length3(d));
}

static bool add_group(sim_world *world, const pl_touches *found, const pl_touch_group *g)
{
  uint32_t a = (uint32_t)(uintptr_t)pl_body_user(g->a), b = g->b ? (uint32_t)(uintptr_t)pl_body_user(g->b) : PLANES;
  size_t first = world->contacts.count;
  float ahead = g->b ? closing(world, &world->bodies[a], &world->bodies[b]) : 0;
  for (size_t i = g->begin; i < g->end; ++i) {
    const pl_touch *t = &found->touches[i];
    if (!g->b)
      ahead = (float)(world->def.step * fmax(0, -dot3(world->planes[t->b].normal, world->bodies[a].state.velocity)));
    if (!(t->depth > -ahead)) continue;
    contact *c = contact_add(&world->contacts);
    if (!c) return false;
    *c = (contact){.a = a, .b = b, .node_a = t->a, .node_b = t->b, .depth = t->depth, .size = t->sphere_a.radius};
    if (g->b) c->size = fminf(c->size, t->sphere_b.radius);
    memcpy(c->normal, t->normal, sizeof c->normal);
    memcpy(c->point, t->point, sizeof c->point);
  }
  if (g->b) contacts_merge(&world->contacts, first);
  return true;
}

/* Groups of planes come first, then pairs, both in the order of bodies: with those that are kept between them the list is in order. */
static bool take_groups(sim_world *world, const pl_touches *found)
{
  size_t cursor = 0, i = 0, planes = world->last.planes, end = world->last.count;
  for (; i < found->group_count && !found->groups[i].b; ++i) {
    uint32_t a = (uint32_t)(uintptr_t)pl_body_user(found->groups[i].a);
    if (world->bodies[a].state.asleep) continue;
    if (!contacts_keep(world, &cursor, planes, a, PLANES) || !add_group(world, found, &found->groups[i])) return false;
  }
  if (!contacts_keep(world, &cursor, planes, UINT32_MAX, 0)) return false;
  world->contacts.planes = world->contacts.count;
  for (cursor = planes; i < found->group_count; ++i) {
    const pl_touch_group *g = &found->groups[i];
    uint32_t a = (uint32_t)(uintptr_t)pl_body_user(g->a), b = (uint32_t)(uintptr_t)pl_body_user(g->b);
    if (!contacts_keep(world, &cursor, end, a, b) || !add_group(world, found, g)) return false;
  }
  return contacts_keep(world, &cursor, end, UINT32_MAX, 0);
}

static void warm_start(sim_world *world)
{
  contact *now = world->contacts.items, *last = world->last.items;
  size_t planes = world->contacts.planes, last_planes = world->last.planes;
  if (planes && last_planes) contacts_take_impulses(now, planes, last, last_planes);
  if (world->contacts.count > planes && world->last.count > last_planes)
    contacts_take_impulses(now + planes, world->contacts.count - planes, last + last_planes,
                           world->last.count - last_planes);
}

static bool all_asleep(const sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i)
    if (!world->bodies[i].state.asleep) return false;
  return true;
}

static void count_contacts(sim_world *world, const pl_touches *found)
{
  world->stats.plane_contacts = world->contacts.planes;
  world->stats.contacts = world->contacts.count;
  if (!found) return;
  world->stats.body_pairs = found->body_pairs;
  world->stats.visited = found->counters.n_v;
  world->stats.updated = found->counters.n_u;
}

sim_status detect_contacts(sim_world *world)
{
  if (all_asleep(world)) return count_contacts(world, NULL), SIM_OK;
  if (!place_bodies(world)) return query_failed(world);
  contact_list swap = world->last;
  world->last = world->contacts;
  world->contacts = swap;
  world->contacts.count = world->contacts.planes = 0;
  set_margins(world);
  pl_touch_def def = pl_touch_def_default();
  const pl_touches *found;
  def.level = world->level;
  def.contacts = true;
  def.planes = world->touch->planes, def.plane_count = world->touch->plane_count;
  def.margins = world->touch->margins, def.margin_count = world->body_count;
  def.body_filter = not_both_asleep, def.user = world;
  if (pl_scene_touch(world->touch->scene, &def, &found) != PL_OK) return query_failed(world);
  if (!take_groups(world, found)) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for contacts");
  warm_start(world);
  count_contacts(world, found);
  return SIM_OK;
}
