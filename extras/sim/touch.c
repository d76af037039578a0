/* Contacts of spheres: the bodies as pliant's that match shapes, in a scene of its own, and
 * pl_sphere_contacts(pl_all()) at the world's level.
 *
 * A contact counts if the inner spheres of two nodes overlap, or would within the step. The
 * query finds them with margins: how far each body moves in a step, from the mean velocity of
 * all, since only relative motion matters. */
#include "pliant/pliant.h"

#include "detect.h"
#include "soft.h"

#include <stdlib.h>

/* What bodies of a shape with the same clusters share: about each node of a level. */
typedef struct touch_node {
  /* the one that is nearest to the middle of all: the body's clusters are read there */
  uint32_t point;
  double centre[3], radius; /* of the inner sphere at rest */
} touch_node;

typedef struct touch_kind {
  int shape, clusters;
  touch_node *nodes[SIM_LEVEL_MOST + 1]; /* NULL: not made yet */
  size_t counts[SIM_LEVEL_MOST + 1];
} touch_kind;

struct touch_stage {
  pl_context *context;
  pl_scene *scene;
  pl_body **bodies;
  touch_kind *kinds; /* of each body that touches itself: kinds[kind_of[body]] */
  uint32_t *kind_of;
  size_t kind_count;
  contact_list selves; /* scratch */
  double *margins;     /* of each body */
  pl_plane *planes;    /* the world's */
  size_t count, plane_count;
};

void touch_close(sim_world *world)
{
  struct touch_stage *t = world->touch;
  if (!t) return;
  pl_context_destroy(t->context);
  for (size_t i = 0; i < t->kind_count; ++i)
    for (int level = 0; level <= SIM_LEVEL_MOST; ++level) free(t->kinds[i].nodes[level]);
  free(t->kinds), free(t->kind_of), free(t->selves.items);
  free(t->bodies), free(t->margins), free(t->planes), free(t);
  world->touch = NULL;
}

static sim_status query_failed(sim_world *world)
{
  const char *message = world->touch && world->touch->context ? pl_context_message(world->touch->context) : "";
  return world_fail(world, SIM_ERROR_QUERY, "%s", message[0] ? message : "out of memory for contacts");
}

/* ----------------------------------------------------------------------------------- opening -- */

/* A body whose points follow one linear map never comes into itself. */
static bool bends(const body *b) { return b->set || b->columns > 3; }

static bool make_body(const sim_world *world, const body *b, size_t index, pl_body **out)
{
  static const pl_match_kind kinds[] = {PL_MATCH_RIGID, PL_MATCH_LINEAR, PL_MATCH_QUADRATIC};
  const shape *s = &world->shapes[b->shape];
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_match_def match = pl_match_def_default();
  mesh.positions = pl_positions_f32(s->points, s->surface_count);
  match.kind = kinds[b->def.mode];
  match.masses = s->masses;
  match.normals = pl_positions_f32(s->normals, s->surface_count);
  match.leaf_points = 2;
  match.cluster_count = b->def.clusters;
  match.cluster_overlap = SIM_CLUSTER_OVERLAP;
  if (pl_body_create_match(world->touch->context, &mesh, &match, NULL, out) != PL_OK) return false;
  pl_body_set_user(*out, (void *)(uintptr_t)index);
  return true;
}

static bool find_kind(struct touch_stage *t, const body *b, uint32_t *out)
{
  for (*out = 0; *out < t->kind_count; ++*out)
    if (t->kinds[*out].shape == b->shape && t->kinds[*out].clusters == b->def.clusters) return true;
  touch_kind *kinds = realloc(t->kinds, (t->kind_count + 1) * sizeof *kinds);
  if (!kinds) return false;
  t->kinds = kinds;
  kinds[t->kind_count++] = (touch_kind){.shape = b->shape, .clusters = b->def.clusters};
  return true;
}

static bool open_body(sim_world *world, size_t index)
{
  struct touch_stage *t = world->touch;
  body *b = &world->bodies[index];
  if (!make_body(world, b, index, &t->bodies[index])) return false;
  if (bends(b) && !find_kind(t, b, &t->kind_of[index])) return false;
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
  uint32_t *kind_of = realloc(t->kind_of, world->body_count * sizeof *kind_of);
  if (kind_of) t->kind_of = kind_of;
  if (!bodies || !margins || !kind_of || !open_planes(world, t)) return false;
  for (; t->count < world->body_count; ++t->count) {
    t->bodies[t->count] = NULL;
    if (!open_body(world, t->count)) return false;
  }
  return true;
}

