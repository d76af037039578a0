/* Which volumes a job tests, and what their tests need of the map between two model spaces. Bodies with the same kind of shapes test
 * them; all others, and those that a flat transform leaves without a way back, meet as boxes. */
#include "query/query.h"

void job_choose_shapes(job *j)
{
  pl_volume volume = j->a->def.volume;
  const kernels *k = kernels_of(j->a->context->isa);
  j->volume = PL_VOLUME_AABB;
  if (volume == PL_VOLUME_AABB || volume != j->b->def.volume || !k->pairs->walk[volume][j->oriented]) return;
  if (j->oriented && !(j->to_a.margin < INFINITY && j->to_b.margin < INFINITY)) return;
  j->volume = volume;
  if (!j->oriented || !shape_kind_of(volume)->stretches) return;
  j->to_a.stretch = space_stretch(&j->to_a);
  j->to_b.stretch = space_stretch(&j->to_b);
}

void walk_prepare_shapes(walk *w, const job *j)
{
  w->volume = j->volume;
  w->side[0].layer = w->side[1].layer = j->volume != PL_VOLUME_AABB ? LAYER_SHAPES : LAYER_BOXES;
  if (j->volume == PL_VOLUME_AABB || !j->oriented) return;
  double size_a = space_size(&j->at_a->at.volumes), size_b = space_size(&j->at_b->at.volumes);
  w->map[0] = (volume_map){.f = &w->to_b, .own = size_b, .other = size_a};
  w->map[1] = (volume_map){.f = &w->to_a, .own = size_a, .other = size_b};
}
