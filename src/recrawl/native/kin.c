/* Whom pages are expected to be like: the names of their groups (engine/scheduling/kin.py). */
#include "lines.h"

#define LONGEST_NAME 4096

enum { URL, SITE, KIND, CATEGORY, FOUND, SLOTS };

static Py_ssize_t offsets[SLOTS];
static PyTypeObject *page_type;
static PyObject *general;

/* kin(Page, GENERAL): what `kin_names` reads, and the kind of pages that are told apart by their addresses */
PyObject *
native_kin(PyObject *module, PyObject *arguments)
{
    PyTypeObject *page;
    PyObject *kind;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyType_Type, &page, &kind)) return NULL;
    static const char *const NAMES[SLOTS] = {"url", "site", "kind", "category", "found_at"};
    for (int one = 0; one < SLOTS; one++)
        if ((offsets[one] = slot_named(page, NAMES[one])) < 0) return NULL;
    Py_XSETREF(page_type, (PyTypeObject *)Py_NewRef(page));
    Py_XSETREF(general, Py_NewRef(kind));
    Py_RETURN_NONE;
}

static PyObject *
get(PyObject *page, int which)
{
    PyObject *found = *(PyObject **)((char *)page + offsets[which]);
    return found == NULL ? Py_None : found;
}

/* What follows the third slash, up to the query. */
static Piece
path_of(Piece url)
{
    const char *at = url.at, *end = at + url.length;
    for (int slashes = 0; slashes < 3; slashes++) {
        at = at == end ? NULL : memchr(at, '/', (size_t)(end - at));
        if (at++ == NULL) return (Piece){end, 0};
    }
    const char *query = at == end ? NULL : memchr(at, '?', (size_t)(end - at));
    return (Piece){at, (size_t)((query ? query : end) - at)};
}

/* The first folder, a dot, and the ending of the file. */
static char *
put_pattern(char *to, Piece path)
{
    const char *end = path.at + path.length, *folder = path.length ? memchr(path.at, '/', path.length) : NULL, *dot = end;
    if (folder != NULL && folder + 1 < end) to = put_text(to, path.at, (size_t)(folder - path.at));
    *to++ = '.';
    while (dot > path.at && dot[-1] != '/' && dot[-1] != '.') dot--;
    if (dot == path.at || dot[-1] != '.') return to;
    return put_text(to, dot, end - dot > 8 ? 8 : (size_t)(end - dot));
}

typedef struct {
    PyObject *met_at;
    double now, first_s, youth_s;
} Moment;

/* 1: in its first weeks; negative: an exception, or it cannot be told. */
static int
is_new(const Moment *moment, PyObject *page)
{
    PyObject *met_at = PyDict_GetItemWithError(moment->met_at, get(page, SITE)), *found_at = get(page, FOUND);
    if (met_at == NULL) return PyErr_Occurred() ? -1 : 0;
    if (!PyFloat_CheckExact(met_at) || !PyFloat_CheckExact(found_at)) return -1;
    double found = PyFloat_AS_DOUBLE(found_at);
    return found - PyFloat_AS_DOUBLE(met_at) >= moment->first_s && moment->now - found < moment->youth_s;
}

/* A new reference, the last name if it is the same; NULL, perhaps without an exception: it is left to Python. */
static PyObject *
name_of(const Moment *moment, PyObject *page, PyObject *last)
{
    if (!Py_IS_TYPE(page, page_type) || !PyUnicode_CheckExact(get(page, SITE))) return NULL;
    Piece site = ascii_piece(get(page, SITE)), url = ascii_piece(get(page, URL)), category = ascii_piece(get(page, CATEGORY));
    if (site.at == NULL || url.at == NULL || category.at == NULL || site.length + url.length + 16 > LONGEST_NAME) return NULL;
    int new = is_new(moment, page);
    if (new < 0 || (!new && (category.length || get(page, KIND) != general))) return NULL;
    char name[LONGEST_NAME], *end = put_piece(name, site);
    *end++ = '|';
    end = new ? PUT(end, "+new") : put_pattern(end, path_of(url));
    size_t length = (size_t)(end - name);
    Piece before = last == NULL ? (Piece){NULL, 0} : ascii_piece(last);
    if (before.at != NULL && before.length == length && memcmp(before.at, name, length) == 0) return Py_NewRef(last);
    return PyUnicode_FromStringAndSize(name, (Py_ssize_t)length);
}

/* kin_names([page, …], {site: met_at}, now, first_s, youth_s) -> [name, …]; None in their place: what is not plain */
PyObject *
native_kin_names(PyObject *module, PyObject *arguments)
{
    PyObject *pages, *last = NULL;
    Moment moment;
    if (!PyArg_ParseTuple(arguments, "O!O!ddd", &PyList_Type, &pages, &PyDict_Type, &moment.met_at, &moment.now, &moment.first_s, &moment.youth_s)) return NULL;
    if (page_type == NULL) return PyErr_Format(PyExc_ValueError, "call kin first");
    Py_ssize_t count = PyList_GET_SIZE(pages);
    PyObject *names = PyList_New(count);
    for (Py_ssize_t at = 0; names != NULL && at < count; at++) {
        PyObject *name = name_of(&moment, PyList_GET_ITEM(pages, at), last);
        if (name == NULL && PyErr_Occurred()) {
            Py_CLEAR(names);
            break;
        }
        if (name != NULL) last = name;
        PyList_SET_ITEM(names, at, name == NULL ? Py_NewRef(Py_None) : name);
    }
    return names;
}
