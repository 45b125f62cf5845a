/* Two versions of a page side by side: what of their main content differs, and nothing made of all that does not.
 *
 * What `extract/document.py` and `detect/content.py` would find out by reading both in full; where that is not certain it is
 * left to them. */
#include "words.h"

enum { RUN_PLACE = 0, RUN_TEXT = 1 };

typedef struct {
    PyObject **runs, **texts; /* borrowed; of the main content */
    Py_ssize_t count;
} Side;

static void
side_free(Side *side)
{
    PyMem_Free(side->runs);
    PyMem_Free(side->texts);
}

static int
side_of(PyObject *runs, Side *side)
{
    size_t room = (size_t)PyList_GET_SIZE(runs) + 1;
    side->runs = PyMem_Calloc(room, sizeof(PyObject *));
    side->texts = PyMem_Calloc(room, sizeof(PyObject *));
    if (side->runs == NULL || side->texts == NULL) {
        PyErr_NoMemory();
        return FAILED;
    }
    side->count = main_kept(runs, side->runs);
    for (Py_ssize_t one = 0; one < side->count; one++) side->texts[one] = PyTuple_GET_ITEM(side->runs[one], RUN_TEXT);
    return side->count < 0 ? FAILED : side->count ? WELL : ODD;
}

/* ODD: another one. */
static int
compare_runs(PyObject *one, PyObject *other)
{
    int is_same = one == other ? 1 : PyObject_RichCompareBool(one, other, Py_EQ);
    return is_same < 0 ? FAILED : is_same ? WELL : ODD;
}

/* How many both begin with, and how many of the others both end with. */
static int
find_ends(const Side *old, const Side *new, Py_ssize_t *head, Py_ssize_t *tail)
{
    Py_ssize_t shorter = old->count < new->count ? old->count : new->count;
    int same = WELL;
    for (*head = 0; *head < shorter; ++*head)
        if ((same = compare_runs(old->runs[*head], new->runs[*head])) != WELL) break;
    for (*tail = 0; same != FAILED && *tail < shorter - *head; ++*tail)
        if ((same = compare_runs(old->runs[old->count - 1 - *tail], new->runs[new->count - 1 - *tail])) != WELL) break;
    return same == FAILED ? FAILED : WELL;
}

/* Adds what a text has of letters and bytes, where two versions are compared by it as it is. */
static int
measure(PyObject *text, PyObject *fold, Py_ssize_t *letters, Py_ssize_t *bytes)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), size = length;
    if (!words_are_folded(text)) {
        PyObject *folded = PyObject_CallOneArg(fold, text);
        int is_folded = folded == NULL ? -1 : PyObject_RichCompareBool(folded, text, Py_EQ);
        Py_XDECREF(folded);
        if (is_folded <= 0) return is_folded < 0 ? FAILED : ODD;
        if (PyUnicode_FindChar(text, 0xFFFD, 0, length, 1) != -1) return PyErr_Occurred() ? FAILED : ODD;
        if (PyUnicode_AsUTF8AndSize(text, &size) == NULL) {
            if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return FAILED;
            PyErr_Clear(); /* a lone surrogate */
            return ODD;
        }
    }
    *letters += length;
    *bytes += size;
    return WELL;
}

/* What a link may say: the text of an anchor, the title of another element. NULL without an exception: nothing; `*is_odd`:
 * who knows. */
static PyObject *
caption_of(PyObject *item, PyObject *title, int *is_odd)
{
    if (PyTuple_Check(item) && PyTuple_GET_SIZE(item) == 4) {
        PyObject *caption = PyTuple_GET_ITEM(item, 3);
        *is_odd = !PyUnicode_Check(caption);
        return caption;
    }
    *is_odd = !PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 2 || !PyDict_Check(PyTuple_GET_ITEM(item, 1));
    PyObject *said = *is_odd ? NULL : PyDict_GetItemWithError(PyTuple_GET_ITEM(item, 1), title);
    if (said != NULL) *is_odd = !PyUnicode_Check(said) || !PyUnicode_IS_ASCII(said);
    return said;
}

/* Whether the links stand alike in both. */
static int
compare_links(const Side *old, const Side *new, Py_ssize_t head, Py_ssize_t tail, PyObject *items)
{
    PyObject **captions = PyMem_Calloc((size_t)PyList_GET_SIZE(items) + 1, sizeof(PyObject *));
    PyObject *title = captions == NULL ? PyErr_NoMemory() : PyUnicode_FromString("title");
    int read = title == NULL ? FAILED : WELL, is_odd;
    Py_ssize_t count = 0;
    for (Py_ssize_t one = 0; read == WELL && one < PyList_GET_SIZE(items); one++) {
        PyObject *caption = caption_of(PyList_GET_ITEM(items, one), title, &is_odd);
        if (caption == NULL && PyErr_Occurred()) read = FAILED;
        else if (is_odd) read = ODD;
        else if (caption != NULL) captions[count++] = caption;
    }
    Version before = {old->texts, old->count}, after = {new->texts, new->count};
    if (read == WELL) read = words_stand_alike(&before, &after, head, tail, captions, count);
    PyMem_Free(captions);
    Py_XDECREF(title);
    return read;
}

/* The texts of one side that stand in its midst. */
static PyObject *
between(const Side *side, Py_ssize_t head, Py_ssize_t tail)
{
    PyObject *found = PyList_New(side->count - head - tail);
    for (Py_ssize_t one = head; found != NULL && one < side->count - tail; one++) PyList_SET_ITEM(found, one - head, Py_NewRef(side->texts[one]));
    return found;
}

