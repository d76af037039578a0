/* Contacts: pairs of bodies by their boxes, then the spheres of one level of both, in groups below those half as deep.
 *
 * The surface around a node is replaced by its inner ball, whose centre and touching point move with the body. Two nodes are in
 * contact if their inner balls overlap and the point of contact lies at the nodes: within 1.25 radii of the balls around their points,
 * plus the depth. (Averaged normals of patches let coarse piles collapse; without the depth bodies fall through floors at fine levels.) */
#include "world.h"

#include <stdlib.h>

static const float AT_NODE = 1.25f;

contact *contact_add(contact_list *list)
{
  if (list->count == list->capacity) {
    size_t capacity = 2 * list->capacity + 256;
    contact *items = realloc(list->items, capacity * sizeof *items);
    if (!items) return NULL;
    list->items = items;
    list->capacity = capacity;
  }
  return &list->items[list->count++];
}

/* ------------------------------------------------------------------------------------------------------- spheres -- */

/* How much a body stretches: a bound of the greatest singular value, 1 for a rotation. */
static double stretch_of(const body *b, double reach)
{
  double most = 0, more = 0;
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (int j = 0; j < 3; ++j) {
      double entry = 0;
      for (int k = 0; k < 3; ++k) entry += b->state.matrix[k][i] * b->state.matrix[k][j];
      sum += fabs(entry);
    }
    most = fmax(most, sum);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 3; j < b->columns; ++j) more += b->state.matrix[i][j] * b->state.matrix[i][j];
  return sqrt(most) + 4 * reach * sqrt(more);
}

static void move_points(const shape *s, const body *b, float *const from[3], int count, float *to[4])
{
  if (b->columns == 3) {
    float m[3][4];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[i][j] = (float)b->state.matrix[i][j];
      m[i][3] = (float)b->state.centre[i];
    }
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < count; ++i)
        to[k][i] = m[k][0] * from[0][i] + m[k][1] * from[1][i] + m[k][2] * from[2][i] + m[k][3];
    return;
  }
  for (int i = 0; i < count; ++i) {
    double q[3] = {from[0][i], from[1][i], from[2][i]}, terms[9], x[3];
    shape_terms(s, q, 9, terms);
    body_point(b, terms, x);
    for (int k = 0; k < 3; ++k) to[k][i] = (float)x[k];
  }
}

/* The spheres of a level of a body as it is now. The inner radius follows the distance of the touching point. */
static void make_spheres(sim_world *world, body *b)
{
  const shape *s = &world->shapes[b->shape];
  const shape_level *v = &s->levels[world->level];
  if (b->stamp == world->step && b->level == world->level) return;
  float surface[3][1 << SIM_LEVEL_MOST], *to[4] = {surface[0], surface[1], surface[2], NULL};
  float stretch = (float)stretch_of(b, s->reach);
  move_points(s, b, v->inner, v->count, b->inner);
  move_points(s, b, v->bound, v->count, b->bound);
  move_points(s, b, v->surface, v->count, to);
  for (int i = 0; i < v->count; ++i) {
    float x = surface[0][i] - b->inner[0][i], y = surface[1][i] - b->inner[1][i], z = surface[2][i] - b->inner[2][i];
    b->inner[3][i] = sqrtf(x * x + y * y + z * z);
    b->bound[3][i] = stretch * v->radius[i];
  }
  const shape_level *half = &s->levels[world->level / 2];
  float *coarse[4] = {b->coarse[0], b->coarse[1], b->coarse[2], NULL};
  move_points(s, b, half->bound, half->count, coarse);
  for (int i = 0; i < half->count; ++i) b->coarse[3][i] = stretch * half->radius[i];
  b->stamp = world->step;
  b->level = world->level;
  world->stats.updated += (size_t)v->count;
}

/* --------------------------------------------------------------------------------------------------- broad phase -- */

