/* Visits on their way from the verdict to the commit, many at a time: what was seen of each page, pages whose copy a 304
 * confirmed, and what such a visit leaves behind. Whatever is not plain is left to `engine/settling`, one by one.
 */
#include "arrivals.h"

static const struct {
    int class;
    const char *name;
} FIELDS[SLOTS] = {
    {ARRIVAL, "page"}, {ARRIVAL, "why"}, {ARRIVAL, "reply"}, {ARRIVAL, "verdict"}, {ARRIVAL, "document"}, {ARRIVAL, "previous"},
    {ARRIVAL, "directives"}, {ARRIVAL, "signal"},
    {PAGE, "id"}, {PAGE, "url"}, {PAGE, "site"}, {PAGE, "kind"}, {PAGE, "rank"}, {PAGE, "due_at"}, {PAGE, "interval_s"},
    {PAGE, "belief"}, {PAGE, "status"}, {PAGE, "reason"}, {PAGE, "etag"}, {PAGE, "last_modified"}, {PAGE, "body_digest"},
    {PAGE, "size_bytes"}, {PAGE, "noise"}, {PAGE, "failures"}, {PAGE, "misses"}, {PAGE, "visits"}, {PAGE, "conditional"},
    {PAGE, "checked_at"}, {PAGE, "changed_at"}, {PAGE, "target"}, {PAGE, "text_digest"}, {PAGE, "simhash"}, {PAGE, "content_type"},
    {PAGE, "changes"},
    {REPLY, "ask"}, {REPLY, "at"}, {REPLY, "evidence"}, {REPLY, "status"}, {REPLY, "headers"}, {REPLY, "body"}, {REPLY, "times"},
    {REPLY, "failure"}, {REPLY, "received_bytes"}, {REPLY, "let_go_bytes"},
    {ASK, "etag"}, {ASK, "last_modified"},
    {TIMES, "first_byte_s"}, {TIMES, "total_s"},
    {VERDICT, "change"}, {VERDICT, "changed_bytes"}, {VERDICT, "noise"}, {VERDICT, "target"}, {VERDICT, "reason"}, {VERDICT, "changed_ago_s"},
    {VERDICT, "body_digest"}, {VERDICT, "text_digest"}, {VERDICT, "simhash"}, {VERDICT, "text_bytes"}, {VERDICT, "limit"},
    {DOCUMENT, "cut"},
};

Py_ssize_t arrival_slots[SLOTS];
PyTypeObject *arrival_classes[READ_CLASSES];
PyObject *arrival_makes[MADE_CLASSES], *arrival_members[MEMBERS], *arrival_ranks, *no_text, *zero;
static PyObject *why_name, *verdict_name, *reason_name; /* of what a capture tells */

/* arrived((Arrival, Page, Reply, Ask, Times, Verdict, Document), (Visit, Capture, Copy, Event), (NOT_MODIFIED, DOCUMENT, NEW,
 * SAME, CHANGED, MOVED, LIVE, SIGNAL, ADDED), {kind: rank}): what the others and `first_noted` read and make */
PyObject *
native_arrived(PyObject *module, PyObject *arguments)
{
    PyObject *read, *made, *known, *table;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!", &PyTuple_Type, &read, &PyTuple_Type, &made, &PyTuple_Type, &known, &PyDict_Type, &table)) return NULL;
    if (PyTuple_GET_SIZE(read) != READ_CLASSES || PyTuple_GET_SIZE(made) != MADE_CLASSES || PyTuple_GET_SIZE(known) != MEMBERS)
        return PyErr_Format(PyExc_ValueError, "seven classes that are read, four that are made and nine members are wanted");
    for (int one = 0; one < READ_CLASSES; one++)
        if (!PyType_Check(PyTuple_GET_ITEM(read, one))) return PyErr_Format(PyExc_TypeError, "classes are wanted");
    for (int one = 0; one < SLOTS; one++) {
        arrival_slots[one] = slot_named((PyTypeObject *)PyTuple_GET_ITEM(read, FIELDS[one].class), FIELDS[one].name);
        if (arrival_slots[one] < 0) return NULL;
    }
    if (no_text == NULL && (no_text = PyUnicode_FromString("")) == NULL) return NULL;
    if (zero == NULL && (zero = PyLong_FromLong(0)) == NULL) return NULL;
    if (why_name == NULL && (why_name = PyUnicode_InternFromString("why")) == NULL) return NULL;
    if (verdict_name == NULL && (verdict_name = PyUnicode_InternFromString("verdict")) == NULL) return NULL;
    if (reason_name == NULL && (reason_name = PyUnicode_InternFromString("reason")) == NULL) return NULL;
    for (int one = 0; one < READ_CLASSES; one++) Py_XSETREF(arrival_classes[one], (PyTypeObject *)Py_NewRef(PyTuple_GET_ITEM(read, one)));
    for (int one = 0; one < MADE_CLASSES; one++) Py_XSETREF(arrival_makes[one], Py_NewRef(PyTuple_GET_ITEM(made, one)));
    for (int one = 0; one < MEMBERS; one++) Py_XSETREF(arrival_members[one], Py_NewRef(PyTuple_GET_ITEM(known, one)));
    Py_XSETREF(arrival_ranks, Py_NewRef(table));
    Py_RETURN_NONE;
}

