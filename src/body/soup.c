/* Triangle soups: making their trees, and choosing among them. The nearest key pose is found by the sum of the distances along the
 * axes of a fixed sample of vertices: O(key poses) for each new pose, whatever the size of the mesh. */
#include "body/soup.h"

#include "mesh/mesh.h"

#include <string.h>

enum { MOST_KEY_POSES = 256 };

pl_soup_def pl_soup_def_default(void) { return (pl_soup_def){.struct_size = sizeof(pl_soup_def)}; }

const char *pl_soup_method_text(pl_soup_method method)
{
#define SOUP_WORD(name, word) word,
  static const char *const words[] = {PL_SOUP_LIST(SOUP_WORD)};
  return (size_t)method < sizeof words / sizeof *words ? words[method] : NULL;
}

int pl_body_key_pose(const pl_body *body) { return body && body->soup ? body->soup->active : -1; }

/* -------------------------------------------------------------------------------------------------- switching -- */

/* The tree in the body goes to its own place among the others. */
static void park(pl_body *body)
{
  soup_tree *place = &body->soup->trees[body->soup->active];
  place->t = body->t;
  place->u = body->u;
  memset(&body->t, 0, sizeof body->t);
  memset(&body->u, 0, sizeof body->u);
}

static void take(pl_body *body, int index)
{
  soup_keys *s = body->soup;
  if (index == s->active) return;
  park(body);
  body->t = s->trees[index].t;
  body->u = s->trees[index].u;
  memset(&s->trees[index], 0, sizeof s->trees[index]);
  s->active = index;
  if (body->t.inflation) body->t.inflation->all = true; /* it has not seen what moved meanwhile */
  s->g.pending = true;                                  /* its triangles are numbered as in the tree */
  body->serial = ++body->context->serial; /* what queries remember of its leaves was told of another tree */
}

static double distance(const soup_keys *s, int index, const double (*now)[3])
{
  double sum = 0; /* may become infinite, never not a number: positions are finite */
  for (int i = 0; i < s->samples; ++i)
    for (int k = 0; k < 3; ++k) sum += fabs(s->at[index][i][k] - now[i][k]);
  return sum;
}

/* And how near it is, beside the next one. */
static int nearest(const pl_body *body, int *fit)
{
  const soup_keys *s = body->soup;
  double now[SOUP_SAMPLES][3], least = INFINITY, next = INFINITY;
  int best = 0;
  for (int i = 0; i < s->samples; ++i) points_model(&body->p, s->sample[i], now[i]);
  for (int key = 0; key < s->count; ++key) {
    double d = distance(s, key, now);
    next = fmin(next, fmax(d, least));
    if (d >= least) continue;
    least = d;
    best = key;
  }
  double part = least < next ? SOUP_FITS * (least / next) : SOUP_FITS - 1; /* in [0, SOUP_FITS) but for rounding */
  *fit = part < SOUP_FITS ? (int)part : SOUP_FITS - 1;
  return best;
}

void soup_choose(pl_body *body)
{
  soup_keys *s = body->soup;
  if (!s) return;
  int key = s->fixed;
  s->fit = 0;
  if (key < 0) key = nearest(body, &s->fit);
  take(body, key);
}

pl_status pl_body_set_key_pose(pl_body *body, int index)
{
  if (!body) return PL_ERROR_ARGUMENT;
  soup_keys *s = body->soup;
  if (!s) return fail(body->context, PL_ERROR_UNSUPPORTED, "a body without key poses: see pl_body_create_soup()");
  if (index < -1 || index >= s->count)
    return fail(body->context, PL_ERROR_ARGUMENT, "key pose %d of %d: -1 leaves the choice to pliant", index, s->count);
  int before = s->active;
  s->fixed = index;
  soup_choose(body);
  if (s->active == before) return PL_OK;
  soup_moved(body);
  update_invalidate(&body->u);
  return PL_OK;
}

pl_status soup_make_fans(pl_body *body)
{
  pl_status status = tree_make_fans(body->context, &body->t);
  for (int i = 0; body->soup && status == PL_OK && i < body->soup->count; ++i)
    if (i != body->soup->active) status = tree_make_fans(body->context, &body->soup->trees[i].t);
  return status;
}

/* ------------------------------------------------------------------------------------------------ create, end -- */

void soup_free_keys(pl_body *body)
{
  soup_keys *s = body->soup;
  if (!s) return;
  const pl_allocator *allocator = &body->context->def.allocator;
  for (int i = 0; s->trees && i < s->count; ++i) {
    if (s->trees[i].u.t) s->trees[i].u.t = &s->trees[i].t; /* while it was parked it named the body's */
    update_free(body->context, &s->trees[i].u);
    tree_free(body->context, &s->trees[i].t);
  }
  grid_free(body->context, &s->g);
  mem_free(allocator, s->trees);
  mem_free(allocator, s->at);
  mem_free(allocator, s);
  body->soup = NULL;
}

