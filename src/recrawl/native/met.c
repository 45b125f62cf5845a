/* Addresses met before: eight bytes each and one look, where a set of Python's numbers takes fifty and two. */
#include "met.h"

#include <string.h>

#define SMALLEST 1024
#define FILL_TENTHS 8

static uint64_t
mixed(uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93ULL;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93ULL;
    return hash ^ (hash >> 32);
}

static uint64_t
hash_of(uint64_t seed, const char *text, size_t length)
{
    uint64_t hash = seed ^ (length * 0x9e3779b97f4a7c15ULL), word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
        hash = mixed(hash); /* one shift would leave the high bits of a word where any seed leaves them */
    }
    if (length) {
        word = 0;
        memcpy(&word, text, length);
        hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
    }
    return mixed(hash);
}

/* An origin and what stands behind it are hashed apart, so that a path needs not be put behind its origin. */
static uint64_t
joined(uint64_t seed, const char *origin, size_t origin_length, const char *rest, size_t length)
{
    uint64_t hash = mixed(hash_of(seed, origin, origin_length) + hash_of(~seed, rest, length));
    return hash ? hash : 1;
}

static uint64_t
hash_of_address(const Met *met, const char *origin, size_t origin_length, const char *address, size_t length)
{
    if (origin != NULL) return joined(met->seed, origin, origin_length, address, length);
    size_t cut = 0;
    if (length > 8 && memcmp(address, "http", 4) == 0) {
        const char *root = memchr(address + 8, '/', length - 8);
        if (root != NULL) cut = (size_t)(root - address);
    }
    return joined(met->seed, address, cut, address + cut, length - cut);
}

static size_t
place_of(const uint64_t *hashes, size_t size, uint64_t hash)
{
    size_t at = (size_t)hash & (size - 1);
    while (hashes[at] != 0 && hashes[at] != hash) at = (at + 1) & (size - 1);
    return at;
}

int
met_has(const Met *met, const char *origin, size_t origin_length, const char *address, size_t length)
{
    uint64_t hash = hash_of_address(met, origin, origin_length, address, length);
    return met->hashes[place_of(met->hashes, met->size, hash)] != 0;
}

static int
grow(Met *met, size_t size)
{
    uint64_t *fresh = PyMem_Calloc(size, sizeof(uint64_t));
    if (fresh == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t at = 0; at < met->size; at++)
        if (met->hashes[at]) fresh[place_of(fresh, size, met->hashes[at])] = met->hashes[at];
    PyMem_Free(met->hashes);
    met->hashes = fresh;
    met->size = size;
    return 0;
}

static int
add(Met *met, PyObject *address)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(address, &length);
    if (text == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear(); /* a lone surrogate: never met */
        return 0;
    }
    if ((met->count + 1) * 10 > met->size * FILL_TENTHS && grow(met, met->size * 2) < 0) return -1;
    uint64_t hash = hash_of_address(met, NULL, 0, text, (size_t)length);
    size_t at = place_of(met->hashes, met->size, hash);
    met->count += met->hashes[at] == 0;
    met->hashes[at] = hash;
    return 0;
}

static PyObject *
met_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    static char *names[] = {"capacity", "seed", NULL};
    Py_ssize_t capacity;
    unsigned long long seed;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "nK", names, &capacity, &seed)) return NULL;
    Met *met = (Met *)type->tp_alloc(type, 0);
    if (met == NULL) return NULL;
    met->capacity = capacity > 0 ? (size_t)capacity : 1;
    met->seed = seed;
    met->size = SMALLEST;
    met->hashes = PyMem_Calloc(SMALLEST, sizeof(uint64_t));
    if (met->hashes == NULL) {
        Py_DECREF(met);
        return PyErr_NoMemory();
    }
    return (PyObject *)met;
}

static void
met_dealloc(Met *met)
{
    PyMem_Free(met->hashes);
    Py_TYPE(met)->tp_free((PyObject *)met);
}

static PyObject *
met_remember(Met *met, PyObject *addresses)
{
    if (met->count >= met->capacity) {
        memset(met->hashes, 0, met->size * sizeof(uint64_t));
        met->count = 0;
    }
    PyObject *each = PyObject_GetIter(addresses), *address;
    if (each == NULL) return NULL;
    while ((address = PyIter_Next(each)) != NULL) {
        int failed = add(met, address);
        Py_DECREF(address);
        if (failed) break;
    }
    Py_DECREF(each);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static int
met_contains(Met *met, PyObject *address)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(address, &length);
    if (text != NULL) return met_has(met, NULL, 0, text, (size_t)length);
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
    PyErr_Clear();
    return 0;
}

static Py_ssize_t
met_length(Met *met)
{
    return (Py_ssize_t)met->count;
}

static PyMethodDef METHODS[] = {
    {"remember", (PyCFunction)met_remember, METH_O, "These addresses too. When it is full, all others are forgotten."},
    {NULL, NULL, 0, NULL},
};

static PySequenceMethods AS_SEQUENCE = {.sq_length = (lenfunc)met_length, .sq_contains = (objobjproc)met_contains};

PyTypeObject MetType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "recrawl.native._native.Met",
    .tp_basicsize = sizeof(Met),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Addresses met before.",
    .tp_new = met_new,
    .tp_dealloc = (destructor)met_dealloc,
    .tp_methods = METHODS,
    .tp_as_sequence = &AS_SEQUENCE,
};
