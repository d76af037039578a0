/* Contacts of the viewer's scenes on this machine, as JSON, for the tests of the page:
 * {"spheres": [[frame, contacts], ...], ...}. */
#include "web/src/stage.h"

#include <stdio.h>
#include <stdlib.h>

web_stage *web_stage_show(pl_context *context, const char *name, int detail);
const char *web_show_name(int index);
pl_context *web_context(const char *simd);
const char *web_message(void);

static void give_up(void)
{
  fprintf(stderr, "counts: %s\n", web_message());
  exit(1);
}

int main(void)
{
  pl_context *context = web_context(NULL);
  if (!context) give_up();
  printf("{");
  for (int i = 0; web_show_name(i); ++i) {
    web_stage *stage = web_stage_show(context, web_show_name(i), 0);
    if (!stage || !web_stage_settle(stage, "")) give_up();
    printf("%s\"%s\": [", i ? ",\n " : "", web_show_name(i));
    for (int k = 0; k < 5; ++k) {
      int frame = k * (stage->frames - 1) / 4;
      if (!web_stage_pose(stage, frame) || !web_stage_touching(stage, 0)) give_up();
      printf("%s[%d, %.0f]", k ? ", " : "", frame, web_out_numbers[0]);
    }
    printf("]");
    web_stage_destroy(stage);
  }
  printf("}\n");
  pl_context_destroy(context);
  return 0;
}
