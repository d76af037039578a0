/* Rays into bodies and scenes. */
#include "support/probes.h"
#include "world.h"

/* From anywhere, at corners, edges and inner points of triangles, along axes and edges, in
 * planes; ends of all sorts. */
static void ray_make(world *w, const fuzz_body *b, pl_ray *ray)
{
  const uint32_t *t = b->triangles + 3 * (size_t)below(w, (int)b->triangle_count);
  const double *corner[3] = {b->at + 3 * t[0], b->at + 3 * t[1], b->at + 3 * t[2]};
  int way = below(w, 8);
  double u = below(w, 2) ? 0.25 * below(w, 5) : uniform(w, 0, 1), v = way == 2 ? 0 : below(w, 2) ? 0 : (1 - u) / 2;
  *ray = (pl_ray){.t_max = INFINITY};
  for (int k = 0; k < 3; ++k) {
    double target = corner[0][k] * (1 - u - v) + corner[1][k] * u + corner[2][k] * v;
    if (way == 1) target = corner[0][k];
    ray->origin[k] = sized(w, ordinary(w));
    ray->direction[k] = target - ray->origin[k];
    if (way == 3) ray->direction[k] = sized(w, ordinary(w));
    if (way == 4) { /* along an axis */
      ray->origin[k] = target;
      ray->direction[k] = 0;
    }
    if (way == 5) { /* along an edge */
      ray->origin[k] = corner[0][k] - (corner[1][k] - corner[0][k]);
      ray->direction[k] = corner[1][k] - corner[0][k];
    }
    if (way == 6) ray->origin[k] = target; /* starts on the surface */
  }
  if (way == 4) {
    int axis = below(w, 3);
    ray->direction[axis] = below(w, 2) ? 1 : -2;
    ray->origin[axis] -= 3 * ray->direction[axis];
  }
  if (below(w, 4) == 0) ray->t_max = uniform(w, 0, 2);
  if (below(w, 8) == 0) ray->t_min = -INFINITY;
  if (below(w, 8) == 0) ray->t_max = 1;
  bool zero = true;
  for (int k = 0; k < 3; ++k) {
    if (!isfinite(ray->direction[k])) ray->direction[k] = k - 1;
    if (!isfinite(ray->origin[k])) ray->origin[k] = 0;
    zero = zero && ray->direction[k] == 0;
  }
  if (zero) ray->direction[below(w, 3)] = 1;
}

static bool filter_hit(void *user, size_t ray, const pl_hit *hit)
{
  const filter *f = user;
  return filter_pair((void *)f, NULL, NULL, (pl_pair){(uint32_t)ray, hit->triangle});
}

/* The handles are those of two contexts. */
static bool same_hit(const pl_hit *a, const pl_hit *b)
{
  return !memcmp(a, b, offsetof(pl_hit, body)) && !a->body == (a->triangle == PL_NONE) && !a->body == !b->body;
}

static void check_hit(world *w, const pl_ray *ray, size_t i, const pl_hit *got, const pl_hit *wanted)
{
  require(w, same_hit(got, wanted),
          "ray %zu from (%a %a %a) along (%a %a %a), %g to %g: body %d triangle %d at %a (%a %a), normal (%a %a %a), "
          "instead of body %d triangle %d at %a (%a %a), normal (%a %a %a)",
          i, ray->origin[0], ray->origin[1], ray->origin[2], ray->direction[0], ray->direction[1], ray->direction[2],
          ray->t_min, ray->t_max, (int)got->member, (int)got->triangle, got->t, got->u, got->v, got->normal[0],
          got->normal[1], got->normal[2], (int)wanted->member, (int)wanted->triangle, wanted->t, wanted->u, wanted->v,
          wanted->normal[0], wanted->normal[1], wanted->normal[2]);
}

static void check_any(world *w, const pl_ray *rays, const pl_result *got, const pl_result *all)
{
  for (size_t i = 0; i < got->count; ++i) {
    size_t k = all->offsets[i], end = all->offsets[i + 1];
    const pl_hit *hit = &got->hits[i];
    if (hit->triangle == PL_NONE) {
      require(w, k == end, "any: ray %zu hits nothing instead of triangle %u", i, k < end ? all->hits[k].triangle : 0);
      continue;
    }
    while (k < end && !same_hit(hit, &all->hits[k])) ++k;
    if (k == end) check_hit(w, &rays[i], i, hit, end > all->offsets[i] ? &all->hits[end - 1] : &(pl_hit){0});
  }
}

static void check_hits(world *w, const pl_ray *rays, size_t count, const pl_question *def, const pl_result *got,
                       const pl_result *wanted)
{
  require(w, got->done == count && !got->partial, "%zu of %zu rays were traced", got->done, count);
  if (def->ray_mode == PL_RAY_MODE_ANY) {
    check_any(w, rays, got, wanted);
    return;
  }
  bool all = def->ray_mode == PL_RAY_MODE_ALL;
  for (size_t i = 0; i < count; ++i) {
    size_t begin = all ? got->offsets[i] : i, end = all ? got->offsets[i + 1] : i + 1;
    size_t from = all ? wanted->offsets[i] : i, to = all ? wanted->offsets[i + 1] : i + 1;
    for (size_t k = 0; begin + k < end && from + k < to; ++k)
      check_hit(w, &rays[i], i, &got->hits[begin + k], &wanted->hits[from + k]);
    require(w, end - begin == to - from, "ray %zu has %zu hits instead of %zu", i, end - begin, to - from);
  }
}

