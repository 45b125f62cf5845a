/* The replies that most answers are (fetch/transfer.py): a 304 to a condition, and a whole document. */
#include "lines.h"

enum { ASK, AT, AUTHORITY, TARGET, SENT_LINES, CAME_LINES, TIMES, PEER, RECEIVED, ARGUMENTS, SENT_BODY = ARGUMENTS, MOST_ARGUMENTS };
#define REPLY_FIELDS 14 /* the first of model/visit.py's Reply */

static PyObject *reply_class, *not_modified, *document, *inflate, *status_304, *status_200, *no_bytes, *no_text;
static Py_ssize_t most_bytes;

/* answering(Reply, Evidence.NOT_MODIFIED, Evidence.DOCUMENT, inflate, most bytes): what `not_modified` and `came_whole` make.
 * `inflate(sent body, ask)`: what comes out of gzip; None: it is not so plain. Bodies of more bytes are left to Python. */
PyObject *
native_answering(PyObject *module, PyObject *arguments)
{
    PyObject *reply, *proof, *whole, *undo;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(arguments, "O!OOOn", &PyType_Type, &reply, &proof, &whole, &undo, &most)) return NULL;
    if (status_304 == NULL && (status_304 = PyLong_FromLong(304)) == NULL) return NULL;
    if (status_200 == NULL && (status_200 = PyLong_FromLong(200)) == NULL) return NULL;
    if (no_bytes == NULL && (no_bytes = PyBytes_FromStringAndSize(NULL, 0)) == NULL) return NULL;
    if (no_text == NULL && (no_text = PyUnicode_New(0, 0)) == NULL) return NULL;
    Py_XSETREF(not_modified, Py_NewRef(proof));
    Py_XSETREF(document, Py_NewRef(whole));
    Py_XSETREF(inflate, Py_NewRef(undo));
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

/* The reply of these arguments, a head and bodies; NULL, with or without an exception. */
static PyObject *
reply_of(PyObject *const *arguments, PyObject *head, PyObject *evidence, PyObject *status, PyObject *sent_body, PyObject *body)
{
    PyObject *request = request_of(arguments[AUTHORITY], arguments[TARGET], arguments[SENT_LINES], evidence == not_modified);
    if (request == NULL) return NULL;
    PyObject *const fields[REPLY_FIELDS] = {
        arguments[ASK], arguments[AT], evidence, status, PyTuple_GET_ITEM(head, 1), request, PyTuple_GET_ITEM(head, 2),
        sent_body, body, arguments[PEER], arguments[TIMES], Py_None, no_text, arguments[RECEIVED]};
    PyObject *reply = PyObject_Vectorcall(reply_class, fields, REPLY_FIELDS, NULL);
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
