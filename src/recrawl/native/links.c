/* Links whose address is plain: the same as `extract/resolve.py` and `extract/links.py` make of them. */
#include "native.h"

#include <string.h>

#define MOST_ORIGINS 16

enum { IN_PATH = 1, IN_QUERY = 2, IN_FRAGMENT = 4 };

static unsigned char stands_in[256];

void
links_prepare(void)
{
    static const char everywhere[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~!$&()*+,;=:@/-";
    for (const char *one = everywhere; *one; one++) stands_in[(unsigned char)*one] = IN_PATH | IN_QUERY | IN_FRAGMENT;
    for (const char *one = ".%?"; *one; one++) stands_in[(unsigned char)*one] = IN_QUERY | IN_FRAGMENT;
    stands_in['\''] = IN_PATH | IN_FRAGMENT;
}

/* A path from its slash on, query and fragment, that the full parser would leave as they are. */
static int
is_plain_path(const unsigned char *at, const unsigned char *end)
{
    for (at++; at < end && *at != '?' && *at != '#'; at++) {
        if (stands_in[*at] & IN_PATH) continue;
        if (*at != '.' && *at != '%') return 0;
        if (at[-1] != '/') continue;
        if (*at == '.' || (end - at > 2 && at[1] == '2' && (at[2] | 0x20) == 'e')) return 0; /* a dot segment, perhaps */
    }
    if (at < end && *at == '?')
        for (at++; at < end && *at != '#'; at++)
            if (!(stands_in[*at] & IN_QUERY)) return 0;
    if (at < end && *at == '#')
        for (at++; at < end; at++)
            if (!(stands_in[*at] & IN_FRAGMENT)) return 0;
    return at == end;
}

typedef struct {
    const unsigned char *text[MOST_ORIGINS];
    size_t length[MOST_ORIGINS];
    int is_plain[MOST_ORIGINS], count;
    PyObject *judge; /* asked once of each */
} Origins;

/* Negative on failure. */
static int
is_plain_origin(Origins *known, const unsigned char *text, size_t length)
{
    for (int one = known->count; one--;)
        if (known->length[one] == length && !memcmp(known->text[one], text, length)) return known->is_plain[one];
    PyObject *origin = PyUnicode_DecodeASCII((const char *)text, (Py_ssize_t)length, NULL);
    if (origin == NULL) return -1;
    PyObject *said = PyObject_CallOneArg(known->judge, origin);
    Py_DECREF(origin);
    if (said == NULL) return -1;
    int is_plain = PyObject_IsTrue(said);
    Py_DECREF(said);
    if (is_plain >= 0 && known->count < MOST_ORIGINS) {
        known->text[known->count] = text; /* of an address that the items hold */
        known->length[known->count] = length;
        known->is_plain[known->count++] = is_plain;
    }
    return is_plain;
}

/* What an address resolves to; NULL without an exception: only the resolver knows. */
static PyObject *
resolved(PyObject *href, PyObject *origin, Origins *known)
{
    if (!PyUnicode_Check(href) || !PyUnicode_IS_ASCII(href)) return NULL;
    const unsigned char *at = PyUnicode_1BYTE_DATA(href), *end = at + PyUnicode_GET_LENGTH(href);
    if (end - at >= 1 && *at == '/') {
        if (!PyUnicode_GET_LENGTH(origin) || (end - at >= 2 && at[1] == '/') || !is_plain_path(at, end)) return NULL;
        return PyUnicode_Concat(origin, href);
    }
    if (!PyUnicode_GET_LENGTH(origin) || end - at < 9 || memcmp(at, "http", 4)) return NULL;
    const unsigned char *root = memchr(at + 8, '/', (size_t)(end - at - 8));
    if (root == NULL || !is_plain_path(root, end)) return NULL;
    int is_plain = is_plain_origin(known, at, (size_t)(root - at));
    return is_plain > 0 ? Py_NewRef(href) : NULL;
}

/* The links of one item; None: only the resolver knows. */
static PyObject *
links_of(PyObject *item, PyObject *origin, PyObject *link_type, Py_ssize_t most_chars, Origins *known)
{
    if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 4 || PyTuple_GET_ITEM(item, 2) != Py_None) Py_RETURN_NONE;
    PyObject *href = PyTuple_GET_ITEM(item, 1);
    if (href == Py_None) return PyTuple_New(0);
    if (!PyUnicode_Check(href) || PyUnicode_GET_LENGTH(href) > most_chars) Py_RETURN_NONE;
    PyObject *url = resolved(href, origin, known);
    if (url == NULL) return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    PyObject *arguments[] = {url, PyTuple_GET_ITEM(item, 0), PyTuple_GET_ITEM(item, 3)};
    PyObject *link = PyObject_Vectorcall(link_type, arguments, 3, NULL);
    Py_DECREF(url);
    if (link == NULL) return NULL;
    PyObject *links = PyTuple_Pack(1, link);
    Py_DECREF(link);
    return links;
}

/* plain_links(items, origin, Link, is_origin, most_chars) -> of each item its links, or None where only the resolver knows.
 * `origin`: of the base, '' where it is none; `is_origin` says whether another is plain. */
PyObject *
native_plain_links(PyObject *module, PyObject *arguments)
{
    PyObject *items, *origin, *link_type;
    Py_ssize_t most_chars;
    Origins known = {.count = 0};
    if (!PyArg_ParseTuple(arguments, "O!UOOn", &PyList_Type, &items, &origin, &link_type, &known.judge, &most_chars)) return NULL;
    PyObject *found = PyList_New(PyList_GET_SIZE(items));
    for (Py_ssize_t one = 0; found != NULL && one < PyList_GET_SIZE(found) && one < PyList_GET_SIZE(items); one++) {
        PyObject *links = links_of(PyList_GET_ITEM(items, one), origin, link_type, most_chars, &known);
        if (links == NULL) Py_CLEAR(found);
        else PyList_SET_ITEM(found, one, links);
    }
    return found;
}
