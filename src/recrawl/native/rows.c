/* Values as rows of a table and rows as values, many at a time: what `store/rows.py` does one by one. A plan says of
 * each column which field it holds and how (`store/columns.py`). Whatever is not plain (a value of another class, a word
 * or code that nobody knows, a row of another length) is left to the Python, which knows how to complain.
 */
#include "native.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define MOST_COLUMNS 64
#define PLAN "recrawl.native.rows"

/* As `store.columns.How` numbers them. */
enum how { AS_IS, UNLESS, CODE, WORD, WORD_IF_ANY, BITS, URL, SERVER, DIGEST, MADE, HOWS };

typedef struct {
    enum how how;
    Py_ssize_t offset;      /* of the slot */
    PyObject *there, *back; /* to the row and from it: tables, functions, or what is left out */
} Column;

typedef struct {
    PyTypeObject *type;
    Py_ssize_t count, server; /* server: the offset of its slot, where addresses are packed */
    int has_key;              /* a row to read ends with the key of its server */
    Column columns[MOST_COLUMNS];
} Plan;

static void
free_plan(PyObject *capsule)
{
    Plan *plan = PyCapsule_GetPointer(capsule, PLAN);
    if (plan == NULL) return;
    for (Py_ssize_t at = 0; at < plan->count; at++) {
        Py_XDECREF(plan->columns[at].there);
        Py_XDECREF(plan->columns[at].back);
    }
    Py_XDECREF(plan->type);
    PyMem_Free(plan);
}

static int
is_sound(const Column *column)
{
    if (column->how == CODE) return PyDict_Check(column->there) && PyDict_Check(column->back);
    if (column->how == BITS || column->how == URL || column->how == DIGEST || column->how == MADE) return PyCallable_Check(column->there) && PyCallable_Check(column->back);
    return column->how >= AS_IS && column->how < HOWS && (column->how != SERVER || PyCallable_Check(column->there));
}

/* rows_plan(class, ((field, how, there, back), …)) */
PyObject *
native_rows_plan(PyObject *module, PyObject *arguments)
{
    PyTypeObject *type;
    PyObject *columns;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyType_Type, &type, &PyTuple_Type, &columns)) return NULL;
    if (PyTuple_GET_SIZE(columns) > MOST_COLUMNS) return PyErr_Format(PyExc_ValueError, "too many columns");
    Plan *plan = PyMem_Calloc(1, sizeof(Plan));
    if (plan == NULL) return PyErr_NoMemory();
    plan->type = (PyTypeObject *)Py_NewRef(type);
    PyObject *capsule = PyCapsule_New(plan, PLAN, free_plan);
    if (capsule == NULL) {
        Py_DECREF(type);
        PyMem_Free(plan);
        return NULL;
    }
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(columns); at++) {
        Column *column = &plan->columns[at];
        const char *field;
        int how;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(columns, at), "siOO", &field, &how, &column->there, &column->back)) goto wrong;
        column->how = (enum how)how;
        Py_INCREF(column->there);
        Py_INCREF(column->back);
        plan->count = at + 1;
        if (!is_sound(column)) {
            PyErr_Format(PyExc_ValueError, "column %s cannot be made so", field);
            goto wrong;
        }
        if ((column->offset = slot_named(type, field)) < 0) goto wrong;
        if (how == URL && (plan->server = slot_named(type, "server")) < 0) goto wrong;
        if (how == SERVER) plan->has_key = 1;
    }
    if (plan->server && !plan->has_key) { /* an address without its server is none */
        PyErr_SetString(PyExc_ValueError, "addresses are packed, but no column names the server");
        goto wrong;
    }
    return capsule;
wrong:
    Py_DECREF(capsule);
    return NULL;
}

static PyObject *
field(PyObject *value, Py_ssize_t offset)
{
    return *(PyObject **)((char *)value + offset);
}

static int
is_ascii(PyObject *text)
{
    return PyUnicode_CheckExact(text) && PyUnicode_IS_COMPACT_ASCII(text);
}

