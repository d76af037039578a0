/* Volumes for many rays: where a batch is large compared with a body's tree, all volumes are
 * refitted before the cast and none during it. The number of rays that enter a body is estimated
 * from a sample of the batch and added up over the casts of a frame, so that a picture in many
 * small batches counts as one. It depends on the rays alone: the counts of a frame are the same
 * for any number of threads. */
#include "query/probe/rays.h"

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

/* Estimates how many of `count` rays enter; with many bodies the sample is small. */
static double count_entering(const pl_ray *rays, size_t count, const aabb *box, size_t bodies)
{
  size_t samples = 4 * count / bodies < SAMPLES ? 4 * count / bodies : SAMPLES, met = 0;
  if (samples == 0) return 0;
  if (samples > count) samples = count;
  for (size_t i = 0; i < samples; ++i) met += enters(&rays[(2 * i + 1) * count / (2 * samples)], box);
  return (double)met * (double)count / (double)samples;
}

/* Refits all volumes, unless another query walks among them: it would read what is being
 * written. A query that begins in the meantime finds the update pending and waits for the lock,
 * which is held. */
static pl_status refit_whole(pl_context *context, pl_body *body, uint64_t *n_u)
{
  update *u = body->update;
  u->pending = true;
  pl_status status = body_is_alone(body) ? update_whole(context, u, n_u) : PL_OK;
  u->pending = false;
  return status;
}

pl_status rays_refit(const ray_question *q, ray_scratch *s, uint64_t *n_u)
{
  if (q->def->budget_ms > 0) return PL_OK; /* the first hits are wanted soon */
  pl_status status = PL_OK;
  for (size_t i = 0; i < s->targets.count && status == PL_OK; ++i) {
    ray_target *r = &s->targets.data[i];
    if (r->grid || r->side.eager) continue;
    update *u = r->side.owner;
    updating_begin(q->context);
    r->side.eager = u->whole_done;
    updating_end(q->context);
    if (r->side.eager) continue; /* by an earlier cast of the frame */
    double entering = count_entering(q->rays, q->count, &r->box, s->targets.count);
    updating_begin(q->context);
    u->rays += entering;
    if (update_wants_whole(u)) {
      status = refit_whole(q->context, r->body, n_u);
      side_make(&r->side, r->body); /* positions may be stored now */
      r->side.lanes = NULL;
    }
    r->side.eager = u->whole_done; /* no stamps need be read */
    updating_end(q->context);
  }
  return status;
}
