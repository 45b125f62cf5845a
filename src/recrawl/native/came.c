/* The replies that most answers are (fetch/transfer.py, fetch/line.py): a 304 to a condition, and a whole document. */
#define _GNU_SOURCE /* memmem */
#include "lines.h"

enum { ASK, AT, AUTHORITY, TARGET, SENT_LINES, CAME_LINES, TIMES, PEER, RECEIVED, ARGUMENTS, SENT_BODY = ARGUMENTS, MOST_ARGUMENTS };
#define REPLY_FIELDS 14 /* the first of model/visit.py's Reply */

static PyObject *reply_class, *times_class, *steady, *no_seconds, *not_modified, *document, *inflate, *status_304, *status_200, *no_bytes, *no_text;
static Py_ssize_t most_bytes;

/* answering(Reply, Times, monotonic, Evidence.NOT_MODIFIED, Evidence.DOCUMENT, inflate, most bytes): what `not_modified`,
 * `came_whole`, `told` and `answered` make. `inflate(sent body, ask)`: what comes out of gzip; None: it is not so plain. Bodies of more bytes are left to Python. */
PyObject *
native_answering(PyObject *module, PyObject *arguments)
{
    PyObject *reply, *times, *clock, *proof, *whole, *undo;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(arguments, "O!O!OOOOn", &PyType_Type, &reply, &PyType_Type, &times, &clock, &proof, &whole, &undo, &most)) return NULL;
    if (no_seconds == NULL && (no_seconds = PyFloat_FromDouble(0.0)) == NULL) return NULL;
    if (status_304 == NULL && (status_304 = PyLong_FromLong(304)) == NULL) return NULL;
    if (status_200 == NULL && (status_200 = PyLong_FromLong(200)) == NULL) return NULL;
    if (no_bytes == NULL && (no_bytes = PyBytes_FromStringAndSize(NULL, 0)) == NULL) return NULL;
    if (no_text == NULL && (no_text = PyUnicode_New(0, 0)) == NULL) return NULL;
    Py_XSETREF(not_modified, Py_NewRef(proof));
    Py_XSETREF(document, Py_NewRef(whole));
    Py_XSETREF(inflate, Py_NewRef(undo));
    Py_XSETREF(times_class, Py_NewRef(times));
    Py_XSETREF(steady, Py_NewRef(clock));
    Py_XSETREF(reply_class, Py_NewRef(reply));
    most_bytes = most;
    Py_RETURN_NONE;
}

static int
begins(PyObject *line, const char *text, size_t length)
{
    return PyBytes_CheckExact(line) && (size_t)PyBytes_GET_SIZE(line) >= length && !memcmp(PyBytes_AS_STRING(line), text, length);
}

static int
says(PyObject *lines, const char *status)
{
    PyObject *first = PyList_CheckExact(lines) && PyList_GET_SIZE(lines) ? PyList_GET_ITEM(lines, 0) : Py_None;
    return begins(first, "HTTP/1.", 7) && PyBytes_GET_SIZE(first) > 12 && !memcmp(PyBytes_AS_STRING(first) + 8, status, 4);
}

/* The head as it goes over the wire (fetch/request.py, `raw_request`); NULL without an exception: there is no condition in
 * it where one must be, or it is not so plain. */
static PyObject *
request_of(PyObject *authority, PyObject *target, PyObject *lines, int needs_condition)
{
    Piece host = ascii_piece(authority), path = ascii_piece(target);
    if (host.at == NULL || path.at == NULL || !PyList_CheckExact(lines)) return NULL;
    int is_conditional = !needs_condition;
    size_t size = sizeof("GET  HTTP/1.1\r\nHost: \r\n\r\n") - 1 + host.length + path.length;
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(lines); one++) {
        PyObject *line = PyList_GET_ITEM(lines, one);
        if (!PyBytes_CheckExact(line)) return NULL;
        size += (size_t)PyBytes_GET_SIZE(line) + 2;
        is_conditional |= begins(line, "If-", 3);
    }
    PyObject *request = is_conditional ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size) : NULL;
    if (request == NULL) return NULL;
    char *to = PUT(put_piece(PUT(PyBytes_AS_STRING(request), "GET "), path), " HTTP/1.1\r\nHost: ");
    to = PUT(put_piece(to, host), "\r\n");
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(lines); one++) {
        PyObject *line = PyList_GET_ITEM(lines, one);
        to = PUT(put_text(to, PyBytes_AS_STRING(line), (size_t)PyBytes_GET_SIZE(line)), "\r\n");
    }
    PUT(to, "\r\n");
    return request;
}