sim_status touch_open(sim_world *world) { return open_all(world) ? SIM_OK : query_failed(world); }

/* ----------------------------------------------------------------------------------- placing -- */

/* The state as maps of pliant's: products are not centred there. */
static void maps_of(const shape *s, const body *b, pl_match_map *maps)
{
  int terms = 1 + b->columns;
  memset(maps, 0, (size_t)b->def.clusters * sizeof *maps);
  for (int k = 0; b->set && k < b->set->count; ++k)
    for (int i = 0; i < 3; ++i) {
      const double *own = b->coords + i * b->set->size + k * terms;
      maps[k].t[i] = own[0];
      memcpy(maps[k].m[i], own + 1, (size_t)b->columns * sizeof(double));
    }
  for (int i = 0; !b->set && i < 3; ++i) {
    maps->t[i] = b->state.centre[i];
    for (int j = 0; j < b->columns; ++j) maps->m[i][j] = b->state.matrix[i][j];
    for (int j = 3; j < b->columns; ++j) maps->t[i] -= b->state.matrix[i][j] * s->product_mean[j - 3];
  }
}

struct pl_body *touch_body_of(const sim_world *world, size_t index) { return world->touch->bodies[index]; }

bool touch_place(sim_world *world)
{
  struct touch_stage *t = world->touch;
  pl_match_map maps[SIM_CLUSTERS_MOST];
  for (size_t i = 0; i < world->body_count; ++i) {
    body *b = &world->bodies[i];
    size_t count = (size_t)b->def.clusters;
    if (b->placed) continue;
    maps_of(&world->shapes[b->shape], b, maps);
    if (pl_body_set_match(t->bodies[i], maps, count) != PL_OK) return false;
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
    world->touch->margins[i] = lesser(world->def.step * length3(d), size);
  }
}

/* ---------------------------------------------------------------------------------- contacts -- */

/* About the nodes of a level; NULL: out of memory. A body of fewer levels takes part with its
 * deepest. */
static touch_node *make_nodes(sim_world *world, uint32_t index, int level)
{
  struct touch_stage *t = world->touch;
  touch_kind *kind = &t->kinds[t->kind_of[index]];
  pl_body *from = t->bodies[index];
  const shape *s = &world->shapes[kind->shape];
  int deepest = pl_body_sphere_levels(from) - 1, at = level < deepest ? level : deepest;
  size_t count = pl_body_sphere_count(from, at);
  touch_node *nodes = calloc(count, sizeof *nodes);
  for (size_t i = 0; nodes && i < count; ++i) {
    pl_sphere_node node;
    pl_match_cluster cluster;
    double nearest = INFINITY;
    if (pl_body_sphere_node(from, at, i, &node) != PL_OK ||
        pl_body_match_cluster(from, node.cluster, &cluster) != PL_OK)
      continue;
    for (size_t j = 0; j < node.count; ++j) {
      double d[3];
      for (int k = 0; k < 3; ++k)
        d[k] = s->points[3 * node.points[j] + (uint32_t)k] - cluster.rest_centre[k] - node.surface[k];
      if (dot3(d, d) < nearest) nearest = dot3(d, d), nodes[i].point = node.points[j];
    }
    double way[3];
    for (int k = 0; k < 3; ++k) {
      nodes[i].centre[k] = cluster.rest_centre[k] + node.inner[k];
      way[k] = node.inner[k] - node.surface[k];
    }
    nodes[i].radius = length3(way);
  }
  kind->counts[level] = count;
  return kind->nodes[level] = nodes;
}

static const touch_node *node_of(const sim_world *world, uint32_t index, uint32_t node)
{
  const struct touch_stage *t = world->touch;
  const touch_kind *kind = &t->kinds[t->kind_of[index]];
  const touch_node *nodes = kind->nodes[world->level];
  return &nodes[node < kind->counts[world->level] ? node : 0];
}

