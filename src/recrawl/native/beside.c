/* Two versions of a page, from their sources to what differs, in one call: where both are plain nothing between is asked for. */
#include "met.h"
#include "native.h"

enum { READ_TITLE, READ_OTHERS, READ_OFFERS, READ_RUNS, READ_SKELETON, READ_ITEMS, READ_TRAIL };

static PyObject *
or_none(PyObject *value)
{
    return value == NULL ? Py_None : value;
}

static PyObject *
part(PyObject *read, int which)
{
    return PyTuple_GET_ITEM(read, which);
}

/* Whether both are called the same, lead to the same and have nothing to say to robots. Negative with an exception. */
static int
are_plain(PyObject *new, PyObject *old)
{
    if (PyList_GET_SIZE(part(new, READ_OTHERS)) || PyList_GET_SIZE(part(old, READ_OTHERS))) return 0;
    int is_same = PyObject_RichCompareBool(part(new, READ_TITLE), part(old, READ_TITLE), Py_EQ);
    return is_same > 0 ? PyObject_RichCompareBool(part(new, READ_ITEMS), part(old, READ_ITEMS), Py_EQ) : is_same;
}

/* beside(new, old, most_tags, body, child_of, caption_letters, fold, origin, is_origin, most_chars, met) -> (what `read_source`
 * gives of the new version, of the old one, what `side_by_side` gives of both, what `unmet_items` gives of the new one). The
 * last two are None where only more of the two will tell, the last also where `met` is; the last three where the new one
 * cannot be read at its source. */
PyObject *
native_beside(PyObject *module, PyObject *const *given, Py_ssize_t count)
{
    if (count != 11 || !PyUnicode_Check(given[0]) || !PyUnicode_Check(given[1]) || !PyUnicode_Check(given[7]) || (given[10] != Py_None && !Py_IS_TYPE(given[10], &MetType))) {
        PyErr_SetString(PyExc_TypeError, "beside(new, old, most_tags, body, child_of, caption_letters, fold, origin, is_origin, most_chars, met)");
        return NULL;
    }
    Py_ssize_t most_tags = PyLong_AsSsize_t(given[2]), letters = PyLong_AsSsize_t(given[5]), most_chars = PyLong_AsSsize_t(given[9]);
    if (PyErr_Occurred()) return NULL;
    PyObject *new = source_read(given[0], most_tags, given[3], given[4], letters, Py_None), *old = NULL, *told = NULL, *unmet = NULL;
    if (new != NULL && new != Py_None) old = source_read(given[1], most_tags, given[3], given[4], letters, part(new, READ_TRAIL));
    if (old != NULL && old != Py_None && are_plain(new, old) > 0)
        told = sides_told(part(old, READ_RUNS), part(new, READ_RUNS), part(new, READ_ITEMS), given[6]);
    if (told != NULL && told != Py_None && given[10] != Py_None) unmet = items_unmet(part(new, READ_ITEMS), given[7], given[8], most_chars, given[10]);
    PyObject *answer = PyErr_Occurred() ? NULL : PyTuple_Pack(4, new, or_none(old), or_none(told), or_none(unmet));
    Py_XDECREF(new);
    Py_XDECREF(old);
    Py_XDECREF(told);
    Py_XDECREF(unmet);
    return answer;
}