/* raw_request(authority, target, lines, method) -> the head of a GET; None: it is another, or not so plain */
PyObject *
native_raw_request(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 4) return PyErr_Format(PyExc_TypeError, "an authority, a target, lines and a method are wanted");
    Piece method = ascii_piece(arguments[3]);
    if (method.length != 3 || memcmp(method.at, "GET", 3)) Py_RETURN_NONE;
    PyObject *request = request_of(arguments[0], arguments[1], arguments[2], 0);
    if (request != NULL || PyErr_Occurred()) return request;
    Py_RETURN_NONE;
}

static PyObject *
reply_made(PyObject *ask, PyObject *at, PyObject *evidence, PyObject *status, PyObject *fields, PyObject *request, PyObject *raw_head,
           PyObject *sent_body, PyObject *body, PyObject *peer, PyObject *times, PyObject *received)
{
    PyObject *const all[REPLY_FIELDS] = {ask, at, evidence, status, fields, request, raw_head, sent_body, body, peer, times, Py_None, no_text, received};
    return PyObject_Vectorcall(reply_class, all, REPLY_FIELDS, NULL);
}

/* The reply of these arguments, a head and bodies; NULL, with or without an exception. */
static PyObject *
reply_of(PyObject *const *arguments, PyObject *head, PyObject *evidence, PyObject *status, PyObject *sent_body, PyObject *body)
{
    PyObject *request = request_of(arguments[AUTHORITY], arguments[TARGET], arguments[SENT_LINES], evidence == not_modified);
    if (request == NULL) return NULL;
    PyObject *reply = reply_made(arguments[ASK], arguments[AT], evidence, status, PyTuple_GET_ITEM(head, 1), request,
                                 PyTuple_GET_ITEM(head, 2), sent_body, body, arguments[PEER], arguments[TIMES], arguments[RECEIVED]);
    Py_DECREF(request);
    return reply;
}

/* not_modified(ask, at, authority, target, lines sent, lines that came, times, peer, received bytes) -> the reply; None: it
 * is another answer, or not so plain */
PyObject *
native_not_modified(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != ARGUMENTS || reply_class == NULL) return PyErr_Format(PyExc_TypeError, "nine arguments are wanted, after a call of answering");
    if (!says(arguments[CAME_LINES], " 304")) Py_RETURN_NONE;
    PyObject *head = native_head(module, arguments[CAME_LINES]);
    if (head == NULL || head == Py_None) return head;
    PyObject *reply = reply_of(arguments, head, not_modified, status_304, no_bytes, no_bytes);
    Py_DECREF(head);
    if (reply != NULL || PyErr_Occurred()) return reply;
    Py_RETURN_NONE;
}

/* How the body is coded by these fields: 0 not at all, 1 by gzip; negative: otherwise. */
static int
coding_of(PyObject *fields)
{
    int coding = 0;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(fields); at++) {
        PyObject *field = PyTuple_GET_ITEM(fields, at);
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(field, 0), "content-encoding") != 0) continue;
        if (coding || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(field, 1), "gzip") != 0) return -1;
        coding = 1;
    }
    return coding;
}

/* What the body says; NULL, with or without an exception: it is not so plain. */
static PyObject *
decoded(PyObject *sent_body, PyObject *fields, PyObject *ask)
{
    int coding = coding_of(fields);
    if (coding <= 0) return coding ? NULL : Py_NewRef(sent_body);
    PyObject *body = PyObject_CallFunctionObjArgs(inflate, sent_body, ask, NULL);
    if (body == NULL || (PyBytes_CheckExact(body) && PyBytes_GET_SIZE(body) <= most_bytes - PyBytes_GET_SIZE(sent_body))) return body;
    Py_DECREF(body);
    return NULL;
}

/* came_whole(as `not_modified`, the body as it was sent) -> the reply that a small document is; None: it is another answer, or
 * not so plain */
