/* Reads one WARC record, as `archive/record.py` does, which says what everything means. */
#define _GNU_SOURCE /* memmem */
#define PY_SSIZE_T_CLEAN
#include "native.h"

#include <string.h>

static const char END[] = "\r\n\r\n";
enum { END_LENGTH = 4 };

/* Whether a name is that one, of small letters, in whatever case. */
static int
is_named(const char *name, size_t size, const char *wanted)
{
    if (size != strlen(wanted)) return 0;
    for (size_t at = 0; at < size; at++)
        if (((name[at] >= 'A' && name[at] <= 'Z') ? name[at] | 0x20 : name[at]) != wanted[at]) return 0;
    return 1;
}

/* Negative: it is no plain number. */
static Py_ssize_t
number_of(const char *at, const char *end)
{
    Py_ssize_t number = 0;
    if (at == end || end - at > 15) return -1;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return -1;
        number = number * 10 + (*at - '0');
    }
    return number;
}

static int
is_blank(char letter)
{
    return letter == ' ' || letter == '\t';
}

/* A field of ASCII into the list; `length` is told apart. -1: not so plain, or failed. */
static int
take_field(PyObject *fields, const char *at, const char *end, Py_ssize_t *length)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (colon == NULL) return -1;
    const char *value = colon + 1, *stop = end;
    while (value < stop && is_blank(*value)) value++;
    while (stop > value && is_blank(stop[-1])) stop--;
    if (is_named(at, (size_t)(colon - at), "content-length")) {
        if (*length >= 0) return -1; /* told twice */
        *length = number_of(value, stop);
        return *length < 0 ? -1 : 0;
    }
    PyObject *name = PyUnicode_DecodeUTF8(at, colon - at, NULL), *said = name ? PyUnicode_DecodeUTF8(value, stop - value, NULL) : NULL;
    PyObject *field = said ? PyTuple_Pack(2, name, said) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(said);
    int failed = field == NULL || PyList_Append(fields, field) < 0;
    Py_XDECREF(field);
    return failed ? -1 : 0;
}

/* The fields of a head, and how long the block is said to be; NULL: it is not so plain, or failed. */
static PyObject *
fields_of(const char *at, const char *end, Py_ssize_t *length)
{
    PyObject *fields = PyList_New(0);
    while (fields != NULL && at < end) {
        const char *stop = memmem(at, (size_t)(end - at), "\r\n", 2);
        if (stop == NULL) stop = end;
        if (take_field(fields, at, stop, length) < 0) Py_CLEAR(fields);
        at = stop + 2;
    }
    return fields;
}

/* record_parts(data) -> (fields, block) of one whole record; None: it is not so plain */
PyObject *
native_record_parts(PyObject *module, PyObject *data)
{
    if (!PyBytes_Check(data)) {
        PyErr_SetString(PyExc_TypeError, "bytes are wanted");
        return NULL;
    }
    const char *at = PyBytes_AS_STRING(data), *end = at + PyBytes_GET_SIZE(data);
    const char *gap = memmem(at, (size_t)(end - at), END, END_LENGTH), *first = memmem(at, (size_t)(end - at), "\r\n", 2);
    if (gap == NULL || first >= gap || memcmp(at, "WARC/1.", 7)) Py_RETURN_NONE;
    Py_ssize_t length = -1;
    PyObject *listed = fields_of(first + 2, gap, &length), *fields = listed ? PyList_AsTuple(listed) : NULL;
    Py_XDECREF(listed);
    const char *block = gap + END_LENGTH;
    PyObject *answer = NULL;
    if (fields != NULL && length >= 0 && end - block == length + END_LENGTH && !memcmp(end - END_LENGTH, END, END_LENGTH))
        answer = Py_BuildValue("Oy#", fields, block, length);
    else if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
        answer = Py_NewRef(Py_None);
    }
    Py_XDECREF(fields);
    return answer;
}

