/* What is fixed before a walk: where each body is, the tree that is walked, and the plan of the
 * two. Bodies with the same kind of shapes test them. All other bodies meet as boxes, and so do
 * those whose transform is flat and has no inverse. */
#include "query/query.h"
#include "update/patches.h"

/* ------------------------------------------------------------------------------------ places -- */

/* The transform in the form that kernels read. Leaves are evaluated in float only where nothing
 * can overflow. */
static void side_fill(walk_side *s, pl_body *body, const points *positions)
{
  const float safe = 0x1p60f;
  const motion *m = &body->motion;
  const pl_transform identity = pl_transform_identity(), *t = m->now.transform ? m->now.transform : &identity;
  *s = (walk_side){.tree = body->tree, .points = *positions, .ensure = update_ensure, .owner = body->update};
  if (body->update->source->fetch) s->fetch_node = update_fetch;
  s->points.transform = m->now.transform;
  /* stored positions are exact, and at hand */
  if (m->now.evaluate && !s->points.evaluate) return;
  if (!m->kind->lanes_ready || !m->kind->lanes_ready(m->controls)) return;
  float_transform *f = &s->transform;
  for (int i = 0; i < 3; ++i) {
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
      f->m[i][k] = (float)t->m[i][k];
      f->column[k][i] = t->m[i][k];
      sum += fabsf(f->m[i][k]);
    }
    f->column[3][i] = t->t[i];
    sum += 0x1p-126f; /* denormal floats are rounded as this is */
    f->norm = sum > f->norm ? sum : f->norm;
  }
  if (!(f->norm < safe)) return;
  s->lanes = body->update->kernels->pairs->lanes[m->name];
  if (body->tree->prims.corner) s->fetch = body->update->kernels->pairs->fetch[m->name];
}

void side_make(walk_side *s, pl_body *body)
{
  side_fill(s, body, body->update->points);
  s->eager = update_is_whole(body->update);
}

uint64_t place_make(place *p, pl_body *body)
{
  uint64_t made = body_ensure_root(body);
  p->known = true;
  body_space(body, &p->at);
  side_make(&p->side, body);
  return made;
}

void place_make_patches(place *p, pl_body *body, bool has_space)
{
  if (!has_space) {
    const aabb box = patches_world_box(body->patches);
    *p = (place){.known = true, .at = space_of_world(&box)};
    side_fill(&p->side, body, &body->motion.now); /* the eager pass may be under way */
  }
  p->side.tree = &body->patches->tree;
  p->side.lanes = NULL; /* they are of the other tree's leaves */
  p->side.fetch = NULL;
  p->side.fetch_node = NULL;
  p->side.eager = !body->patches->demand;
  p->side.owner = body->patches->update;
}

/* ------------------------------------------------------------------------------------- plans -- */

void plan_sides(walk_plan *p, const place *a, const place *b)
{
  double furthest;
  p->side[0] = &a->side;
  p->side[1] = &b->side;
  p->exact = points_are_floats(&a->side.points) && points_are_floats(&b->side.points);
  p->irregular = !space_origin(&a->at.world, &b->at.world, p->exact, p->origin, &furthest);
}

void plan_maps(walk_plan *p, const space *a, const space *b)
{
  p->to_a = space_change(b, a);
  p->to_b = space_change(a, b);
  p->size[0] = space_size(&a->volumes);
  p->size[1] = space_size(&b->volumes);
}

void plan_shapes(pl_context *context, walk_plan *p, const pl_body *a, const pl_body *b)
{
  pl_volume volume = a->def.volume;
  if (volume == PL_VOLUME_AABB || volume != b->def.volume) return;
  if (!kernels_of(context->isa)->pairs->walk[volume][p->oriented]) return;
  if (p->oriented && !(p->to_a.margin < INFINITY && p->to_b.margin < INFINITY)) return;
  p->volume = volume;
  p->layer = LAYER_SHAPES;
  if (!p->oriented || !shape_kind_of(volume)->stretches) return;
  p->to_a.stretch = space_stretch(&p->to_a);
  p->to_b.stretch = space_stretch(&p->to_b);
}

void plan_make(pl_context *context, walk_plan *p, const pl_body *a, const pl_body *b, const place *at_a,
               const place *at_b)
{
  plan_sides(p, at_a, at_b);
  if (at_a->side.tree != a->tree) { /* over patches: in the world */
    p->patches = a->patches;
    p->leaves = kernels_of(context->isa)->pairs->leaves;
    return;
  }
  p->oriented = !spaces_are_shared(&at_a->at, &at_b->at);
  if (p->oriented) plan_maps(p, &at_a->at, &at_b->at);
  plan_shapes(context, p, a, b);
}
