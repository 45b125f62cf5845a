/* The head of an answer as nearly all are: one response, one field a line. Anything else is left to `fetch/head.py`. */
#include "native.h"

#include <string.h>

static const char *const NAMES[] = {
    "accept-ranges", "age", "alt-svc", "cache-control", "cf-cache-status", "cf-ray", "connection", "content-encoding",
    "content-language", "content-length", "content-security-policy", "content-type", "date", "etag", "expires",
    "keep-alive", "last-modified", "link", "location", "nel", "pragma", "referrer-policy", "report-to", "server",
    "set-cookie", "strict-transport-security", "transfer-encoding", "vary", "via", "x-cache", "x-content-type-options",
    "x-frame-options", "x-powered-by", "x-robots-tag", "x-xss-protection",
};
#define KNOWN (sizeof(NAMES) / sizeof(NAMES[0]))
#define LONGEST 64
#define MOST_FIELDS 64

static PyObject *known[KNOWN]; /* the same objects for all answers */

int
head_prepare(void)
{
    for (size_t at = 0; at < KNOWN; at++)
        if (known[at] == NULL && (known[at] = PyUnicode_InternFromString(NAMES[at])) == NULL) return -1;
    return 0;
}

static PyObject *
lowered(const char *name, Py_ssize_t length)
{
    char lower[LONGEST];
    lower[0] = 0; /* of a name without letters */
    if (length > LONGEST) return NULL;
    for (Py_ssize_t at = 0; at < length; at++) {
        char letter = name[at];
        if ((unsigned char)letter >= 0x80) return NULL;
        lower[at] = letter >= 'A' && letter <= 'Z' ? (char)(letter | 0x20) : letter;
    }
    for (size_t at = 0; at < KNOWN; at++)
        if (NAMES[at][0] == lower[0] && PyUnicode_GET_LENGTH(known[at]) == length && !memcmp(NAMES[at], lower, (size_t)length))
            return Py_NewRef(known[at]);
    return PyUnicode_DecodeLatin1(lower, length, NULL);
}

static int
is_blank(char letter)
{
    return letter == ' ' || letter == '\t';
}

/* NULL, with or without an exception: not a plain field. */
static PyObject *
field_of(const char *line, Py_ssize_t length)
{
    const char *colon = length ? memchr(line, ':', (size_t)length) : NULL;
    if (colon == NULL || is_blank(line[0])) return NULL;
    const char *name_end = colon, *value = colon + 1, *end = line + length;
    while (name_end > line && is_blank(name_end[-1])) name_end--;
    while (value < end && (is_blank(*value) || *value == '\r' || *value == '\n')) value++;
    while (end > value && (is_blank(end[-1]) || end[-1] == '\r' || end[-1] == '\n')) end--;
    PyObject *name = lowered(line, name_end - line);
    if (name == NULL) return NULL;
    PyObject *said = PyUnicode_DecodeLatin1(value, end - value, NULL);
    PyObject *field = said == NULL ? NULL : PyTuple_Pack(2, name, said);
    Py_DECREF(name);
    Py_XDECREF(said);
    return field;
}

/* `HTTP/1.1 200 OK`; 0 where it is not so plain, or only an interim answer. */
static int
status_of(const char *line, Py_ssize_t length)
{
    if (length < 12 || memcmp(line, "HTTP/1.", 7) || line[8] != ' ') return 0;
    if (length > 12 && line[12] != ' ' && line[12] != '\r' && line[12] != '\n') return 0;
    int status = 0;
    for (int at = 9; at < 12; at++) {
        if (line[at] < '0' || line[at] > '9') return 0;
        status = status * 10 + line[at] - '0';
    }
    return status >= 200 && status < 600 ? status : 0;
}

static int
is_end(PyObject *line)
{
    const char *text = PyBytes_AS_STRING(line);
    Py_ssize_t length = PyBytes_GET_SIZE(line);
    return (length == 2 && text[0] == '\r' && text[1] == '\n') || (length == 1 && text[0] == '\n');
}

/* Most answers of a server say most lines as the one before: the field is the same then, not one more. */
#define RECENT 16
#define LONGEST_RECENT 112