uint32_t touch_node_point(const sim_world *world, uint32_t index, uint32_t node)
{
  return node_of(world, index, node)->point;
}

/* Tables of nodes for the present level. */
static bool make_all_nodes(sim_world *world)
{
  const struct touch_stage *t = world->touch;
  for (size_t i = 0; i < world->body_count; ++i)
    if (bends(&world->bodies[i]) && !t->kinds[t->kind_of[i]].nodes[world->level] &&
        !make_nodes(world, (uint32_t)i, world->level))
      return false;
  return true;
}

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

static bool add_group(sim_world *world, const pl_result *found, const pl_group *g)
{
  uint32_t a = (uint32_t)(uintptr_t)pl_body_user(g->a), b = g->b ? (uint32_t)(uintptr_t)pl_body_user(g->b) : PLANES;
  size_t first = world->contacts.count;
  float ahead = g->b ? closing(world, &world->bodies[a], &world->bodies[b]) : 0;
  for (size_t i = g->begin; i < g->end; ++i) {
    const pl_sphere_contact *t = &found->spheres[i];
    if (!g->b)
      ahead = (float)(world->def.step * larger(-dot3(world->planes[t->b].normal, world->bodies[a].state.velocity), 0));
    if (!(t->depth > -ahead)) continue;
    contact *c = contact_add(&world->contacts);
    if (!c) return false;
    *c = (contact){.a = a, .b = b, .node_a = t->a, .node_b = t->b, .depth = t->depth, .size = t->sphere_a.radius};
    if (g->b) c->size = (float)lesser(c->size, t->sphere_b.radius);
    memcpy(c->normal, t->normal, sizeof c->normal);
    memcpy(c->point, t->point, sizeof c->point);
  }
  if (g->b) contacts_merge(&world->contacts, first);
  return true;
}

/* ------------------------------------------------------------------------------------ selves -- */

static const double APART =
    2; /* nodes whose inner spheres at rest, this much larger, have a common point are neighbours */

/* Parts that are deep in each other, as those of a crushed body, come out by themselves:
 * contacts would keep them there. */
static const double DEEPEST = 0.7; /* of the smaller radius */

static bool neighbours(const touch_node *a, const touch_node *b)
{
  double d[3] = {a->centre[0] - b->centre[0], a->centre[1] - b->centre[1], a->centre[2] - b->centre[2]};
  return length3(d) < APART * (a->radius + b->radius);
}

/* Contacts of a body with itself: neighbours touch all the time. */
static bool add_self(sim_world *world, uint32_t index)
{
  struct touch_stage *t = world->touch;
  pl_question def = pl_question_default();
  const pl_result *found;
  size_t first = t->selves.count;
  def.level = world->level;
  def.contacts = true;
  if (pl_sphere_contacts(pl_self(t->bodies[index]), &def, &found) != PL_OK) return false;
  for (size_t i = 0; i < found->count; ++i) {
    const pl_sphere_contact *touch = &found->spheres[i];
    const touch_node *a = node_of(world, index, touch->a), *b = node_of(world, index, touch->b);
    if (neighbours(a, b) || touch->depth > DEEPEST * fmin(a->radius, b->radius)) continue;
    contact *c = contact_add(&t->selves);
    if (!c) return false;
    *c = (contact){.a = index, .b = index, .node_a = touch->a, .node_b = touch->b, .depth = touch->depth};
    c->size = fminf(touch->sphere_a.radius, touch->sphere_b.radius);
    memcpy(c->normal, touch->normal, sizeof c->normal);
    memcpy(c->point, touch->point, sizeof c->point);
  }
  contacts_merge(&t->selves, first);
  world->stats.visited += found->counters.n_v, world->stats.updated += found->counters.n_u;
  return true;
}

static bool find_selves(sim_world *world)
{
  struct touch_stage *t = world->touch;
  t->selves.count = 0;
  for (size_t i = 0; i < world->body_count; ++i)
    if (bends(&world->bodies[i]) && !world->bodies[i].state.asleep && !add_self(world, (uint32_t)i)) return false;
  return true;
}

/* ------------------------------------------------------------------------------------- lists -- */

/* The order of lists: contacts of sleeping bodies, those of bodies with themselves, and pairs,
 * all up to (a, b). */