static bool add_pair(sim_world *world, uint32_t a, uint32_t b)
{
  if (world->pair_count == world->pair_capacity) {
    size_t capacity = 2 * world->pair_capacity + 256;
    body_pair *pairs = realloc(world->pairs, 2 * capacity * sizeof *pairs); /* the second half is for sorting */
    if (!pairs) return false;
    world->pairs = pairs;
    world->pair_capacity = capacity;
  }
  world->pairs[world->pair_count++] = a < b ? (body_pair){a, b} : (body_pair){b, a};
  return true;
}

static bool boxes_meet(const body *a, const body *b)
{
  return a->box[0][1] <= b->box[1][1] && b->box[0][1] <= a->box[1][1] && a->box[0][2] <= b->box[1][2] &&
         b->box[0][2] <= a->box[1][2];
}

static void sort_sweep(sim_world *world)
{
  for (; world->sweep_count < world->body_count; ++world->sweep_count)
    world->sweep[world->sweep_count] = (uint32_t)world->sweep_count;
  for (size_t i = 1; i < world->sweep_count; ++i) {
    uint32_t moved = world->sweep[i];
    float at = world->bodies[moved].box[0][0];
    size_t j = i;
    for (; j > 0; --j) {
      float other = world->bodies[world->sweep[j - 1]].box[0][0];
      if (other < at || (other == at && world->sweep[j - 1] < moved)) break;
      world->sweep[j] = world->sweep[j - 1];
    }
    world->sweep[j] = moved;
  }
}

/* By first body through counts, then by second body: pairs are few per body. */
static void sort_pairs(sim_world *world)
{
  body_pair *sorted = world->pairs + world->pair_capacity;
  memset(world->bucket, 0, (world->body_count + 1) * sizeof *world->bucket);
  for (size_t i = 0; i < world->pair_count; ++i) ++world->bucket[world->pairs[i].a + 1];
  for (size_t i = 0; i < world->body_count; ++i) world->bucket[i + 1] += world->bucket[i];
  for (size_t i = 0; i < world->pair_count; ++i) sorted[world->bucket[world->pairs[i].a]++] = world->pairs[i];
  for (size_t i = 0; i < world->pair_count; ++i) {
    body_pair moved = sorted[i];
    size_t j = i;
    for (; j > 0 && world->pairs[j - 1].a == moved.a && world->pairs[j - 1].b > moved.b; --j)
      world->pairs[j] = world->pairs[j - 1];
    world->pairs[j] = moved;
  }
}

/* Bodies whose boxes meet; of two that sleep, too, so that their contacts are kept. */
static bool find_pairs(sim_world *world)
{
  world->pair_count = 0;
  for (size_t i = 0; i < world->body_count; ++i)
    if (!world->bodies[i].state.asleep || !world->bodies[i].stamp)
      body_box(&world->shapes[world->bodies[i].shape], &world->bodies[i], world->def.step);
  sort_sweep(world);
  for (size_t i = 0; i < world->sweep_count; ++i) {
    const body *a = &world->bodies[world->sweep[i]];
    for (size_t j = i + 1; j < world->sweep_count; ++j) {
      const body *b = &world->bodies[world->sweep[j]];
      if (b->box[0][0] > a->box[1][0]) break;
      if (boxes_meet(a, b) && !add_pair(world, world->sweep[i], world->sweep[j])) return false;
    }
  }
  sort_pairs(world);
  return true;
}

/* --------------------------------------------------------------------------------------------------- narrow phase -- */

/* Where the points of contact of two bodies can be: the common part of their boxes. Inner balls are inside of their bodies, so no two of them
 * are deeper in each other than the boxes are along any axis. */
typedef struct common_part {
  float lower[3], upper[3], depth;
} common_part;

static common_part common_of(const body *a, const body *b)
{
  common_part c = {.depth = INFINITY};
  for (int k = 0; k < 3; ++k) {
    c.lower[k] = fmaxf(a->box[0][k], b->box[0][k]);
    c.upper[k] = fminf(a->box[1][k], b->box[1][k]);
    c.depth = fminf(c.depth, c.upper[k] - c.lower[k]);
  }
  return c;
}

