/* Addresses met before, by a hash of their spelling. */
#ifndef RECRAWL_MET_H
#define RECRAWL_MET_H

#include "native.h"
#include <stdint.h>

typedef struct {
    PyObject_HEAD
    uint64_t *hashes; /* 0: nothing there */
    size_t size;      /* a power of two */
    size_t count, capacity;
    uint64_t seed;
} Met;

extern PyTypeObject MetType;

/* Of an address that is a path below this origin, or (origin NULL) as it stands. */
int met_has(const Met *met, const char *origin, size_t origin_length, const char *address, size_t length);

#endif
