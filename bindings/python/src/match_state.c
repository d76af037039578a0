/* What is known about the clusters and spheres of a body that matches shapes, and the step of a
 * cluster without its points. */
#include "module.h"

#include <string.h>

enum { TERMS = 9 };

static PyObject *vector(const double *v, Py_ssize_t count) { return array_copy('d', 1, &count, v); }

/* (3, 10): matrix of the terms, then the translation. */
static PyObject *map_array(const pl_match_map *map)
{
  void *data;
  PyObject *array = array_new('d', 2, (Py_ssize_t[]){3, TERMS + 1}, &data);
  for (int i = 0; array && i < 3; ++i) {
    double *row = (double *)data + (TERMS + 1) * i;
    memcpy(row, map->m[i], TERMS * sizeof *row);
    row[TERMS] = map->t[i];
  }
  return array;
}

static bool read_map(PyObject *value, pl_match_map *out)
{
  numbers n;
  if (!numbers_open(&n, value, "fit")) return false;
  bool ok =
      numbers_are_real(&n) && n.dimensions == 2 && n.shape[0] == 3 && (n.shape[1] == 4 || n.shape[1] == TERMS + 1);
  if (!ok) PyErr_SetString(PyExc_ValueError, "fit must be numbers of the shape (3, 4) or (3, 10)");
  memset(out, 0, sizeof *out);
  for (int i = 0; ok && i < 3; ++i) {
    for (Py_ssize_t j = 0; j + 1 < n.shape[1]; ++j) out->m[i][j] = numbers_double(&n, i, j, 0);
    out->t[i] = numbers_double(&n, i, n.shape[1] - 1, 0);
  }
  numbers_close(&n);
  return ok;
}

static const char cluster_doc[] =
    "match_cluster($self, cluster, /)\n--\n\n"
    "Return what is known about a cluster as a dictionary: mass, rest_centre, point_count, points (ascending), terms,\n"
    "inverse (9, 9) and mean (9,), which never change; map (3, 10), centre, rotation (w x y z), plastic (3, 3), "
    "deviation and\n"
    "deviation_inside, of the present state.";

static PyObject *match_cluster(PyObject *object, PyObject *value)
{
  body_object *self = (body_object *)object;
  uint64_t index = 0;
  pl_match_cluster c;
  pl_match_state s;
  const uint32_t *points = NULL;
  library_call call;
  if (!argument_count(value, "cluster", &index) || !call_begin(&call, self->context)) return NULL;
  pl_status status = pl_body_match_cluster(self->body, (size_t)index, &c);
  if (status == PL_OK) status = pl_body_match_state(self->body, (size_t)index, &s);
  if (status == PL_OK) status = pl_body_match_points(self->body, (size_t)index, &points);
  if (!call_end(&call, status)) return NULL;
  return Py_BuildValue("{s:d,s:N,s:n,s:N,s:i,s:N,s:N,s:N,s:N,s:N,s:N,s:d,s:d}", "mass", c.mass, "rest_centre",
                       vector(c.rest_centre, 3), "point_count", (Py_ssize_t)c.point_count, "points",
                       array_copy('I', 1, &(Py_ssize_t){(Py_ssize_t)c.point_count}, points), "terms", c.terms,
                       "inverse", array_copy('d', 2, (Py_ssize_t[]){9, 9}, c.inverse), "mean", vector(c.mean, 9), "map",
                       map_array(&s.map), "centre", vector(s.centre, 3), "rotation", vector(s.rotation, 4), "plastic",
                       array_copy('d', 2, (Py_ssize_t[]){3, 3}, s.plastic), "deviation", s.deviation,
                       "deviation_inside", s.deviation_inside);
}

static const char goal_doc[] =
    "match_goal($self, /, cluster, fit, *, stiffness=1, stretch=0, preserve_volume=False, yield_at=0,\n"
    "           creep=0, most=0)\n--\n\n"
    "Return the goal map (3, 10) of a cluster for a fit, (3, 4) or (3, 10), without points: the step of a body whose\n"
    "points are at their goals, in constant time. set_match() then moves it. The options are those of set_goals().";