int
is_plain_arrival(PyObject *arrival, One *one)
{
    if (!Py_IS_TYPE(arrival, arrival_classes[ARRIVAL])) return 0;
    *one = (One){arrival, get(arrival, ARRIVAL_PAGE), get(arrival, ARRIVAL_REPLY), get(arrival, ARRIVAL_VERDICT), NULL, NULL};
    if (!Py_IS_TYPE(one->page, arrival_classes[PAGE]) || !Py_IS_TYPE(one->reply, arrival_classes[REPLY]) || !Py_IS_TYPE(one->verdict, arrival_classes[VERDICT])) return 0;
    one->ask = get(one->reply, REPLY_ASK);
    one->times = get(one->reply, REPLY_TIMES);
    return Py_IS_TYPE(one->ask, arrival_classes[ASK]) && Py_IS_TYPE(one->times, arrival_classes[TIMES]);
}

int
number_of(PyObject *value, double *number)
{
    if (PyFloat_CheckExact(value)) {
        *number = PyFloat_AS_DOUBLE(value);
        return 1;
    }
    if (!PyLong_CheckExact(value)) return 0;
    *number = PyLong_AsDouble(value);
    if (*number != -1.0 || !PyErr_Occurred()) return 1;
    PyErr_Clear();
    return 0;
}

/* ---- what was seen ------------------------------------------------------------------------------------------------- */

enum { SEEN_AT, SEEN_AGO, SEEN_SIZE, SEEN_RESPONSE, SEEN_NUMBERS };

/* Whether the visit found a change (engine/settling/pace.py, _is_change); negative: it cannot be told. */
static int
is_change(const One *one)
{
    PyObject *change = get(one->verdict, VERDICT_CHANGE);
    if (change != arrival_members[MOVED]) return change == arrival_members[CHANGED];
    PyObject *before = get(one->page, PAGE_TARGET), *after = get(one->verdict, VERDICT_TARGET);
    if (!is_text(before) || !is_text(after)) return -1;
    return get(one->page, PAGE_CHECKED) != Py_None && PyUnicode_Compare(before, after) != 0;
}

static int
size_of(const One *one, double *size)
{
    PyObject *body = get(one->reply, REPLY_BODY);
    if (!number_of(get(one->page, PAGE_SIZE), size)) return 0;
    if (*size == 0.0 && !number_of(get(one->reply, REPLY_LET_GO), size)) return 0;
    if (*size == 0.0 && !PyBytes_CheckExact(body)) return 0;
    if (*size == 0.0) *size = (double)PyBytes_GET_SIZE(body);
    return 1;
}

static int
take_sight(const One *one, double *const *numbers, char *changed, char *first, char *state, Py_ssize_t state_bytes, Py_ssize_t row)
{
    PyObject *ago = get(one->verdict, VERDICT_AGO), *belief = get(one->page, PAGE_BELIEF);
    if (!number_of(get(one->reply, REPLY_AT), &numbers[SEEN_AT][row]) || !size_of(one, &numbers[SEEN_SIZE][row]) ||
        !number_of(get(one->times, TIMES_FIRST_BYTE), &numbers[SEEN_RESPONSE][row]))
        return 0;
    numbers[SEEN_AGO][row] = Py_NAN;
    if (ago != Py_None && !number_of(ago, &numbers[SEEN_AGO][row])) return 0;
    int is_found = is_change(one);
    if (is_found < 0) return 0;
    changed[row] = (char)is_found;
    first[row] = get(one->page, PAGE_CHECKED) == Py_None;
    if (!PyBytes_CheckExact(belief) || (PyBytes_GET_SIZE(belief) != 0 && PyBytes_GET_SIZE(belief) != state_bytes)) return 0;
    if (PyBytes_GET_SIZE(belief) == 0) memset(state, 0, (size_t)state_bytes);
    else memcpy(state, PyBytes_AS_STRING(belief), (size_t)state_bytes);
    return 1;
}