static PyObject *
joined(const char *first, PyObject *second, const char *third, Py_ssize_t third_length)
{
    Py_ssize_t first_length = (Py_ssize_t)strlen(first), second_length = second ? PyUnicode_GET_LENGTH(second) : 0;
    PyObject *text = PyUnicode_New(first_length + second_length + third_length, 127);
    if (text == NULL) return NULL;
    char *to = (char *)PyUnicode_1BYTE_DATA(text);
    memcpy(to, first, (size_t)first_length);
    if (second) memcpy(to + first_length, PyUnicode_1BYTE_DATA(second), (size_t)second_length);
    memcpy(to + first_length + second_length, third, (size_t)third_length);
    return text;
}

/* Where the path of an address begins that has this scheme and server; 0: it has another one. */
static Py_ssize_t
path_of(PyObject *url, const char *scheme, PyObject *server)
{
    const char *text = (const char *)PyUnicode_1BYTE_DATA(url);
    Py_ssize_t before = (Py_ssize_t)strlen(scheme), length = PyUnicode_GET_LENGTH(server), path = before + length;
    if (PyUnicode_GET_LENGTH(url) <= path || text[path] != '/' || memcmp(text, scheme, (size_t)before) != 0) return 0;
    return memcmp(text + before, PyUnicode_1BYTE_DATA(server), (size_t)length) == 0 ? path : 0;
}

static PyObject *
packed_url(const Column *column, PyObject *url, PyObject *server)
{
    if (!is_ascii(url) || !is_ascii(server)) return PyObject_CallFunctionObjArgs(column->there, url, server, NULL);
    const char *text = (const char *)PyUnicode_1BYTE_DATA(url);
    Py_ssize_t length = PyUnicode_GET_LENGTH(url), path;
    if ((path = path_of(url, "https://", server)) != 0) return joined("", NULL, text + path, length - path);
    if ((path = path_of(url, "http://", server)) != 0) return joined("h", NULL, text + path, length - path);
    return Py_NewRef(url);
}

static PyObject *
unpacked_url(const Column *column, PyObject *packed, PyObject *server)
{
    if (!is_ascii(packed) || !is_ascii(server)) return PyObject_CallFunctionObjArgs(column->back, packed, server, NULL);
    const char *text = (const char *)PyUnicode_1BYTE_DATA(packed);
    Py_ssize_t length = PyUnicode_GET_LENGTH(packed);
    if (length > 0 && text[0] == '/') return joined("https://", server, text, length);
    if (length > 1 && text[0] == 'h' && text[1] == '/') return joined("http://", server, text + 1, length - 1);
    return Py_NewRef(packed);
}

