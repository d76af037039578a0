/* What queries of near pairs share, between two bodies or within one, of triangles or of
 * features: the call, and its rows as a result. */
#include "module.h"

/* The result of a query; ok is what filter_close() returned. */
static PyObject *finish(const near_question *q, answer_rows *answer, bool ok)
{
  PyObject *bodies = !ok ? NULL : q->other ? PyTuple_Pack(2, q->self, q->other) : PyTuple_Pack(1, q->self);
  if (!bodies) return answer_drop(answer);
  PyObject *result = result_new(q->kind, answer, bodies);
  Py_DECREF(bodies);
  return result;
}

PyObject *near_answer(near_question *q)
{
  const body_object *a = (body_object *)q->self, *b = (body_object *)q->other;
  answer_rows answer = {0};
  library_call call;
  bool ok = call_begin(&call, a->context);
  if (ok) {
    near_rows found;
    pl_status status = q->ask(q, a->body, b ? b->body : a->body, &found);
    if (status == PL_OK) {
      answer.counters = found.counters;
      if (!answer_copy(&answer, found.rows, found.count, q->kind->row)) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  return finish(q, &answer, filter_close(&q->filter, ok));
}
