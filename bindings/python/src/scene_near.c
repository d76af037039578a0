/* Near pairs, near features and first contacts of all bodies of a scene. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

/* What is copied of an answer: without the interpreter's lock the bodies are pointers. */
typedef struct groups_copy {
  answer_rows answer;
  pl_group *groups;
  size_t group_count, body_pairs, kept_pairs;
} groups_copy;

static bool copy_answer(groups_copy *copy, const pl_result *found, const void *rows, size_t row)
{
  copy->answer.counters = found->counters;
  copy->kept_pairs = found->kept_pairs;
  copy->group_count = found->group_count;
  copy->body_pairs = found->body_pairs;
  copy->groups = malloc((found->group_count + 1) * sizeof *copy->groups);
  if (copy->groups && found->group_count)
    memcpy(copy->groups, found->groups, found->group_count * sizeof *copy->groups);
  return copy->groups && answer_copy(&copy->answer, rows, found->count, row);
}

/* The result with its groups, and `members`: the bodies of each row. */
static PyObject *groups_result(const result_kind *kind, groups_copy *copy, PyObject *bodies)
{
  Py_ssize_t shape[2] = {(Py_ssize_t)copy->answer.count, 2};
  void *places;
  PyObject *members = array_new('I', 2, shape, &places);
  PyObject *groups =
      members ? scene_groups(copy->groups, copy->group_count, bodies, places, 2 * sizeof(uint32_t)) : NULL;
  PyObject *result = groups ? result_new(kind, &copy->answer, bodies) : answer_drop(&copy->answer);
  if (!result) {
    Py_XDECREF(members);
    Py_XDECREF(groups);
    return NULL;
  }
  bool ok = result_set(result, "groups", groups);
  ok = result_set(result, "members", members) && ok;
  if (!ok || !result_set(result, "body_pairs", PyLong_FromSize_t(copy->body_pairs)) ||
      !result_set(result, "kept_pairs", PyLong_FromSize_t(copy->kept_pairs)))
    Py_CLEAR(result);
  return result;
}

/* -------------------------------------------------------------------------------- near pairs -- */

/* Asks all bodies of the scene, and renews a certificate unless that is NULL. */
typedef pl_status groups_question(pl_certificate *renewed, const pl_question *def, const pl_who *who,
                                  const pl_result **found);

static PyObject *ask_groups(scene_object *scene, const result_kind *kind, groups_question *ask, pl_certificate *renewed,
                            const pl_question *def, python_filter *filter)
{
  groups_copy copy = {0};
  scene_lock(scene);
  library_call call;
  bool ok = call_begin(&call, scene->context);
  if (ok) {
    const pl_result *found;
    const pl_who who = pl_all(scene->scene);
    pl_status status = ask(renewed, def, &who, &found);
    if (status == PL_OK &&
        !copy_answer(&copy, found, kind == &near_kind ? (const void *)found->near_pairs : found->features, kind->row))
      status = PL_ERROR_MEMORY;
    ok = call_end(&call, status);
  }
  if (filter) ok = filter_close(filter, ok);
  PyObject *result = ok ? groups_result(kind, &copy, scene->bodies) : answer_drop(&copy.answer);
  scene_unlock(scene);
  free(copy.groups);
  return result;
}

static pl_status for_features(pl_certificate *renewed, const pl_question *def, const pl_who *who,
                              const pl_result **found)
{
  return renewed ? pl_certificate_renew(renewed, *who, def, found) : pl_near(*who, def, found);
}

static pl_status for_triangles(pl_certificate *renewed, const pl_question *def, const pl_who *who,
                               const pl_result **found)
{
  (void)renewed;
  return pl_near_triangles(*who, def, found);
}

static pl_status for_kept(pl_certificate *renewed, const pl_question *def, const pl_who *who, const pl_result **found)
{
  (void)renewed;
  return pl_measure(*who, def, found);
}

/* `function` is the caller's filter. */
static PyObject *ask_all(scene_object *scene, pl_question *def, PyObject *function, bool features)
{
  python_filter filter;
  if (!scene_may_use(scene) || !filter_open(&filter, function, scene->context)) return NULL;
  if (filter.function) def->filter = filter_contact;
  def->user = &filter;
  return features ? ask_groups(scene, &features_kind, for_features, NULL, def, &filter)
                  : ask_groups(scene, &near_kind, for_triangles, NULL, def, &filter);
}

PyObject *scene_renew(scene_object *scene, pl_certificate *certificate, const pl_question *def)
{
  return scene_may_use(scene) ? ask_groups(scene, &features_kind, for_features, certificate, def, NULL) : NULL;
}

static const char triangles_doc[] =
    "near_triangles($self, /, *, margin=0, sorted=False, filter=None, reference=False, rings=1)\n--\n\n"
    "Return all pairs of triangles of two bodies, and of bodies that were added with self_contacts, that are\n"
    "at most `margin` apart, as NearPairs with `groups` and `members` as Contacts have them.\n\n"
    "rings   within one body: least number of edges from a vertex of one to a vertex of the other\n"
    "filter  filter(body_a, body_b, a, b) is called before a pair is measured; False leaves it out";

