/* Visits on their way from the verdict to the commit, as `confirmed.c` and `fresh.c` read them. */
#ifndef RECRAWL_ARRIVALS_H
#define RECRAWL_ARRIVALS_H

#include "lines.h"

enum { ARRIVAL, PAGE, REPLY, ASK, TIMES, VERDICT, DOCUMENT, READ_CLASSES };
enum { VISIT, CAPTURE, COPY, EVENT, MADE_CLASSES };
enum { NOT_MODIFIED, WHOLE, NEW, SAME, CHANGED, MOVED, LIVE, SIGNAL, ADDED, MEMBERS };
enum {
    ARRIVAL_PAGE, ARRIVAL_WHY, ARRIVAL_REPLY, ARRIVAL_VERDICT, ARRIVAL_DOCUMENT, ARRIVAL_PREVIOUS, ARRIVAL_DIRECTIVES, ARRIVAL_SIGNAL,
    PAGE_ID, PAGE_URL, PAGE_SITE, PAGE_KIND, PAGE_RANK, PAGE_DUE, PAGE_INTERVAL, PAGE_BELIEF, PAGE_STATUS, PAGE_REASON, PAGE_ETAG,
    PAGE_LAST_MODIFIED, PAGE_DIGEST, PAGE_SIZE, PAGE_NOISE, PAGE_FAILURES, PAGE_MISSES, PAGE_VISITS, PAGE_CONDITIONAL,
    PAGE_CHECKED, PAGE_CHANGED, PAGE_TARGET, PAGE_TEXT, PAGE_SIMHASH, PAGE_CONTENT_TYPE, PAGE_CHANGES,
    REPLY_ASK, REPLY_AT, REPLY_EVIDENCE, REPLY_STATUS, REPLY_HEADERS, REPLY_BODY, REPLY_TIMES, REPLY_FAILURE, REPLY_RECEIVED,
    REPLY_LET_GO,
    ASK_ETAG, ASK_LAST_MODIFIED,
    TIMES_FIRST_BYTE, TIMES_TOTAL,
    VERDICT_CHANGE, VERDICT_CHANGED_BYTES, VERDICT_NOISE, VERDICT_TARGET, VERDICT_REASON, VERDICT_AGO,
    VERDICT_DIGEST, VERDICT_TEXT, VERDICT_SIMHASH, VERDICT_TEXT_BYTES, VERDICT_LIMIT,
    DOCUMENT_CUT,
    SLOTS
};

/* Given by `arrived`. */
extern Py_ssize_t arrival_slots[SLOTS];
extern PyTypeObject *arrival_classes[READ_CLASSES];
extern PyObject *arrival_makes[MADE_CLASSES], *arrival_members[MEMBERS], *arrival_ranks, *no_text, *zero;

static inline PyObject **
place(PyObject *value, int which)
{
    return (PyObject **)((char *)value + arrival_slots[which]);
}

static inline PyObject *
get(PyObject *value, int which)
{
    PyObject *found = *place(value, which);
    return found == NULL ? Py_None : found;
}

static inline void
set(PyObject *value, int which, PyObject *given)
{
    Py_XSETREF(*place(value, which), Py_NewRef(given));
}

typedef struct {
    PyObject *arrival, *page, *reply, *verdict, *ask, *times; /* all held by the arrival */
} One;

static inline int
is_text(PyObject *value)
{
    return PyUnicode_CheckExact(value);
}

/* Whether it is one, and what it consists of. */
int is_plain_arrival(PyObject *arrival, One *one);
/* Of a plain number; others may run anything when they are asked. 0: it is none. */
int number_of(PyObject *value, double *number);
/* The first header of a name, borrowed; `no_text`: there is none, NULL: they are not plain. */
PyObject *header_of(PyObject *headers, const char *name);
/* One more; NULL without an exception: it is not plain. */
PyObject *one_more(PyObject *count);
/* 1: it asked for what had changed only; negative: it is not plain. */
int is_conditional(const One *one);
/* The text of a digest; '' of none. */
PyObject *digest_text(PyObject *digest);
/* A row of history; `total_s`: how long it took. */
PyObject *visit_row(const One *one, int evidence, int change, double total_s);
/* What the archive tells of it. */
PyObject *facts_of(const One *one, int change);
int append_made(PyObject *list, PyObject *made);
/* The page after a new version; NULL, with or without an exception: it is not plain. */
PyObject *page_fresh(const One *one, const char *state, Py_ssize_t state_bytes, double gap_s, double due_at);

#endif
