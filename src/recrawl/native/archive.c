/* Small things that every record of a WARC file needs. */
#define _GNU_SOURCE /* memrchr */
#include "native.h"

#include <string.h>

static const char BASE_32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
static const char HEX[] = "0123456789abcdef";

/* sha1_text(digest) -> "sha1:…" in base 32, of twenty bytes */
PyObject *
native_sha1_text(PyObject *module, PyObject *digest)
{
    if (!PyBytes_Check(digest) || PyBytes_GET_SIZE(digest) != 20) {
        PyErr_SetString(PyExc_ValueError, "a sha1 has twenty bytes");
        return NULL;
    }
    PyObject *text = PyUnicode_New(5 + 32, 127);
    if (text == NULL) return NULL;
    Py_UCS1 *to = PyUnicode_1BYTE_DATA(text);
    memcpy(to, "sha1:", 5);
    to += 5;
    const unsigned char *from = (const unsigned char *)PyBytes_AS_STRING(digest);
    for (int five = 0; five < 4; five++, from += 5) {
        uint64_t bits = 0;
        for (int at = 0; at < 5; at++) bits = bits << 8 | from[at];
        for (int shift = 35; shift >= 0; shift -= 5) *to++ = (Py_UCS1)BASE_32[bits >> shift & 31];
    }
    return text;
}

/* urn_uuid(bytes) -> "<urn:uuid:…>", a random UUID of sixteen random bytes */
PyObject *
native_urn_uuid(PyObject *module, PyObject *random)
{
    if (!PyBytes_Check(random) || PyBytes_GET_SIZE(random) != 16) {
        PyErr_SetString(PyExc_ValueError, "a UUID has sixteen bytes");
        return NULL;
    }
    PyObject *text = PyUnicode_New(10 + 36 + 1, 127);
    if (text == NULL) return NULL;
    Py_UCS1 *to = PyUnicode_1BYTE_DATA(text);
    memcpy(to, "<urn:uuid:", 10);
    to += 10;
    const unsigned char *from = (const unsigned char *)PyBytes_AS_STRING(random);
    for (int at = 0; at < 16; at++) {
        unsigned char byte = from[at];
        if (at == 6) byte = (unsigned char)((byte & 0x0F) | 0x40);
        if (at == 8) byte = (unsigned char)((byte & 0x3F) | 0x80);
        if (at == 4 || at == 6 || at == 8 || at == 10) *to++ = '-';
        *to++ = (Py_UCS1)HEX[byte >> 4];
        *to++ = (Py_UCS1)HEX[byte & 15];
    }
    *to = '>';
    return text;
}

static const char *
line_start(const char *begin, const char *at)
{
#ifdef __GLIBC__
    const char *before = memrchr(begin, '\n', (size_t)(at - begin));
    return before == NULL ? begin : before + 1;
#else
    while (at > begin && at[-1] != '\n') at--;
    return at;
#endif
}

static int
compare(const char *line, const char *end, const char *key, size_t length)
{
    size_t room = (size_t)(end - line), shared = room < length ? room : length;
    int order = memcmp(line, key, shared);
    return order ? order : (shared < length ? -1 : 0);
}

/* lines_beginning_with(sorted, key) -> [line, …] of a buffer of sorted lines */
PyObject *
native_lines_beginning_with(PyObject *module, PyObject *arguments)
{
    Py_buffer sorted, key;
    if (!PyArg_ParseTuple(arguments, "y*y*", &sorted, &key)) return NULL;
    const char *begin = sorted.buf, *end = begin + sorted.len, *low = begin, *high = end;
    while (low < high) { /* the first line that is not before the key */
        const char *middle = line_start(low, low + (high - low) / 2);
        if (compare(middle, end, key.buf, (size_t)key.len) < 0) {
            const char *next = memchr(middle, '\n', (size_t)(end - middle));
            low = next == NULL ? end : next + 1;
        } else {
            high = middle;
        }
    }
    PyObject *found = PyList_New(0);
    while (found != NULL && low < end && compare(low, end, key.buf, (size_t)key.len) == 0) {
        const char *next = memchr(low, '\n', (size_t)(end - low));
        const char *stop = next == NULL ? end : next + 1;
        PyObject *line = PyBytes_FromStringAndSize(low, stop - low);
        if (line == NULL || PyList_Append(found, line) < 0) Py_CLEAR(found);
        Py_XDECREF(line);
        low = stop;
    }
    PyBuffer_Release(&sorted);
    PyBuffer_Release(&key);
    return found;
}

static int
is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static int
is_alphanumeric(char letter)
{
    return is_digit(letter) || ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z');
}

