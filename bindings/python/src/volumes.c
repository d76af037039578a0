/* The volumes of a tree, level by level, for viewers. */
#include "module.h"

#include <stddef.h>
#include <string.h>

static const result_column columns[] = {
    {"box", "(n, 2, 3) float32: least and greatest corner of each box.", offsetof(pl_node_volume, lower), 'f', 2, 3},
    {"parent", "(n,) uint32: its place in the level above.", offsetof(pl_node_volume, parent), 'I', 0, 0},
    {"triangles", "(n,) uint32: how many triangles are below it.", offsetof(pl_node_volume, triangles), 'I', 0, 0},
    {"fresh", "(n,) uint8: when it was computed: an index of volumes.words.", offsetof(pl_node_volume, fresh), 'e', 0,
     0},
    {"shape_fresh", "(n,) uint8: the same of its components.", offsetof(pl_node_volume, shape_fresh), 'e', 0, 0},
    {"leaf", "(n,) uint8: 1 for a leaf.", offsetof(pl_node_volume, leaf), '?', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_node_volume, upper) == offsetof(pl_node_volume, lower) + 12, "two members are read as one");
const result_kind volumes_kind = {
    "Volumes",
    "The volumes of one level of a tree: box, parent, triangles, fresh, leaf; and levels, how many there are;\n"
    "kind and components of a second kind of volume (see pliant/tuning.h); to_world, a (3, 4) matrix from the\n"
    "space of the boxes; words, of `fresh`: 'stale', 'eager', 'demand'.",
    sizeof(pl_node_volume), 0, columns};

typedef struct volumes_copy {
  answer_rows answer, components;
  int levels, component_count;
  pl_volume kind;
  double to_world[3][4];
} volumes_copy;

static bool copy_volumes(volumes_copy *copy, const pl_volumes *found)
{
  size_t row = (size_t)found->component_count * sizeof(float);
  copy->levels = found->levels;
  copy->kind = found->kind;
  copy->answer.level = found->level;
  copy->component_count = found->components ? found->component_count : 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) copy->to_world[i][k] = found->to_world.m[i][k];
    copy->to_world[i][3] = found->to_world.t[i];
  }
  return answer_copy(&copy->answer, found->volumes, found->count, sizeof(pl_node_volume)) &&
         (!found->components || answer_copy(&copy->components, found->components, found->count, row));
}

static PyObject *fresh_words(void)
{
  PyObject *words = PyTuple_New(PL_FRESH_COUNT);
  for (int i = 0; words && i < PL_FRESH_COUNT; ++i) {
    PyObject *word = PyUnicode_FromString(pl_word(PL_WORDS_FRESH, i));
    if (!word || PyTuple_SetItem(words, i, word) < 0) Py_CLEAR(words);
  }
  return words;
}

static bool set_attributes(PyObject *result, const volumes_copy *copy)
{
  Py_ssize_t components[2] = {(Py_ssize_t)copy->components.count, copy->component_count}, matrix[2] = {3, 4};
  return result_set(result, "levels", PyLong_FromLong(copy->levels)) &&
         result_set(result, "kind", PyUnicode_FromString(pl_word(PL_WORDS_VOLUME, copy->kind))) &&
         result_set(result, "components", array_copy('f', 2, components, copy->components.rows)) &&
         result_set(result, "to_world", array_copy('d', 2, matrix, copy->to_world)) &&
         result_set(result, "words", fresh_words());
}

static const char doc[] =
    "volumes($self, /, level, *, refit=True)\n--\n\n"
    "Return the volumes of one level of the tree, from 0, the root, as Volumes.\n\n"
    "refit  all of them are made current first; False: as the last queries left them, stale ones too";

static PyObject *volumes(FAST_ARGUMENTS)
{
  static const char *const names[] = {"level", "refit"};
  static const signature s = {"volumes", 1, 1, 2, names};
  PyObject *v[2];
  body_object *body = (body_object *)self;
  int level = 0;
  bool refit = true;
  library_call call;
  if (!arguments(&s, args, given, keywords, v) || !argument_int(v[0], "level", &level) ||
      !argument_bool(v[1], &refit) || !call_begin(&call, body->context))
    return NULL;
  volumes_copy copy;
  memset(&copy, 0, sizeof copy);
  const pl_volumes *found;
  pl_status status = pl_body_volumes(body->body, level, refit, &found);
  if (status == PL_OK && !copy_volumes(&copy, found)) status = PL_ERROR_MEMORY;
  PyObject *result = NULL, *bodies = call_end(&call, status) ? PyTuple_Pack(1, self) : NULL;
  if (bodies) {
    result = result_new(&volumes_kind, &copy.answer, bodies);
    if (result && !set_attributes(result, &copy)) Py_CLEAR(result);
    Py_DECREF(bodies);
  } else
    answer_drop(&copy.answer);
  answer_drop(&copy.components);
  return result;
}

PyMethodDef volume_methods[] = {METHOD("volumes", volumes, doc), {NULL, NULL, 0, NULL}};
