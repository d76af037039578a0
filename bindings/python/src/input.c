/* Arrays of the caller's: buffers of any layout, and nested sequences for those who have no
 * arrays. Floats keep their type, as a coordinate means the number that was passed. */
#include "module.h"

#include <string.h>

/* ----------------------------------------------------------------------------------- buffers -- */

static bool is_native(char order)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return order == '>' || order == '!';
#else
  return order == '<';
#endif
}

static char kind_of(const char *format, Py_ssize_t size)
{
  if (!format) return 'u';
  if (*format == '@' || *format == '=' || is_native(*format)) ++format;
  if (!format[0] || format[1]) return 'x';
  if (*format == 'f' && size == sizeof(float)) return 'f';
  if (*format == 'd' && size == sizeof(double)) return 'd';
  bool whole = size == 1 || size == 2 || size == 4 || size == 8;
  if (whole && strchr("bhilqn", *format)) return 'i';
  if (whole && strchr("BHILQN", *format)) return 'u';
  return 'x';
}

static bool open_buffer(numbers *n, PyObject *object, const char *what)
{
  if (PyObject_GetBuffer(object, &n->view, PyBUF_RECORDS_RO) < 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: this array has no layout with strides; copy it first", what);
    return false;
  }
  n->has_view = true;
  if (n->view.ndim > 3) {
    PyErr_Format(PyExc_ValueError, "%s has %d dimensions; 3 are the most", what, n->view.ndim);
    return false;
  }
  n->data = n->view.buf;
  n->size = n->view.itemsize;
  n->kind = kind_of(n->view.format, n->view.itemsize);
  n->dimensions = n->view.ndim;
  for (int i = 0; i < n->dimensions; ++i) {
    n->shape[i] = n->view.shape[i];
    n->stride[i] = n->view.strides[i];
  }
  return true;
}

/* --------------------------------------------------------------------------------- sequences -- */

/* The numbers of nested sequences in `list`, and the shape of the first of each level, which all
 * others must have. */
static bool flatten(numbers *n, PyObject *object, const char *what, int depth, PyObject *list)
{
  if (PyNumber_Check(object) && !PySequence_Check(object)) {
    if (depth != n->dimensions) {
      PyErr_Format(PyExc_ValueError, "%s: rows have different lengths", what);
      return false;
    }
    return PyList_Append(list, object) == 0;
  }
  if (PyUnicode_Check(object) || !PySequence_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s must be an array of numbers, or nested lists of them", what);
    return false;
  }
  Py_ssize_t length = PySequence_Size(object);
  if (length < 0) return false;
  bool new_level = depth == n->dimensions && PyList_Size(list) == 0;
  if (depth > 2 || (!new_level && (depth >= n->dimensions || n->shape[depth] != length))) {
    PyErr_Format(PyExc_ValueError, depth > 2 ? "%s has more than 3 dimensions" : "%s: rows have different lengths",
                 what);
    return false;
  }
  if (new_level) n->shape[n->dimensions++] = length;
  for (Py_ssize_t i = 0; i < length; ++i) {
    PyObject *item = PySequence_GetItem(object, i);
    bool ok = item && flatten(n, item, what, depth + 1, list);
    Py_XDECREF(item);
    if (!ok) return false;
  }
  return true;
}

static bool copy_list(numbers *n, PyObject *list, const char *what)
{
  Py_ssize_t count = PyList_Size(list);
  bool whole = true;
  for (Py_ssize_t i = 0; i < count; ++i) whole = whole && PyLong_Check(PyList_GetItem(list, i));
  n->kind = whole && count ? 'i' : 'd';
  n->size = 8;
  n->owned = PyMem_Malloc(count ? (size_t)count * 8 : 8);
  if (!n->owned) {
    no_memory();
    return false;
  }
  n->data = n->owned;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyList_GetItem(list, i);
    if (n->kind == 'i')
      ((long long *)n->owned)[i] = PyLong_AsLongLong(item);
    else
      ((double *)n->owned)[i] = PyFloat_AsDouble(item);
    if (PyErr_Occurred()) {
      if (PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Format(PyExc_TypeError, "%s must hold numbers", what);
      return false;
    }
  }
  Py_ssize_t stride = 8;
  for (int i = n->dimensions - 1; i >= 0; --i) {
    n->stride[i] = stride;
    stride *= n->shape[i];
  }
  return true;
}

/* Arrays of other libraries that give no buffer: a tensor would be taken apart number by number,
 * or not at all. */