static int
begins_with(const char *line, const char *end, const char *name, size_t length)
{
    if ((size_t)(end - line) < length) return 0;
    for (size_t at = 0; at < length; at++) {
        char letter = line[at];
        if (letter >= 'A' && letter <= 'Z') letter |= 0x20;
        if (letter != name[at]) return 0;
    }
    return 1;
}

/* is_plain_head(raw, hidden): a status line of HTTP/1, one field a line, none that may have one of these names */
PyObject *
native_is_plain_head(PyObject *module, PyObject *arguments)
{
    PyObject *raw, *hidden;
    if (!PyArg_ParseTuple(arguments, "SO!", &raw, &PyTuple_Type, &hidden)) return NULL;
    const char *at = PyBytes_AS_STRING(raw), *end = at + PyBytes_GET_SIZE(raw);
    if (end - at < 14 || memcmp(at, "HTTP/1.", 7) || (at[7] != '0' && at[7] != '1') || at[8] != ' ') Py_RETURN_FALSE;
    if (at[9] == '0' || !is_digit(at[9]) || !is_digit(at[10]) || !is_digit(at[11]) || (at[12] != ' ' && at[12] != '\r')) Py_RETURN_FALSE;
    for (int is_status = 1;; is_status = 0) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL || stop == at || stop[-1] != '\r' || memchr(at, '\r', (size_t)(stop - 1 - at))) Py_RETURN_FALSE;
        if (stop - 1 == at) return PyBool_FromLong(stop + 1 == end);
        if (!is_status) {
            if (!is_alphanumeric(*at)) Py_RETURN_FALSE;
            for (Py_ssize_t one = 0; one < PyTuple_GET_SIZE(hidden); one++) {
                PyObject *name = PyTuple_GET_ITEM(hidden, one);
                if (!PyBytes_Check(name) || begins_with(at, stop, PyBytes_AS_STRING(name), (size_t)PyBytes_GET_SIZE(name))) Py_RETURN_FALSE;
            }
        }
        at = stop + 1;
    }
}

/* named_fields(pairs) -> `name: value` lines as bytes, but for empty values; None where a name is no token, or a value
 * more than printable ASCII with single blanks */
PyObject *
native_named_fields(PyObject *module, PyObject *pairs)
{
    static const char marks[] = "!#$%&'*+.^_`|~-";
    if (!PyTuple_Check(pairs)) {
        PyErr_SetString(PyExc_TypeError, "a tuple of pairs is wanted");
        return NULL;
    }
    char small[1024], *text = small, *to = small;
    size_t room = sizeof(small);
    PyObject *answer = NULL;
    for (Py_ssize_t one = 0; one < PyTuple_GET_SIZE(pairs); one++) {
        PyObject *pair = PyTuple_GET_ITEM(pairs, one);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) goto other;
        PyObject *parts[2] = {PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)};
        if (!PyUnicode_Check(parts[0]) || !PyUnicode_Check(parts[1]) || !PyUnicode_IS_ASCII(parts[0]) || !PyUnicode_IS_ASCII(parts[1])) goto other;
        size_t length = (size_t)PyUnicode_GET_LENGTH(parts[1]), name_length = (size_t)PyUnicode_GET_LENGTH(parts[0]);
        if (length == 0) continue;
        const char *name = (const char *)PyUnicode_1BYTE_DATA(parts[0]), *value = (const char *)PyUnicode_1BYTE_DATA(parts[1]);
        if (value[0] == ' ' || value[length - 1] == ' ' || name_length == 0) goto other;
        for (size_t at = 0; at < name_length; at++)
            if (!is_alphanumeric(name[at]) && (name[at] == 0 || strchr(marks, name[at]) == NULL)) goto other;
        for (size_t at = 0; at < length; at++)
            if (value[at] < 0x20 || value[at] > 0x7E || (value[at] == ' ' && value[at + 1] == ' ')) goto other;
        size_t used = (size_t)(to - text), wanted = used + name_length + length + 4;
        if (wanted > room) {
            char *more = PyMem_Malloc(wanted * 2);
            if (more == NULL) {
                PyErr_NoMemory();
                goto done;
            }
            memcpy(more, text, used);
            if (text != small) PyMem_Free(text);
            text = more;
            to = text + used;
            room = wanted * 2;
        }
        memcpy(to, name, name_length);
        memcpy(to + name_length, ": ", 2);
        memcpy(to + name_length + 2, value, length);
        memcpy(to + name_length + 2 + length, "\r\n", 2);
        to += name_length + length + 4;
    }
    answer = PyBytes_FromStringAndSize(text, to - text);
    goto done;
other:
    answer = Py_NewRef(Py_None);
done:
    if (text != small) PyMem_Free(text);
    return answer;
}
