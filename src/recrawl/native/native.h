/* What the files of the compiled part know of each other. */
#ifndef RECRAWL_NATIVE_H
#define RECRAWL_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

int head_prepare(void);
void sight_prepare(void);
PyObject *native_head(PyObject *module, PyObject *lines);
PyObject *native_lines_beginning_with(PyObject *module, PyObject *arguments);
PyObject *native_sha1_text(PyObject *module, PyObject *digest);
PyObject *native_urn_uuid(PyObject *module, PyObject *random);
PyObject *native_frame_words(PyObject *module, PyObject *arguments);
PyObject *native_sight(PyObject *module, PyObject *arguments);
PyObject *native_swift(PyObject *module, PyObject *arguments);
PyObject *native_replace_else(PyObject *module, PyObject *usual);
PyObject *native_replace(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

#endif
