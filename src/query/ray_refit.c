/* Volumes for many rays: where a batch is large beside a body's tree, all of them are made before it and none on the way.
 * How many rays enter a body is found from some of the batch, and summed up over the casts of a frame, so that a picture in many small
 * batches is seen for what it is. It depends on the rays alone: the counts of a frame are the same for any number of threads. */
#include "query/rays.h"

enum { SAMPLES = 64 };

/* Does the ray meet the box? To within rounding. */
static bool enters(const pl_ray *ray, const aabb *box)
{
  double near = ray->t_min, far = ray->t_max;
  for (int k = 0; k < 3; ++k) {
    double low = box->lower[k] - ray->origin[k], high = box->upper[k] - ray->origin[k], d = ray->direction[k];
    if (d == 0) {
      if (low > 0 || high < 0) return false;
      continue;
    }
    double a = low / d, b = high / d;
    near = fmax(near, fmin(a, b));
    far = fmin(far, fmax(a, b));
  }
  return near <= far;
}

/* Of `count` rays; few are asked where there are many bodies. */
static double count_entering(const pl_ray *rays, size_t count, const aabb *box, size_t bodies)
{
  size_t samples = 4 * count / bodies < SAMPLES ? 4 * count / bodies : SAMPLES, met = 0;
  if (samples == 0) return 0;
  if (samples > count) samples = count;
  for (size_t i = 0; i < samples; ++i) met += enters(&rays[(2 * i + 1) * count / (2 * samples)], box);
  return (double)met * (double)count / (double)samples;
}

pl_status rays_refit(pl_context *context, ray_scratch *s, const pl_ray *rays, size_t count, const pl_ray_def *def,
                     uint64_t *n_u)
{
  if (def->budget_ms > 0) return PL_OK; /* the first hits are wanted soon */
  for (size_t i = 0; i < s->targets.count; ++i) {
    ray_target *r = &s->targets.data[i];
    if (r->grid || r->side.eager) continue;
    update *u = r->side.owner;
    u->rays += count_entering(rays, count, &r->box, s->targets.count);
    if (update_wants_whole(u)) {
      pl_status status = update_whole(context, u, n_u);
      if (status != PL_OK) return status;
    }
    r->side.eager = u->whole_done; /* no stamps need be looked at */
  }
  return PL_OK;
}