static int
digit_of(char letter)
{
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* The bytes of "sha256:" and their digits, nothing for none; any other text as the Python packs it. */
static PyObject *
packed_digest(const Column *column, PyObject *digest)
{
    static const char SHA256[] = "sha256:";
    enum { BEFORE = sizeof(SHA256) - 1, BYTES = 32 };
    unsigned char packed[BYTES];
    if (!is_ascii(digest)) return PyObject_CallOneArg(column->there, digest);
    const char *text = (const char *)PyUnicode_1BYTE_DATA(digest);
    Py_ssize_t length = PyUnicode_GET_LENGTH(digest);
    if (length == 0) return Py_NewRef(Py_None);
    int is_plain = length == BEFORE + 2 * BYTES && memcmp(text, SHA256, BEFORE) == 0;
    for (int at = 0; is_plain && at < BYTES; at++) {
        int high = digit_of(text[BEFORE + 2 * at]), low = digit_of(text[BEFORE + 2 * at + 1]);
        is_plain = high >= 0 && low >= 0;
        packed[at] = (unsigned char)((high & 15) << 4 | (low & 15));
    }
    return is_plain ? PyBytes_FromStringAndSize((const char *)packed, BYTES) : PyObject_CallOneArg(column->there, digest);
}

static PyObject *
looked_up(PyObject *table, PyObject *key)
{
    return Py_XNewRef(PyDict_GetItemWithError(table, key));
}

/* A new reference; NULL without an exception: it is left to the Python. */
static PyObject *
to_row(const Plan *plan, const Column *column, PyObject *value, PyObject *numbers)
{
    PyObject *given = field(value, column->offset), *found;
    if (given == NULL) return NULL;
    switch (column->how) {
    case UNLESS: {
        int is_left_out = PyObject_RichCompareBool(given, column->there, Py_EQ);
        return is_left_out < 0 ? NULL : Py_NewRef(is_left_out ? Py_None : given);
    }
    case CODE: return looked_up(column->there, given);
    case WORD: return looked_up(numbers, given);
    case WORD_IF_ANY: {
        if ((found = looked_up(numbers, given)) == NULL) return NULL;
        int is_any = PyObject_IsTrue(found);
        if (is_any > 0) return found;
        Py_DECREF(found);
        return is_any < 0 ? NULL : Py_NewRef(Py_None);
    }
    case DIGEST: return packed_digest(column, given);
    case MADE:
    case BITS: {
        int is_any = PyObject_IsTrue(given);
        if (is_any < 0) return NULL;
        return is_any ? PyObject_CallOneArg(column->there, given) : Py_NewRef(Py_None);
    }
    case URL: {
        PyObject *server = field(value, plan->server);
        return server == NULL ? NULL : packed_url(column, given, server);
    }
    case SERVER: return PyObject_CallOneArg(column->there, given);
    default: return Py_NewRef(given);
    }
}

static PyObject *
from_row(const Column *column, PyObject *given, PyObject *key, PyObject *texts)
{
    switch (column->how) {
    case UNLESS: return Py_NewRef(given == Py_None ? column->there : given);
    case CODE: return looked_up(column->back, given);
    case WORD:
    case WORD_IF_ANY: return looked_up(texts, given);
    case BITS: return given == Py_None ? PyLong_FromLong(0) : PyObject_CallOneArg(column->back, given);
    case URL: return unpacked_url(column, given, key);
    case SERVER: return Py_NewRef(key);
    case DIGEST:
    case MADE: return PyObject_CallOneArg(column->back, given);
    default: return Py_NewRef(given);
    }
}

/* `more`: lists of what follows the columns, or NULL. */
static PyObject *
row_of(const Plan *plan, PyObject *value, PyObject *numbers, PyObject *more, Py_ssize_t place)
{
    if (!Py_IS_TYPE(value, plan->type)) return NULL;
    Py_ssize_t lists = more == NULL ? 0 : PyTuple_GET_SIZE(more);
    PyObject *row = PyTuple_New(plan->count + lists);
    for (Py_ssize_t at = 0; row != NULL && at < plan->count; at++) {
        PyObject *item = to_row(plan, &plan->columns[at], value, numbers);
        if (item == NULL) Py_CLEAR(row);
        else PyTuple_SET_ITEM(row, at, item);
    }
    for (Py_ssize_t at = 0; row != NULL && at < lists; at++) {
        PyObject *list = PyTuple_GET_ITEM(more, at);
        if (place < PyList_GET_SIZE(list)) PyTuple_SET_ITEM(row, plan->count + at, Py_NewRef(PyList_GET_ITEM(list, place)));
        else Py_CLEAR(row);
    }
    return row;
}

static PyObject *
value_of(const Plan *plan, PyObject *row, PyObject *texts, PyObject *server, Py_ssize_t Py_UNUSED(place))
{
    int has_key = plan->has_key && server == NULL;
    if (!PyTuple_CheckExact(row) || PyTuple_GET_SIZE(row) != plan->count + has_key) return NULL;
    PyObject *fields[MOST_COLUMNS], *made = NULL;
    PyObject *key = has_key ? PyTuple_GET_ITEM(row, plan->count) : server;
    Py_ssize_t at = 0;
    for (; at < plan->count; at++)
        if ((fields[at] = from_row(&plan->columns[at], PyTuple_GET_ITEM(row, at), key, texts)) == NULL) break;
    if (at == plan->count) made = PyObject_Vectorcall((PyObject *)plan->type, fields, (size_t)at, NULL);
    while (at > 0) Py_DECREF(fields[--at]);
    return made;
}

typedef PyObject *(*Make)(const Plan *, PyObject *, PyObject *, PyObject *, Py_ssize_t);

static PyObject *
each(PyObject *capsule, PyObject *given, PyObject *words, PyObject *more, Make make)
{
    PyObject *made = NULL;
    const Plan *plan = PyCapsule_GetPointer(capsule, PLAN);
    if (plan == NULL || (made = PyList_New(0)) == NULL) return NULL;
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(given); at++) {
        PyObject *one = Py_NewRef(PyList_GET_ITEM(given, at)), *other = make(plan, one, words, more, at);
        Py_DECREF(one);
        int is_kept = other != NULL && PyList_Append(made, other) == 0;
        Py_XDECREF(other);
        if (is_kept) continue;
        Py_DECREF(made);
        if (PyErr_Occurred()) return NULL;
        Py_RETURN_NONE;
    }
    return made;
}

