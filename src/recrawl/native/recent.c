/* Index lines of the file being written, 24 bytes each, sorted by a number that stands for address and second (archive/recent.py). */
#include "native.h"
#include <string.h>

typedef struct {
    int64_t key, start, length;
} Line;

/* A line of three numbers in a tuple; 0 with an exception: it is none. */
static int
take_line(PyObject *from, Line *line)
{
    if (!PyTuple_CheckExact(from) || PyTuple_GET_SIZE(from) != 3) {
        PyErr_SetString(PyExc_TypeError, "a line is a tuple of key, start and length");
        return 0;
    }
    line->key = PyLong_AsLongLong(PyTuple_GET_ITEM(from, 0));
    line->start = PyLong_AsLongLong(PyTuple_GET_ITEM(from, 1));
    line->length = PyLong_AsLongLong(PyTuple_GET_ITEM(from, 2));
    return !PyErr_Occurred();
}

/* The first line whose key is not smaller, or of `behind` the first whose key is larger. */
static Py_ssize_t
place_of(const Line *lines, Py_ssize_t count, int64_t key, int behind)
{
    Py_ssize_t low = 0, high = count;
    while (low < high) {
        Py_ssize_t middle = low + (high - low) / 2;
        if (lines[middle].key < key || (behind && lines[middle].key == key)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* joined_lines(sorted lines, list of sorted tuples) -> both as one, those of the list behind their equals */
PyObject *
native_joined_lines(PyObject *module, PyObject *arguments)
{
    PyObject *old, *young;
    if (!PyArg_ParseTuple(arguments, "SO!", &old, &PyList_Type, &young)) return NULL;
    Py_ssize_t olds = PyBytes_GET_SIZE(old) / (Py_ssize_t)sizeof(Line), youngs = PyList_GET_SIZE(young), from = 0;
    const Line *lines = (const Line *)(const void *)PyBytes_AS_STRING(old);
    PyObject *joined = PyBytes_FromStringAndSize(NULL, (olds + youngs) * (Py_ssize_t)sizeof(Line));
    if (joined == NULL) return NULL;
    Line *to = (Line *)(void *)PyBytes_AS_STRING(joined), line;
    for (Py_ssize_t one = 0; one < youngs; one++) {
        if (!take_line(PyList_GET_ITEM(young, one), &line)) {
            Py_DECREF(joined);
            return NULL;
        }
        Py_ssize_t until = from + place_of(lines + from, olds - from, line.key, 1);
        memcpy(to, lines + from, (size_t)(until - from) * sizeof(Line));
        to += until - from;
        *to++ = line;
        from = until;
    }
    memcpy(to, lines + from, (size_t)(olds - from) * sizeof(Line));
    return joined;
}

/* lines_of(sorted lines, key) -> start and length of each */
PyObject *
native_lines_of(PyObject *module, PyObject *arguments)
{
    PyObject *table;
    long long key;
    if (!PyArg_ParseTuple(arguments, "SL", &table, &key)) return NULL;
    const Line *lines = (const Line *)(const void *)PyBytes_AS_STRING(table);
    Py_ssize_t count = PyBytes_GET_SIZE(table) / (Py_ssize_t)sizeof(Line);
    Py_ssize_t first = place_of(lines, count, key, 0), last = first + place_of(lines + first, count - first, key, 1);
    PyObject *found = PyList_New(last - first);
    for (Py_ssize_t one = first; found != NULL && one < last; one++) {
        PyObject *span = Py_BuildValue("LL", (long long)lines[one].start, (long long)lines[one].length);
        if (span == NULL) Py_CLEAR(found);
        else PyList_SET_ITEM(found, one - first, span);
    }
    return found;
}
