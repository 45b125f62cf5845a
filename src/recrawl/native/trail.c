/* Keeps the way that was read through a page (`trail.h`). */
#include "trail.h"

#include <string.h>

static const char NAME[] = "recrawl.trail";

Trail *
trail_new(PyObject *source, PyObject *body, PyObject *child_of)
{
    Trail *trail = PyMem_Calloc(1, sizeof(Trail));
    if (trail == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    trail->source = Py_NewRef(source);
    trail->body = Py_NewRef(body);
    trail->child_of = Py_NewRef(child_of);
    trail->text = PyUnicode_AsUTF8AndSize(source, &trail->length);
    return trail;
}

void
trail_free(Trail *trail)
{
    if (trail == NULL) return;
    Py_XDECREF(trail->source);
    Py_XDECREF(trail->body);
    Py_XDECREF(trail->child_of);
    Py_XDECREF(trail->title);
    Py_XDECREF(trail->runs);
    Py_XDECREF(trail->items);
    Py_XDECREF(trail->others);
    PyMem_Free(trail->marks);
    PyMem_Free(trail->steps);
    PyMem_Free(trail);
}

static void *
grown(void *rows, Py_ssize_t count, Py_ssize_t *room, size_t size)
{
    if (count < *room) return rows;
    Py_ssize_t more = *room ? *room * 2 : 256;
    void *bigger = PyMem_Realloc(rows, (size_t)more * size);
    if (bigger == NULL) PyErr_NoMemory();
    else *room = more;
    return bigger;
}

int
trail_step(Trail *trail, Step step)
{
    Step *steps = grown(trail->steps, trail->step_count, &trail->step_room, sizeof(Step));
    if (steps == NULL) return -1;
    trail->steps = steps;
    steps[trail->step_count++] = step;
    return 0;
}

int
trail_mark(Trail *trail, Mark mark)
{
    Mark *marks = grown(trail->marks, trail->mark_count, &trail->mark_room, sizeof(Mark));
    if (marks == NULL) return -1;
    trail->marks = marks;
    marks[trail->mark_count++] = mark;
    return 0;
}

static void
forget_capsule(PyObject *capsule)
{
    trail_free(PyCapsule_GetPointer(capsule, NAME));
}

PyObject *
trail_capsule(Trail *trail)
{
    return PyCapsule_New(trail, NAME, forget_capsule);
}

Trail *
trail_of(PyObject *capsule)
{
    return PyCapsule_IsValid(capsule, NAME) ? PyCapsule_GetPointer(capsule, NAME) : NULL;
}

static Py_ssize_t
same_beginning(const char *one, const char *other, Py_ssize_t most)
{
    Py_ssize_t at = 0;
    uint64_t here, there;
    for (; at + 8 <= most; at += 8) {
        memcpy(&here, one + at, 8);
        memcpy(&there, other + at, 8);
        if (here != there) break;
    }
    while (at < most && one[at] == other[at]) at++;
    return at;
}

/* Of two texts, by where they end. */
static Py_ssize_t
same_ending(const char *one, const char *other, Py_ssize_t most)
{
    Py_ssize_t size = 0;
    uint64_t here, there;
    for (; size + 8 <= most; size += 8) {
        memcpy(&here, one - size - 8, 8);
        memcpy(&there, other - size - 8, 8);
        if (here != there) break;
    }
    while (size < most && one[-size - 1] == other[-size - 1]) size++;
    return size;
}

const Mark *
trail_last_before(const Trail *trail, const char *text, Py_ssize_t length, Py_ssize_t *same_end)
{
    Py_ssize_t most = length < trail->length ? length : trail->length;
    Py_ssize_t same = same_beginning(trail->text, text, most);
    *same_end = same_ending(trail->text + trail->length, text + length, most - same);
    Py_ssize_t from = 0, to = trail->mark_count; /* marks before `from` stand before what differs */
    while (from < to) {
        Py_ssize_t middle = (from + to) / 2;
        if (trail->marks[middle].at < same) from = middle + 1;
        else to = middle;
    }
    return from ? &trail->marks[from - 1] : NULL;
}

const Mark *
trail_at(const Trail *trail, Py_ssize_t place, const Mark **from)
{
    const Mark *end = trail->marks + trail->mark_count;
    if (*from == NULL) *from = trail->marks;
    while (*from < end && (*from)->at < place) (*from)++;
    return *from < end && (*from)->at == place ? *from : NULL;
}