/* rows_of(plan, [value, …], {word: number}[, ([what follows], …)]) -> [row, …] or None */
PyObject *
native_rows_of(PyObject *module, PyObject *arguments)
{
    PyObject *capsule, *given, *words, *more = NULL;
    if (!PyArg_ParseTuple(arguments, "OO!O!|O!", &capsule, &PyList_Type, &given, &PyDict_Type, &words, &PyTuple_Type, &more)) return NULL;
    for (Py_ssize_t at = 0; more != NULL && at < PyTuple_GET_SIZE(more); at++)
        if (!PyList_Check(PyTuple_GET_ITEM(more, at))) return PyErr_Format(PyExc_TypeError, "what follows the columns comes in lists");
    return each(capsule, given, words, more, row_of);
}

/* values_of(plan, [row, …], {number: word}[, key of the server of all, which then ends no row]) -> [value, …] or None */
PyObject *
native_values_of(PyObject *module, PyObject *arguments)
{
    PyObject *capsule, *given, *words, *server = NULL;
    if (!PyArg_ParseTuple(arguments, "OO!O!|U", &capsule, &PyList_Type, &given, &PyDict_Type, &words, &server)) return NULL;
    return each(capsule, given, words, server, value_of);
}

static PyObject *
bindable_value(PyObject *item, PyObject *nothing)
{
    if (item == Py_None) return Py_NewRef(nothing);
    if (PyBytes_CheckExact(item)) return PyByteArray_FromStringAndSize(PyBytes_AS_STRING(item), PyBytes_GET_SIZE(item));
    return PyBool_Check(item) ? PyLong_FromLong(item == Py_True) : Py_NewRef(item);
}

/* NULL without an exception: it is no tuple. */
static PyObject *
bindable_row(PyObject *row, PyObject *nothing)
{
    if (!PyTuple_CheckExact(row)) return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(row);
    PyObject *fresh = PyTuple_New(count);
    for (Py_ssize_t at = 0; fresh != NULL && at < count; at++) {
        PyObject *value = bindable_value(PyTuple_GET_ITEM(row, at), nothing);
        if (value == NULL) Py_CLEAR(fresh);
        else PyTuple_SET_ITEM(fresh, at, value);
    }
    return fresh;
}

/* bindable([row, …], nothing) -> [row, …] of values that a database driver takes as they are: what stands for None, arrays
 * for bytes, numbers for truths; None: a row is no tuple */
PyObject *
native_bindable(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *nothing;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyList_Type, &rows, &nothing)) return NULL;
    Py_ssize_t count = PyList_GET_SIZE(rows);
    PyObject *fresh = PyList_New(count);
    for (Py_ssize_t at = 0; fresh != NULL && at < count; at++) {
        PyObject *row = bindable_row(PyList_GET_ITEM(rows, at), nothing);
        if (row == NULL) {
            Py_DECREF(fresh);
            if (PyErr_Occurred()) return NULL;
            Py_RETURN_NONE;
        }
        PyList_SET_ITEM(fresh, at, row);
    }
    return fresh;
}

/* ---- how many stand alike (store/counts.py) ------------------------------------------------------------------------- */

#define MOST_WAYS 128
#define UNSCHEDULED INT_MIN

typedef struct {
    PyObject *site, *status; /* held by a row */
    int is_visited, exponent;
    long count;
} Way;

enum { STANDS_SITE = 1, STANDS_STATUS = 3, STANDS_VISITS, STANDS_INTERVAL, STANDS_DUE, STANDS_COLUMNS };