/* sighted([arrival, …], bytes of a state) -> (at, changed, first, changed_ago_s, size_bytes, response_s, states); None: one of
 * them is not plain */
PyObject *
native_sighted(PyObject *module, PyObject *arguments)
{
    PyObject *arrivals, *answer = NULL, *columns[SEEN_NUMBERS + 3];
    Py_ssize_t state_bytes;
    if (!PyArg_ParseTuple(arguments, "O!n", &PyList_Type, &arrivals, &state_bytes)) return NULL;
    if (arrival_ranks == NULL || state_bytes <= 0 || state_bytes > 4096) return PyErr_Format(PyExc_ValueError, "call arrived first, then with the bytes of a state");
    Py_ssize_t count = PyList_GET_SIZE(arrivals), made = 0;
    double *numbers[SEEN_NUMBERS];
    for (; made < SEEN_NUMBERS + 3; made++) {
        Py_ssize_t each = made < SEEN_NUMBERS ? (Py_ssize_t)sizeof(double) : made < SEEN_NUMBERS + 2 ? 1 : state_bytes;
        columns[made] = PyBytes_FromStringAndSize(NULL, count * each);
        if (columns[made] == NULL) goto done;
        if (made < SEEN_NUMBERS) numbers[made] = (double *)(void *)PyBytes_AS_STRING(columns[made]);
    }
    char *changed = PyBytes_AS_STRING(columns[SEEN_NUMBERS]), *first = PyBytes_AS_STRING(columns[SEEN_NUMBERS + 1]);
    char *states = PyBytes_AS_STRING(columns[SEEN_NUMBERS + 2]);
    Py_ssize_t row = 0;
    for (One one; row < count; row++) {
        int is_plain = is_plain_arrival(PyList_GET_ITEM(arrivals, row), &one);
        if (!is_plain || !take_sight(&one, numbers, changed, first, states + row * state_bytes, state_bytes, row)) break;
    }
    answer = row < count ? Py_NewRef(Py_None)
                         : PyTuple_Pack(7, columns[SEEN_AT], columns[SEEN_NUMBERS], columns[SEEN_NUMBERS + 1], columns[SEEN_AGO],
                                        columns[SEEN_SIZE], columns[SEEN_RESPONSE], columns[SEEN_NUMBERS + 2]);
done:
    while (made > 0) Py_DECREF(columns[--made]);
    return answer;
}

/* ---- pages whose copy was confirmed ---------------------------------------------------------------------------------- */

PyObject *
header_of(PyObject *headers, const char *name)
{
    if (!PyTuple_CheckExact(headers)) return NULL;
    Py_ssize_t length = (Py_ssize_t)strlen(name);
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(headers); at++) {
        PyObject *pair = PyTuple_GET_ITEM(headers, at);
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2) return NULL;
        PyObject *key = PyTuple_GET_ITEM(pair, 0), *value = PyTuple_GET_ITEM(pair, 1);
        if (!is_text(key) || !is_text(value)) return NULL;
        if (PyUnicode_GET_LENGTH(key) == length && PyUnicode_CompareWithASCIIString(key, name) == 0) return value;
    }
    return no_text;
}

/* The new validator or, where none came or it is the same, the old one; NULL: it is not plain. */
static PyObject *
validator(const One *one, const char *name, int which)
{
    PyObject *came = header_of(get(one->reply, REPLY_HEADERS), name), *known = get(one->page, which);
    if (came == NULL || PyUnicode_GET_LENGTH(came) == 0) return came == NULL ? NULL : known;
    return is_text(known) && PyUnicode_Compare(came, known) == 0 ? known : came;
}

PyObject *
one_more(PyObject *count)
{
    int overflow;
    long number = PyLong_CheckExact(count) ? PyLong_AsLongAndOverflow(count, &overflow) : -1;
    return number < 0 || number >= INT32_MAX ? NULL : PyLong_FromLong(number + 1);
}