/* Nodes of a body that can have a point of contact there. */
static int near_nodes(const body *a, const common_part *part, int count, uint16_t *out)
{
  int n = 0;
  for (int i = 0; i < count; ++i) {
    float r = AT_NODE * a->bound[3][i] + part->depth;
    bool near = true;
    for (int k = 0; k < 3; ++k) {
      float x = a->bound[k][i];
      near &= (x + r >= part->lower[k]) & (x - r <= part->upper[k]);
    }
    out[n] = (uint16_t)i;
    n += near;
  }
  return n;
}

static bool test_nodes(const body *a, int i, const body *b, int j, float ahead, contact *out)
{
  float d[3], dist = 0, ra = a->inner[3][i], rb = b->inner[3][j];
  for (int k = 0; k < 3; ++k) d[k] = a->inner[k][i] - b->inner[k][j], dist += d[k] * d[k];
  if (dist >= (ra + rb + ahead) * (ra + rb + ahead)) return false;
  dist = sqrtf(dist);
  if (!(dist > 1e-6f * (ra + rb))) return false; /* centres that coincide give no direction */
  float depth = ra + rb - dist, along = (rb - depth / 2) / dist, to_a = 0, to_b = 0;
  for (int k = 0; k < 3; ++k) {
    out->point[k] = b->inner[k][j] + along * d[k];
    out->normal[k] = d[k] / dist;
    float x = out->point[k] - a->bound[k][i], y = out->point[k] - b->bound[k][j];
    to_a += x * x, to_b += y * y;
  }
  float reach_a = AT_NODE * a->bound[3][i] + fabsf(depth), reach_b = AT_NODE * b->bound[3][j] + fabsf(depth);
  if (to_a > reach_a * reach_a || to_b > reach_b * reach_b) return false;
  out->depth = depth;
  return true;
}

/* How far two bodies can come closer in a step: contacts are found before bodies are deep in each other. */
static float closing(const sim_world *world, const body *a, const body *b)
{
  double d[3];
  for (int k = 0; k < 3; ++k) d[k] = a->state.velocity[k] - b->state.velocity[k];
  return (float)(world->def.step * length3(d));
}

/* Contacts of two bodies that say the same: nearly the same normal, at a distance below half the radius of the smaller node. The deepest
 * stays; of equals the first, so that what stays does not depend on anything but the contacts. */
static void merge_contacts(contact_list *list, size_t first, const body *a, const body *b)
{
  size_t kept = first;
  for (size_t i = first; i < list->count; ++i) {
    contact *c = &list->items[i];
    float room = 0.5f * fminf(a->bound[3][c->node_a], b->bound[3][c->node_b]);
    bool dropped = false;
    for (size_t j = first; j < kept && !dropped; ++j) {
      contact *o = &list->items[j];
      float along = 0, apart = 0;
      for (int k = 0; k < 3; ++k) {
        along += c->normal[k] * o->normal[k];
        apart += (c->point[k] - o->point[k]) * (c->point[k] - o->point[k]);
      }
      dropped = along > 0.97f && apart < room * room;
      if (!dropped || c->depth <= o->depth) continue;
      float depth = c->depth;
      memcpy(o->normal, c->normal, sizeof o->normal);
      memcpy(o->point, c->point, sizeof o->point);
      o->depth = depth;
    }
    if (!dropped) list->items[kept++] = *c;
  }
  list->count = kept;
}

/* Can nodes below two nodes be in contact? Their centres are within the balls of those above, and their balls are no larger. */
static bool coarse_near(const body *a, int i, const body *b, int j, float depth)
{
  float d[3], dist = 0, reach = (1 + AT_NODE) * (a->coarse[3][i] + b->coarse[3][j]) + 2 * depth;
  for (int k = 0; k < 3; ++k) d[k] = a->coarse[k][i] - b->coarse[k][j], dist += d[k] * d[k];
  return dist <= reach * reach;
}

/* Of the near nodes of b those below nodes that are near a node of a half as deep. */
static int below_near(const body *a, int parent, const body *b, const uint16_t *near, int count, int shift, float depth,
                      uint16_t *out)
{
  int n = 0, last = -1;
  bool good = false;
  for (int i = 0; i < count; ++i) {
    int above = near[i] >> shift;
    if (above != last) good = coarse_near(a, parent, b, above, depth), last = above;
    out[n] = near[i];
    n += good;
  }
  return n;
}