static struct {
    PyObject *field;
    Py_ssize_t length;
    char line[LONGEST_RECENT];
} recent[RECENT];

static PyObject *
usual_field(int place, const char *line, Py_ssize_t length)
{
    if (place >= RECENT || length > LONGEST_RECENT) return field_of(line, length);
    if (recent[place].length == length && !memcmp(recent[place].line, line, (size_t)length)) return Py_NewRef(recent[place].field);
    PyObject *field = field_of(line, length);
    if (field == NULL) return NULL;
    memcpy(recent[place].line, line, (size_t)length);
    recent[place].length = length;
    Py_XSETREF(recent[place].field, Py_NewRef(field));
    return field;
}

static const char HIDDEN[] = "x-crawler-";

static int
is_hidden(PyObject *field)
{
    Py_ssize_t size = 0;
    const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(field, 0), &size);
    return name == NULL || (size >= (Py_ssize_t)sizeof(HIDDEN) - 1 && !memcmp(name, HIDDEN, sizeof(HIDDEN) - 1));
}

static PyObject *
tuple_of(PyObject **fields, int count)
{
    PyObject *all = PyTuple_New(count);
    for (int one = 0; all != NULL && one < count; one++) PyTuple_SET_ITEM(all, one, Py_NewRef(fields[one]));
    return all;
}

/* `any`: names that recrawl has made itself are nothing special. */
static PyObject *
fields_told(const char *at, const char *end, int any, int *status)
{
    PyObject *fields[MOST_FIELDS], *told = NULL;
    int count = 0;
    for (int is_first = 1; at < end; is_first = 0) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL || stop == at || stop[-1] != '\r' || memchr(at, '\r', (size_t)(stop - 1 - at))) break;
        Py_ssize_t length = stop + 1 - at;
        if (is_first && (*status = at[7] == '0' || at[7] == '1' ? status_of(at, length) : 0) == 0) break;
        if (length == 2) {
            told = stop + 1 == end ? tuple_of(fields, count) : NULL;
            break;
        }
        if (!is_first) {
            if (count == MOST_FIELDS || (fields[count] = usual_field(count, at, length)) == NULL) break;
            count++;
            if (!any && is_hidden(fields[count - 1])) break;
        }
        at = stop + 1;
    }
    while (count) Py_DECREF(fields[--count]);
    return told;
}

PyObject *
head_told(const char *at, const char *end, int *status)
{
    return fields_told(at, end, 0, status);
}

PyObject *
head_came(const char *at, const char *end, int *status)
{
    return fields_told(at, end, 1, status);
}

/* head(lines) -> (status, fields, raw), or None */
PyObject *
native_head(PyObject *module, PyObject *lines)
{
    Py_ssize_t count = PyList_Check(lines) ? PyList_GET_SIZE(lines) : 0, size = 0;
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *line = PyList_GET_ITEM(lines, at);
        if (!PyBytes_CheckExact(line) || is_end(line) != (at == count - 1)) Py_RETURN_NONE;
        size += PyBytes_GET_SIZE(line);
    }
    int status = count < 2 ? 0 : status_of(PyBytes_AS_STRING(PyList_GET_ITEM(lines, 0)), PyBytes_GET_SIZE(PyList_GET_ITEM(lines, 0)));
    if (!status) Py_RETURN_NONE;
    PyObject *fields = PyTuple_New(count - 2), *raw = PyBytes_FromStringAndSize(NULL, size);
    if (fields == NULL || raw == NULL) goto other;
    char *to = PyBytes_AS_STRING(raw);
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *line = PyList_GET_ITEM(lines, at);
        memcpy(to, PyBytes_AS_STRING(line), (size_t)PyBytes_GET_SIZE(line));
        to += PyBytes_GET_SIZE(line);
        if (at == 0 || at == count - 1) continue;
        PyObject *field = field_of(PyBytes_AS_STRING(line), PyBytes_GET_SIZE(line));
        if (field == NULL) goto other;
        PyTuple_SET_ITEM(fields, at - 1, field);
    }
    return Py_BuildValue("iNN", status, fields, raw);
other:
    Py_XDECREF(fields);
    Py_XDECREF(raw);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}