static PyObject *near_triangles(FAST_ARGUMENTS)
{
  static const char *const names[] = {"margin", "sorted", "filter", "reference", "rings"};
  static const signature s = {"near_triangles", 0, 0, 5, names};
  PyObject *v[5];
  pl_question def = pl_question_default();
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[0], "margin", &def.margin) ||
      !argument_bool(v[1], &def.sorted) || !argument_rings(v[4], &def.rings) || !argument_bool(v[3], &def.reference))
    return NULL;
  return ask_all((scene_object *)self, &def, v[2], false);
}

static const char near_doc[] =
    "near($self, /, *, margin=0, vertex_face=True, edge_edge=True, sorted=False, filter=None,\n"
    "     reference=False, rings=1)\n--\n\n"
    "Return every vertex and face, and every two edges, of two bodies, and of bodies that were added with\n"
    "self_contacts, that are at most `margin` apart, as FeaturePairs with `groups` and `members` as Contacts have "
    "them.";

static PyObject *near(FAST_ARGUMENTS)
{
  static const char *const names[] = {"margin", "vertex_face", "edge_edge", "sorted", "filter", "reference", "rings"};
  static const signature s = {"near", 0, 0, 7, names};
  PyObject *v[7];
  pl_question def = pl_question_default();
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[0], "margin", &def.margin) ||
      !argument_bool(v[1], &def.vertex_face) || !argument_bool(v[2], &def.edge_edge) ||
      !argument_bool(v[3], &def.sorted) || !argument_rings(v[6], &def.rings) || !argument_bool(v[5], &def.reference))
    return NULL;
  return ask_all((scene_object *)self, &def, v[4], true);
}

/* ----------------------------------------------------------------------------- kept features -- */

/* The groups of a result of the scene; NULL: an exception is set. */
static pl_group *kept_groups(const result_object *kept, size_t *count)
{
  PyObject *list = kept->extra ? PyDict_GetItemString(kept->extra, "groups") : NULL;
  if (!list || !PyList_Check(list)) {
    PyErr_SetString(PyExc_ValueError, "kept must be features that a scene has found: near() of it");
    return NULL;
  }
  *count = (size_t)PyList_Size(list);
  pl_group *groups = malloc((*count + 1) * sizeof *groups);
  if (!groups) return (pl_group *)no_memory();
  for (size_t i = 0; i < *count; ++i) {
    PyObject *group = PyList_GetItem(list, (Py_ssize_t)i), *a, *b, *rows;
    Py_ssize_t begin, end, step;
    if (!PyArg_ParseTuple(group, "O!O!O", body_type, &a, body_type, &b, &rows) ||
        PySlice_Unpack(rows, &begin, &end, &step) < 0) {
      free(groups);
      return NULL;
    }
    groups[i] = (pl_group){((body_object *)a)->body, ((body_object *)b)->body, (size_t)begin, (size_t)end};
  }
  return groups;
}

static const char measure_doc[] =
    "measure($self, /, kept, *, margin=1e999, merged=True, reference=False)\n--\n\n"
    "Return the FeaturePairs `kept`, which near() of this scene has found, at the present positions,\n"
    "without a search; the options and the rows are those of Body.measure().";

static PyObject *measure(FAST_ARGUMENTS)
{
  static const char *const names[] = {"kept", "margin", "merged", "reference"};
  static const signature s = {"measure", 1, 1, 4, names};
  PyObject *v[4];
  scene_object *scene = (scene_object *)self;
  pl_question def = pl_question_default();
  if (!arguments(&s, args, given, keywords, v) || !measure_options(v + 1, &def) || !scene_may_use(scene)) return NULL;
  const result_object *kept = result_as(v[0], &features_kind, "kept");
  size_t count = 0;
  pl_group *groups = kept ? kept_groups(kept, &count) : NULL;
  if (!groups) return NULL;
  const pl_result rows = {.features = (const pl_feature_pair *)(const void *)kept->rows,
                          .count = kept->count,
                          .groups = groups,
                          .group_count = count};
  def.given = &rows;
  PyObject *result = ask_groups(scene, &features_kind, for_kept, NULL, &def, NULL);
  free(groups);
  return result;
}

/* ----------------------------------------------------------------------------- first contact -- */

static const char contact_doc[] =
    "impacts($self, /, *, all=False, margin=0, kept_gap=0, rings=1, reference=False)\n--\n\n"
    "Return when two bodies of the scene first meet on the way from their kept poses (body.keep_pose()) to\n"
    "their present ones, as Impacts with `members`: the bodies of each row, as indices of impacts.bodies.\n"
    "Every vertex goes straight from its kept to its present position. A body without a kept pose is at rest; a\n"
    "warning says so if all are.\n"
    "Members that were added with self_contacts are also tested against themselves.\n\n"
    "all       every contact on the way, each pair of features once\n"
    "margin    features that come as near as this count as in contact\n"
    "kept_gap  or as near as this part of their distance at the start, if that is less: from 0 to less than 1\n"
    "rings     within one body, leave out features that fewer edges than this join";

