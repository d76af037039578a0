/* Mesh: the connectivity of triangles, and what is known about a mesh before it is a body. */
#include "create.h"

#include <stdlib.h>
#include <string.h>

static PyTypeObject *mesh_type;

typedef struct mesh_object {
  PyObject_HEAD context_object *context;
  pl_mesh *mesh;
  retired *slot;
  pl_mesh_info info;
} mesh_object;

const char mesh_create_doc[] =
    "mesh($self, /, positions, triangles, segments=None, points=None)\n--\n\n"
    "Return a Mesh: counts, what is unusual about it, and which triangles meet at vertices and edges.\n"
    "ValueError names what no body could be made of.";

static void destroy(void *mesh) { pl_mesh_destroy(mesh); }

PyObject *mesh_create(FAST_ARGUMENTS)
{
  static const char *const names[] = {"positions", "triangles", "segments", "points"};
  static const signature s = {"mesh", 2, 2, 4, names};
  PyObject *v[4];
  parts_input parts;
  context_object *context = (context_object *)self;
  mesh_input in;
  memset(&in, 0, sizeof in);
  memset(&parts, 0, sizeof parts);
  if (!arguments(&s, args, given, keywords, v) || !mesh_open(&in, v[0], v[1]) || !parts_open(&parts, v[2], v[3])) {
    mesh_close(&in);
    parts_close(&parts);
    return NULL;
  }
  parts_add(&parts, &in.def);
  mesh_object *object = PyObject_New(mesh_object, mesh_type);
  if (object) memset((char *)object + sizeof(PyObject), 0, sizeof *object - sizeof(PyObject));
  if (object && !(object->slot = malloc(sizeof *object->slot))) no_memory();
  if (object) object->context = (context_object *)Py_NewRef((PyObject *)context);
  library_call call;
  bool ok = object && object->slot && call_begin(&call, context);
  if (ok) {
    pl_status status = pl_mesh_create(context->context, &in.def, &object->mesh);
    if (status == PL_OK) status = pl_mesh_get_info(context->context, &in.def, &object->info);
    ok = call_end(&call, status);
  }
  mesh_close(&in);
  parts_close(&parts);
  if (!ok) Py_CLEAR(object);
  return (PyObject *)object;
}

static void mesh_dealloc(PyObject *object)
{
  mesh_object *self = (mesh_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  if (self->mesh) {
    *self->slot = (retired){NULL, self->mesh, destroy};
    context_retire(self->context, self->slot);
  } else
    free(self->slot);
  Py_XDECREF((PyObject *)self->context);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyObject *indices(const uint32_t *list, size_t size)
{
  Py_ssize_t count = (Py_ssize_t)size;
  return array_copy('I', 1, &count, list);
}

static PyObject *vertex_triangles(PyObject *object, PyObject *value)
{
  mesh_object *self = (mesh_object *)object;
  uint64_t vertex = 0;
  if (!argument_count(value, "vertex", &vertex)) return NULL;
  if (vertex < self->info.vertices) {
    const uint32_t *list;
    size_t count = pl_mesh_vertex_triangles(self->mesh, (uint32_t)vertex, &list);
    return indices(list, count);
  }
  return PyErr_Format(PyExc_ValueError, "there is no vertex %llu: the mesh has %zu", (unsigned long long)vertex,
                      self->info.vertices);
}

static PyObject *edge_triangles(FAST_ARGUMENTS)
{
  static const char *const names[] = {"triangle", "edge"};
  static const signature s = {"edge_triangles", 2, 2, 2, names};
  PyObject *v[2];
  mesh_object *mesh = (mesh_object *)self;
  uint64_t triangle = 0, edge = 0;
  if (!arguments(&s, args, given, keywords, v) || !argument_count(v[0], "triangle", &triangle) ||
      !argument_count(v[1], "edge", &edge))
    return NULL;
  if (triangle < mesh->info.triangles && edge < 3) {
    const uint32_t *list;
    size_t count = pl_mesh_edge_triangles(mesh->mesh, (uint32_t)triangle, (int)edge, &list);
    return indices(list, count);
  }
  return PyErr_Format(PyExc_ValueError, "there is no edge %llu of triangle %llu: the mesh has %zu triangles",
                      (unsigned long long)edge, (unsigned long long)triangle, mesh->info.triangles);
}

static PyObject *info(PyObject *object, PyObject *unused)
{
  const pl_mesh_info *i = &((mesh_object *)object)->info;
  PyObject *box = array_copy('d', 2, (Py_ssize_t[]){2, 3}, i->box);
  if (!box) return NULL;
  return Py_BuildValue(
      "{s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:N}", "vertices", (Py_ssize_t)i->vertices, "triangles",
      (Py_ssize_t)i->triangles, "segments", (Py_ssize_t)i->segments, "points", (Py_ssize_t)i->points, "edges",
      (Py_ssize_t)i->edges, "isolated_vertices", (Py_ssize_t)i->isolated_vertices, "boundary_edges",
      (Py_ssize_t)i->boundary_edges, "nonmanifold_edges", (Py_ssize_t)i->nonmanifold_edges, "misoriented_edges",
      (Py_ssize_t)i->misoriented_edges, "degenerate_triangles", (Py_ssize_t)i->degenerate_triangles,
      "duplicate_triangles", (Py_ssize_t)i->duplicate_triangles, "components", (Py_ssize_t)i->components, "box", box);
}

static PyObject *mesh_repr(PyObject *object)
{
  const pl_mesh_info *i = &((mesh_object *)object)->info;
  return PyUnicode_FromFormat("<pliant.Mesh: %zu vertices, %zu triangles, %zu edges>", i->vertices, i->triangles,
                              i->edges);
}

static PyMethodDef methods[] = {
    {"vertex_triangles", vertex_triangles, METH_O,
     "vertex_triangles($self, vertex, /)\n--\n\nReturn the triangles that use a vertex, by ascending index."},
    METHOD("edge_triangles", edge_triangles,
           "edge_triangles($self, /, triangle, edge)\n--\n\n"
           "Return the other triangles at edge 0, 1 or 2 of a triangle; edge e joins corners e and e + 1."),
    {"info", info, METH_NOARGS,
     "info($self, /)\n--\n\n"
     "Return counts and the box as a dictionary: vertices, triangles, segments, points, edges, isolated_vertices, "
     "boundary_edges,\n"
     "nonmanifold_edges, misoriented_edges, degenerate_triangles, duplicate_triangles, components, box."},
    {NULL, NULL, 0, NULL}};

bool mesh_init(PyObject *module)
{
  PyType_Slot slots[] = {
      {Py_tp_dealloc, mesh_dealloc},
      {Py_tp_methods, methods},
      {Py_tp_repr, mesh_repr},
      {Py_tp_doc, "The connectivity of a mesh. Created by mesh(). It has its own copy of the triangles."},
      {0, NULL}};
  PyType_Spec spec = {"pliant.Mesh", sizeof(mesh_object), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  mesh_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return mesh_type && PyModule_AddObjectRef(module, "Mesh", (PyObject *)mesh_type) == 0;
}
