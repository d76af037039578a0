/* Arrays that are given to Python: numpy's where numpy is installed, otherwise a small type of
 * our own with the buffer protocol. Both own their data. */
#include "module.h"

#include <string.h>

PyTypeObject *array_type;

typedef struct array_object {
  PyObject_HEAD char format[2];
  int dimensions;
  Py_ssize_t size, shape[3], stride[3];
  char *data;
} array_object;

static Py_ssize_t size_of(char type) { return type == 'd' || type == 'Q' ? 8 : type == 'B' ? 1 : 4; }

/* ------------------------------------------------------------------------------------- numpy -- */

enum { TYPE_COUNT = 5 };
static const char types[] = "fdIQB";
static const char *const type_names[TYPE_COUNT] = {"float32", "float64", "uint32", "uint64", "uint8"};
static PyObject *numpy_empty, *numpy_types[TYPE_COUNT];
static int numpy_state; /* 0: not asked yet, 1: there, -1: not */

static bool import_numpy(void)
{
  PyObject *numpy = PyImport_ImportModule("numpy");
  PyObject *dtype = numpy ? PyObject_GetAttrString(numpy, "dtype") : NULL;
  PyObject *empty = numpy ? PyObject_GetAttrString(numpy, "empty") : NULL;
  bool ok = dtype && empty;
  for (int i = 0; i < TYPE_COUNT && ok; ++i) {
    Py_XDECREF(numpy_types[i]);
    ok = (numpy_types[i] = PyObject_CallFunction(dtype, "s", type_names[i])) != NULL;
  }
  if (ok) numpy_empty = Py_NewRef(empty);
  Py_XDECREF(numpy);
  Py_XDECREF(dtype);
  Py_XDECREF(empty);
  return ok;
}

bool array_has_numpy(void)
{
  if (!numpy_state) {
    numpy_state = import_numpy() ? 1 : -1;
    if (numpy_state < 0) PyErr_Clear();
  }
  return numpy_state > 0;
}

static PyObject *numpy_new(char type, int dimensions, const Py_ssize_t *shape, void **data)
{
  PyObject *size = dimensions == 1   ? Py_BuildValue("(n)", shape[0])
                   : dimensions == 2 ? Py_BuildValue("(nn)", shape[0], shape[1])
                                     : Py_BuildValue("(nnn)", shape[0], shape[1], shape[2]);
  if (!size) return NULL;
  PyObject *array = PyObject_CallFunctionObjArgs(numpy_empty, size, numpy_types[strchr(types, type) - types], NULL);
  Py_DECREF(size);
  Py_buffer view;
  if (array && PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) == 0) {
    *data = view.buf;
    PyBuffer_Release(&view); /* the array is not shown to anyone before it is filled */
    return array;
  }
  Py_XDECREF(array);
  return NULL;
}

/* -------------------------------------------------------------------------------------- ours -- */

static PyObject *own_new(char type, int dimensions, const Py_ssize_t *shape, void **data)
{
  array_object *self = PyObject_New(array_object, array_type);
  if (!self) return NULL;
  self->format[0] = type;
  self->format[1] = 0;
  self->dimensions = dimensions;
  self->size = size_of(type);
  Py_ssize_t bytes = self->size;
  for (int i = dimensions - 1; i >= 0; --i) {
    self->shape[i] = shape[i];
    self->stride[i] = bytes;
    bytes *= shape[i];
  }
  self->data = PyMem_Malloc(bytes ? (size_t)bytes : 1);
  if (!self->data) {
    Py_DECREF((PyObject *)self);
    return no_memory();
  }
  *data = self->data;
  return (PyObject *)self;
}

static void own_dealloc(PyObject *object)
{
  PyTypeObject *type = Py_TYPE(object);
  PyMem_Free(((array_object *)object)->data);
  PyObject_Free(object);
  Py_DECREF(type);
}