static int
is_same_number(PyObject *one, PyObject *other)
{
    return one == other || PyLong_AsLong(one) == PyLong_AsLong(other);
}

/* 0: the row is not plain. */
static int
take_way(PyObject *row, double longest_s, Way *way)
{
    if (!PyTuple_CheckExact(row) || PyTuple_GET_SIZE(row) < STANDS_COLUMNS) return 0;
    PyObject *visits = PyTuple_GET_ITEM(row, STANDS_VISITS), *interval_s = PyTuple_GET_ITEM(row, STANDS_INTERVAL);
    *way = (Way){PyTuple_GET_ITEM(row, STANDS_SITE), PyTuple_GET_ITEM(row, STANDS_STATUS), 0, UNSCHEDULED, 1};
    if (!PyLong_CheckExact(way->site) || !PyLong_CheckExact(way->status) || (visits != Py_None && !PyLong_CheckExact(visits))) return 0;
    way->is_visited = visits != Py_None && PyObject_IsTrue(visits);
    if (PyTuple_GET_ITEM(row, STANDS_DUE) == Py_None || interval_s == Py_None) return 1;
    if (!PyFloat_CheckExact(interval_s)) return 0;
    double seconds = PyFloat_AS_DOUBLE(interval_s);
    if (seconds > 0.0 && seconds < longest_s) frexp(seconds, &way->exponent);
    return 1;
}

static int
count_way(Way *ways, int known, const Way *one)
{
    for (int at = 0; at < known; at++) {
        Way *way = &ways[at];
        if (way->exponent != one->exponent || way->is_visited != one->is_visited) continue;
        if (!is_same_number(way->status, one->status) || !is_same_number(way->site, one->site)) continue;
        way->count++;
        return known;
    }
    if (known < MOST_WAYS) ways[known] = *one;
    return known + 1;
}

static PyObject *
counted(const Way *ways, int known)
{
    PyObject *found = PyDict_New();
    for (int at = 0; found != NULL && at < known; at++) {
        const Way *way = &ways[at];
        PyObject *exponent = way->exponent == UNSCHEDULED ? Py_NewRef(Py_None) : PyLong_FromLong(way->exponent);
        PyObject *key = exponent ? PyTuple_Pack(4, way->site, way->status, way->is_visited ? Py_True : Py_False, exponent) : NULL;
        PyObject *count = key ? PyLong_FromLong(way->count) : NULL;
        if (count == NULL || PyDict_SetItem(found, key, count) < 0) Py_CLEAR(found);
        Py_XDECREF(exponent);
        Py_XDECREF(key);
        Py_XDECREF(count);
    }
    return found;
}

/* alike([row of what a page stands for, …], longest interval) -> {(site, status, is it visited, exponent): how many}; None: one
 * of them is not plain, or they are too different */
PyObject *
native_alike(PyObject *module, PyObject *arguments)
{
    PyObject *rows;
    double longest_s;
    Way ways[MOST_WAYS], one;
    int known = 0;
    if (!PyArg_ParseTuple(arguments, "O!d", &PyList_Type, &rows, &longest_s)) return NULL;
    int is_plain = 1;
    for (Py_ssize_t at = 0; is_plain && at < PyList_GET_SIZE(rows); at++)
        is_plain = take_way(PyList_GET_ITEM(rows, at), longest_s, &one) && (known = count_way(ways, known, &one)) <= MOST_WAYS;
    if (!is_plain || PyErr_Occurred()) {
        PyErr_Clear(); /* of a number that is no column's */
        Py_RETURN_NONE;
    }
    return counted(ways, known);
}

static PyObject *
keep(PyObject *heap, PyObject *row)
{
    if (PyList_Append(heap, row) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef KEEP = {"keep", keep, METH_VARARGS, "Put a row on the heap."};

/* keeper(list) -> function(*row): the row as SQLite's driver made it goes on the list */
PyObject *
native_keeper(PyObject *module, PyObject *heap)
{
    if (!PyList_CheckExact(heap)) return PyErr_Format(PyExc_TypeError, "rows are kept on a list");
    return PyCFunction_New(&KEEP, heap);
}
