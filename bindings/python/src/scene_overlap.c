/* Which triangles of a scene a box, a sphere or a frustum meets. */
#include "scene.h"

#include <stddef.h>
#include <stdlib.h>

/* A triangle and its body. */
typedef struct scene_triangle {
  uint32_t triangle, member;
} scene_triangle;

static const result_column triangle_columns[] = {
    {"array", "(n,) uint32: the triangles.", offsetof(scene_triangle, triangle), 'I', 0, 0},
    {"member", "(n,) uint32: their bodies, as indices of bodies.", offsetof(scene_triangle, member), 'I', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind scene_triangles_kind = {"SceneTriangles",
                                          "Triangles of a scene that meet a zone: array (triangles), member (bodies).",
                                          sizeof(scene_triangle), 0, triangle_columns};

/* Copies the rows, each with the number of its body. Groups are in the order of these numbers. */
static bool copy_rows(answer_rows *answer, const pl_result *found, const pl_scene *scene)
{
  scene_triangle *rows = malloc((found->count + 1) * sizeof *rows);
  uint32_t member = 0;
  for (size_t i = 0; rows && i < found->group_count; ++i) {
    const pl_group *g = &found->groups[i];
    while (pl_scene_member_body(scene, member) != g->a) ++member;
    for (size_t k = g->begin; k < g->end; ++k) rows[k] = (scene_triangle){found->triangles[k], member};
  }
  bool ok = rows && answer_copy(answer, rows, found->count, sizeof *rows);
  free(rows);
  return ok;
}

static PyObject *ask_scene(PyObject *self, const pl_zone *zone, PyObject *sorted, PyObject *reference)
{
  scene_object *scene = (scene_object *)self;
  pl_question def = pl_question_default();
  if (!argument_bool(sorted, &def.sorted) || !argument_bool(reference, &def.reference) || !scene_may_use(scene))
    return NULL;
  answer_rows answer = {0};
  scene_lock(scene);
  library_call call;
  bool ok = call_begin(&call, scene->context);
  if (ok) {
    const pl_result *found;
    pl_status status = pl_overlap(pl_all(scene->scene), zone, &def, &found);
    if (status == PL_OK) {
      answer.counters = found->counters;
      if (!copy_rows(&answer, found, scene->scene)) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  PyObject *result = ok ? result_new(&scene_triangles_kind, &answer, scene->bodies) : answer_drop(&answer);
  scene_unlock(scene);
  return result;
}

static PyObject *overlap(FAST_ARGUMENTS) { return zone_overlap(self, args, given, keywords, ask_scene); }

PyMethodDef scene_overlap_methods[] = {
    METHOD("overlap", overlap,
           "overlap($self, /, *, box=None, sphere=None, planes=None, camera=None, zero_to_one=False, sorted=False,\n"
           "        reference=False)\n--\n\n"
           "Return the triangles of all bodies that have a point in common with a zone, as SceneTriangles; the zones\n"
           "are those of Body.overlap(). Exact."),
    {NULL, NULL, 0, NULL}};
