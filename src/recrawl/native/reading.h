/* Reads the text of a page in runs, whoever walks through its tags: the pass over a page as its parser wrote it
 * (`reading.c`), or the one over its source (`sight.c`). */
#ifndef RECRAWL_READING_H
#define RECRAWL_READING_H

#include "native.h"

#define DEEPEST_READ 1000

enum { FAILED = -1, WELL = 0, ODD = 1 };

typedef struct {
    char *text;
    size_t length, room;
    size_t letters;
    int at_space; /* what comes next stands behind space */
} Folded;

typedef struct {
    int is_ascii;  /* the page, and whatever references have meant so far */
    int is_source; /* texts may hold any reference, not only those that a parser writes */
    PyObject *child_of, *runs, *skeleton, *items;
    PyObject *body, *context; /* borrowed, as those on the stack: their maker keeps them */
    int depth;
    Folded run, caption;
    size_t linked, stressed;
    Py_ssize_t anchor; /* the item of the link that we are in, -1: none */
    int anchor_depth;  /* where it ends */
    size_t caption_letters;
    PyObject *stack[DEEPEST_READ];
} Reader;

/* All of these: FAILED with an exception, ODD where only the tree will tell. */
Reader *reader_new(PyObject *body, PyObject *child_of, Py_ssize_t caption_letters);
void reader_free(Reader *reader);
int reader_enter(Reader *reader, const char *tag, size_t length, size_t name_length, int is_anchor);
int reader_leave(Reader *reader);
int reader_hear(Reader *reader, const char *text, const char *end);
int reader_finish(Reader *reader);
int reader_add_name(Reader *reader, PyObject *context); /* of an element that was entered, to the skeleton */
int reader_note(Reader *reader, PyObject *item); /* an element that leads somewhere; the item is taken */

#endif