static bool refuse_tensor(PyObject *object, const char *what)
{
  bool tensor = PyObject_HasAttrString(object, "detach") && PyObject_HasAttrString(object, "cpu");
  if (!tensor && !PyObject_HasAttrString(object, "__array__") && !PyObject_HasAttrString(object, "__dlpack__"))
    return true;
  PyObject *kind = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
  if (kind && tensor)
    PyErr_Format(PyExc_TypeError, "%s is a %U, which pliant cannot read in place; pass %s.detach().cpu().numpy()", what,
                 kind, what);
  else if (kind)
    PyErr_Format(PyExc_TypeError, "%s is a %U, which pliant cannot read in place; pass numpy.asarray(%s)", what, kind,
                 what);
  Py_XDECREF(kind);
  return false;
}

static bool open_sequence(numbers *n, PyObject *object, const char *what)
{
  if (!refuse_tensor(object, what)) return false;
  PyObject *list = PyList_New(0);
  bool ok = list && flatten(n, object, what, 0, list) && copy_list(n, list, what);
  Py_XDECREF(list);
  return ok;
}

bool numbers_open(numbers *n, PyObject *object, const char *what)
{
  memset(n, 0, sizeof *n);
  bool ok = PyObject_CheckBuffer(object) ? open_buffer(n, object, what) : open_sequence(n, object, what);
  if (!ok) numbers_close(n);
  return ok;
}

void numbers_close(numbers *n)
{
  if (n->has_view) PyBuffer_Release(&n->view);
  PyMem_Free(n->owned);
  n->has_view = false;
  n->owned = NULL;
}

bool numbers_are_real(const numbers *n) { return n->kind != 'x'; }

/* ---------------------------------------------------------------------------------- elements -- */

static long long whole_number(const char *at, char kind, Py_ssize_t size)
{
#define READ(type)                                                                                                     \
  do {                                                                                                                 \
    type value;                                                                                                        \
    memcpy(&value, at, sizeof value);                                                                                  \
    return (long long)value;                                                                                           \
  } while (0)
  if (kind == 'i') {
    if (size == 1) READ(int8_t);
    if (size == 2) READ(int16_t);
    if (size == 4) READ(int32_t);
    READ(int64_t);
  }
  if (size == 1) READ(uint8_t);
  if (size == 2) READ(uint16_t);
  if (size == 4) READ(uint32_t);
  uint64_t value;
  memcpy(&value, at, sizeof value);
  /* out of range for an index in any case */
  return value > INT64_MAX ? INT64_MAX : (long long)value;
#undef READ
}

double numbers_double(const numbers *n, Py_ssize_t i, Py_ssize_t j, Py_ssize_t k)
{
  const char *at = n->data;
  if (n->dimensions > 0) at += i * n->stride[0];
  if (n->dimensions > 1) at += j * n->stride[1];
  if (n->dimensions > 2) at += k * n->stride[2];
  if (n->kind == 'd') {
    double value;
    memcpy(&value, at, sizeof value);
    return value;
  }
  if (n->kind == 'f') {
    float value;
    memcpy(&value, at, sizeof value);
    return value;
  }
  if (n->kind == 'u' && n->size == 8) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return (double)value;
  }
  return (double)whole_number(at, n->kind, n->size);
}

static const char *shape_text(const numbers *n, char text[96])
{
  int used = 0;
  text[0] = 0;
  for (int i = 0; i < n->dimensions; ++i)
    used += PyOS_snprintf(text + used, 96 - (size_t)used, i ? ", %lld" : "%lld", (long long)n->shape[i]);
  if (n->dimensions == 1) PyOS_snprintf(text + used, 96 - (size_t)used, ",");
  return text;
}

/* Rows of `width` numbers: (rows, width), or all in a row. */
static bool as_rows(numbers *n, const char *what, int width)
{
  if (n->dimensions == 1 && (width > 1 && n->shape[0] % width == 0)) {
    n->dimensions = 2;
    n->stride[1] = n->stride[0];
    n->stride[0] *= width;
    n->shape[0] /= width;
    n->shape[1] = width;
    return true;
  }
  if (width == 1 && n->dimensions == 1) {
    n->dimensions = 2;
    n->shape[1] = 1;
    n->stride[1] = n->size;
    return true;
  }
  if (n->dimensions == 2 && n->shape[1] == width) return true;
  char text[96];
  if (width == 1)
    PyErr_Format(PyExc_ValueError, "%s must have the shape (n,), not (%s)", what, shape_text(n, text));
  else
    PyErr_Format(PyExc_ValueError, "%s must have the shape (n, %d), not (%s)", what, width, shape_text(n, text));
  return false;
}

