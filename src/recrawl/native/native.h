/* What the files of the compiled part know of each other. */
#ifndef RECRAWL_NATIVE_H
#define RECRAWL_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

void sight_prepare(void);
PyObject *native_frame_words(PyObject *module, PyObject *arguments);
PyObject *native_sight(PyObject *module, PyObject *arguments);
PyObject *native_swift(PyObject *module, PyObject *arguments);
PyObject *native_replace_else(PyObject *module, PyObject *usual);
PyObject *native_replace(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

#endif
