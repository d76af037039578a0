/* Arguments of methods by position and by name. PyArg_ParseTupleAndKeywords would need a tuple
 * and a dictionary for every call; a query of small bodies takes a microsecond. */
#include "module.h"

#include <string.h>

static int find_name(const signature *s, PyObject *name)
{
  for (int i = 0; i < s->count; ++i)
    if (PyUnicode_CompareWithASCIIString(name, s->names[i]) == 0) return i;
  return -1;
}

/* TypeError: there is no such argument; these are there. */
static void refuse_name(const signature *s, PyObject *name)
{
  PyObject *list = PyUnicode_FromString(s->count ? "" : "none");
  for (int i = 0; list && i < s->count; ++i) {
    PyObject *longer = PyUnicode_FromFormat("%U%s%s", list, i ? ", " : "", s->names[i]);
    Py_DECREF(list);
    list = longer;
  }
  if (list) PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'; it has: %U", s->function, name, list);
  Py_XDECREF(list);
}

bool keywords_known(const char *function, PyObject *keywords, const char *const *names, int count)
{
  const signature s = {function, 0, 0, count, names};
  PyObject *key;
  Py_ssize_t at = 0;
  while (keywords && PyDict_Next(keywords, &at, &key, NULL))
    if (find_name(&s, key) < 0) return refuse_name(&s, key), false;
  return true;
}

bool arguments(const signature *s, PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **out)
{
  memset(out, 0, (size_t)s->count * sizeof *out);
  if (given > s->positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments without a name (%zd given)", s->function,
                 s->positional, given);
    return false;
  }
  for (Py_ssize_t i = 0; i < given; ++i) out[i] = args[i];
  Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GetItem(keywords, i);
    int at = find_name(s, name);
    if (at < 0) return refuse_name(s, name), false;
    if (out[at]) {
      PyErr_Format(PyExc_TypeError, "%s() got '%U' twice", s->function, name);
      return false;
    }
    out[at] = args[given + i];
  }
  for (int i = 0; i < s->required; ++i)
    if (!out[i]) {
      PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", s->function, s->names[i]);
      return false;
    }
  return true;
}

bool argument_bool(PyObject *value, bool *out)
{
  if (!value) return true;
  int truth = PyObject_IsTrue(value);
  if (truth >= 0) *out = truth;
  return truth >= 0;
}

bool argument_double(PyObject *value, const char *name, double *out)
{
  if (!value) return true;
  double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Format(PyExc_TypeError, "%s must be a number", name);
    return false;
  }
  *out = number;
  return true;
}

bool argument_count(PyObject *value, const char *name, uint64_t *out)
{
  if (!value) return true;
  long long number = PyLong_AsLongLong(value);
  if (PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Format(PyExc_TypeError, "%s must be an integer", name);
    return false;
  }
  if (number < 0) {
    PyErr_Format(PyExc_ValueError, "%s must be 0 or more", name);
    return false;
  }
  *out = (uint64_t)number;
  return true;
}

bool argument_int(PyObject *value, const char *name, int *out)
{
  if (!value) return true;
  long number = PyLong_AsLong(value);
  if (PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Format(PyExc_TypeError, "%s must be an integer", name);
    return false;
  }
  if (number < INT32_MIN || number > INT32_MAX) {
    PyErr_Format(PyExc_ValueError, "%s must fit into 32 bits", name);
    return false;
  }
  *out = (int)number;
  return true;
}

bool argument_word(PyObject *value, const char *name, pl_words kind, int *out)
{
  if (!value) return true;
  if (!PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "%s must be a word such as '%s'", name, pl_word(kind, 0));
    return false;
  }
  for (int i = 0; pl_word(kind, i); ++i)
    if (PyUnicode_CompareWithASCIIString(value, pl_word(kind, i)) == 0) {
      *out = i;
      return true;
    }
  PyObject *words = PyUnicode_FromString(pl_word(kind, 0));
  for (int i = 1; pl_word(kind, i) && words; ++i) {
    PyObject *longer = PyUnicode_FromFormat("%U, %s", words, pl_word(kind, i));
    Py_DECREF(words);
    words = longer;
  }
  if (words) PyErr_Format(PyExc_ValueError, "%s must be one of %U; got %R", name, words, value);
  Py_XDECREF(words);
  return false;
}
