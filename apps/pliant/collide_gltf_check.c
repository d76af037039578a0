/* `pliant collide SCENE --check`: a frame's contacts beside those of the reference, which has the same bodies in a
 * scene of its own, so that neither answer ends the other. */
#include "collide_gltf.h"
#include "output.h"

static int compare_bodies(const pl_contact *x, const pl_contact *y, const gltf_job *job)
{
  size_t xa = gltf_job_body(job, x->a, 0), ya = gltf_job_body(job, y->a, 0);
  if (xa != ya) return xa < ya ? -1 : 1;
  size_t xb = gltf_job_body(job, x->b, 0), yb = gltf_job_body(job, y->b, 0);
  return (xb > yb) - (xb < yb);
}

static int compare_contacts(const pl_contact *x, const pl_contact *y, const gltf_job *job)
{
  if (x->a != y->a || x->b != y->b) return compare_bodies(x, y, job);
  if (x->triangle_a != y->triangle_a) return x->triangle_a < y->triangle_a ? -1 : 1;
  return (x->triangle_b > y->triangle_b) - (x->triangle_b < y->triangle_b);
}

/* One walk through both lists, which are sorted. With --first every two bodies that touch must have one true pair. */
static const pl_contact *find_difference(const gltf_job *job, const pl_contacts *ours, const pl_contacts *truth,
                                         bool *missing)
{
  size_t i = 0, j = 0;
  bool all = !ours->partial, met = false; /* met: the bodies of truth's contact j have a pair in ours */
  while (i < ours->count || j < truth->count) {
    const pl_contact *x = i < ours->count ? &ours->contacts[i] : NULL;
    const pl_contact *y = j < truth->count ? &truth->contacts[j] : NULL;
    int order = !x ? 1 : !y ? -1 : compare_contacts(x, y, job);
    *missing = order > 0;
    if (order < 0) return x;
    met = order == 0 || (met && j > 0 && y->a == y[-1].a && y->b == y[-1].b);
    bool last = j + 1 == truth->count || y[1].a != y->a || y[1].b != y->b;
    bool wrong = job->options.first ? last && !met : order > 0;
    if (wrong && all) return y;
    i += order == 0;
    ++j;
  }
  return NULL;
}

bool collide_gltf_check(const gltf_job *job, const gltf_frame *frame)
{
  const pl_contacts *truth = NULL;
  if (pl_reference_scene_collide(job->truth, NULL, &truth) != PL_OK) {
    output_complain("frame %zu: the reference could not answer: %s", frame->index, pl_context_message(job->context));
    return false;
  }
  bool missing;
  const pl_contact *odd = find_difference(job, frame->contacts, truth, &missing);
  if (!odd) return true;
  output_complain("frame %zu: %zu pairs where the reference has %zu; triangle %u of %s and %u of %s are %s",
                  frame->index, frame->contacts->count, truth->count, odd->triangle_a,
                  gltf_job_name(job, gltf_job_body(job, odd->a, 0)), odd->triangle_b,
                  gltf_job_name(job, gltf_job_body(job, odd->b, 0)), missing ? "missing" : "no contact");
  return false;
}