/* --------------------------------------------------------------------------------- positions -- */

static bool is_position_layout(const numbers *n)
{
  Py_ssize_t size = n->size;
  return n->stride[1] == size && (uintptr_t)n->data % (size_t)size == 0 &&
         (n->shape[0] < 2 || (n->stride[0] >= 3 * size && n->stride[0] % size == 0));
}

/* The same numbers, x y z of each vertex. Integers, which come from lists only, become doubles. */
static bool pack_positions(numbers *n)
{
  size_t count = (size_t)n->shape[0];
  size_t size = n->kind == 'f' ? sizeof(float) : sizeof(double);
  char *copy = PyMem_Malloc(count ? count * 3 * size : 1);
  if (!copy) {
    no_memory();
    return false;
  }
  for (size_t i = 0; i < 3 * count; ++i) {
    Py_ssize_t row = (Py_ssize_t)(i / 3), k = (Py_ssize_t)(i % 3);
    if (n->kind == 'f' || n->kind == 'd') {
      memcpy(copy + i * size, n->data + row * n->stride[0] + k * n->stride[1], size);
      continue;
    }
    double value = numbers_double(n, row, k, 0);
    memcpy(copy + i * size, &value, size);
  }
  PyMem_Free(n->owned);
  n->owned = copy;
  n->data = copy;
  n->kind = n->kind == 'f' ? 'f' : 'd';
  n->size = n->stride[1] = (Py_ssize_t)size;
  n->stride[0] = 3 * n->size;
  return true;
}

bool numbers_positions(numbers *n, PyObject *object, const char *what, pl_positions *out, bool *direct)
{
  if (!numbers_open(n, object, what)) return false;
  bool floats = n->kind == 'f' || n->kind == 'd' || (!n->has_view && n->kind == 'i');
  if (!floats) {
    PyErr_Format(PyExc_TypeError, "%s must be float32 or float64 of this machine, not '%s'; convert them first", what,
                 n->has_view && n->view.format ? n->view.format : "B");
    numbers_close(n);
    return false;
  }
  bool ok = as_rows(n, what, 3);
  if (direct) *direct = ok && n->has_view && is_position_layout(n);
  if (ok && (n->kind == 'i' || !is_position_layout(n))) ok = pack_positions(n);
  if (!ok) {
    numbers_close(n);
    return false;
  }
  size_t stride = n->shape[0] < 2 ? 3 * (size_t)n->size : (size_t)n->stride[0];
  *out = pl_positions_strided(n->kind == 'f' ? PL_F32 : PL_F64, n->data, (size_t)n->shape[0], stride);
  return true;
}

/* ----------------------------------------------------------------------------------- indices -- */

static bool convert_indices(numbers *n, const char *what, int width)
{
  size_t count = (size_t)n->shape[0] * (size_t)width;
  uint32_t *copy = PyMem_Malloc(count ? count * sizeof *copy : 1);
  if (!copy) {
    no_memory();
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    Py_ssize_t row = (Py_ssize_t)(i / (size_t)width), k = (Py_ssize_t)(i % (size_t)width);
    long long value = whole_number(n->data + row * n->stride[0] + k * n->stride[1], n->kind, n->size);
    if (value < 0 || value > UINT32_MAX) {
      if (width > 1)
        PyErr_Format(PyExc_ValueError, "%s[%zd, %zd] is %lld; indices are from 0 to 4294967295", what, row, k, value);
      else
        PyErr_Format(PyExc_ValueError, "%s[%zd] is %lld; indices are from 0 to 4294967295", what, row, value);
      PyMem_Free(copy);
      return false;
    }
    copy[i] = (uint32_t)value;
  }
  PyMem_Free(n->owned);
  n->owned = copy;
  n->data = (const char *)copy;
  return true;
}

bool numbers_indices(numbers *n, PyObject *object, const char *what, int width, const uint32_t **out, size_t *count)
{
  if (!numbers_open(n, object, what)) return false;
  bool empty = !n->has_view && n->dimensions == 1 && n->shape[0] == 0;
  bool ok = n->kind == 'i' || n->kind == 'u' || empty;
  if (!ok) PyErr_Format(PyExc_TypeError, "%s must be integers; convert them first", what);
  ok = ok && as_rows(n, what, width);
  if (ok) {
    bool direct = n->kind == 'u' && n->size == 4 && n->stride[1] == 4 &&
                  (n->shape[0] < 2 || n->stride[0] == 4 * width) && (uintptr_t)n->data % 4 == 0;
    ok = direct || empty || convert_indices(n, what, width);
  }
  if (!ok) {
    numbers_close(n);
    return false;
  }
  *out = (const uint32_t *)(const void *)n->data;
  *count = (size_t)n->shape[0];
  return true;
}