PyObject *
native_came_whole(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != MOST_ARGUMENTS || reply_class == NULL) return PyErr_Format(PyExc_TypeError, "ten arguments are wanted, after a call of answering");
    PyObject *sent_body = arguments[SENT_BODY], *reply = NULL;
    if (!says(arguments[CAME_LINES], " 200") || !PyBytes_CheckExact(sent_body)) Py_RETURN_NONE;
    if (PyBytes_GET_SIZE(sent_body) == 0 || PyBytes_GET_SIZE(sent_body) > most_bytes) Py_RETURN_NONE;
    PyObject *head = native_head(module, arguments[CAME_LINES]);
    if (head == NULL || head == Py_None) return head;
    PyObject *body = decoded(sent_body, PyTuple_GET_ITEM(head, 1), arguments[ASK]);
    if (body != NULL) reply = reply_of(arguments, head, document, status_200, sent_body, body);
    Py_XDECREF(body);
    Py_DECREF(head);
    if (reply != NULL || PyErr_Occurred()) return reply;
    Py_RETURN_NONE;
}

/* ---- over a connection of our own ---------------------------------------------------------------------------------- */

#define MOST_DIGITS 9

/* Whether a text is this lower-cased one. */
static int
is_word(const char *at, const char *end, const char *word)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t')) end--;
    for (; at < end && *word; at++, word++)
        if ((*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at) != *word) return 0;
    return at == end && !*word;
}

/* A plain number; negative: it is none. */
static Py_ssize_t
number_in(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (at == end || end - at > MOST_DIGITS) return -1;
    Py_ssize_t number = 0;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return -1;
        number = number * 10 + *at - '0';
    }
    return number;
}

/* What a field [at, end) says of where the answer ends, into `length`; 0: it is not so plain. */
static int
is_plain_framing(const char *at, const char *end, Py_ssize_t *length)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (colon == NULL || colon == at || *at == ' ' || *at == '\t' || memchr(at, 0, (size_t)(end - at)) || memchr(at, '\r', (size_t)(end - at))) return 0;
    switch (*at | 0x20) {
    case 'c':
        if (is_word(at, colon, "connection")) return is_word(colon + 1, end, "keep-alive");
        if (!is_word(at, colon, "content-length")) return 1;
        if (*length >= 0) return 0;
        return (*length = number_in(colon + 1, end)) >= 0;
    case 't': return !is_word(at, colon, "transfer-encoding");
    default: return 1;
    }
}

static Py_ssize_t
measure(const char *at, const char *end, Py_ssize_t most_head_bytes, Py_ssize_t most_lines, Py_ssize_t most_body_bytes)
{
    const char *begin = at;
    Py_ssize_t length = -1, lines = 0;
    int has_body = 1;
    if (end - at < 16 || memcmp(at, "HTTP/1.1 ", 9) || at[9] < '2' || at[9] > '5' || (at[12] != ' ' && at[12] != '\r')) return 0;
    for (int digit = 10; digit < 12; digit++)
        if (at[digit] < '0' || at[digit] > '9') return 0;
    if (!memcmp(at + 9, "304", 3) || !memcmp(at + 9, "204", 3)) has_body = 0;
    for (;; at++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL || stop == begin || stop[-1] != '\r' || ++lines > most_lines || stop + 1 - begin > most_head_bytes) return 0;
        if (stop - 1 == at) {
            at = stop + 1;
            break;
        }
        if (lines == 1 ? memchr(at, '\r', (size_t)(stop - 1 - at)) || memchr(at, 0, (size_t)(stop - 1 - at)) : !is_plain_framing(at, stop - 1, &length))
            return 0;
        at = stop;
    }
    if (!has_body) return at - begin;
    return length < 0 || length > most_body_bytes ? 0 : at - begin + length;
}

/* measured(what came first, most bytes of a head, most lines of it, most bytes of a body) -> how many bytes a plain answer has that
 * begins so; 0: it is odd, or its head is not whole */
PyObject *
native_measured(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 4 || !PyBytes_CheckExact(arguments[0])) return PyErr_Format(PyExc_TypeError, "bytes and three numbers are wanted");
    Py_ssize_t most[3];
    for (int one = 0; one < 3; one++)
        if ((most[one] = PyLong_AsSsize_t(arguments[one + 1])) == -1 && PyErr_Occurred()) return NULL;
    const char *at = PyBytes_AS_STRING(arguments[0]);
    return PyLong_FromSsize_t(measure(at, at + PyBytes_GET_SIZE(arguments[0]), most[0], most[1], most[2]));
}

