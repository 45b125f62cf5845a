/* What was asked and what came: the conditions of a request, and answers as the journal keeps them. */
#include "lines.h"

#define LONGEST_TAG 1024
#define LONGEST_DATE_SENT 64
#define TAG_LINE "If-None-Match: "
#define DATE_LINE "If-Modified-Since: "

/* An entity tag of ASCII (fetch/validators.py). */
static int
is_tag(Piece tag)
{
    const char *at = tag.at, *end = at + tag.length;
    if (tag.length > LONGEST_TAG) return 0;
    if (tag.length > 2 && at[0] == 'W' && at[1] == '/') at += 2;
    if (end - at < 2 || *at != '"' || end[-1] != '"') return 0;
    for (at++; at < end - 1; at++)
        if (*at < 0x21 || *at > 0x7E || *at == '"') return 0;
    return 1;
}

/* Something printable with a digit in it. */
static int
is_date(Piece date)
{
    int digits = 0;
    for (size_t at = 0; at < date.length; at++) {
        if (date.at[at] < 0x20 || date.at[at] > 0x7E) return 0;
        digits += date.at[at] >= '0' && date.at[at] <= '9';
    }
    return digits && date.length <= LONGEST_DATE_SENT;
}

static int
append_line(PyObject *lines, const char *name, Piece value)
{
    size_t length = strlen(name);
    PyObject *line = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(length + value.length));
    if (line == NULL) return -1;
    put_piece(put_text(PyBytes_AS_STRING(line), name, length), value);
    int failed = PyList_Append(lines, line);
    Py_DECREF(line);
    return failed;
}

/* What is plain of both, in this order; negative: one of them is not, perhaps with an exception. */
static int
append_conditions(PyObject *lines, Piece tag, Piece date)
{
    if (tag.length && append_line(lines, TAG_LINE, tag) < 0) return -1;
    return date.length ? append_line(lines, DATE_LINE, date) : 0;
}

static int
are_plain(Piece tag, Piece date)
{
    return tag.at != NULL && date.at != NULL && (!tag.length || is_tag(tag)) && (!date.length || is_date(date));
}

/* condition_lines(etag, last_modified) -> [line, …]; None: one of them is not so plain */
PyObject *
native_condition_lines(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2) return PyErr_Format(PyExc_TypeError, "a tag and a date are wanted");
    Piece tag = ascii_piece(arguments[0]), date = ascii_piece(arguments[1]);
    if (!are_plain(tag, date)) Py_RETURN_NONE;
    PyObject *lines = PyList_New(0);
    if (lines != NULL && append_conditions(lines, tag, date) < 0) Py_CLEAR(lines);
    return lines;
}

/* A path and query that need no normalising (fetch/request.py, PLAIN_TARGET). */
static int
is_target(const char *at, const char *end)
{
    if (at >= end || *at != '/') return 0;
    for (; at < end; at++)
        if (*at < 0x21 || *at > 0x7E || *at == '#' || *at == '\\') return 0;
    return 1;
}

static char *
put_line(char *to, const char *name, Piece value)
{
    return value.length ? PUT(put_piece(put_text(to, name, strlen(name)), value), "\r\n") : to;
}

/* plain_head(url, path_at, etag, last_modified, standing part) -> the head as it goes over the wire; None: something is not
 * so plain */
PyObject *
native_plain_head(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 5 || !PyLong_CheckExact(arguments[1]) || !PyBytes_CheckExact(arguments[4]))
        return PyErr_Format(PyExc_TypeError, "an address, a place in it, a tag, a date and what always stands there are wanted");
    Piece url = ascii_piece(arguments[0]), tag = ascii_piece(arguments[2]), date = ascii_piece(arguments[3]);
    Piece standing = {PyBytes_AS_STRING(arguments[4]), (size_t)PyBytes_GET_SIZE(arguments[4])};
    Py_ssize_t path_at = PyLong_AsSsize_t(arguments[1]);
    if (path_at == -1 && PyErr_Occurred()) return NULL;
    if (url.at == NULL || path_at < 0 || (size_t)path_at >= url.length || !are_plain(tag, date)) Py_RETURN_NONE;
    Piece target = {url.at + path_at, url.length - (size_t)path_at};
    if (!is_target(target.at, target.at + target.length)) Py_RETURN_NONE;
    size_t size = sizeof("GET \r\n") - 1 + target.length + standing.length;
    if (tag.length) size += sizeof(TAG_LINE "\r\n") - 1 + tag.length;
    if (date.length) size += sizeof(DATE_LINE "\r\n") - 1 + date.length;
    PyObject *head = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (head == NULL) return NULL;
    char *to = put_piece(put_piece(PUT(PyBytes_AS_STRING(head), "GET "), target), standing);
    PUT(put_line(put_line(to, TAG_LINE, tag), DATE_LINE, date), "\r\n");
    return head;
}

/* ---- the journal -------------------------------------------------------------------------------------------------- */

enum { REPLY_ASK, REPLY_AT, REPLY_TIMES, REPLY_RECEIVED, REPLY_PEER, REPLY_REQUEST, REPLY_HEAD, REPLY_BODY, ASK_ETAG, ASK_DATE, TIMES_FIRST };
#define TIMES 5
#define NOTED_SLOTS (TIMES_FIRST + TIMES)
#define TEXTS 6

typedef struct {
    int64_t page;
    double at, times[TIMES];
    uint64_t received_bytes;
    uint32_t sizes[TEXTS];
} Facts; /* fetch/journal.py, _FACTS */

_Static_assert(sizeof(Facts) == 88, "entries are read as they are written");

