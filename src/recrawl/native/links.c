/* Links whose address is plain: the same as `extract/resolve.py` and `extract/links.py` make of them. */
#include "met.h"

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

enum { UNSURE, ROOTED, WHOLE };

/* How an address is to be resolved: behind the origin, as it stands, or (UNSURE) as only the resolver knows. Negative on
 * failure. */
static int
way_of(PyObject *href, PyObject *origin, Origins *known)
{
    if (!PyUnicode_Check(href) || !PyUnicode_IS_ASCII(href) || !PyUnicode_GET_LENGTH(origin)) return UNSURE;
    const unsigned char *at = PyUnicode_1BYTE_DATA(href), *end = at + PyUnicode_GET_LENGTH(href);
    if (end - at >= 1 && *at == '/') return (end - at >= 2 && at[1] == '/') || !is_plain_path(at, end) ? UNSURE : ROOTED;
    if (end - at < 9 || memcmp(at, "http", 4)) return UNSURE;
    const unsigned char *root = memchr(at + 8, '/', (size_t)(end - at - 8));
    if (root == NULL || !is_plain_path(root, end)) return UNSURE;
    int is_plain = is_plain_origin(known, at, (size_t)(root - at));
    return is_plain < 0 ? -1 : is_plain ? WHOLE : UNSURE;
}

/* What an address resolves to; NULL without an exception: only the resolver knows. */
static PyObject *
resolved(PyObject *href, PyObject *origin, Origins *known)
{
    int way = way_of(href, origin, known);
    return way == ROOTED ? PyUnicode_Concat(origin, href) : way == WHOLE ? Py_NewRef(href) : NULL;
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

/* Whether an item leads nowhere, or certainly to where others led. Negative on failure. */
static int
was_met(PyObject *item, PyObject *origin, Py_ssize_t most_chars, const Met *met, Origins *known)
{
    if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 4 || PyTuple_GET_ITEM(item, 2) != Py_None) return 0;
    PyObject *href = PyTuple_GET_ITEM(item, 1);
    if (href == Py_None) return 1;
    if (!PyUnicode_Check(href) || PyUnicode_GET_LENGTH(href) > most_chars) return 0;
    int way = way_of(href, origin, known);
    if (way <= UNSURE) return way;
    Py_ssize_t before = 0, length;
    const char *address = PyUnicode_AsUTF8AndSize(href, &length), *origin_text = NULL;
    if (way == ROOTED) origin_text = PyUnicode_AsUTF8AndSize(origin, &before);
    if (address == NULL || (way == ROOTED && origin_text == NULL)) return -1;
    return met_has(met, origin_text, (size_t)before, address, (size_t)length);
}

PyObject *
items_unmet(PyObject *items, PyObject *origin, PyObject *is_origin, Py_ssize_t most_chars, PyObject *met)
{
    Origins known = {.count = 0, .judge = is_origin};
    PyObject *found = PyList_New(0);
    for (Py_ssize_t one = 0; found != NULL && one < PyList_GET_SIZE(items); one++) {
        PyObject *item = PyList_GET_ITEM(items, one);
        int is_met = was_met(item, origin, most_chars, (const Met *)met, &known);
        if (is_met < 0 || (!is_met && PyList_Append(found, item) < 0)) Py_CLEAR(found);
    }
    return found;
}

/* unmet_items(items, origin, is_origin, most_chars, met) -> those that may lead to where no other led, or say how they lead
 * there. `origin` and `is_origin` as above. */
PyObject *
native_unmet_items(PyObject *module, PyObject *const *given, Py_ssize_t count)
{
    if (count != 5 || !PyList_Check(given[0]) || !PyUnicode_Check(given[1]) || !Py_IS_TYPE(given[4], &MetType)) {
        PyErr_SetString(PyExc_TypeError, "unmet_items(items, origin, is_origin, most_chars, met)");
        return NULL;
    }
    Py_ssize_t most_chars = PyLong_AsSsize_t(given[3]);
    if (most_chars == -1 && PyErr_Occurred()) return NULL;
    return items_unmet(given[0], given[1], given[2], most_chars, given[4]);
}

/* A path that stays as it is whatever is asked of it (scope/clean.py, ROOTED): no escape, no query, no segment that begins
 * with a dot or is empty. */
static int
is_clean_path(const unsigned char *at, const unsigned char *end)
{
    for (const unsigned char *begin = at; at < end; at++) {
        int begins = at > begin && at[-1] == '/';
        if (*at == '/' || *at == '.' ? begins : *at == ';' || !(stands_in[*at] & IN_PATH)) return 0;
    }
    return 1;
}

/* clean_behind(origin, [address, …], longest) -> those behind the origin that are clean at a glance */
PyObject *
native_clean_behind(PyObject *module, PyObject *arguments)
{
    PyObject *origin, *addresses;
    Py_ssize_t longest;
    if (!PyArg_ParseTuple(arguments, "UO!n", &origin, &PyList_Type, &addresses, &longest)) return NULL;
    PyObject *clean = PyList_New(0);
    if (clean == NULL || !PyUnicode_IS_COMPACT_ASCII(origin)) return clean;
    const unsigned char *before = PyUnicode_1BYTE_DATA(origin);
    size_t length = (size_t)PyUnicode_GET_LENGTH(origin);
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(addresses); one++) {
        PyObject *address = PyList_GET_ITEM(addresses, one);
        if (!PyUnicode_CheckExact(address) || !PyUnicode_IS_COMPACT_ASCII(address) || PyUnicode_GET_LENGTH(address) > longest) continue;
        const unsigned char *text = PyUnicode_1BYTE_DATA(address), *end = text + PyUnicode_GET_LENGTH(address);
        if ((size_t)(end - text) <= length || text[length] != '/' || memcmp(text, before, length)) continue;
        if (!is_clean_path(text + length, end)) continue;
        if (PyList_Append(clean, address) < 0) {
            Py_DECREF(clean);
            return NULL;
        }
    }
    return clean;
}