static void trace_rays(world *w, const pl_ray *rays, size_t count, const pl_question *def)
{
  trace(w, "  { const pl_ray rays[] = {\n");
  for (size_t i = 0; i < count; ++i) {
    const pl_ray *r = &rays[i];
    trace(w, "      {{%a, %a, %a}, {%a, %a, %a}, %s, ", r->origin[0], r->origin[1], r->origin[2], r->direction[0],
          r->direction[1], r->direction[2], isinf(r->t_min) ? "-INFINITY" : "0");
    trace(w, isinf(r->t_max) ? "INFINITY},\n" : "%a},\n", r->t_max);
  }
  trace(w, "    };\n    pl_question d = pl_question_default(); d.ray_mode = %d; /* %s */ d.coherent = %d;%s\n",
        (int)def->ray_mode, pl_word(PL_WORDS_RAY, def->ray_mode), def->coherent,
        def->hit_filter ? " d.hit_filter = some_hits;" : "");
}

/* Rays at a body or at a scene: one of them is NULL. */
static void cast(world *w, fuzz_body *b, fuzz_scene *s, const fuzz_body *aim)
{
  enum { MOST_RAYS = 600 };
  filter f = {.salt = chance(w, 5) ? 1 + (uint32_t)pick(w, 255) : 0};
  pl_question def = pl_question_default(), plain;
  def.ray_mode = (pl_ray_mode)pick(w, PL_RAY_MODE_COUNT);
  def.coherent = chance(w, 3);
  def.hit_filter = f.salt ? filter_hit : NULL;
  def.user = &f;
  size_t count = (size_t)pick(w, 24);
  /* several pieces, so that workers share them */
  if (count == 23 && chance(w, 8)) count = MOST_RAYS;
  bool own = def.ray_mode != PL_RAY_MODE_ALL && chance(w, 3);
  pl_ray *rays = malloc((count + 1) * sizeof *rays);
  pl_hit *room = malloc((count + 1) * sizeof *room);
  seed_of(w);
  for (size_t i = 0; i < count; ++i) {
    if (i && def.coherent && i % 8) { /* neighbours of the one before */
      rays[i] = rays[i - 1];
      rays[i].direction[i % 3] += 0.01 * rays[i].direction[(i + 1) % 3];
      if (!isfinite(rays[i].direction[i % 3])) rays[i].direction[i % 3] = 1;
      if (rays[i].direction[0] == 0 && rays[i].direction[1] == 0 && rays[i].direction[2] == 0) rays[i] = rays[i - 1];
    } else {
      ray_make(w, aim, &rays[i]);
    }
  }
  plain = def;
  if (plain.ray_mode == PL_RAY_MODE_ANY) plain.ray_mode = PL_RAY_MODE_ALL;
  if (own) def.hits = room;
  trace_rays(w, rays, count, &def);
  trace(w, "    pl_cast(%s[%d]), rays, %zu, &d, &hits); }\n", b ? "pl_one(body" : "pl_all(scene",
        b ? number_of(w, b) : scene_number(w, s), count);
  const pl_result *got = NULL, *wanted;
  pl_status status = b ? CALL(w, pl_cast(pl_one(b->body), rays, count, &def, &got))
                       : CALL(w, pl_cast(pl_all(s->scene), rays, count, &def, &got));
  if (status == PL_OK) {
    for (size_t i = 0; i < (got->offsets ? got->offsets[count] : count); ++i)
      note(w, &got->hits[i], offsetof(pl_hit, body));
    note_counters(w, &got->counters);
    if (own) require(w, got->hits == room, "cast: hits are not in the caller's array");
    if (s) twins_ready(w, s);
    status = b ? reference_cast(pl_one(twin_of(w, b)), rays, count, &plain, &wanted)
               : reference_cast(pl_all(s->twin), rays, count, &plain, &wanted);
    require(w, status == PL_OK, "the reference: %s", pl_context_message(w->oracle));
    check_hits(w, rays, count, &def, got, wanted);
    for (size_t i = 0; i < (got->offsets ? got->offsets[count] : count); ++i)
      if (got->hits[i].body)
        require(w, got->hits[i].body == (b ? b->body : pl_scene_member_body(s->scene, got->hits[i].member)),
                "cast: hit %zu has the handle of another body", i);
  } else {
    require(w, status == PL_ERROR_MEMORY && !got, "cast: %s", pl_context_message(w->context));
  }
  free(rays);
  free(room);
}

void call_cast(world *w)
{
  fuzz_body *b = body_of(w);
  if (b) cast(w, b, NULL, b);
}

void call_scene_cast(world *w)
{
  fuzz_scene *s = scene_of(w);
  if (!s || !s->count) return;
  int at = pick(w, 256) % s->count;
  require(w, pl_scene_member_body(s->scene, (uint32_t)at) == w->bodies[s->members[at].slot].body,
          "member %d of a scene is another body", at);
  cast(w, NULL, s, &w->bodies[s->members[at].slot]);
}