static int own_buffer(PyObject *object, Py_buffer *view, int flags)
{
  array_object *self = (array_object *)object;
  Py_ssize_t count = 1;
  for (int i = 0; i < self->dimensions; ++i) count *= self->shape[i];
  view->obj = Py_NewRef(object);
  view->buf = self->data;
  view->len = count * self->size;
  view->readonly = 0;
  view->itemsize = self->size;
  view->format = flags & PyBUF_FORMAT ? self->format : NULL;
  view->ndim = self->dimensions;
  view->shape = flags & PyBUF_ND ? self->shape : NULL;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->stride : NULL;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

static PyObject *element(const array_object *self, const char *at)
{
  uint64_t whole = 0;
  double real;
  float single;
  switch (self->format[0]) {
  case 'f':
    memcpy(&single, at, sizeof single);
    return PyFloat_FromDouble(single);
  case 'd':
    memcpy(&real, at, sizeof real);
    return PyFloat_FromDouble(real);
  case 'I': {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return PyLong_FromUnsignedLongLong(value);
  }
  case 'B':
    return PyLong_FromLong((unsigned char)*at);
  default:
    memcpy(&whole, at, sizeof whole);
    return PyLong_FromUnsignedLongLong(whole);
  }
}

static PyObject *nested(const array_object *self, int level, const char *at)
{
  /* 3: so that the compiler knows it too */
  if (level >= 3 || level == self->dimensions) return element(self, at);
  PyObject *list = PyList_New(self->shape[level]);
  for (Py_ssize_t i = 0; list && i < self->shape[level]; ++i) {
    PyObject *item = nested(self, level + 1, at + i * self->stride[level]);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *own_tolist(PyObject *self, PyObject *unused)
{
  return nested((array_object *)self, 0, ((array_object *)self)->data);
}
static Py_ssize_t own_length(PyObject *self) { return ((array_object *)self)->shape[0]; }

static PyObject *own_item(PyObject *object, Py_ssize_t i)
{
  array_object *self = (array_object *)object;
  if (i >= 0 && i < self->shape[0]) return nested(self, 1, self->data + i * self->stride[0]);
  PyErr_Format(PyExc_IndexError, "index %zd of an array of %zd", i, self->shape[0]);
  return NULL;
}

static PyObject *own_subscript(PyObject *object, PyObject *key)
{
  if (PyIndex_Check(key)) {
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred()) return NULL;
    return own_item(object, i < 0 ? i + own_length(object) : i);
  }
  PyObject *list = own_tolist(object, NULL); /* slices and the rest, as lists have them */
  PyObject *item = list ? PyObject_GetItem(list, key) : NULL;
  Py_XDECREF(list);
  return item;
}

static PyObject *own_shape(PyObject *object, void *closure)
{
  array_object *self = (array_object *)object;
  PyObject *shape = PyTuple_New(self->dimensions);
  for (int i = 0; shape && i < self->dimensions; ++i)
    if (PyTuple_SetItem(shape, i, PyLong_FromSsize_t(self->shape[i])) < 0) Py_CLEAR(shape);
  return shape;
}

static PyObject *own_format(PyObject *self, void *closure)
{
  return PyUnicode_FromString(((array_object *)self)->format);
}

static PyObject *own_repr(PyObject *self)
{
  PyObject *shape = own_shape(self, NULL);
  PyObject *text =
      shape ? PyUnicode_FromFormat("<pliant.Array: %S of '%s'>", shape, ((array_object *)self)->format) : NULL;
  Py_XDECREF(shape);
  return text;
}

bool array_init(PyObject *module)
{
  static PyMethodDef methods[] = {
      {"tolist", own_tolist, METH_NOARGS, "tolist($self, /)\n--\n\nReturn the elements as nested lists."},
      {NULL, NULL, 0, NULL}};
  static PyGetSetDef getters[] = {
      {"shape", own_shape, NULL, "Lengths of the dimensions.", NULL},
      {"format", own_format, NULL, "Type of the elements, as the module struct has it.", NULL},
      {NULL, NULL, NULL, NULL, NULL}};
  static const char doc[] =
      "An array of numbers that owns its data, for machines without numpy. It has the buffer protocol:\n"
      "memoryview(array) and numpy.asarray(array) read it in place.";
  static PyType_Slot slots[] = {{Py_tp_dealloc, own_dealloc},
                                {Py_bf_getbuffer, own_buffer},
                                {Py_sq_length, own_length},
                                {Py_sq_item, own_item},
                                {Py_mp_length, own_length},
                                {Py_mp_subscript, own_subscript},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, getters},
                                {Py_tp_repr, own_repr},
                                {Py_tp_doc, (void *)doc},
                                {0, NULL}};
  static PyType_Spec spec = {"pliant.Array", sizeof(array_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  array_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return array_type && PyModule_AddObjectRef(module, "Array", (PyObject *)array_type) == 0;
}

PyObject *array_new(char type, int dimensions, const Py_ssize_t *shape, void **data)
{
  return array_has_numpy() ? numpy_new(type, dimensions, shape, data) : own_new(type, dimensions, shape, data);
}

PyObject *array_copy(char type, int dimensions, const Py_ssize_t *shape, const void *from)
{
  void *data;
  PyObject *array = array_new(type, dimensions, shape, &data);
  size_t bytes = (size_t)size_of(type);
  for (int i = 0; i < dimensions; ++i) bytes *= (size_t)shape[i];
  if (array && bytes) memcpy(data, from, bytes);
  return array;
}