static bool bounds_near(const body *a, int i, const body *b, int j, float depth)
{
  float dist = 0, reach = AT_NODE * (a->bound[3][i] + b->bound[3][j]) + 2 * depth;
  for (int k = 0; k < 3; ++k) {
    float d = a->bound[k][i] - b->bound[k][j];
    dist += d * d;
  }
  return dist <= reach * reach;
}

/* Nodes of both in order, those of a in groups below a node half as deep. */
static bool test_bodies(sim_world *world, uint32_t ia, uint32_t ib)
{
  body *a = &world->bodies[ia], *b = &world->bodies[ib];
  uint16_t near_a[1 << SIM_LEVEL_MOST], near_b[1 << SIM_LEVEL_MOST], below[1 << SIM_LEVEL_MOST];
  size_t first = world->contacts.count;
  float ahead = closing(world, a, b);
  make_spheres(world, a);
  make_spheres(world, b);
  const shape *sa = &world->shapes[a->shape], *sb = &world->shapes[b->shape];
  common_part part = common_of(a, b);
  part.depth = fminf(part.depth, (float)(0.1 * (sa->reach + sb->reach)) + ahead);
  int count_a = near_nodes(a, &part, sa->levels[world->level].count, near_a);
  int count_b = count_a ? near_nodes(b, &part, sb->levels[world->level].count, near_b) : 0;
  bool halves =
      sa->levels[world->level].count == 1 << world->level && sb->levels[world->level].count == 1 << world->level;
  int shift = world->level - world->level / 2, last = -1, count_below = count_b;
  if (!halves) memcpy(below, near_b, (size_t)count_b * sizeof *below);
  for (int i = 0; i < count_a; ++i) {
    if (halves && near_a[i] >> shift != last) {
      last = near_a[i] >> shift;
      count_below = below_near(a, last, b, near_b, count_b, shift, part.depth, below);
    }
    world->stats.visited += (size_t)count_below;
    for (int j = 0; j < count_below; ++j) {
      contact found = {.a = ia, .b = ib, .node_a = near_a[i], .node_b = below[j]};
      if (!bounds_near(a, near_a[i], b, below[j], part.depth) || !test_nodes(a, near_a[i], b, below[j], ahead, &found))
        continue;
      contact *c = contact_add(&world->contacts);
      if (!c) return false;
      *c = found;
    }
  }
  merge_contacts(&world->contacts, first, a, b);
  return true;
}

/* The inner ball of a node against a plane. */
static bool test_plane(const body *a, int i, const sim_plane *plane, float ahead, contact *out)
{
  float n[3] = {(float)plane->normal[0], (float)plane->normal[1], (float)plane->normal[2]},
        height = -(float)plane->offset, at = 0;
  for (int k = 0; k < 3; ++k) height += n[k] * a->inner[k][i];
  float depth = a->inner[3][i] - height;
  if (!(depth > -ahead)) return false;
  for (int k = 0; k < 3; ++k) {
    out->normal[k] = n[k];
    out->point[k] = a->inner[k][i] - n[k] * (a->inner[3][i] - depth / 2);
    float x = out->point[k] - a->bound[k][i];
    at += x * x;
  }
  float reach = AT_NODE * a->bound[3][i] + fabsf(depth);
  out->depth = depth;
  return at <= reach * reach;
}

/* Does the box of a body reach a plane within a step? */
static bool near_plane(const body *a, const sim_plane *plane)
{
  double least = -plane->offset;
  for (int k = 0; k < 3; ++k) least += plane->normal[k] * (plane->normal[k] > 0 ? a->box[0][k] : a->box[1][k]);
  return least <= 0;
}