/* (n, 2): the bodies of each impact. */
static PyObject *impact_members(const answer_rows *answer, PyObject *bodies)
{
  Py_ssize_t shape[2] = {(Py_ssize_t)answer->count, 2};
  const pl_impact *rows = answer->rows;
  void *data;
  PyObject *members = array_new('I', 2, shape, &data);
  uint32_t *places = data;
  for (size_t i = 0; members && i < answer->count; ++i) {
    places[2 * i] = (uint32_t)scene_find(bodies, rows[i].a);
    places[2 * i + 1] = (uint32_t)scene_find(bodies, rows[i].b);
  }
  return members;
}

static bool any_kept(PyObject *bodies)
{
  Py_ssize_t i = 0, count = PySequence_Size(bodies);
  for (; i < count; ++i) {
    PyObject *body = PySequence_GetItem(bodies, i);
    bool kept = body && ((body_object *)body)->kept;
    Py_XDECREF(body);
    if (kept) break;
  }
  return count < 2 || i < count;
}

static PyObject *impacts(FAST_ARGUMENTS)
{
  static const char *const names[] = {"all", "margin", "kept_gap", "rings", "reference"};
  static const signature s = {"impacts", 0, 0, 5, names};
  PyObject *v[5];
  scene_object *scene = (scene_object *)self;
  pl_question def = pl_question_default();
  uint64_t rings = def.rings;
  if (!arguments(&s, args, given, keywords, v) || !argument_bool(v[0], &def.all) ||
      !argument_double(v[1], "margin", &def.margin) || !argument_double(v[2], "kept_gap", &def.kept_gap) ||
      !argument_count(v[3], "rings", &rings) || !argument_bool(v[4], &def.reference) || !scene_may_use(scene))
    return NULL;
  def.rings = rings > UINT32_MAX ? UINT32_MAX : (uint32_t)rings;
  answer_rows answer = {0};
  double safe_step = 0;
  scene_lock(scene);
  if (!any_kept(scene->bodies) && !warn_at_rest("no body of the scene has")) {
    scene_unlock(scene);
    return NULL;
  }
  library_call call;
  bool ok = call_begin(&call, scene->context);
  if (ok) {
    const pl_result *found;
    pl_status status = pl_impacts(pl_all(scene->scene), &def, &found);
    if (status == PL_OK) {
      answer.counters = found->counters;
      safe_step = found->safe_step;
      if (!answer_copy(&answer, found->impacts, found->count, sizeof(pl_impact))) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  PyObject *members = ok ? impact_members(&answer, scene->bodies) : NULL;
  PyObject *result = members ? result_new(&impacts_kind, &answer, scene->bodies) : answer_drop(&answer);
  scene_unlock(scene);
  if (!result) {
    Py_XDECREF(members);
    return NULL;
  }
  ok = result_set(result, "members", members);
  if (!ok || !result_set(result, "safe_step", PyFloat_FromDouble(safe_step))) Py_CLEAR(result);
  return result;
}

/* -------------------------------------------------------------------------------- exclusions -- */

static PyObject *change_pair(scene_object *scene, PyObject *const v[2],
                             pl_status (*change)(pl_scene *, pl_body *, pl_body *))
{
  if (Py_TYPE(v[0]) != body_type || Py_TYPE(v[1]) != body_type) {
    PyErr_SetString(PyExc_TypeError, "two objects of the type pliant.Body are needed");
    return NULL;
  }
  if (!scene_may_use(scene)) return NULL;
  scene_lock(scene);
  library_call call;
  bool ok = call_begin(&call, scene->context) &&
            call_end(&call, change(scene->scene, ((body_object *)v[0])->body, ((body_object *)v[1])->body));
  scene_unlock(scene);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static PyObject *exclude(FAST_ARGUMENTS)
{
  static const char *const names[] = {"a", "b"};
  static const signature s = {"exclude", 2, 2, 2, names};
  PyObject *v[2];
  return arguments(&s, args, given, keywords, v) ? change_pair((scene_object *)self, v, pl_scene_exclude) : NULL;
}

static PyObject *include(FAST_ARGUMENTS)
{
  static const char *const names[] = {"a", "b"};
  static const signature s = {"include", 2, 2, 2, names};
  PyObject *v[2];
  return arguments(&s, args, given, keywords, v) ? change_pair((scene_object *)self, v, pl_scene_include) : NULL;
}

PyMethodDef scene_query_methods[] = {
    METHOD("near", near, near_doc),
    METHOD("near_triangles", near_triangles, triangles_doc),
    METHOD("impacts", impacts, contact_doc),
    METHOD("measure", measure, measure_doc),
    METHOD("exclude", exclude,
           "exclude($self, /, a, b)\n--\n\n"
           "Leave two bodies out of all queries of the scene with each other, until include(a, b)."),
    METHOD("include", include, "include($self, /, a, b)\n--\n\nLet two bodies be tested with each other again."),
    {NULL, NULL, 0, NULL}};
