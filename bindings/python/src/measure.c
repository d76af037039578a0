/* Kept features at the present positions of two bodies, or of one; of a scene: scene_near.c. */
#include "module.h"

bool measure_options(PyObject **v, pl_question *how)
{
  bool merged = true;
  if (!argument_double(v[0], "margin", &how->margin) || !argument_bool(v[1], &merged) ||
      !argument_bool(v[2], &how->reference))
    return false;
  how->each = !merged;
  return true;
}

static const char measure_doc[] =
    "measure($self, /, kept, *, margin=1e999, merged=True, reference=False)\n--\n\n"
    "Return the FeaturePairs `kept`, which near() of this body has found, at the\n"
    "present positions, without a search: kinds are those of the parts that hold the nearest points.\n\n"
    "margin  leaves out what is farther apart\n"
    "merged  each two nearest parts once; `multiplicity` says for how many pairs of features\n"
    "The derivative of row i's distance by vertices[i, 0, k] is weights[i, 0, k] * normal[i], that by\n"
    "vertices[i, 1, k] is -weights[i, 1, k] * normal[i].";

static PyObject *measure(FAST_ARGUMENTS)
{
  static const char *const names[] = {"kept", "margin", "merged", "reference"};
  static const signature s = {"measure", 1, 1, 4, names};
  PyObject *v[4];
  body_object *a = (body_object *)self;
  pl_question def = pl_question_default();
  if (!arguments(&s, args, given, keywords, v) || !measure_options(v + 1, &def)) return NULL;
  const result_object *kept = result_as(v[0], &features_kind, "kept");
  if (!kept) return NULL;
  if (!kept->bodies || kept->extra || PyTuple_GetItem(kept->bodies, 0) != self) {
    PyErr_SetString(PyExc_ValueError, "kept must be features that this body has found: near() of it");
    return NULL;
  }
  const body_object *b = (body_object *)PyTuple_GetItem(kept->bodies, PyTuple_Size(kept->bodies) - 1);
  const pl_result rows = {.features = (const pl_feature_pair *)(const void *)kept->rows, .count = kept->count};
  def.given = &rows;
  answer_rows answer = {0};
  library_call call;
  if (!call_begin(&call, a->context)) return NULL;
  const pl_result *found;
  pl_status status = pl_measure(pl_two(a->body, b->body), &def, &found);
  if (status == PL_OK) {
    answer.counters = found->counters;
    if (!answer_copy(&answer, found->features, found->count, sizeof *found->features)) status = PL_ERROR_MEMORY;
  }
  return call_end(&call, status) ? result_new(&features_kind, &answer, kept->bodies) : answer_drop(&answer);
}

PyMethodDef measure_methods[] = {METHOD("measure", measure, measure_doc), {NULL, NULL, 0, NULL}};
