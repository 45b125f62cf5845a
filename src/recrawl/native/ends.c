/* What two versions of something begin and end with alike (`model/ends.py`). */
#include "native.h"

static int
is_same(PyObject *one, PyObject *other, int by_value)
{
    if (one == other || !by_value) return one == other;
    Py_INCREF(one); /* whoever compares them may take them out of their list */
    Py_INCREF(other);
    int is_equal = PyObject_RichCompareBool(one, other, Py_EQ);
    Py_DECREF(one);
    Py_DECREF(other);
    return is_equal;
}

/* ends(old, new, by_value) -> (head, tail); None where they are neither lists nor tuples. `by_value` False: only the very
 * same objects are alike. */
PyObject *
native_ends(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "ends(old, new, by_value)");
        return NULL;
    }
    PyObject *old = arguments[0], *new = arguments[1];
    int by_value = PyObject_IsTrue(arguments[2]);
    if (by_value < 0) return NULL;
    if (!(PyList_Check(old) || PyTuple_Check(old)) || !(PyList_Check(new) || PyTuple_Check(new))) Py_RETURN_NONE;
    Py_ssize_t head = 0, tail = 0;
    for (; head < PySequence_Fast_GET_SIZE(old) && head < PySequence_Fast_GET_SIZE(new); head++) {
        int same = is_same(PySequence_Fast_GET_ITEM(old, head), PySequence_Fast_GET_ITEM(new, head), by_value);
        if (same < 0) return NULL;
        if (!same) break;
    }
    for (;; tail++) {
        Py_ssize_t was = PySequence_Fast_GET_SIZE(old), now = PySequence_Fast_GET_SIZE(new);
        if (head + tail >= was || head + tail >= now) break;
        int same = is_same(PySequence_Fast_GET_ITEM(old, was - 1 - tail), PySequence_Fast_GET_ITEM(new, now - 1 - tail), by_value);
        if (same < 0) return NULL;
        if (!same) break;
    }
    return Py_BuildValue("nn", head, tail);
}