enum { TOLD_URL, TOLD_DATE, TOLD_DIGEST, TOLD_LENGTH, TOLD };

typedef struct {
    const char *at;
    Py_ssize_t length;
} Text;

static int
is_line(const char *at, const char *end, const char *line)
{
    size_t length = strlen(line);
    return (size_t)(end - at) == length && !memcmp(at, line, length);
}

/* What a line tells, if it is one of these; 0: it is spelt in another way than ours, or the second of its name. */
static int
take_told(Text *told, const char *at, const char *end)
{
    static const char *const OURS[TOLD] = {"WARC-Target-URI: ", "WARC-Date: ", "Recrawl-Body-Digest: ", "Content-Length: "};
    static const char *const NAMES[TOLD] = {"warc-target-uri", "warc-date", "recrawl-body-digest", "content-length"};
    const char *colon = memchr(at, ':', (size_t)(end - at));
    int which = 0;
    if (colon == NULL) return 1;
    while (which < TOLD && !is_named(at, (size_t)(colon - at), NAMES[which])) which++;
    if (which == TOLD) return 1;
    size_t length = strlen(OURS[which]);
    if (told[which].at != NULL || (size_t)(end - at) <= length || memcmp(at, OURS[which], length)) return 0;
    if (is_blank(at[length]) || is_blank(end[-1])) return 0;
    told[which] = (Text){at + length, end - at - (Py_ssize_t)length};
    return 1;
}

/* response_told(data) -> (address, date, digest of the body, status, headers, body) of a whole record of a response as ours
 * are; None: it is another's, or something is hidden in its head */
PyObject *
native_response_told(PyObject *module, PyObject *data)
{
    if (!PyBytes_Check(data)) {
        PyErr_SetString(PyExc_TypeError, "bytes are wanted");
        return NULL;
    }
    const char *at = PyBytes_AS_STRING(data), *end = at + PyBytes_GET_SIZE(data);
    const char *gap = memmem(at, (size_t)(end - at), END, END_LENGTH);
    if (gap == NULL || gap - at < 10 || memcmp(at, "WARC/1.1\r\n", 10)) Py_RETURN_NONE;
    Text told[TOLD] = {{0}};
    int is_first = 1;
    for (at += 10; at < gap; is_first = 0) {
        const char *stop = memmem(at, (size_t)(gap - at), "\r\n", 2);
        if (stop == NULL) stop = gap;
        if (is_first && !is_line(at, stop, "WARC-Type: response")) Py_RETURN_NONE;
        if (!take_told(told, at, stop)) Py_RETURN_NONE;
        at = stop + 2;
    }
    const char *block = gap + END_LENGTH;
    Py_ssize_t length = told[TOLD_LENGTH].at == NULL ? -1 : number_of(told[TOLD_LENGTH].at, told[TOLD_LENGTH].at + told[TOLD_LENGTH].length);
    if (is_first || length < 0 || told[TOLD_URL].at == NULL || told[TOLD_DATE].at == NULL) Py_RETURN_NONE;
    if (end - block != length + END_LENGTH || memcmp(end - END_LENGTH, END, END_LENGTH)) Py_RETURN_NONE;
    const char *body = memmem(block, (size_t)length, END, END_LENGTH);
    if (body == NULL) Py_RETURN_NONE;
    body += END_LENGTH;
    int status = 0;
    PyObject *headers = head_told(block, body, &status), *answer = NULL;
    if (headers != NULL)
        answer = Py_BuildValue("s#s#s#iNy#", told[TOLD_URL].at, told[TOLD_URL].length, told[TOLD_DATE].at, told[TOLD_DATE].length,
                               told[TOLD_DIGEST].at ? told[TOLD_DIGEST].at : "", told[TOLD_DIGEST].length, status, headers, body,
                               block + length - body);
    if (answer != NULL || (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError))) return answer;
    PyErr_Clear();
    Py_RETURN_NONE;
}
