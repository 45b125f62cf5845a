/* What a 304 proves of a page that has a copy, as it is handed over to be settled (engine/asking/revisit.py, `proved`). */
#include "native.h"

enum { PAGE, REPLY, ASK, READ_CLASSES };
enum { ARRIVAL, VERDICT, MADE_CLASSES };
enum { NOT_MODIFIED, SAME, GONE, REASON, NOTHING_SAID, CONSTANTS };
enum { PAGE_STATUS, PAGE_DIGEST, PAGE_TEXT, PAGE_SIMHASH, PAGE_NOISE, REPLY_ASK, REPLY_EVIDENCE, REPLY_HEADERS, ASK_ETAG, ASK_DATE, SLOTS };

static const struct {
    int class;
    const char *name;
} FIELDS[SLOTS] = {
    {PAGE, "status"}, {PAGE, "body_digest"}, {PAGE, "text_digest"}, {PAGE, "simhash"}, {PAGE, "noise"}, {REPLY, "ask"},
    {REPLY, "evidence"}, {REPLY, "headers"}, {ASK, "etag"}, {ASK, "last_modified"},
};

static Py_ssize_t offsets[SLOTS];
static PyTypeObject *read_classes[READ_CLASSES];
static PyObject *made_classes[MADE_CLASSES], *constants[CONSTANTS], *names; /* of what a verdict is given */

/* Names as Python writes them in a call: found by where they lie. */
static PyObject *
interned(const char *const *texts)
{
    Py_ssize_t count = 0;
    while (texts[count] != NULL) count++;
    PyObject *found = PyTuple_New(count);
    for (Py_ssize_t at = 0; found != NULL && at < count; at++) {
        PyObject *name = PyUnicode_InternFromString(texts[at]);
        if (name == NULL) Py_CLEAR(found);
        else PyTuple_SET_ITEM(found, at, name);
    }
    return found;
}

/* proving((Page, Reply, Ask), (Arrival, Verdict), (NOT_MODIFIED, SAME, GONE, reason, nothing said)): what `confirmed` reads and
 * makes */
PyObject *
native_proving(PyObject *module, PyObject *arguments)
{
    PyObject *read, *made, *given;
    if (!PyArg_ParseTuple(arguments, "O!O!O!", &PyTuple_Type, &read, &PyTuple_Type, &made, &PyTuple_Type, &given)) return NULL;
    if (PyTuple_GET_SIZE(read) != READ_CLASSES || PyTuple_GET_SIZE(made) != MADE_CLASSES || PyTuple_GET_SIZE(given) != CONSTANTS)
        return PyErr_Format(PyExc_ValueError, "three classes that are read, two that are made and five constants are wanted");
    for (int one = 0; one < READ_CLASSES; one++)
        if (!PyType_Check(PyTuple_GET_ITEM(read, one))) return PyErr_Format(PyExc_TypeError, "classes are wanted");
    for (int one = 0; one < SLOTS; one++) {
        offsets[one] = slot_named((PyTypeObject *)PyTuple_GET_ITEM(read, FIELDS[one].class), FIELDS[one].name);
        if (offsets[one] < 0) return NULL;
    }
    if (names == NULL && (names = interned((const char *const[]){"body_digest", "text_digest", "simhash", "noise", "reason", NULL})) == NULL) return NULL;
    for (int one = 0; one < READ_CLASSES; one++) Py_XSETREF(read_classes[one], (PyTypeObject *)Py_NewRef(PyTuple_GET_ITEM(read, one)));
    for (int one = 0; one < MADE_CLASSES; one++) Py_XSETREF(made_classes[one], Py_NewRef(PyTuple_GET_ITEM(made, one)));
    for (int one = 0; one < CONSTANTS; one++) Py_XSETREF(constants[one], Py_NewRef(PyTuple_GET_ITEM(given, one)));
    Py_RETURN_NONE;
}

static PyObject *
get(PyObject *value, int which)
{
    PyObject *found = *(PyObject **)((char *)value + offsets[which]);
    return found == NULL ? Py_None : found;
}

static int
is_filled(PyObject *text)
{
    return PyUnicode_CheckExact(text) && PyUnicode_GET_LENGTH(text) > 0;
}

/* None of them speaks to robots; 0: one does, or they are not plain. */
static int
are_silent(PyObject *headers)
{
    if (!PyTuple_CheckExact(headers)) return 0;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(headers); at++) {
        PyObject *pair = PyTuple_GET_ITEM(headers, at);
        PyObject *name = PyTuple_CheckExact(pair) && PyTuple_GET_SIZE(pair) == 2 ? PyTuple_GET_ITEM(pair, 0) : Py_None;
        if (!PyUnicode_CheckExact(name) || PyUnicode_CompareWithASCIIString(name, "x-robots-tag") == 0) return 0;
    }
    return 1;
}

static int
confirms(PyObject *page, PyObject *reply)
{
    if (!Py_IS_TYPE(page, read_classes[PAGE]) || !Py_IS_TYPE(reply, read_classes[REPLY])) return 0;
    PyObject *ask = get(reply, REPLY_ASK), *digest = get(page, PAGE_DIGEST);
    if (get(reply, REPLY_EVIDENCE) != constants[NOT_MODIFIED] || !Py_IS_TYPE(ask, read_classes[ASK])) return 0;
    if (!is_filled(get(ask, ASK_ETAG)) && !is_filled(get(ask, ASK_DATE))) return 0;
    if (!PyBytes_CheckExact(digest) || PyBytes_GET_SIZE(digest) == 0 || get(page, PAGE_STATUS) == constants[GONE]) return 0;
    return are_silent(get(reply, REPLY_HEADERS));
}

/* confirmed(page, why, reply) -> the arrival; None: the answer says something else, or more */
PyObject *
native_confirmed(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3 || names == NULL) return PyErr_Format(PyExc_TypeError, "a page, a reason and a reply are wanted, after a call of proving");
    PyObject *page = arguments[0], *reply = arguments[2];
    if (!confirms(page, reply)) Py_RETURN_NONE;
    PyObject *const kept[] = {constants[SAME], get(page, PAGE_DIGEST), get(page, PAGE_TEXT), get(page, PAGE_SIMHASH), get(page, PAGE_NOISE), constants[REASON]};
    PyObject *verdict = PyObject_Vectorcall(made_classes[VERDICT], kept, 1, names);
    if (verdict == NULL) return NULL;
    PyObject *const fields[] = {page, arguments[1], reply, verdict, Py_None, Py_None, constants[NOTHING_SAID]};
    PyObject *arrival = PyObject_Vectorcall(made_classes[ARRIVAL], fields, sizeof(fields) / sizeof(*fields), NULL);
    Py_DECREF(verdict);
    return arrival;
}
