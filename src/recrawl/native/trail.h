/* The way that was read through a page, so that another version of it is read only where it differs.
 *
 * A mark is a place in the source between two tags where no text and no link is under way: what was read up to there
 * follows from the bytes before it, what comes follows from the bytes behind it and from what is open. */
#ifndef RECRAWL_TRAIL_H
#define RECRAWL_TRAIL_H

#include "native.h"
#include "tags.h"

/* An element that was entered. */
typedef struct {
    const TagRule *rule;
    const char *spelt;
    uint32_t spelt_length;
    int32_t parent;    /* another step, -1: the body */
    PyObject *context; /* borrowed: the trail keeps its maker */
} Step;

typedef struct {
    int32_t runs, items, others;
} Counts;

typedef struct {
    int32_t at; /* in the source */
    Counts before;
    int32_t tags, steps;
    int32_t inside; /* the innermost step that is open, -1: the body */
    uint8_t form_is_open, has_title, offers;
} Mark;

typedef struct {
    PyObject *source, *body, *child_of; /* kept, since marks and steps point into them */
    const char *text;
    Py_ssize_t length;
    PyObject *title, *runs, *items, *others; /* all that was read */
    Py_ssize_t tags;
    int offers;
    Mark *marks;
    Py_ssize_t mark_count, mark_room;
    Step *steps;
    Py_ssize_t step_count, step_room;
} Trail;

/* Negative with an exception. */
Trail *trail_new(PyObject *source, PyObject *body, PyObject *child_of);
void trail_free(Trail *trail);
int trail_step(Trail *trail, Step step);
int trail_mark(Trail *trail, Mark mark);
PyObject *trail_capsule(Trail *trail); /* which frees it in the end */
Trail *trail_of(PyObject *capsule);    /* NULL without an exception: it is none */

/* The last mark before what differs; NULL: there is none. `same_end`: how many bytes both end with, none of them among those
 * that both begin with. */
const Mark *trail_last_before(const Trail *trail, const char *text, Py_ssize_t length, Py_ssize_t *same_end);
/* The mark at this very place; NULL: there is none. `from`: where to look, moved on. */
const Mark *trail_at(const Trail *trail, Py_ssize_t place, const Mark **from);

#endif