int
is_conditional(const One *one)
{
    PyObject *etag = get(one->ask, ASK_ETAG), *date = get(one->ask, ASK_LAST_MODIFIED);
    if (!is_text(etag) || !is_text(date)) return -1;
    return PyUnicode_GET_LENGTH(etag) > 0 || PyUnicode_GET_LENGTH(date) > 0;
}

static PyObject *
page_checked(const One *one, const char *state, Py_ssize_t state_bytes, double gap_s, double due_at)
{
    if (get(one->reply, REPLY_EVIDENCE) != arrival_members[NOT_MODIFIED]) return NULL;
    PyObject *etag = validator(one, "etag", PAGE_ETAG), *date = validator(one, "last-modified", PAGE_LAST_MODIFIED);
    int conditional = is_conditional(one);
    PyObject *rank = PyDict_GetItemWithError(arrival_ranks, get(one->page, PAGE_KIND));
    if (etag == NULL || date == NULL || conditional < 0 || rank == NULL) return NULL;
    PyObject *visits = one_more(get(one->page, PAGE_VISITS));
    PyObject *in_a_row = conditional ? one_more(get(one->page, PAGE_CONDITIONAL)) : Py_NewRef(zero);
    PyObject *belief = PyBytes_FromStringAndSize(state, state_bytes), *interval_s = PyFloat_FromDouble(gap_s), *due = PyFloat_FromDouble(due_at);
    PyObject *page = visits && in_a_row && belief && interval_s && due ? value_copied(one->page) : NULL;
    if (page != NULL) {
        set(page, PAGE_VISITS, visits);
        set(page, PAGE_CONDITIONAL, in_a_row);
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
        set(page, PAGE_BELIEF, belief);
        set(page, PAGE_INTERVAL, interval_s);
        set(page, PAGE_DUE, due);
    }
    Py_XDECREF(visits);
    Py_XDECREF(in_a_row);
    Py_XDECREF(belief);
    Py_XDECREF(interval_s);
    Py_XDECREF(due);
    return page;
}

static PyObject *
each_checked(PyObject *arrivals, const Py_buffer *states, const Py_buffer *gaps_s, const Py_buffer *due_at)
{
    Py_ssize_t count = PyList_GET_SIZE(arrivals), state_bytes = count ? states->len / count : 0;
    if (state_bytes * count != states->len || gaps_s->len != count * (Py_ssize_t)sizeof(double) || due_at->len != gaps_s->len)
        return PyErr_Format(PyExc_ValueError, "a state, a gap and a moment are wanted for each");
    PyObject *pages = PyList_New(count);
    for (Py_ssize_t row = 0; pages != NULL && row < count; row++) {
        One one;
        double gap_s, due;
        memcpy(&gap_s, (const char *)gaps_s->buf + row * (Py_ssize_t)sizeof(double), sizeof(double));
        memcpy(&due, (const char *)due_at->buf + row * (Py_ssize_t)sizeof(double), sizeof(double));
        int is_plain = is_plain_arrival(PyList_GET_ITEM(arrivals, row), &one);
        const char *state = (const char *)states->buf + row * state_bytes;
        PyObject *page = is_plain ? page_checked(&one, state, state_bytes, gap_s, due) : NULL;
        if (page == NULL && is_plain && !PyErr_Occurred()) page = page_fresh(&one, state, state_bytes, gap_s, due);
        if (page == NULL && PyErr_Occurred()) {
            Py_CLEAR(pages);
            break;
        }
        PyList_SET_ITEM(pages, row, page == NULL ? Py_NewRef(Py_None) : page);
    }
    return pages;
}

/* checked([arrival, …], states, gaps_s, due_at) -> [page, …] after a 304 or a new version; None in their place: other answers,
 * and what is not plain */
PyObject *
native_checked(PyObject *module, PyObject *arguments)
{
    PyObject *arrivals, *pages = NULL;
    Py_buffer states, gaps_s, due_at;
    if (!PyArg_ParseTuple(arguments, "O!y*y*y*", &PyList_Type, &arrivals, &states, &gaps_s, &due_at)) return NULL;
    if (arrival_ranks == NULL) PyErr_SetString(PyExc_ValueError, "call arrived first");
    else pages = each_checked(arrivals, &states, &gaps_s, &due_at);
    PyBuffer_Release(&states);
    PyBuffer_Release(&gaps_s);
    PyBuffer_Release(&due_at);
    return pages;
}

/* ---- what they leave behind ------------------------------------------------------------------------------------------ */

