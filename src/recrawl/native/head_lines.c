/* The lines of a head as libcurl hands them over, within bounds: the same as `fetch/head_lines.py`. */
#include "native.h"

#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *lines;
    Py_ssize_t bytes, most_bytes, most_lines;
    char is_over;
} HeadLines;

static PyObject *
head_lines_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    HeadLines *head = (HeadLines *)type->tp_alloc(type, 0);
    if (head != NULL && (head->lines = PyList_New(0)) == NULL) Py_CLEAR(head);
    return (PyObject *)head;
}

static void
head_lines_dealloc(HeadLines *head)
{
    Py_XDECREF(head->lines);
    Py_TYPE(head)->tp_free((PyObject *)head);
}

static PyObject *
head_lines_begin(HeadLines *head, PyObject *arguments)
{
    Py_ssize_t most_bytes, most_lines;
    if (!PyArg_ParseTuple(arguments, "nn", &most_bytes, &most_lines)) return NULL;
    PyObject *lines = PyList_New(0);
    if (lines == NULL) return NULL;
    Py_SETREF(head->lines, lines);
    head->bytes = 0;
    head->most_bytes = most_bytes;
    head->most_lines = most_lines;
    head->is_over = 0;
    Py_RETURN_NONE;
}

static PyObject *
head_lines_call(HeadLines *head, PyObject *arguments, PyObject *names)
{
    PyObject *line = PyTuple_GET_SIZE(arguments) == 1 ? PyTuple_GET_ITEM(arguments, 0) : Py_None;
    if (!PyBytes_Check(line)) return PyErr_Format(PyExc_TypeError, "one line of bytes is wanted");
    if (PyList_Append(head->lines, line) < 0) return NULL;
    head->bytes += PyBytes_GET_SIZE(line);
    if (head->bytes <= head->most_bytes && PyList_GET_SIZE(head->lines) <= head->most_lines) Py_RETURN_NONE;
    head->is_over = 1;
    return PyLong_FromLong(-1);
}

static PyMethodDef METHODS[] = {
    {"begin", (PyCFunction)head_lines_begin, METH_VARARGS, "A new head, of at most so many bytes and lines."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef MEMBERS[] = {
    {"lines", T_OBJECT_EX, offsetof(HeadLines, lines), READONLY, "As they came."},
    {"size_bytes", T_PYSSIZET, offsetof(HeadLines, bytes), READONLY, "Of all lines."},
    {"is_over", T_BOOL, offsetof(HeadLines, is_over), READONLY, "It was longer than it may be."},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject HeadLinesType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "recrawl.native._native.HeadLines",
    .tp_basicsize = sizeof(HeadLines),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Takes the lines of a head, one a call.",
    .tp_new = head_lines_new,
    .tp_dealloc = (destructor)head_lines_dealloc,
    .tp_call = (ternaryfunc)head_lines_call,
    .tp_methods = METHODS,
    .tp_members = MEMBERS,
};
