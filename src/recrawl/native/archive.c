/* Small things that every record of a WARC file needs. */
#define _GNU_SOURCE /* memrchr */
#include "native.h"

#include <string.h>

static const char BASE_32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
static const char HEX[] = "0123456789abcdef";

/* sha1_text(digest) -> "sha1:…" in base 32, of twenty bytes */
PyObject *
native_sha1_text(PyObject *module, PyObject *digest)
{
    if (!PyBytes_Check(digest) || PyBytes_GET_SIZE(digest) != 20) {
        PyErr_SetString(PyExc_ValueError, "a sha1 has twenty bytes");
        return NULL;
    }
    PyObject *text = PyUnicode_New(5 + 32, 127);
    if (text == NULL) return NULL;
    Py_UCS1 *to = PyUnicode_1BYTE_DATA(text);
    memcpy(to, "sha1:", 5);
    to += 5;
    const unsigned char *from = (const unsigned char *)PyBytes_AS_STRING(digest);
    for (int five = 0; five < 4; five++, from += 5) {
        uint64_t bits = 0;
        for (int at = 0; at < 5; at++) bits = bits << 8 | from[at];
        for (int shift = 35; shift >= 0; shift -= 5) *to++ = (Py_UCS1)BASE_32[bits >> shift & 31];
    }
    return text;
}

/* urn_uuid(bytes) -> "<urn:uuid:…>", a random UUID of sixteen random bytes */
PyObject *
native_urn_uuid(PyObject *module, PyObject *random)
{
    if (!PyBytes_Check(random) || PyBytes_GET_SIZE(random) != 16) {
        PyErr_SetString(PyExc_ValueError, "a UUID has sixteen bytes");
        return NULL;
    }
    PyObject *text = PyUnicode_New(10 + 36 + 1, 127);
    if (text == NULL) return NULL;
    Py_UCS1 *to = PyUnicode_1BYTE_DATA(text);
    memcpy(to, "<urn:uuid:", 10);
    to += 10;
    const unsigned char *from = (const unsigned char *)PyBytes_AS_STRING(random);
    for (int at = 0; at < 16; at++) {
        unsigned char byte = from[at];
        if (at == 6) byte = (unsigned char)((byte & 0x0F) | 0x40);
        if (at == 8) byte = (unsigned char)((byte & 0x3F) | 0x80);
        if (at == 4 || at == 6 || at == 8 || at == 10) *to++ = '-';
        *to++ = (Py_UCS1)HEX[byte >> 4];
        *to++ = (Py_UCS1)HEX[byte & 15];
    }
    *to = '>';
    return text;
}

static const char *
line_start(const char *begin, const char *at)
{
#ifdef __GLIBC__
    const char *before = memrchr(begin, '\n', (size_t)(at - begin));
    return before == NULL ? begin : before + 1;
#else
    while (at > begin && at[-1] != '\n') at--;
    return at;
#endif
}

static int
compare(const char *line, const char *end, const char *key, size_t length)
{
    size_t room = (size_t)(end - line), shared = room < length ? room : length;
    int order = memcmp(line, key, shared);
    return order ? order : (shared < length ? -1 : 0);
}

/* lines_beginning_with(sorted, key) -> [line, …] of a buffer of sorted lines */
PyObject *
native_lines_beginning_with(PyObject *module, PyObject *arguments)
{
    Py_buffer sorted, key;
    if (!PyArg_ParseTuple(arguments, "y*y*", &sorted, &key)) return NULL;
    const char *begin = sorted.buf, *end = begin + sorted.len, *low = begin, *high = end;
    while (low < high) { /* the first line that is not before the key */
        const char *middle = line_start(low, low + (high - low) / 2);
        if (compare(middle, end, key.buf, (size_t)key.len) < 0) {
            const char *next = memchr(middle, '\n', (size_t)(end - middle));
            low = next == NULL ? end : next + 1;
        } else {
            high = middle;
        }
    }
    PyObject *found = PyList_New(0);
    while (found != NULL && low < end && compare(low, end, key.buf, (size_t)key.len) == 0) {
        const char *next = memchr(low, '\n', (size_t)(end - low));
        const char *stop = next == NULL ? end : next + 1;
        PyObject *line = PyBytes_FromStringAndSize(low, stop - low);
        if (line == NULL || PyList_Append(found, line) < 0) Py_CLEAR(found);
        Py_XDECREF(line);
        low = stop;
    }
    PyBuffer_Release(&sorted);
    PyBuffer_Release(&key);
    return found;
}
