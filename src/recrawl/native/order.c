/* Sorts the lines of a file that lies in memory. */
#include "lines.h"

static int
by_bytes(const void *one, const void *other)
{
    const Piece *first = one, *second = other;
    size_t shared = first->length < second->length ? first->length : second->length;
    int order = memcmp(first->at, second->at, shared);
    if (order || first->length == second->length) return order;
    return first->length < second->length ? -1 : 1;
}

static size_t
count_lines(const char *at, const char *end)
{
    size_t count = 0;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline == NULL ? end : newline + 1;
        count++;
    }
    return count;
}

static void
take_lines(Piece *lines, const char *at, const char *end)
{
    for (; at < end; lines++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline == NULL ? end : newline + 1;
        *lines = (Piece){at, (size_t)(stop - at)};
        at = stop;
    }
}

/* As many of the lines as fit into a run of so many bytes, one at least. */
static PyObject *
run_of(const Piece **from, const Piece *end, size_t run_bytes)
{
    const Piece *line = *from;
    size_t size = 0;
    while (line < end && (line == *from || size + line->length <= run_bytes)) size += line++->length;
    PyObject *run = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (run == NULL) return NULL;
    char *to = PyBytes_AS_STRING(run);
    for (; *from < line; (*from)++) to = put_piece(to, **from);
    return run;
}

/* write_in_order(lines, write, run_bytes): hands the sorted lines of a buffer to `write`, runs of them at once */
PyObject *
native_write_in_order(PyObject *module, PyObject *arguments)
{
    Py_buffer text;
    PyObject *write;
    Py_ssize_t run_bytes;
    if (!PyArg_ParseTuple(arguments, "y*On", &text, &write, &run_bytes)) return NULL;
    const char *begin = text.buf, *end = begin + text.len;
    PyObject *answer = NULL;
    size_t count = count_lines(begin, end);
    Piece *lines = PyMem_Calloc(count + 1, sizeof(Piece));
    if (lines == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS /* a large file's lines take seconds */
    take_lines(lines, begin, end);
    qsort(lines, count, sizeof(Piece), by_bytes);
    Py_END_ALLOW_THREADS
    for (const Piece *next = lines; next < lines + count;) {
        PyObject *run = run_of(&next, lines + count, (size_t)run_bytes);
        PyObject *written = run == NULL ? NULL : PyObject_CallOneArg(write, run);
        Py_XDECREF(run);
        Py_XDECREF(written);
        if (written == NULL) goto done;
    }
    answer = Py_NewRef(Py_None);
done:
    PyMem_Free(lines);
    PyBuffer_Release(&text);
    return answer;
}
