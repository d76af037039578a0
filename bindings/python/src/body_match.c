/* Bodies that deform by shape matching: creating them, their goals, maps and spheres. */
#include "create.h"

#include <string.h>

static pl_status make_match(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_match(c->context->context, mesh, more, &c->def, out);
}

const char body_create_doc_match[] =
    "match($self, /, positions, triangles, *, kind='linear', masses=None, clusters=1,\n"
    "      cluster_overlap=0.5, leaf_points=4, name='', settings=None, **more)\n--\n\n"
    "Return a Body that deforms by shape matching. set_goals() moves points towards their goals,\n"
    "set_positions() sets them, set_match() sets the maps of clusters; touch() reports spheres that touch.\n\n"
    "positions  (n, 3): the points at rest\n"
    "triangles  (m, 3) integers; None: a body of points, each a triangle of three equal corners\n"
    "kind       'rigid', 'linear' or 'quadratic'\n"
    "masses     (n,): of the points; None: 1 each\n"
    "clusters   how many; each is matched by itself, and points near two belong to both (cluster_overlap)\n"
    "leaf_points  most points of a sphere of the deepest level";

static bool take_masses(common *c, size_t points, double **masses)
{
  PyObject *given = take(c, "masses");
  size_t count = 0;
  bool ok = !PyErr_Occurred();
  if (ok && given && given != Py_None) {
    ok = numbers_doubles(given, "masses", masses, &count);
    if (ok && count != points) {
      PyErr_Format(PyExc_ValueError, "masses has %zu numbers; there are %zu points", count, points);
      ok = false;
    }
  }
  Py_XDECREF(given);
  return ok;
}

PyObject *body_create_match(PyObject *self, PyObject *args, PyObject *keywords)
{
  static const char *const names[2] = {"positions", "triangles"};
  common c;
  mesh_input mesh;
  double *masses = NULL;
  memset(&mesh, 0, sizeof mesh);
  pl_match_def match = pl_match_def_default();
  int kind = match.kind;
  PyObject *body = NULL;
  if (common_open(&c, self, args, keywords, "match", names) && take_word(&c, "kind", PL_WORDS_MATCH, &kind) &&
      take_int(&c, "clusters", &match.cluster_count) && take_double(&c, "cluster_overlap", &match.cluster_overlap) &&
      take_int(&c, "leaf_points", &match.leaf_points) &&
      mesh_open(&mesh, c.given[0], c.given[1] == Py_None ? NULL : c.given[1]) &&
      take_masses(&c, mesh.def.positions.count, &masses) && common_settings(&c)) {
    match.kind = (pl_match_kind)kind;
    match.masses = masses;
    body = create_body(&c, &mesh, make_match, &match);
  }
  PyMem_Free(masses);
  mesh_close(&mesh);
  common_close(&c);
  return body;
}

/* ------------------------------------------------------------------------------------- goals -- */

static const char goals_doc[] =
    "set_goals($self, /, positions, *, stiffness=1, stretch=0, preserve_volume=False,\n"
    "          yield_at=0, creep=0, most=0)\n--\n\n"
    "Fit the body to the points, move them towards their goals, and set them. Return where they are then: a\n"
    "new (n, 3) array of the same type; `positions` itself is not written to.\n\n"
    "stiffness  how far points move: 0 to 1\n"
    "stretch    0: goals are those of a rotation; 1: of the best fit\n"
    "yield_at, creep, most  plasticity: the part `creep` of what stretches by more than `yield_at` stays, up\n"
    "           to `most`";

/* A copy of the points that the library may write to. */
static PyObject *copy_points(PyObject *positions, pl_scalar *type, void **data, size_t *count)
{
  numbers input;
  pl_positions view;
  if (!numbers_positions(&input, positions, "positions", &view, NULL)) return NULL;
  *type = view.type;
  *count = view.count;
  PyObject *array = array_new(view.type == PL_F64 ? 'd' : 'f', 2, (Py_ssize_t[]){(Py_ssize_t)view.count, 3}, data);
  size_t row = 3 * (view.type == PL_F64 ? sizeof(double) : sizeof(float));
  size_t stride = view.stride ? view.stride : row;
  for (size_t i = 0; array && i < view.count; ++i)
    memcpy((char *)*data + i * row, (const char *)view.data + i * stride, row);
  numbers_close(&input);
  return array;
}

static PyObject *set_goals(FAST_ARGUMENTS)
{
  static const char *const names[] = {"positions", "stiffness", "stretch", "preserve_volume",
                                      "yield_at",  "creep",     "most"};
  static const signature s = {"set_goals", 1, 1, 7, names};
  PyObject *v[7];
  body_object *body = (body_object *)self;
  pl_goal_def def = pl_goal_def_default();
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[1], "stiffness", &def.stiffness) ||
      !argument_double(v[2], "stretch", &def.stretch) || !argument_bool(v[3], &def.preserve_volume) ||
      !argument_double(v[4], "yield_at", &def.yield) || !argument_double(v[5], "creep", &def.creep) ||
      !argument_double(v[6], "most", &def.most))
    return NULL;
  pl_scalar type;
  void *data;
  size_t count;
  PyObject *array = copy_points(v[0], &type, &data, &count);
  if (array && count != pl_body_vertex_count(body->body)) {
    PyErr_Format(PyExc_ValueError, "positions has %zu points; the body has %zu", count,
                 pl_body_vertex_count(body->body));
    Py_CLEAR(array);
  }
  library_call call;
  if (array &&
      (!call_begin(&call, body->context) || !call_end(&call, pl_body_set_goals(body->body, type, data, 0, &def))))
    Py_CLEAR(array);
  return array;
}

