/* Tells the main content of a page from the frame around it, as `extract/main.py` does, which says what everything means. */
#include "native.h"

enum { RUN_TEXT = 1, RUN_LEVEL = 2, RUN_LINK_CHARS = 3, RUN_REGION = 4, RUN_FIELDS = 6 };
enum { MAIN = 1, ARTICLE = 2, FRAME = 4, FRAME_LIKE = 8, NOSCRIPT = 16 };
enum { LONG = 70, FEWEST_LETTERS = LONG / 2, ENOUGH = 140, REACH = 3 };
#define LINKED 0.4
#define FIRST_WIDE 0x2E80

typedef struct {
    PyObject *run; /* borrowed */
    Py_ssize_t letters, weight, link_chars;
    long region;
    int is_heading;
} Judged;

/* Length in Latin characters. */
static Py_ssize_t
weight_of(PyObject *text)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), wide = 0;
    if (PyUnicode_MAX_CHAR_VALUE(text) < FIRST_WIDE) return length;
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    for (Py_ssize_t at = 0; at < length; at++) wide += PyUnicode_READ(kind, data, at) >= FIRST_WIDE;
    return length + wide;
}

/* Negative with an exception: it is no run. */
static int
judge(PyObject *run, Judged *judged)
{
    if (!PyTuple_Check(run) || PyTuple_GET_SIZE(run) != RUN_FIELDS || !PyUnicode_Check(PyTuple_GET_ITEM(run, RUN_TEXT))) {
        PyErr_SetString(PyExc_TypeError, "runs are wanted");
        return -1;
    }
    PyObject *text = PyTuple_GET_ITEM(run, RUN_TEXT);
    *judged = (Judged){
        .run = run,
        .letters = PyUnicode_GET_LENGTH(text),
        .weight = weight_of(text),
        .link_chars = PyLong_AsSsize_t(PyTuple_GET_ITEM(run, RUN_LINK_CHARS)),
        .region = PyLong_AsLong(PyTuple_GET_ITEM(run, RUN_REGION)),
        .is_heading = PyObject_IsTrue(PyTuple_GET_ITEM(run, RUN_LEVEL)),
    };
    return PyErr_Occurred() ? -1 : 0;
}

typedef struct {
    Py_ssize_t letters, weight, count;
} Sum;

static void
add(Sum *sum, const Judged *run)
{
    sum->letters += run->letters;
    sum->weight += run->weight;
    sum->count++;
}

/* Which bits of a region keep a run out of the content. */
static long
frame_of(const Judged *runs, Py_ssize_t count)
{
    Sum by_tag = {0}, by_name = {0};
    for (Py_ssize_t one = 0; one < count; one++) {
        if (runs[one].region & (FRAME | NOSCRIPT)) continue;
        add(&by_tag, &runs[one]);
        if (!(runs[one].region & FRAME_LIKE)) add(&by_name, &runs[one]);
    }
    int is_believed = by_name.letters * 3 >= by_tag.letters || by_name.weight * 5 >= by_tag.weight;
    return is_believed ? FRAME | NOSCRIPT | FRAME_LIKE : FRAME | NOSCRIPT;
}

static Py_ssize_t
keep_marked(Judged *runs, Py_ssize_t count, long mark)
{
    Py_ssize_t kept = 0;
    for (Py_ssize_t one = 0; one < count; one++)
        if (runs[one].region & mark) runs[kept++] = runs[one];
    return kept;
}

static int
is_linked(const Judged *run)
{
    return (double)run->link_chars > (double)run->letters * LINKED;
}

static int
is_content(const Judged *run)
{
    int is_long = run->letters >= LONG || (run->letters >= FEWEST_LETTERS && run->weight >= LONG);
    return is_long && !is_linked(run);
}

/* Marks those that are dense by making their region negative; their weight. */
static Py_ssize_t
mark_dense(Judged *runs, Py_ssize_t count)
{
    Py_ssize_t next = -1, last = -REACH - 1, weight = 0; /* the content that comes next, and that came last */
    for (Py_ssize_t one = 0; one < count; one++) {
        if (next < one)
            for (next = one; next < count && !is_content(&runs[next]); next++) continue;
        if (next == one) last = one;
        int is_near = one - last <= REACH || (next < count && next - one <= REACH);
        if (!is_near || !(next == one || runs[one].is_heading || !is_linked(&runs[one]))) continue;
        runs[one].region = -1;
        weight += runs[one].weight;
    }
    return weight;
}

/* The main content comes first then; how much there is of it. */
static Py_ssize_t
keep_main(Judged *runs, Py_ssize_t count)
{
    long frame = frame_of(runs, count);
    Py_ssize_t inside = 0, marked[2] = {0}, weight = 0, in_articles = 0;
    for (Py_ssize_t one = 0; one < count; one++) {
        if (runs[one].region & frame) continue;
        marked[0] += (runs[one].region & MAIN) != 0;
        marked[1] += (runs[one].region & ARTICLE) != 0;
        weight += runs[one].weight;
        if (runs[one].region & ARTICLE) in_articles += runs[one].weight;
        runs[inside++] = runs[one];
    }
    if (marked[0]) return keep_marked(runs, inside, MAIN);
    if (marked[1] && in_articles * 3 >= weight) return keep_marked(runs, inside, ARTICLE);
    if (mark_dense(runs, inside) < ENOUGH) return inside;
    Py_ssize_t dense = 0;
    for (Py_ssize_t one = 0; one < inside; one++)
        if (runs[one].region < 0) runs[dense++] = runs[one];
    return dense;
}

Py_ssize_t
main_kept(PyObject *runs, PyObject **kept)
{
    Py_ssize_t count = PyList_GET_SIZE(runs), found = -1;
    Judged *judged = PyMem_Malloc(sizeof(Judged) * ((size_t)count + 1));
    if (judged == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t one = 0; one < count; one++) {
        kept[one] = PyList_GET_ITEM(runs, one);
        if (judge(kept[one], &judged[one]) < 0) goto done;
    }
    found = keep_main(judged, count);
    for (Py_ssize_t one = 0; one < found; one++) kept[one] = judged[one].run;
    if (found == 0) found = count; /* nothing stands out */
done:
    PyMem_Free(judged);
    return found;
}

/* main_runs(runs) -> the main content of them; all where nothing stands out */
PyObject *
native_main_runs(PyObject *module, PyObject *runs)
{
    if (!PyList_Check(runs)) {
        PyErr_SetString(PyExc_TypeError, "a list of runs is wanted");
        return NULL;
    }
    PyObject **kept = PyMem_Malloc(sizeof(PyObject *) * ((size_t)PyList_GET_SIZE(runs) + 1)), *found = NULL;
    if (kept == NULL) return PyErr_NoMemory();
    Py_ssize_t count = main_kept(runs, kept);
    if (count >= 0) found = PyList_New(count);
    for (Py_ssize_t one = 0; found != NULL && one < count; one++) PyList_SET_ITEM(found, one, Py_NewRef(kept[one]));
    PyMem_Free(kept);
    return found;
}
