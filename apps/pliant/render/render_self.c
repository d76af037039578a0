/* --contacts within one body: asks as `pliant self` does. Bodies of files are welded by their
 * stage. */
#include "common/output.h"
#include "render/render.h"

bool render_mark_self(render_job *job, size_t frame, size_t *pairs)
{
  *pairs = 0;
  for (size_t i = 0; i < job->actor_count; ++i) {
    const render_actor *a = &job->actors[i];
    const pl_result *found;
    if (pl_touching(pl_self(a->body), NULL, &found) != PL_OK) {
      output_complain("%s: frame %zu: %s", a->name, frame, pl_context_message(job->context));
      return false;
    }
    for (size_t k = 0; k < found->count; ++k) a->touching[found->pairs[k].a] = a->touching[found->pairs[k].b] = 1;
    *pairs += found->count;
  }
  return true;
}
