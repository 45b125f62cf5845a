/* Values of headers by their name: asked a dozen times of every answer (model/headers.py). */
#include "lines.h"

/* Whether a name is the one that is wanted; `any_case`: in whatever case. */
static int
is_it(PyObject *name, Piece wanted, int any_case)
{
    if (!PyUnicode_IS_COMPACT_ASCII(name) || (size_t)PyUnicode_GET_LENGTH(name) != wanted.length) return 0;
    const char *at = (const char *)PyUnicode_1BYTE_DATA(name);
    if (!any_case) return !memcmp(at, wanted.at, wanted.length);
    for (size_t one = 0; one < wanted.length; one++)
        if ((at[one] >= 'A' && at[one] <= 'Z' ? at[one] | 0x20 : at[one]) != wanted.at[one]) return 0;
    return 1;
}

/* The headers as a tuple of pairs of texts; 0: they are not so plain, 1: here is one of them. */
static int
pair_at(PyObject *headers, Py_ssize_t at, PyObject **name, PyObject **value)
{
    PyObject *pair = PyTuple_GET_ITEM(headers, at);
    if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2) return 0;
    *name = PyTuple_GET_ITEM(pair, 0);
    *value = PyTuple_GET_ITEM(pair, 1);
    return PyUnicode_CheckExact(*name);
}

/* header_value(headers, name) -> the first value, '' if there is none; None: they are not so plain */
PyObject *
native_header_value(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2) return PyErr_Format(PyExc_TypeError, "headers and a name are wanted");
    PyObject *headers = arguments[0], *name, *value;
    Piece wanted = ascii_piece(arguments[1]);
    if (!PyTuple_CheckExact(headers) || wanted.at == NULL) Py_RETURN_NONE;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(headers); at++) {
        if (!pair_at(headers, at, &name, &value)) Py_RETURN_NONE;
        if (is_it(name, wanted, 0)) return Py_NewRef(value);
    }
    return PyUnicode_New(0, 0);
}

/* header_values(headers, name, any_case) -> [value, …], of names in whatever case or as they stand there; None: they are not so
 * plain */
PyObject *
native_header_values(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3) return PyErr_Format(PyExc_TypeError, "headers, a name and a truth are wanted");
    PyObject *headers = arguments[0], *name, *value, *found;
    int any_case = PyObject_IsTrue(arguments[2]);
    Piece wanted = ascii_piece(arguments[1]);
    if (any_case < 0) return NULL;
    if (!PyTuple_CheckExact(headers) || wanted.at == NULL) Py_RETURN_NONE;
    if ((found = PyList_New(0)) == NULL) return NULL;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(headers); at++) {
        int is_plain = pair_at(headers, at, &name, &value) && (!any_case || PyUnicode_KIND(name) == PyUnicode_1BYTE_KIND);
        if (!is_plain || (is_it(name, wanted, any_case) && PyList_Append(found, value) < 0)) {
            Py_DECREF(found);
            if (PyErr_Occurred()) return NULL;
            Py_RETURN_NONE;
        }
    }
    return found;
}