PyObject *
digest_text(PyObject *digest)
{
    static const char HEX[] = "0123456789abcdef";
    Py_ssize_t length = PyBytes_GET_SIZE(digest);
    if (length == 0) return Py_NewRef(no_text);
    PyObject *text = PyUnicode_New(7 + 2 * length, 127);
    if (text == NULL) return NULL;
    char *to = put_text((char *)PyUnicode_1BYTE_DATA(text), "sha256:", 7);
    for (const unsigned char *at = (const unsigned char *)PyBytes_AS_STRING(digest), *end = at + length; at < end; at++) {
        *to++ = HEX[*at >> 4];
        *to++ = HEX[*at & 15];
    }
    return text;
}

/* As `round(total_s * 1000, 3)`. */
static PyObject *
milliseconds(double total_s)
{
    PyObject *exact = PyFloat_FromDouble(total_s * 1000.0), *digits = exact ? PyLong_FromLong(3) : NULL;
    PyObject *rounded = digits ? PyObject_CallMethod(exact, "__round__", "O", digits) : NULL;
    Py_XDECREF(exact);
    Py_XDECREF(digits);
    return rounded;
}

PyObject *
visit_row(const One *one, int evidence, int change, double total_s)
{
    PyObject *rounded_ms = milliseconds(total_s);
    if (rounded_ms == NULL) return NULL;
    PyObject *fields[] = {
        get(one->page, PAGE_ID), get(one->reply, REPLY_AT), get(one->arrival, ARRIVAL_WHY), get(one->reply, REPLY_STATUS),
        arrival_members[evidence], arrival_members[change], no_text, get(one->reply, REPLY_RECEIVED), get(one->verdict, VERDICT_CHANGED_BYTES),
        is_conditional(one) > 0 ? Py_True : Py_False, rounded_ms};
    PyObject *visit = PyObject_Vectorcall(arrival_makes[VISIT], fields, sizeof(fields) / sizeof(*fields), NULL);
    Py_DECREF(rounded_ms);
    return visit;
}

PyObject *
facts_of(const One *one, int change)
{
    return Py_BuildValue("((OO)(OO)(OO))", why_name, get(one->arrival, ARRIVAL_WHY), verdict_name, arrival_members[change], reason_name,
                         get(one->verdict, VERDICT_REASON));
}

/* A revisit record to be: nothing of it is a version. */
static PyObject *
copy_of(const One *one)
{
    PyObject *digest = digest_text(get(one->page, PAGE_DIGEST)), *facts = digest ? facts_of(one, SAME) : NULL, *copy = NULL, *capture = NULL;
    if (facts != NULL) {
        PyObject *fields[] = {get(one->page, PAGE_URL), get(one->reply, REPLY_AT), one->reply, digest, get(one->page, PAGE_CHANGED), digest, facts};
        capture = PyObject_Vectorcall(arrival_makes[CAPTURE], fields, sizeof(fields) / sizeof(*fields), NULL);
    }
    if (capture != NULL) {
        PyObject *fields[] = {capture, get(one->page, PAGE_ID), zero, Py_None, Py_False};
        copy = PyObject_Vectorcall(arrival_makes[COPY], fields, sizeof(fields) / sizeof(*fields), NULL);
    }
    Py_XDECREF(digest);
    Py_XDECREF(facts);
    Py_XDECREF(capture);
    return copy;
}

typedef struct {
    PyObject *waiting, *is_quiet, *pages, *visits, *copies, *confirmed;
    PyObject *site; /* of which nobody speaks, the last that was asked for */
    int records;
} Book;

/* Whether the visit says nothing but that the copy is what it was; negative: an exception. */
static int
is_calm(Book *book, const One *one, double *total_s)
{
    PyObject *directives = get(one->arrival, ARRIVAL_DIRECTIVES), *site = get(one->page, PAGE_SITE), *id = get(one->page, PAGE_ID);
    if (get(one->reply, REPLY_EVIDENCE) != arrival_members[NOT_MODIFIED] || get(one->verdict, VERDICT_CHANGE) != arrival_members[SAME]) return 0;
    if (get(one->page, PAGE_STATUS) != arrival_members[LIVE] || get(one->page, PAGE_KIND) == arrival_members[SIGNAL]) return 0;
    if (get(one->arrival, ARRIVAL_DOCUMENT) != Py_None || !PyFrozenSet_CheckExact(directives) || PySet_GET_SIZE(directives) != 0) return 0;
    if (get(one->reply, REPLY_FAILURE) != Py_None || !number_of(get(one->times, TIMES_TOTAL), total_s) || is_conditional(one) < 0) return 0;
    if (!PyBytes_CheckExact(get(one->page, PAGE_DIGEST)) || !PyLong_CheckExact(id) || !is_text(site)) return 0;
    int is_awaited = PyDict_Contains(book->waiting, id);
    if (is_awaited) return is_awaited < 0 ? -1 : 0;
    if (site == book->site) return 1;
    PyObject *answer = PyObject_CallOneArg(book->is_quiet, site);
    int is_quiet = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    if (is_quiet > 0) Py_XSETREF(book->site, Py_NewRef(site));
    return is_quiet;
}

