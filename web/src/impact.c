/* First contacts: in pliant-full.wasm only. */
#include "web/src/web.h"

#ifdef __wasm__
/* The layout that pliant.mjs reads. */
_Static_assert(sizeof(pl_impact) == 88 && offsetof(pl_impact, kind) == 16 && offsetof(pl_impact, normal) == 40,
               "impacts");
#endif

int WEB_EXPORT(web_body_keep_pose)(pl_context *context, pl_body *body)
{
  return web_check(context, pl_body_keep_pose(body));
}

/* Address, count, time, safe step, counters. */
int WEB_EXPORT(web_first_contact)(pl_context *context, pl_body *a, pl_body *b, int all, double margin)
{
  pl_question def = pl_question_default();
  def.all = all != 0;
  def.margin = margin;
  const pl_result *found = NULL;
  if (!web_check(context, pl_impacts(pl_two(a, b), &def, &found))) return 0;
  web_out_numbers[0] = (double)(uintptr_t)found->impacts;
  web_out_numbers[1] = (double)found->count;
  web_out_numbers[2] = found->time;
  web_out_numbers[3] = found->safe_step;
  web_put_counters(4, &found->counters);
  return 1;
}