/* -------------------------------------------------------------------------------------- maps -- */

enum { TERMS = 9 };

static const char match_doc[] =
    "set_match($self, maps, /)\n--\n\n"
    "Set the maps of all clusters: every point is where they take it.\n\n"
    "maps  (clusters, 3, 4): matrix and translation of q, a point's place at rest from the centre of its\n"
    "      cluster; or (clusters, 3, 10) with the products qx qx, qy qy, qz qz, qx qy, qy qz, qz qx, too";

static PyObject *set_match(PyObject *object, PyObject *value)
{
  body_object *self = (body_object *)object;
  numbers n;
  if (!numbers_open(&n, value, "maps")) return NULL;
  bool ok =
      numbers_are_real(&n) && n.dimensions == 3 && n.shape[1] == 3 && (n.shape[2] == 4 || n.shape[2] == TERMS + 1);
  if (!ok) PyErr_SetString(PyExc_ValueError, "maps must be numbers of the shape (clusters, 3, 4) or (clusters, 3, 10)");
  pl_match_map *maps = ok ? PyMem_Malloc(((size_t)n.shape[0] + 1) * sizeof *maps) : NULL;
  if (ok && !maps) no_memory();
  for (Py_ssize_t k = 0; maps && k < n.shape[0]; ++k) {
    memset(&maps[k], 0, sizeof maps[k]);
    for (int i = 0; i < 3; ++i) {
      for (Py_ssize_t j = 0; j + 1 < n.shape[2]; ++j) maps[k].m[i][j] = numbers_double(&n, k, i, j);
      maps[k].t[i] = numbers_double(&n, k, i, n.shape[2] - 1);
    }
  }
  library_call call;
  ok = maps && call_begin(&call, self->context) &&
       call_end(&call, pl_body_set_match(self->body, maps, (size_t)n.shape[0]));
  PyMem_Free(maps);
  numbers_close(&n);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char maps_doc[] =
    "match_maps($self, /)\n--\n\n"
    "Return the maps that the spheres of each cluster follow: (clusters, 3, 10), as set_match() takes them.";

static PyObject *match_maps(PyObject *object, PyObject *unused)
{
  body_object *self = (body_object *)object;
  size_t count = pl_body_match_cluster_count(self->body);
  void *data;
  PyObject *array = array_new('d', 3, (Py_ssize_t[]){(Py_ssize_t)count, 3, TERMS + 1}, &data);
  library_call call;
  if (!array || !call_begin(&call, self->context)) {
    Py_XDECREF(array);
    return NULL;
  }
  pl_status status = count ? PL_OK : pl_body_match_state(self->body, 0, &(pl_match_state){.centre = {0}});
  for (size_t k = 0; k < count && status == PL_OK; ++k) {
    pl_match_state state;
    status = pl_body_match_state(self->body, k, &state);
    for (int i = 0; i < 3 && status == PL_OK; ++i) {
      double *row = (double *)data + (3 * k + (size_t)i) * (TERMS + 1);
      memcpy(row, state.map.m[i], TERMS * sizeof *row);
      row[TERMS] = state.map.t[i];
    }
  }
  if (!call_end(&call, status)) Py_CLEAR(array);
  return array;
}

/* ----------------------------------------------------------------------------------- spheres -- */

static const char spheres_doc[] =
    "spheres($self, level, /)\n--\n\n"
    "Return the spheres of a level, refitted: (n, 4) float32, centre and radius. A sphere without points has a\n"
    "radius below 0. Levels go from 0 to sphere_levels() - 1.";

static PyObject *spheres(PyObject *object, PyObject *value)
{
  body_object *self = (body_object *)object;
  int level;
  if (!argument_int(value, "level", &level)) return NULL;
  size_t count = pl_body_sphere_count(self->body, level);
  void *data;
  _Static_assert(sizeof(pl_sphere) == 4 * sizeof(float), "spheres are read as rows");
  PyObject *array = array_new('f', 2, (Py_ssize_t[]){(Py_ssize_t)count, 4}, &data);
  library_call call;
  if (array && (!call_begin(&call, self->context) || !call_end(&call, pl_body_spheres(self->body, level, data, count))))
    Py_CLEAR(array);
  return array;
}

static const char levels_doc[] = "sphere_levels($self, /)\n--\n\n"
                                 "Return how many levels of spheres there are; 0 for bodies that do not match shapes.";

static PyObject *sphere_levels(PyObject *object, PyObject *unused)
{
  return PyLong_FromLong(pl_body_sphere_levels(((body_object *)object)->body));
}

PyMethodDef match_methods[] = {METHOD("set_goals", set_goals, goals_doc),
                               {"set_match", set_match, METH_O, match_doc},
                               {"match_maps", match_maps, METH_NOARGS, maps_doc},
                               {"spheres", spheres, METH_O, spheres_doc},
                               {"sphere_levels", sphere_levels, METH_NOARGS, levels_doc},
                               {NULL, NULL, 0, NULL}};