int
append_made(PyObject *list, PyObject *made)
{
    int failed = made == NULL || PyList_Append(list, made) < 0;
    Py_XDECREF(made);
    return failed ? -1 : 0;
}

/* Whether the visit changed nothing of the page but what each visit does (store/tables.py, CONFIRMED). */
static int
is_only_checked(PyObject *before, PyObject *after)
{
    static const int KEPT[] = {PAGE_STATUS, PAGE_REASON, PAGE_ETAG, PAGE_LAST_MODIFIED, PAGE_NOISE, PAGE_FAILURES, PAGE_MISSES, PAGE_TARGET};
    for (size_t one = 0; one < sizeof(KEPT) / sizeof(*KEPT); one++) {
        PyObject *old = get(before, KEPT[one]), *new = get(after, KEPT[one]);
        if (old == new) continue;
        if (!PyBytes_CheckExact(old) || !PyBytes_CheckExact(new) || PyBytes_GET_SIZE(old) != PyBytes_GET_SIZE(new)) return 0;
        if (memcmp(PyBytes_AS_STRING(old), PyBytes_AS_STRING(new), (size_t)PyBytes_GET_SIZE(old)) != 0) return 0;
    }
    return 1;
}

/* A page that was noted before in the same book is written whole. */
static int
note_page(Book *book, PyObject *before, PyObject *after)
{
    PyObject *id = get(after, PAGE_ID);
    int is_known = PyDict_Contains(book->pages, id);
    if (is_known < 0 || PyDict_SetItem(book->pages, id, after) < 0) return -1;
    return !is_known && is_only_checked(before, after) ? PyList_Append(book->confirmed, after) : 0;
}

/* 1: it is noted; 0: it is not so calm; negative: an exception. */
static int
note(Book *book, PyObject *arrival, PyObject *after)
{
    One one;
    double total_s;
    if (!is_plain_arrival(arrival, &one) || !Py_IS_TYPE(after, arrival_classes[PAGE])) return 0;
    int state = is_calm(book, &one, &total_s);
    if (state <= 0) return state;
    if (note_page(book, one.page, after) < 0 || append_made(book->visits, visit_row(&one, NOT_MODIFIED, SAME, total_s)) < 0) return -1;
    int has_copy = book->records && get(one.page, PAGE_CHANGED) != Py_None;
    return has_copy && append_made(book->copies, copy_of(&one)) < 0 ? -1 : 1;
}

/* confirmed_run([arrival, …], [page after it, …], start, {page: notices}, is_quiet, records, pages, visits, copies, confirmed)
 * -> how many from there on say nothing but that the copy is what it was; they are noted in the last four. `is_quiet(site)`:
 * nobody speaks of it. `records`: the archive keeps a record of each. `confirmed`: pages that are otherwise as they were. */
PyObject *
native_confirmed_run(PyObject *module, PyObject *arguments)
{
    PyObject *arrivals, *after;
    Py_ssize_t start;
    Book book = {NULL};
    if (!PyArg_ParseTuple(arguments, "O!O!nO!OpO!O!O!O!", &PyList_Type, &arrivals, &PyList_Type, &after, &start, &PyDict_Type, &book.waiting,
                          &book.is_quiet, &book.records, &PyDict_Type, &book.pages, &PyList_Type, &book.visits, &PyList_Type, &book.copies,
                          &PyList_Type, &book.confirmed))
        return NULL;
    if (arrival_ranks == NULL || start < 0) return PyErr_Format(PyExc_ValueError, "call arrived first, then with a place in the list");
    Py_ssize_t at = start;
    int goes_on = 1;
    for (; goes_on > 0 && at < PyList_GET_SIZE(arrivals) && at < PyList_GET_SIZE(after); at++) {
        PyObject *arrival = Py_NewRef(PyList_GET_ITEM(arrivals, at)), *page = Py_NewRef(PyList_GET_ITEM(after, at));
        goes_on = note(&book, arrival, page);
        Py_DECREF(arrival);
        Py_DECREF(page);
    }
    Py_XDECREF(book.site);
    if (goes_on < 0) return NULL;
    return PyLong_FromSsize_t(goes_on ? at - start : at - start - 1);
}