static bool test_planes(sim_world *world, uint32_t index)
{
  body *a = &world->bodies[index];
  bool near = false;
  for (size_t p = 0; p < world->plane_count; ++p) near |= near_plane(a, &world->planes[p]);
  if (!near) return true;
  make_spheres(world, a);
  int count = world->shapes[a->shape].levels[world->level].count;
  for (int i = 0; i < count; ++i)
    for (size_t p = 0; p < world->plane_count; ++p) {
      const sim_plane *plane = &world->planes[p];
      if (!near_plane(a, plane)) continue;
      float ahead = (float)(world->def.step * fmax(0, -dot3(plane->normal, a->state.velocity)));
      contact found = {.a = index, .b = PLANES, .node_a = (uint32_t)i, .node_b = (uint32_t)p};
      ++world->stats.visited;
      if (!test_plane(a, i, plane, ahead, &found)) continue;
      contact *c = contact_add(&world->contacts);
      if (!c) return false;
      *c = found;
    }
  return true;
}

/* ---------------------------------------------------------------------------------------------------- warm start -- */

static int compare(const contact *x, const contact *y)
{
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->node_a != y->node_a) return x->node_a < y->node_a ? -1 : 1;
  if (x->node_b != y->node_b) return x->node_b < y->node_b ? -1 : 1;
  return 0;
}

/* Impulses of last step's contacts of the same nodes. Both ranges are sorted, so this is one merge. */
static void take_impulses(contact *now, size_t count, const contact *last, size_t last_count)
{
  size_t j = 0;
  for (size_t i = 0; i < count; ++i) {
    while (j < last_count && compare(&last[j], &now[i]) < 0) ++j;
    if (j == last_count) return;
    if (compare(&last[j], &now[i]) != 0) continue;
    memcpy(now[i].impulse, last[j].impulse, sizeof now[i].impulse);
  }
}

/* Contacts of sleeping bodies are last step's: nothing has moved. `cursor` only goes on. */
static bool keep_contacts(sim_world *world, size_t *cursor, size_t end, uint32_t a, uint32_t b)
{
  const contact wanted = {.a = a, .b = b};
  while (*cursor < end && compare(&world->last.items[*cursor], &wanted) < 0) ++*cursor;
  for (; *cursor < end && world->last.items[*cursor].a == a && world->last.items[*cursor].b == b; ++*cursor) {
    contact *c = contact_add(&world->contacts);
    if (!c) return false;
    *c = world->last.items[*cursor];
  }
  return true;
}

static bool all_planes(sim_world *world)
{
  size_t cursor = 0;
  for (uint32_t i = 0; i < world->body_count; ++i)
    if (world->bodies[i].state.asleep ? !keep_contacts(world, &cursor, world->last.planes, i, PLANES)
                                      : !test_planes(world, i))
      return false;
  world->contacts.planes = world->contacts.count;
  return true;
}

static bool all_pairs(sim_world *world)
{
  size_t cursor = world->last.planes;
  for (size_t i = 0; i < world->pair_count; ++i) {
    uint32_t a = world->pairs[i].a, b = world->pairs[i].b;
    bool asleep = world->bodies[a].state.asleep && world->bodies[b].state.asleep;
    if (asleep ? !keep_contacts(world, &cursor, world->last.count, a, b) : !test_bodies(world, a, b)) return false;
  }
  return true;
}

static bool all_asleep(const sim_world *world)
{
  for (size_t i = 0; i < world->body_count; ++i)
    if (!world->bodies[i].state.asleep) return false;
  return true;
}

static void count_contacts(sim_world *world)
{
  world->stats.body_pairs = world->pair_count;
  world->stats.plane_contacts = world->contacts.planes;
  world->stats.contacts = world->contacts.count;
}

bool detect_contacts(sim_world *world)
{
  if (all_asleep(world)) return count_contacts(world), true;
  contact_list swap = world->last;
  world->last = world->contacts;
  world->contacts = swap;
  world->contacts.count = world->contacts.planes = 0;
  if (!find_pairs(world) || !all_planes(world) || !all_pairs(world)) return false;
  contact *now = world->contacts.items, *last = world->last.items;
  size_t planes = world->contacts.planes, last_planes = world->last.planes;
  if (planes && last_planes) take_impulses(now, planes, last, last_planes);
  if (world->contacts.count > planes && world->last.count > last_planes)
    take_impulses(now + planes, world->contacts.count - planes, last + last_planes, world->last.count - last_planes);
  count_contacts(world);
  return true;
}