static int
add_places(PyObject *places, const Side *side, Py_ssize_t head, Py_ssize_t tail)
{
    for (Py_ssize_t one = head; one < side->count - tail; one++)
        if (PySet_Add(places, PyTuple_GET_ITEM(side->runs[one], RUN_PLACE)) < 0) return FAILED;
    return WELL;
}

/* Adds the texts at these places to rows of two lists each, which are made when their place is met; `which` of the two. */
static int
add_rows(PyObject *rows, PyObject *places, const Side *side, int which)
{
    for (Py_ssize_t one = 0; one < side->count; one++) {
        PyObject *place = PyTuple_GET_ITEM(side->runs[one], RUN_PLACE), *row;
        int is_there = PySet_Contains(places, place);
        if (is_there < 0) return FAILED;
        if (!is_there) continue;
        if ((row = PyDict_GetItemWithError(rows, place)) == NULL) {
            if (PyErr_Occurred() || (row = Py_BuildValue("([][])")) == NULL) return FAILED;
            int failed = PyDict_SetItem(rows, place, row);
            Py_DECREF(row); /* kept by the rows */
            if (failed) return FAILED;
        }
        if (PyList_Append(PyTuple_GET_ITEM(row, which), side->texts[one]) < 0) return FAILED;
    }
    return WELL;
}

/* (place, head, gone, come, now) of one place: what its texts differ in, behind so many that stay, and all of them. */
static PyObject *
row_told(PyObject *place, PyObject *was, PyObject *now)
{
    Py_ssize_t old = PyList_GET_SIZE(was), new = PyList_GET_SIZE(now), shorter = old < new ? old : new, head = 0, tail = 0;
    while (head < shorter && PyUnicode_Compare(PyList_GET_ITEM(was, head), PyList_GET_ITEM(now, head)) == 0) head++;
    while (tail < shorter - head && PyUnicode_Compare(PyList_GET_ITEM(was, old - 1 - tail), PyList_GET_ITEM(now, new - 1 - tail)) == 0) tail++;
    PyObject *gone = PyList_GetSlice(was, head, old - tail), *come = gone == NULL ? NULL : PyList_GetSlice(now, head, new - tail);
    PyObject *row = come == NULL ? NULL : Py_BuildValue("(OnOOO)", place, head, gone, come, now);
    Py_XDECREF(gone);
    Py_XDECREF(come);
    return row;
}

static PyObject *
rows_told(PyObject *rows)
{
    PyObject *told = PyList_New(0), *place, *row;
    Py_ssize_t at = 0;
    while (told != NULL && PyDict_Next(rows, &at, &place, &row)) {
        PyObject *one = row_told(place, PyTuple_GET_ITEM(row, 0), PyTuple_GET_ITEM(row, 1));
        if (one == NULL || PyList_Append(told, one) < 0) Py_CLEAR(told);
        Py_XDECREF(one);
    }
    return told;
}

static PyObject *
told(const Side *old, const Side *new, Py_ssize_t head, Py_ssize_t tail, Py_ssize_t letters, Py_ssize_t bytes)
{
    PyObject *gone = between(old, head, tail), *come = between(new, head, tail), *places = PySet_New(NULL), *rows = PyDict_New();
    PyObject *each = NULL, *answer = NULL;
    if (gone && come && places && rows && add_places(places, old, head, tail) == WELL && add_places(places, new, head, tail) == WELL &&
        add_rows(rows, places, old, 0) == WELL && add_rows(rows, places, new, 1) == WELL)
        each = rows_told(rows);
    if (each != NULL) answer = Py_BuildValue("(OOOnnnn)", gone, come, each, head, tail, letters, bytes);
    Py_XDECREF(gone);
    Py_XDECREF(come);
    Py_XDECREF(places);
    Py_XDECREF(rows);
    Py_XDECREF(each);
    return answer;
}

/* As below. */
PyObject *
sides_told(PyObject *old_runs, PyObject *new_runs, PyObject *items, PyObject *fold)
{
    Side old = {0}, new = {0};
    Py_ssize_t head = 0, tail = 0, letters = 0, bytes = 0, none = 0;
    PyObject *answer = NULL;
    int read = side_of(old_runs, &old);
    if (read == WELL) read = side_of(new_runs, &new);
    if (read == WELL) read = find_ends(&old, &new, &head, &tail);
    for (Py_ssize_t one = 0; read == WELL && one < new.count; one++) read = measure(new.texts[one], fold, &letters, &bytes);
    for (Py_ssize_t one = head; read == WELL && one < old.count - tail; one++) read = measure(old.texts[one], fold, &none, &none);
    if (read == WELL) read = compare_links(&old, &new, head, tail, items);
    if (read == WELL) answer = told(&old, &new, head, tail, letters, bytes);
    else if (read == ODD) answer = Py_NewRef(Py_None);
    side_free(&old);
    side_free(&new);
    return answer;
}

/* side_by_side(old_runs, new_runs, items, fold) -> (gone, come, rows, head, tail, letters, bytes): the texts of the main
 * content that went and came, what differs at each of their places, how many stay before and behind them, and how much there
 * is now. None where only reading both will tell: a text is not what it is compared by, or one of the links, the same in
 * both, may stand in one version only. */
PyObject *
native_side_by_side(PyObject *module, PyObject *const *given, Py_ssize_t count)
{
    if (count != 4 || !PyList_Check(given[0]) || !PyList_Check(given[1]) || !PyList_Check(given[2])) {
        PyErr_SetString(PyExc_TypeError, "side_by_side(old_runs, new_runs, items, fold)");
        return NULL;
    }
    return sides_told(given[0], given[1], given[2], given[3]);
}