/* ---- what knowing when to come saved -------------------------------------------------------------------------------- */

typedef struct {
    PyObject *site; /* held by its page */
    long long revisits, spared_bytes;
    double passed_s;
} Saving;

/* Of a visit that saves something (engine/settling/savings.py, saves): 1, and what; 0: it does not; negative: it is not plain. */
static int
is_saving(const One *one, double *passed_s, long long *spared_bytes)
{
    PyObject *change = get(one->verdict, VERDICT_CHANGE), *checked_at = get(one->page, PAGE_CHECKED), *size = get(one->page, PAGE_SIZE);
    int is_judged = change == arrival_members[SAME] || change == arrival_members[CHANGED] || change == arrival_members[MOVED];
    double at, before;
    int overflow = 0;
    if (!is_judged || checked_at == Py_None || get(one->page, PAGE_KIND) == arrival_members[SIGNAL]) return 0;
    if (!number_of(get(one->reply, REPLY_AT), &at) || !number_of(checked_at, &before) || !PyLong_CheckExact(size) || !is_text(get(one->page, PAGE_SITE))) return -1;
    *passed_s = at > before ? at - before : 0.0;
    *spared_bytes = get(one->reply, REPLY_EVIDENCE) == arrival_members[NOT_MODIFIED] ? PyLong_AsLongLongAndOverflow(size, &overflow) : 0;
    return overflow || *spared_bytes < 0 || *spared_bytes > INT32_MAX ? -1 : 1;
}

static int
tell_saving(PyObject *told, const Saving *saving)
{
    if (saving->site == NULL) return 0;
    PyObject *sums = Py_BuildValue("(LdL)", saving->revisits, saving->passed_s, saving->spared_bytes);
    int failed = sums == NULL || PyDict_SetItem(told, saving->site, sums) < 0;
    Py_XDECREF(sums);
    return failed ? -1 : 0;
}

/* Go on with the sums of a site; negative: an exception. */
static int
turn_to(PyObject *told, Saving *saving, PyObject *site)
{
    if (saving->site != NULL && (site == saving->site || PyUnicode_Compare(site, saving->site) == 0)) return 0;
    if (tell_saving(told, saving) < 0) return -1;
    *saving = (Saving){site, 0, 0, 0.0};
    PyObject *sums = PyDict_GetItemWithError(told, site);
    if (sums == NULL) return PyErr_Occurred() ? -1 : 0;
    return PyArg_ParseTuple(sums, "LdL", &saving->revisits, &saving->passed_s, &saving->spared_bytes) ? 0 : -1;
}

/* saved_by([arrival, …]) -> {site: (revisits, seconds that they covered, bytes that a 304 left unsent)}; None: one of them is
 * not plain */
PyObject *
native_saved_by(PyObject *module, PyObject *arrivals)
{
    if (!PyList_Check(arrivals) || arrival_ranks == NULL) return PyErr_Format(PyExc_TypeError, "a list is wanted, after a call of arrived");
    PyObject *told = PyDict_New();
    Saving saving = {NULL, 0, 0, 0.0};
    for (Py_ssize_t at = 0; told != NULL && at < PyList_GET_SIZE(arrivals); at++) {
        One one;
        double passed_s;
        long long spared_bytes;
        int state = is_plain_arrival(PyList_GET_ITEM(arrivals, at), &one) ? is_saving(&one, &passed_s, &spared_bytes) : -1;
        if (state == 0) continue;
        if (state < 0) {
            Py_DECREF(told);
            Py_RETURN_NONE;
        }
        if (turn_to(told, &saving, get(one.page, PAGE_SITE)) < 0) Py_CLEAR(told);
        saving.revisits++;
        saving.passed_s += passed_s;
        saving.spared_bytes += spared_bytes;
    }
    if (told != NULL && tell_saving(told, &saving) < 0) Py_CLEAR(told);
    return told;
}