size_t soup_bytes(const pl_body *body)
{
  const soup_keys *s = body->soup;
  if (!s) return 0;
  size_t bytes = s->g.bytes + sizeof *s + (size_t)s->count * (sizeof *s->trees + sizeof *s->at);
  for (int i = 0; i < s->count; ++i)
    if (i != s->active) bytes += s->trees[i].t.bytes - sizeof(tree) - sizeof(update); /* those two are in s->trees */
  return bytes;
}

static pl_status check_soup(pl_context *context, const pl_soup_def *s, const pl_mesh_def *mesh, const pl_body_def *d)
{
  if (s->struct_size != sizeof *s)
    return fail(context, PL_ERROR_ARGUMENT,
                "the soup definition is of another version: start from pl_soup_def_default()");
  if ((unsigned)s->method >= PL_SOUP_COUNT)
    return fail(context, PL_ERROR_ARGUMENT, "the method is not one of the list");
  if (s->key_pose_count < 0 || s->key_pose_count > MOST_KEY_POSES || (s->key_pose_count && !s->key_poses))
    return fail(context, PL_ERROR_ARGUMENT, "%d key poses%s: 0 to %d", s->key_pose_count,
                s->key_poses ? "" : " and no array of them", MOST_KEY_POSES);
  if (s->method == PL_SOUP_GRID && d->strategy == PL_STRATEGY_BERGEN)
    return fail(context, PL_ERROR_UNSUPPORTED, "a grid needs world positions, which bergen has not: use keys");
  for (int i = 0; i < s->key_pose_count; ++i) {
    if (s->key_poses[i].count != mesh->positions.count)
      return fail(context, PL_ERROR_MISMATCH, "key pose %d has %zu vertices, the mesh has %zu", i,
                  s->key_poses[i].count, mesh->positions.count);
    pl_status status = positions_check(context, s->key_poses[i]);
    if (status == PL_OK) continue;
    char why[sizeof context->message];
    memcpy(why, context->message, sizeof why);
    return fail(context, status, "key pose %d: %.200s", i, why);
  }
  return PL_OK;
}

static void take_samples(soup_keys *s, int index, pl_positions pose)
{
  for (int i = 0; i < s->samples; ++i) positions_get(pose, s->sample[i], s->at[index][i]);
}

static pl_status make_keys(pl_body *body, const pl_soup_def *def)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  soup_keys *s = mem_new(allocator, 1, sizeof *s);
  if (s) {
    body->soup = s;
    s->method = def->method;
    s->count = def->key_pose_count ? def->key_pose_count : 1;
    s->fixed = -1;
    s->trees = mem_new(allocator, (size_t)s->count, sizeof *s->trees);
    s->at = mem_raw(allocator, (size_t)s->count, sizeof *s->at);
    s->samples = body->vertex_count < SOUP_SAMPLES ? (int)body->vertex_count : SOUP_SAMPLES;
    for (int i = 0; i < s->samples; ++i) s->sample[i] = (uint32_t)(body->vertex_count * (size_t)i / (size_t)s->samples);
    if (s->trees && s->at) return PL_OK;
  }
  return fail(body->context, PL_ERROR_MEMORY, "no memory for %d key poses", def->key_pose_count);
}

/* Every key pose gets its tree; the last one's is left in the body. */
static pl_status build_all(pl_body *body, const pl_mesh_def *mesh, const pl_soup_def *def)
{
  pl_mesh_def shape = *mesh;
  for (int i = 0; i < body->soup->count; ++i) {
    if (def->key_pose_count) shape.positions = def->key_poses[i];
    take_samples(body->soup, i, shape.positions);
    if (i == 0) continue; /* made with the body */
    park(body);
    body->soup->active = i;
    pl_status status = body_build(body, &shape);
    if (status != PL_OK) return status;
  }
  return PL_OK;
}

pl_status pl_body_create_soup(pl_context *context, const pl_mesh_def *mesh, const pl_soup_def *soup,
                              const pl_body_def *def, pl_body **out)
{
  if (out) *out = NULL;
  if (!context) return PL_ERROR_ARGUMENT;
  if (!out) return fail(context, PL_ERROR_ARGUMENT, "no place for the body: out is NULL");
  pl_soup_def s = soup ? *soup : pl_soup_def_default();
  pl_body_def d;
  pl_body *body = NULL;
  pl_status status = body_check_def(context, def, PL_MOTION_FREE, &d);
  if (status == PL_OK) status = mesh_check(context, mesh);
  if (status == PL_OK) status = check_soup(context, &s, mesh, &d);
  if (status != PL_OK) return status;
  pl_mesh_def first = *mesh;
  if (s.key_pose_count) first.positions = s.key_poses[0];
  status = body_create(context, &first, &d, PL_MOTION_FREE, &body);
  if (status == PL_OK) status = make_keys(body, &s);
  if (status == PL_OK) status = build_all(body, mesh, &s);
  if (status == PL_OK) status = body_take_positions(body, mesh->positions);
  if (status != PL_OK) {
    pl_body_destroy(body);
    return status;
  }
  *out = body;
  return PL_OK;
}
