/* The family `rays`. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/kernels.h"
#include "kernels/ray_group.inl"

static void cast_rays(ray_walk *w, const pl_ray *rays, size_t begin, size_t end, pl_hit *hits, size_t *ends)
{
  if (w->plan->coherent && hits)
    cast_groups(w, rays, begin, end, hits);
  else
    cast_singly(w, rays, begin, end, hits, ends);
}

const ray_kernels KERNEL_TABLE(ray_kernels) = {cast_rays};
#endif
