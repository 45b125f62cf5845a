/* Words of texts, as `detect/digest.py` parts them. */
#ifndef RECRAWL_WORDS_H
#define RECRAWL_WORDS_H

#include "native.h"

enum { FAILED = -1, WELL = 0, ODD = 1 };

/* The texts of one version of a page, in order. */
typedef struct {
    PyObject *const *texts; /* borrowed */
    Py_ssize_t count;
} Version;

/* WELL: whatever links have these captions, the same of them stand in both texts; ODD: perhaps. FAILED with an exception.
 * `head`, `tail`: so many texts are the same in both. */
int words_stand_alike(const Version *old, const Version *new, Py_ssize_t head, Py_ssize_t tail, PyObject *const *captions, Py_ssize_t count);
/* Whether a text is printable ASCII, its space single blanks and none at its ends. */
int words_are_folded(PyObject *text);

#endif
