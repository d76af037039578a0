/* What queries of near pairs share, between two bodies or within one, of triangles or of
 * features: the call, and its rows as a result. */
#include "module.h"

PyObject *near_answer(near_question *q)
{
  const body_object *a = (body_object *)q->self, *b = (body_object *)q->other;
  answer_rows answer = {0};
  library_call call;
  bool ok = call_begin(&call, a->context);
  if (ok) {
    near_rows found;
    pl_status status = near_ask(q, a->body, b ? b->body : a->body, &found);
    if (status == PL_OK) {
      answer.counters = found.counters;
      if (!answer_copy(&answer, found.rows, found.count, q->kind->row)) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  ok = filter_close(&q->filter, ok);
  return ok ? result_of_bodies(q->kind, &answer, q->self, q->other) : answer_drop(&answer);
}
