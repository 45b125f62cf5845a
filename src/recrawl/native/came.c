/* What came back where nothing did: the reply that an answer of 304 to a condition is (fetch/client.py). */
#include "lines.h"

enum { ASK, AT, AUTHORITY, TARGET, SENT_LINES, CAME_LINES, TIMES, PEER, RECEIVED, ARGUMENTS };
#define REPLY_FIELDS 14 /* the first of model/visit.py's Reply */

static PyObject *reply_class, *evidence, *status, *no_bytes, *no_text;

/* answering(Reply, Evidence.NOT_MODIFIED): what `not_modified` makes */
PyObject *
native_answering(PyObject *module, PyObject *arguments)
{
    PyObject *reply, *proof;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyType_Type, &reply, &proof)) return NULL;
    if (status == NULL && (status = PyLong_FromLong(304)) == NULL) return NULL;
    if (no_bytes == NULL && (no_bytes = PyBytes_FromStringAndSize(NULL, 0)) == NULL) return NULL;
    if (no_text == NULL && (no_text = PyUnicode_New(0, 0)) == NULL) return NULL;
    Py_XSETREF(evidence, Py_NewRef(proof));
    Py_XSETREF(reply_class, Py_NewRef(reply));
    Py_RETURN_NONE;
}

static int
begins(PyObject *line, const char *text, size_t length)
{
    return PyBytes_CheckExact(line) && (size_t)PyBytes_GET_SIZE(line) >= length && !memcmp(PyBytes_AS_STRING(line), text, length);
}

static int
is_304(PyObject *lines)
{
    PyObject *first = PyList_CheckExact(lines) && PyList_GET_SIZE(lines) ? PyList_GET_ITEM(lines, 0) : Py_None;
    return begins(first, "HTTP/1.", 7) && PyBytes_GET_SIZE(first) > 12 && !memcmp(PyBytes_AS_STRING(first) + 8, " 304", 4);
}

/* The head as it goes over the wire (fetch/request.py, `raw_request`); NULL without an exception: there is no condition in
 * it, or it is not so plain. */
static PyObject *
request_of(PyObject *authority, PyObject *target, PyObject *lines)
{
    Piece host = ascii_piece(authority), path = ascii_piece(target);
    if (host.at == NULL || path.at == NULL || !PyList_CheckExact(lines)) return NULL;
    int is_conditional = 0;
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

/* not_modified(ask, at, authority, target, lines sent, lines that came, times, peer, received bytes) -> the reply; None: it
 * is another answer, or not so plain */
PyObject *
native_not_modified(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != ARGUMENTS || reply_class == NULL) return PyErr_Format(PyExc_TypeError, "nine arguments are wanted, after a call of answering");
    if (!is_304(arguments[CAME_LINES])) Py_RETURN_NONE;
    PyObject *head = native_head(module, arguments[CAME_LINES]);
    if (head == NULL || head == Py_None) return head;
    PyObject *reply = NULL, *request = request_of(arguments[AUTHORITY], arguments[TARGET], arguments[SENT_LINES]);
    if (request != NULL) {
        PyObject *const fields[REPLY_FIELDS] = {
            arguments[ASK], arguments[AT], evidence, status, PyTuple_GET_ITEM(head, 1), request, PyTuple_GET_ITEM(head, 2),
            no_bytes, no_bytes, arguments[PEER], arguments[TIMES], Py_None, no_text, arguments[RECEIVED]};
        reply = PyObject_Vectorcall(reply_class, fields, REPLY_FIELDS, NULL);
        Py_DECREF(request);
    }
    Py_DECREF(head);
    if (reply != NULL || PyErr_Occurred()) return reply;
    Py_RETURN_NONE;
}