static bool add_before(sim_world *world, size_t *cursor, size_t *self, uint32_t a, uint32_t b)
{
  struct touch_stage *t = world->touch;
  for (; *self < t->selves.count && t->selves.items[*self].a <= a; ++*self) {
    contact *from = &t->selves.items[*self];
    if (from->a == a && b <= a) break;
    if (!contacts_keep(world, cursor, world->last.count, from->a, from->a)) return false;
    contact *c = contact_add(&world->contacts);
    if (!c) return false;
    *c = *from;
  }
  return contacts_keep(world, cursor, world->last.count, a, b);
}

/* Groups of planes come first, then pairs, both in the order of bodies: with those that are kept
 * between them the list is in order. */
static bool take_groups(sim_world *world, const pl_result *found)
{
  size_t cursor = 0, self = 0, i = 0, planes = world->last.planes;
  for (; i < found->group_count && !found->groups[i].b; ++i) {
    uint32_t a = (uint32_t)(uintptr_t)pl_body_user(found->groups[i].a);
    if (world->bodies[a].state.asleep) continue;
    if (!contacts_keep(world, &cursor, planes, a, PLANES) || !add_group(world, found, &found->groups[i])) return false;
  }
  if (!contacts_keep(world, &cursor, planes, UINT32_MAX, 0)) return false;
  world->contacts.planes = world->contacts.count;
  for (cursor = planes; i < found->group_count; ++i) {
    const pl_group *g = &found->groups[i];
    uint32_t a = (uint32_t)(uintptr_t)pl_body_user(g->a), b = (uint32_t)(uintptr_t)pl_body_user(g->b);
    if (!add_before(world, &cursor, &self, a, b) || !add_group(world, found, g)) return false;
  }
  return add_before(world, &cursor, &self, UINT32_MAX, UINT32_MAX);
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

static bool any_asleep(const sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i)
    if (world->bodies[i].state.asleep) return true;
  return false;
}

static void count_contacts(sim_world *world, const pl_result *found)
{
  world->stats.plane_contacts = world->contacts.planes;
  world->stats.contacts = world->contacts.count;
  if (!found) return;
  world->stats.body_pairs = found->body_pairs;
  world->stats.visited += found->counters.n_v;
  world->stats.updated += found->counters.n_u;
}

/* The question that a step asks, for the present states. */
static pl_question question_of(sim_world *world)
{
  pl_question def = pl_question_default();
  set_margins(world);
  def.level = world->level;
  def.contacts = true;
  def.planes = world->touch->planes, def.plane_count = world->touch->plane_count;
  def.margins = world->touch->margins, def.margin_count = world->body_count;
  def.body_filter = any_asleep(world) ? not_both_asleep : NULL, def.user = world;
  return def;
}

bool touch_compare(sim_world *world, size_t *count, bool *same)
{
  pl_question def = question_of(world);
  const pl_result *found;
  def.reference = true;
  if (pl_sphere_contacts(pl_all(world->touch->scene), &def, &found) != PL_OK) return false;
  def.reference = false;
  *count = found->count;
  pl_sphere_contact *want = malloc(*count * sizeof *want + 1);
  if (want && *count) memcpy(want, found->spheres, *count * sizeof *want);
  bool good = want && pl_sphere_contacts(pl_all(world->touch->scene), &def, &found) == PL_OK;
  *same = good && found->count == *count && (!*count || !memcmp(want, found->spheres, *count * sizeof *want));
  free(want);
  return good;
}

sim_status detect_contacts(sim_world *world)
{
  if (all_asleep(world)) return count_contacts(world, NULL), SIM_OK;
  if (!touch_place(world) || !make_all_nodes(world) || !find_selves(world)) return query_failed(world);
  contact_list swap = world->last;
  world->last = world->contacts;
  world->contacts = swap;
  world->contacts.count = world->contacts.planes = 0;
  pl_question def = question_of(world);
  const pl_result *found;
  if (pl_sphere_contacts(pl_all(world->touch->scene), &def, &found) != PL_OK) return query_failed(world);
  if (!take_groups(world, found)) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for contacts");
  warm_start(world);
  count_contacts(world, found);
  return SIM_OK;
}