static Py_ssize_t noted_offsets[NOTED_SLOTS];
static PyTypeObject *noted_reply, *noted_ask, *noted_times;

/* noted(Reply, Ask, Times): what `packed_answers` reads */
PyObject *
native_noted(PyObject *module, PyObject *arguments)
{
    PyTypeObject *reply, *ask, *times;
    if (!PyArg_ParseTuple(arguments, "O!O!O!", &PyType_Type, &reply, &PyType_Type, &ask, &PyType_Type, &times)) return NULL;
    static const char *const NAMES[NOTED_SLOTS] = {
        "ask", "at", "times", "received_bytes", "peer", "raw_request", "raw_head", "sent_body", "etag", "last_modified",
        "resolve_s", "connect_s", "tls_s", "first_byte_s", "total_s"};
    for (int one = 0; one < NOTED_SLOTS; one++) {
        noted_offsets[one] = slot_named(one < ASK_ETAG ? reply : one < TIMES_FIRST ? ask : times, NAMES[one]);
        if (noted_offsets[one] < 0) return NULL;
    }
    Py_XSETREF(noted_reply, (PyTypeObject *)Py_NewRef(reply));
    Py_XSETREF(noted_ask, (PyTypeObject *)Py_NewRef(ask));
    Py_XSETREF(noted_times, (PyTypeObject *)Py_NewRef(times));
    Py_RETURN_NONE;
}

static PyObject *
noted_slot(PyObject *value, int which)
{
    PyObject *found = *(PyObject **)((char *)value + noted_offsets[which]);
    return found == NULL ? Py_None : found;
}

static Piece
noted_bytes(PyObject *reply, int which)
{
    PyObject *data = noted_slot(reply, which);
    if (!PyBytes_Check(data) || (uint64_t)PyBytes_GET_SIZE(data) > UINT32_MAX) return (Piece){NULL, 0};
    return (Piece){PyBytes_AS_STRING(data), (size_t)PyBytes_GET_SIZE(data)};
}

/* Others may run anything when they are asked for their number. */
static int
is_plain_number(PyObject *value)
{
    return PyFloat_CheckExact(value) || PyLong_CheckExact(value);
}

/* Facts and texts of one; 0: something is not plain, perhaps with an exception. */
static int
take_answer(PyObject *came, Facts *facts, Piece *texts)
{
    if (!PyTuple_Check(came) || PyTuple_GET_SIZE(came) != 2) return 0;
    PyObject *reply = PyTuple_GET_ITEM(came, 1);
    if (!Py_IS_TYPE(reply, noted_reply)) return 0;
    PyObject *ask = noted_slot(reply, REPLY_ASK), *times = noted_slot(reply, REPLY_TIMES);
    if (!Py_IS_TYPE(ask, noted_ask) || !Py_IS_TYPE(times, noted_times)) return 0;
    int is_plain = PyLong_CheckExact(PyTuple_GET_ITEM(came, 0)) && is_plain_number(noted_slot(reply, REPLY_AT));
    for (int one = 0; one < TIMES; one++) is_plain &= is_plain_number(noted_slot(times, TIMES_FIRST + one));
    if (!is_plain) return 0;
    facts->page = PyLong_AsLongLong(PyTuple_GET_ITEM(came, 0));
    facts->at = PyFloat_AsDouble(noted_slot(reply, REPLY_AT));
    facts->received_bytes = PyLong_AsUnsignedLongLong(noted_slot(reply, REPLY_RECEIVED));
    for (int one = 0; one < TIMES; one++) facts->times[one] = PyFloat_AsDouble(noted_slot(times, TIMES_FIRST + one));
    if (PyErr_Occurred()) return 0;
    const Piece found[TEXTS] = {
        ascii_piece(noted_slot(ask, ASK_ETAG)),   ascii_piece(noted_slot(ask, ASK_DATE)),  ascii_piece(noted_slot(reply, REPLY_PEER)),
        noted_bytes(reply, REPLY_REQUEST), noted_bytes(reply, REPLY_HEAD), noted_bytes(reply, REPLY_BODY)};
    for (int one = 0; one < TEXTS; one++) {
        if (found[one].at == NULL || found[one].length > UINT32_MAX) return 0;
        texts[one] = found[one];
        facts->sizes[one] = (uint32_t)found[one].length;
    }
    return 1;
}

static size_t
entry_bytes(const Facts *facts)
{
    size_t size = sizeof(*facts);
    for (int one = 0; one < TEXTS; one++) size += facts->sizes[one];
    return size;
}

/* packed_answers([(page, reply), …]) -> the entries of a frame; None: something is not plain */
PyObject *
native_packed_answers(PyObject *module, PyObject *came)
{
    if (!PyList_Check(came) || noted_reply == NULL) return PyErr_Format(PyExc_TypeError, "a list is wanted, after a call of noted");
    Facts facts;
    Piece texts[TEXTS];
    size_t size = 0;
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(came); one++) {
        if (!take_answer(PyList_GET_ITEM(came, one), &facts, texts)) {
            if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) return NULL;
            PyErr_Clear();
            Py_RETURN_NONE;
        }
        size += entry_bytes(&facts);
    }
    PyObject *entries = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (entries == NULL) return NULL;
    char *to = PyBytes_AS_STRING(entries);
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(came); one++) {
        take_answer(PyList_GET_ITEM(came, one), &facts, texts); /* as plain as it was */
        to = put_text(to, (const char *)&facts, sizeof(facts));
        for (int text = 0; text < TEXTS; text++) to = put_piece(to, texts[text]);
    }
    return entries;
}
