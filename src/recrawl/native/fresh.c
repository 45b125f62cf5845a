/* What a version that is new leaves behind: the page after it and, of a page met for the first time, the rows, the copy and the
 * event. Whatever is not plain is left to `engine/settling`.
 */
#include "arrivals.h"

enum { LONGEST_TAG = 500, LONGEST_DATE_TEXT = 100, LONGEST_TYPE = 100 }; /* of what servers say */

/* ---- the page after it ------------------------------------------------------------------------------------------------ */

/* A header that is not too long, borrowed; NULL: it is, or it is not plain. */
static PyObject *
short_header(const One *one, const char *name, Py_ssize_t longest)
{
    PyObject *value = header_of(get(one->reply, REPLY_HEADERS), name);
    return value != NULL && PyUnicode_GET_LENGTH(value) <= longest ? value : NULL;
}

/* Of the decoded body; NULL, with or without an exception: it is not plain. */
static PyObject *
body_bytes(const One *one)
{
    PyObject *let_go = get(one->reply, REPLY_LET_GO), *body = get(one->reply, REPLY_BODY);
    if (!PyLong_CheckExact(let_go) || !PyBytes_CheckExact(body)) return NULL;
    return PyObject_IsTrue(let_go) ? Py_NewRef(let_go) : PyLong_FromSsize_t(PyBytes_GET_SIZE(body));
}

/* The digest of the text that was read, else the one that is known, borrowed; NULL: it is not plain. */
static PyObject *
text_digest(const One *one)
{
    PyObject *read = get(one->verdict, VERDICT_TEXT);
    if (!PyBytes_CheckExact(read)) return NULL;
    return PyBytes_GET_SIZE(read) ? read : get(one->page, PAGE_TEXT);
}

enum { VISITS, IN_A_ROW, CHANGES, SIZE, BELIEF, INTERVAL, DUE, RECKONED };

/* What is made for it; 0, with or without an exception: it is not plain. */
static int
reckon(const One *one, int is_changed, const char *state, Py_ssize_t state_bytes, double gap_s, double due_at, PyObject **reckoned)
{
    int conditional = is_conditional(one);
    if (conditional < 0) return 0;
    reckoned[VISITS] = one_more(get(one->page, PAGE_VISITS));
    reckoned[IN_A_ROW] = conditional ? one_more(get(one->page, PAGE_CONDITIONAL)) : Py_NewRef(zero);
    reckoned[CHANGES] = is_changed ? one_more(get(one->page, PAGE_CHANGES)) : Py_NewRef(get(one->page, PAGE_CHANGES));
    reckoned[SIZE] = body_bytes(one);
    reckoned[BELIEF] = PyBytes_FromStringAndSize(state, state_bytes);
    reckoned[INTERVAL] = PyFloat_FromDouble(gap_s);
    reckoned[DUE] = PyFloat_FromDouble(due_at);
    for (int at = 0; at < RECKONED; at++)
        if (reckoned[at] == NULL) return 0;
    return 1;
}

PyObject *
page_fresh(const One *one, const char *state, Py_ssize_t state_bytes, double gap_s, double due_at)
{
    PyObject *change = get(one->verdict, VERDICT_CHANGE), *reckoned[RECKONED] = {NULL}, *page = NULL;
    if (get(one->reply, REPLY_EVIDENCE) != arrival_members[WHOLE]) return NULL;
    if (change != arrival_members[NEW] && change != arrival_members[CHANGED]) return NULL;
    PyObject *etag = short_header(one, "etag", LONGEST_TAG), *date = short_header(one, "last-modified", LONGEST_DATE_TEXT);
    PyObject *type = short_header(one, "content-type", LONGEST_TYPE), *text = text_digest(one);
    PyObject *rank = PyDict_GetItemWithError(arrival_ranks, get(one->page, PAGE_KIND));
    if (etag == NULL || date == NULL || type == NULL || text == NULL || rank == NULL) return NULL;
    if (reckon(one, change == arrival_members[CHANGED], state, state_bytes, gap_s, due_at, reckoned)) page = value_copied(one->page);
    if (page != NULL) {
        set(page, PAGE_VISITS, reckoned[VISITS]);
        set(page, PAGE_CONDITIONAL, reckoned[IN_A_ROW]);
        set(page, PAGE_FAILURES, zero);
        set(page, PAGE_MISSES, zero);
        set(page, PAGE_REASON, no_text);
        set(page, PAGE_RANK, rank);
        set(page, PAGE_CHECKED, get(one->reply, REPLY_AT));
        set(page, PAGE_NOISE, get(one->verdict, VERDICT_NOISE));
        set(page, PAGE_STATUS, arrival_members[LIVE]);
        set(page, PAGE_TARGET, no_text);
        set(page, PAGE_ETAG, etag);
        set(page, PAGE_LAST_MODIFIED, date);
        set(page, PAGE_DIGEST, get(one->verdict, VERDICT_DIGEST));
        set(page, PAGE_TEXT, text);
        set(page, PAGE_SIMHASH, get(one->verdict, VERDICT_SIMHASH));
        set(page, PAGE_SIZE, reckoned[SIZE]);
        set(page, PAGE_CONTENT_TYPE, type);
        set(page, PAGE_CHANGES, reckoned[CHANGES]);
        set(page, PAGE_CHANGED, get(one->reply, REPLY_AT));
        set(page, PAGE_BELIEF, reckoned[BELIEF]);
        set(page, PAGE_INTERVAL, reckoned[INTERVAL]);
        set(page, PAGE_DUE, reckoned[DUE]);
    }
    for (int at = 0; at < RECKONED; at++) Py_XDECREF(reckoned[at]);
    return page;
}

