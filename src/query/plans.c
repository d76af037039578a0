/* Plans: what is fixed before a walk. Bodies with the same kind of shapes test them. All other
 * bodies meet as boxes, and so do those whose transform is flat and has no inverse. */
#include "query/query.h"

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