static PyObject *match_goal(FAST_ARGUMENTS)
{
  static const char *const names[] = {"cluster",         "fit",      "stiffness", "stretch",
                                      "preserve_volume", "yield_at", "creep",     "most"};
  static const signature s = {"match_goal", 2, 2, 8, names};
  PyObject *v[8];
  body_object *body = (body_object *)self;
  pl_goal_def def = pl_goal_def_default();
  uint64_t index = 0;
  pl_match_map fit, goal;
  library_call call;
  if (!arguments(&s, args, given, keywords, v) || !argument_count(v[0], "cluster", &index) || !read_map(v[1], &fit) ||
      !argument_double(v[2], "stiffness", &def.stiffness) || !argument_double(v[3], "stretch", &def.stretch) ||
      !argument_bool(v[4], &def.preserve_volume) || !argument_double(v[5], "yield_at", &def.yield) ||
      !argument_double(v[6], "creep", &def.creep) || !argument_double(v[7], "most", &def.most) ||
      !call_begin(&call, body->context) ||
      !call_end(&call, pl_body_match_goal(body->body, (size_t)index, &fit, &def, &goal)))
    return NULL;
  return map_array(&goal);
}

static const char memory_doc[] =
    "set_match_memory($self, /, cluster, rotation, plastic)\n--\n\n"
    "Set rotation (w x y z) and plastic deformation (3, 3) of a cluster, such as those that match_cluster() reported:\n"
    "the next fit continues from there.";

static PyObject *set_match_memory(FAST_ARGUMENTS)
{
  static const char *const names[] = {"cluster", "rotation", "plastic"};
  static const signature s = {"set_match_memory", 3, 3, 3, names};
  PyObject *v[3];
  body_object *body = (body_object *)self;
  uint64_t index = 0;
  double *rotation = NULL, plastic[3][3];
  size_t count = 0;
  numbers n;
  if (!arguments(&s, args, given, keywords, v) || !argument_count(v[0], "cluster", &index) ||
      !numbers_doubles(v[1], "rotation", &rotation, &count))
    return NULL;
  bool ok = numbers_open(&n, v[2], "plastic");
  bool fits = ok && count == 4 && numbers_are_real(&n) && n.dimensions == 2 && n.shape[0] == 3 && n.shape[1] == 3;
  if (ok && !fits) PyErr_SetString(PyExc_ValueError, "rotation must have 4 numbers, and plastic the shape (3, 3)");
  for (int i = 0; fits && i < 9; ++i) plastic[i / 3][i % 3] = numbers_double(&n, i / 3, i % 3, 0);
  if (ok) numbers_close(&n);
  library_call call;
  ok = fits && call_begin(&call, body->context) &&
       call_end(&call, pl_body_set_match_memory(body->body, (size_t)index, rotation, (const double(*)[3])plastic));
  PyMem_Free(rotation);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char node_doc[] =
    "sphere_node($self, /, level, node)\n--\n\n"
    "Return what never changes about a sphere as a dictionary: points, cluster, mass, rest_centre, rest_radius,\n"
    "surface and inner, places relative to the centre of its cluster at rest.";

static PyObject *sphere_node(FAST_ARGUMENTS)
{
  static const char *const names[] = {"level", "node"};
  static const signature s = {"sphere_node", 2, 2, 2, names};
  PyObject *v[2];
  body_object *body = (body_object *)self;
  int level = 0;
  uint64_t index = 0;
  pl_sphere_node node;
  library_call call;
  if (!arguments(&s, args, given, keywords, v) || !argument_int(v[0], "level", &level) ||
      !argument_count(v[1], "node", &index) || !call_begin(&call, body->context) ||
      !call_end(&call, pl_body_sphere_node(body->body, level, (size_t)index, &node)))
    return NULL;
  Py_ssize_t count = (Py_ssize_t)node.count;
  return Py_BuildValue("{s:N,s:I,s:d,s:N,s:d,s:N,s:N}", "points", array_copy('I', 1, &count, node.points), "cluster",
                       node.cluster, "mass", node.mass, "rest_centre", vector(node.rest_centre, 3), "rest_radius",
                       node.rest_radius, "surface", vector(node.surface, 3), "inner", vector(node.inner, 3));
}

PyMethodDef match_state_methods[] = {{"match_cluster", match_cluster, METH_O, cluster_doc},
                                     METHOD("match_goal", match_goal, goal_doc),
                                     METHOD("set_match_memory", set_match_memory, memory_doc),
                                     METHOD("sphere_node", sphere_node, node_doc),
                                     {NULL, NULL, 0, NULL}};