/* ------------------------------------------------------------------------------ small arrays -- */

static bool open_real(numbers *n, PyObject *object, const char *what)
{
  if (!numbers_open(n, object, what)) return false;
  if (numbers_are_real(n)) return true;
  PyErr_Format(PyExc_TypeError, "%s must be numbers of a type that this machine has, such as float64", what);
  numbers_close(n);
  return false;
}

bool numbers_doubles(PyObject *object, const char *what, double **out, size_t *count)
{
  numbers n;
  if (!open_real(&n, object, what)) return false;
  bool ok = as_rows(&n, what, 1);
  *out = ok ? PyMem_Malloc(n.shape[0] ? (size_t)n.shape[0] * sizeof **out : 1) : NULL;
  if (ok && !*out) no_memory();
  ok = *out != NULL;
  if (ok) {
    *count = (size_t)n.shape[0];
    for (Py_ssize_t i = 0; i < n.shape[0]; ++i) (*out)[i] = numbers_double(&n, i, 0, 0);
  }
  numbers_close(&n);
  return ok;
}

bool input_vector(PyObject *object, const char *what, double out[3])
{
  numbers n;
  if (!open_real(&n, object, what)) return false;
  bool ok = n.dimensions == 1 && n.shape[0] == 3;
  char text[96];
  if (!ok) PyErr_Format(PyExc_ValueError, "%s must be 3 numbers, not of shape (%s)", what, shape_text(&n, text));
  for (int i = 0; i < 3 && ok; ++i) out[i] = numbers_double(&n, i, 0, 0);
  numbers_close(&n);
  return ok;
}

/* Element (i, k) of matrix m of an array of one (2 dimensions) or several (3). */
static double entry(const numbers *n, Py_ssize_t m, int i, int k)
{
  return n->dimensions == 2 ? numbers_double(n, i, k, 0) : numbers_double(n, m, i, k);
}

static bool read_transform(const numbers *n, const char *what, Py_ssize_t m, pl_transform *out)
{
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out->m[i][k] = entry(n, m, i, k);
    out->t[i] = entry(n, m, i, 3);
  }
  if (n->shape[n->dimensions - 2] == 3) return true;
  for (int k = 0; k < 4; ++k)
    if (entry(n, m, 3, k) != (k == 3)) {
      PyErr_Format(PyExc_ValueError, "%s: the last row must be 0 0 0 1 (world = m * model; transpose it if need be)",
                   what);
      return false;
    }
  return true;
}

static bool open_transforms(numbers *n, PyObject *object, const char *what, int dimensions)
{
  if (!open_real(n, object, what)) return false;
  Py_ssize_t rows = n->dimensions > 1 ? n->shape[n->dimensions - 2] : 0;
  if (n->dimensions == dimensions && (rows == 3 || rows == 4) && n->shape[dimensions - 1] == 4) return true;
  char text[96];
  const char *wanted = dimensions == 2 ? "(4, 4) or (3, 4)" : "(n, 4, 4) or (n, 3, 4)";
  PyErr_Format(PyExc_ValueError, "%s must have the shape %s, not (%s)", what, wanted, shape_text(n, text));
  numbers_close(n);
  return false;
}

bool input_transform(PyObject *object, const char *what, pl_transform *out)
{
  numbers n;
  if (!open_transforms(&n, object, what, 2)) return false;
  bool ok = read_transform(&n, what, 0, out);
  numbers_close(&n);
  return ok;
}

bool input_transforms(PyObject *object, const char *what, pl_transform **out, size_t *count)
{
  numbers n;
  if (!open_transforms(&n, object, what, 3)) return false;
  *count = (size_t)n.shape[0];
  *out = PyMem_Malloc(*count ? *count * sizeof **out : 1);
  bool ok = *out != NULL;
  if (!ok) no_memory();
  for (Py_ssize_t i = 0; i < n.shape[0] && ok; ++i) ok = read_transform(&n, what, i, *out + i);
  if (!ok) {
    PyMem_Free(*out);
    *out = NULL;
  }
  numbers_close(&n);
  return ok;
}
