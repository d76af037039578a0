/* Boxes around the whole way of features, in the caller's numbers. They decide the candidates
 * that floats leave open. */
#include "query/time/candidates.h"

#include <math.h>

exact_box exact_box_of(const sweep *s, const uint32_t *vertices, int count)
{
  exact_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = s->start[vertices[i]][k], y = s->end[vertices[i]][k];
      box.low[k] = fmin(box.low[k], fmin(x, y));
      box.high[k] = fmax(box.high[k], fmax(x, y));
    }
  return box;
}

bool exact_boxes_near(const exact_box *x, const exact_box *y, double margin)
{
  for (int k = 0; k < 3; ++k)
    if (x->low[k] - y->high[k] > margin || y->low[k] - x->high[k] > margin) return false;
  return true;
}
