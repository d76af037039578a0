/* Penetration without trees: all pairs and all distances by brute force. The regions come from the same graph. */
#include "query/pairs/penetration.h"
#include "pliant/reference.h"
#include "query/probe/points.h"
#include "reference/reference.h"

pl_status pl_reference_penetration(pl_body *a, pl_body *b, const pl_penetration_def *def, const pl_penetrations **out)
{
  static const penetration_tools tools = {reference_collide, reference_signed};
  return penetration_query(a, b, def, &tools, out);
}