/* told(ask, at, request, answer, times, peer) -> the reply that an answer is which `measured` has measured; None: it is not so plain */
PyObject *
native_told(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    enum { ASKED, MOMENT, REQUEST, ANSWER, TOOK, FROM, TOLD_ARGUMENTS };
    if (count != TOLD_ARGUMENTS || reply_class == NULL || !PyBytes_CheckExact(arguments[REQUEST]) || !PyBytes_CheckExact(arguments[ANSWER]))
        return PyErr_Format(PyExc_TypeError, "six arguments are wanted, after a call of answering");
    const char *at = PyBytes_AS_STRING(arguments[ANSWER]), *end = at + PyBytes_GET_SIZE(arguments[ANSWER]);
    const char *body_at = memmem(at, (size_t)(end - at), "\r\n\r\n", 4);
    if (body_at == NULL) Py_RETURN_NONE;
    body_at += 4;
    int status = 0;
    PyObject *fields = head_came(at, body_at, &status), *reply = NULL, *sent_body = NULL, *body = NULL;
    PyObject *head = NULL;
    if (fields != NULL) head = body_at == end ? Py_NewRef(arguments[ANSWER]) : PyBytes_FromStringAndSize(at, body_at - at);
    PyObject *received = head == NULL ? NULL : PyLong_FromSsize_t(end - at);
    if (received == NULL) goto done;
    if (status == 304 && body_at == end && memmem(PyBytes_AS_STRING(arguments[REQUEST]), (size_t)PyBytes_GET_SIZE(arguments[REQUEST]), "\r\nIf-", 5)) {
        reply = reply_made(arguments[ASKED], arguments[MOMENT], not_modified, status_304, fields, arguments[REQUEST], head, no_bytes, no_bytes,
                           arguments[FROM], arguments[TOOK], received);
    } else if (status == 200 && body_at < end && end - body_at <= most_bytes) {
        if ((sent_body = PyBytes_FromStringAndSize(body_at, end - body_at)) == NULL) goto done;
        if ((body = decoded(sent_body, fields, arguments[ASKED])) == NULL) goto done;
        reply = reply_made(arguments[ASKED], arguments[MOMENT], document, status_200, fields, arguments[REQUEST], head, sent_body, body,
                           arguments[FROM], arguments[TOOK], received);
    }
done:
    Py_XDECREF(fields);
    Py_XDECREF(head);
    Py_XDECREF(received);
    Py_XDECREF(sent_body);
    Py_XDECREF(body);
    if (reply != NULL || PyErr_Occurred()) return reply;
    Py_RETURN_NONE;
}

static PyObject *
times_since(PyObject *started_at)
{
    PyObject *now = PyObject_CallNoArgs(steady), *took_s = now == NULL ? NULL : PyNumber_Subtract(now, started_at);
    Py_XDECREF(now);
    PyObject *const all[] = {no_seconds, no_seconds, no_seconds, took_s, took_s};
    PyObject *times = took_s == NULL ? NULL : PyObject_Vectorcall(times_class, all, 5, NULL);
    Py_XDECREF(took_s);
    return times;
}

/* answered(descriptor, ask, at, request, started at, peer, most bytes of a head, most lines of it) -> the reply that a plain 304 is
 * which came in one piece; else what `received` gives. */
PyObject *
native_answered(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    enum { WIRE, ASKED, MOMENT, REQUEST, STARTED, FROM, MOST_HEAD, MOST_LINES, ANSWERED_ARGUMENTS };
    if (count != ANSWERED_ARGUMENTS || reply_class == NULL || !PyBytes_CheckExact(arguments[REQUEST]))
        return PyErr_Format(PyExc_TypeError, "eight arguments are wanted, after a call of answering");
    Py_ssize_t most_head = PyLong_AsSsize_t(arguments[MOST_HEAD]), most_lines = PyLong_AsSsize_t(arguments[MOST_LINES]);
    if ((most_head == -1 || most_lines == -1) && PyErr_Occurred()) return NULL;
    PyObject *came = native_received(module, arguments[WIRE]);
    if (came == NULL || PyBytes_GET_SIZE(came) < 16 || memcmp(PyBytes_AS_STRING(came), "HTTP/1.1 304", 12)) return came;
    const char *at = PyBytes_AS_STRING(came);
    if (measure(at, at + PyBytes_GET_SIZE(came), most_head, most_lines, 0) != PyBytes_GET_SIZE(came)) return came;
    PyObject *times = times_since(arguments[STARTED]), *reply = NULL;
    if (times != NULL) {
        PyObject *const all[] = {arguments[ASKED], arguments[MOMENT], arguments[REQUEST], came, times, arguments[FROM]};
        reply = native_told(module, all, 6);
        Py_DECREF(times);
    }
    if (reply == Py_None) {
        Py_DECREF(reply);
        return came;
    }
    Py_DECREF(came);
    return reply;
}