/* ---- what a first visit leaves behind -------------------------------------------------------------------------------- */

static int
is_empty(PyObject *text)
{
    return is_text(text) && PyUnicode_GET_LENGTH(text) == 0;
}

/* Whether it says that the page is new, may be kept, and nothing else. */
static int
is_plainly_new(const One *one, double *total_s)
{
    PyObject *directives = get(one->arrival, ARRIVAL_DIRECTIVES), *document = get(one->arrival, ARRIVAL_DOCUMENT);
    if (get(one->reply, REPLY_EVIDENCE) != arrival_members[WHOLE] || get(one->verdict, VERDICT_CHANGE) != arrival_members[NEW]) return 0;
    if (get(one->page, PAGE_KIND) == arrival_members[SIGNAL] || get(one->arrival, ARRIVAL_SIGNAL) != Py_None) return 0;
    if (get(one->arrival, ARRIVAL_PREVIOUS) != Py_None || get(one->reply, REPLY_FAILURE) != Py_None) return 0;
    if (!PyFrozenSet_CheckExact(directives) || PySet_GET_SIZE(directives) != 0 || !Py_IS_TYPE(document, arrival_classes[DOCUMENT])) return 0;
    if (!is_empty(get(document, DOCUMENT_CUT)) || !is_empty(get(one->verdict, VERDICT_LIMIT)) || !is_empty(get(one->verdict, VERDICT_TARGET))) return 0;
    if (!PyBytes_CheckExact(get(one->page, PAGE_DIGEST)) || !PyBytes_CheckExact(get(one->verdict, VERDICT_DIGEST))) return 0;
    return number_of(get(one->times, TIMES_TOTAL), total_s) && is_conditional(one) >= 0;
}

static PyObject *
copy_of(const One *one, PyObject *digest)
{
    PyObject *facts = facts_of(one, NEW), *capture = NULL, *copy = NULL;
    if (facts != NULL) {
        PyObject *fields[] = {get(one->page, PAGE_URL), get(one->reply, REPLY_AT), one->reply, digest, Py_None, no_text, facts};
        capture = PyObject_Vectorcall(arrival_makes[CAPTURE], fields, sizeof(fields) / sizeof(*fields), NULL);
    }
    if (capture != NULL) {
        PyObject *fields[] = {capture, get(one->page, PAGE_ID), get(one->verdict, VERDICT_TEXT_BYTES)};
        copy = PyObject_Vectorcall(arrival_makes[COPY], fields, sizeof(fields) / sizeof(*fields), NULL);
    }
    Py_XDECREF(facts);
    Py_XDECREF(capture);
    return copy;
}

static PyObject *
event_of(const One *one, PyObject *digest)
{
    PyObject *previous = digest_text(get(one->page, PAGE_DIGEST)), *event = NULL;
    if (previous != NULL) {
        PyObject *fields[] = {arrival_members[ADDED], get(one->reply, REPLY_AT), get(one->page, PAGE_URL), get(one->page, PAGE_SITE),
                              get(one->page, PAGE_ID), digest, previous};
        event = PyObject_Vectorcall(arrival_makes[EVENT], fields, sizeof(fields) / sizeof(*fields), NULL);
    }
    Py_XDECREF(previous);
    return event;
}

/* first_noted(arrival, page after it, pages, visits, copies, events) -> whether it says that the page is new and nothing else;
 * then it is noted in the last four */
PyObject *
native_first_noted(PyObject *module, PyObject *const *given, Py_ssize_t count)
{
    One one;
    double total_s;
    if (count != 6 || arrival_ranks == NULL || !PyDict_Check(given[2]) || !PyList_Check(given[3]) || !PyList_Check(given[4]) || !PyList_Check(given[5]))
        return PyErr_Format(PyExc_TypeError, "an arrival, a page, a dict and three lists are wanted, after a call of arrived");
    if (!Py_IS_TYPE(given[1], arrival_classes[PAGE]) || !is_plain_arrival(given[0], &one) || !is_plainly_new(&one, &total_s)) Py_RETURN_FALSE;
    PyObject *digest = digest_text(get(one.verdict, VERDICT_DIGEST));
    int failed = digest == NULL || PyDict_SetItem(given[2], get(given[1], PAGE_ID), given[1]) < 0 ||
                 append_made(given[3], visit_row(&one, WHOLE, NEW, total_s)) < 0 || append_made(given[4], copy_of(&one, digest)) < 0 ||
                 append_made(given[5], event_of(&one, digest)) < 0;
    Py_XDECREF(digest);
    if (failed) return NULL;
    Py_RETURN_TRUE;
}
