/* What a 304 leaves in the archive: the index line of the response it confirms is found, its record and its own index
 * line are written (archive/cdxj_index.py, Wanted; archive/warc.py, unchanged; archive/tray.py). */
#include "lines.h"

static const char REVISIT[] = "warc/revisit";
static const char HEADER[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff"; /* of a gzip member */
#define HEADER_BYTES 10
#define TRAILER_BYTES 8
#define LONGEST_RECORD 8192

static uint32_t checks[8][256]; /* CRC-32, eight bytes at a time */

void
unchanged_prepare(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t left = byte;
        for (int bit = 0; bit < 8; bit++) left = left & 1 ? left >> 1 ^ 0xEDB88320u : left >> 1;
        checks[0][byte] = left;
    }
    for (int row = 1; row < 8; row++)
        for (int byte = 0; byte < 256; byte++) checks[row][byte] = checks[row - 1][byte] >> 8 ^ checks[0][checks[row - 1][byte] & 255];
}

static uint32_t
crc32_of(const char *data, size_t length)
{
    uint32_t check = 0xFFFFFFFFu;
    for (; length >= 8; length -= 8, data += 8) {
        uint32_t low, high;
        memcpy(&low, data, 4);
        memcpy(&high, data + 4, 4);
        low ^= check;
        check = checks[7][low & 255] ^ checks[6][low >> 8 & 255] ^ checks[5][low >> 16 & 255] ^ checks[4][low >> 24] ^
                checks[3][high & 255] ^ checks[2][high >> 8 & 255] ^ checks[1][high >> 16 & 255] ^ checks[0][high >> 24];
    }
    for (; length; length--, data++) check = check >> 8 ^ checks[0][(check ^ (unsigned char)*data) & 255];
    return ~check;
}

static int
is_same(Piece one, Piece other)
{
    return one.length == other.length && !memcmp(one.at, other.at, one.length);
}

typedef struct {
    Piece key, url, sha256, sha1;
} Wish;

enum { LINE_MISSING, LINE_FOUND, LINE_UNSURE };

/* The last of the lines under the key that fits; unsure where one of them is not as recrawl writes most. */
static int
fitting(const char *begin, const char *end, const Wish *wish, Piece *found)
{
    int state = LINE_MISSING;
    for (const char *at = first_line(begin, end, wish->key); at < end && begins_with_key(at, end, wish->key);) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline == NULL ? end : newline + 1;
        Line line;
        if (!line_read(at, stop, &line)) return LINE_UNSURE;
        int fits = !is_same(line.mime, (Piece){REVISIT, sizeof(REVISIT) - 1}) && is_same(line.url, wish->url) &&
                   (!wish->sha256.length || !line.sha256.length || is_same(line.sha256, wish->sha256)) &&
                   (!wish->sha1.length || is_same(line.digest, wish->sha1));
        if (fits) {
            *found = (Piece){at, (size_t)(stop - at)};
            state = LINE_FOUND;
        }
        at = stop;
    }
    return state;
}

/* How many sidecars were begun up to the moment. */
static Py_ssize_t
begun_by(PyObject *created, Piece moment)
{
    Py_ssize_t low = 0, high = PyList_GET_SIZE(created);
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        Piece begun = ascii_piece(PyList_GET_ITEM(created, middle));
        size_t shared = begun.length < moment.length ? begun.length : moment.length;
        int order = begun.at == NULL ? 0 : memcmp(begun.at, moment.at, shared);
        if (order > 0 || (order == 0 && begun.length > moment.length))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* fitting_line(created, sidecars, key, url, sha256, sha1) -> the index line that is wanted, of sorted sidecars in order of
 * their making: those begun before the moment first, latest first. None: it is in none, or one of them is not at hand. */
PyObject *
native_fitting_line(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 6 || !PyList_Check(arguments[0]) || !PyList_Check(arguments[1]) || !PyBytes_Check(arguments[2]) ||
        PyList_GET_SIZE(arguments[0]) != PyList_GET_SIZE(arguments[1]))
        return PyErr_Format(PyExc_TypeError, "two lists, a key, an address and two digests are wanted");
    Wish wish = {{PyBytes_AS_STRING(arguments[2]), (size_t)PyBytes_GET_SIZE(arguments[2])},
                 ascii_piece(arguments[3]), ascii_piece(arguments[4]), ascii_piece(arguments[5])};
    if (wish.url.at == NULL || wish.sha256.at == NULL || wish.sha1.at == NULL || wish.key.length < 16) Py_RETURN_NONE;
    Piece moment = {wish.key.at + wish.key.length - 15, 14};
    Py_ssize_t files = PyList_GET_SIZE(arguments[0]), before = begun_by(arguments[0], moment);
    for (Py_ssize_t one = 0; one < files; one++) {
        PyObject *sidecar = PyList_GET_ITEM(arguments[1], one < before ? before - 1 - one : one);
        if (sidecar == Py_None) Py_RETURN_NONE;
        Py_buffer lines;
        Piece found;
        if (PyObject_GetBuffer(sidecar, &lines, PyBUF_SIMPLE) < 0) return NULL;
        int state = fitting(lines.buf, (const char *)lines.buf + lines.len, &wish, &found);
        PyObject *line = state == LINE_FOUND ? PyBytes_FromStringAndSize(found.at, (Py_ssize_t)found.length) : NULL;
        PyBuffer_Release(&lines);
        if (state == LINE_FOUND) return line;
        if (state == LINE_UNSURE) Py_RETURN_NONE;
    }
    Py_RETURN_NONE;
}

typedef struct {
    char date[LONGEST_DATE], refers_to[LONGEST_DATE];
    size_t date_length, refers_to_length;
    Piece identity, fields;
} Confirmed;

static char *
put_record(char *to, const Line *original, const Confirmed *now)
{
    to = PUT(to, "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: ");
    to = put_piece(to, now->identity);
    to = PUT(to, "\r\nWARC-Date: ");
    to = put_text(to, now->date, now->date_length);
    to = PUT(to, "\r\nWARC-Target-URI: ");
    to = put_piece(to, original->url);
    to = PUT(to, "\r\n");
    to = put_piece(to, now->fields);
    to = PUT(to, "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\nWARC-Refers-To-Target-URI: ");
    to = put_piece(to, original->url);
    to = PUT(to, "\r\nWARC-Refers-To-Date: ");
    to = put_text(to, now->refers_to, now->refers_to_length);
    if (original->digest.length) {
        to = PUT(to, "\r\nWARC-Payload-Digest: sha1:");
        to = put_piece(to, original->digest);
    }
    if (original->sha256.length) {
        to = PUT(to, "\r\nRecrawl-Body-Digest: sha256:");
        to = put_piece(to, original->sha256);
    }
    return PUT(to, "\r\nContent-Type: application/http; msgtype=response\r\n"
                   "WARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
}

/* A gzip member; NULL without an exception: there is no code for it. */
static PyObject *
member_of(const char *record, size_t length)
{
    PyObject *member = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(HEADER_BYTES + deflated_room(length) + TRAILER_BYTES));
    if (member == NULL) return NULL;
    unsigned char *begin = (unsigned char *)PyBytes_AS_STRING(member);
    memcpy(begin, HEADER, HEADER_BYTES);
    unsigned char *end = deflated_into(begin + HEADER_BYTES, record, length);
    if (end == NULL) {
        Py_DECREF(member);
        return NULL;
    }
    const uint32_t trailer[2] = {crc32_of(record, length), (uint32_t)length};
    memcpy(end, trailer, TRAILER_BYTES);
    if (_PyBytes_Resize(&member, end + TRAILER_BYTES - begin) < 0) return NULL;
    return member;
}

static PyObject *
index_line(const Line *original, const Confirmed *now, Piece file, Py_ssize_t length, long long offset)
{
    PyObject *line = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(original->key.length + original->url.length + file.length + 320));
    if (line == NULL) return NULL;
    char *begin = PyBytes_AS_STRING(line), *to = put_piece(begin, original->key);
    *to++ = ' ';
    digits_of_date(now->date, to);
    to = PUT(to + 14, " {\"url\": \"");
    to = put_piece(to, original->url);
    to = PUT(to, "\", \"mime\": \"warc/revisit\"");
    if (original->digest.length) {
        to = PUT(to, ", \"digest\": \"");
        to = put_piece(to, original->digest);
        *to++ = '"';
    }
    to += snprintf(to, 80, ", \"length\": \"%lld\", \"offset\": \"%lld\", \"filename\": \"", (long long)length, offset);
    to = put_piece(to, file);
    if (original->sha256.length) {
        to = PUT(to, "\", \"sha256\": \"");
        to = put_piece(to, original->sha256);
    }
    to = PUT(to, "\"}\n");
    if (_PyBytes_Resize(&line, to - begin) < 0) return NULL;
    return line;
}

/* unchanged(original, at, same_as_at, identity, fields, file, offset) -> the member and the index line of a 304 to what was
 * asked of the original, an index line; None: something about it is not plain */
PyObject *
native_unchanged(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 7 || !PyBytes_Check(arguments[0])) return PyErr_Format(PyExc_TypeError, "an index line and six facts are wanted");
    double at = PyFloat_AsDouble(arguments[1]), same_as_at = PyFloat_AsDouble(arguments[2]);
    long long offset = PyLong_AsLongLong(arguments[6]);
    if (PyErr_Occurred()) return NULL;
    const char *text = PyBytes_AS_STRING(arguments[0]);
    Line original;
    Confirmed now;
    now.identity = ascii_piece(arguments[3]);
    now.fields = ascii_piece(arguments[4]);
    Piece file = ascii_piece(arguments[5]);
    if (now.identity.at == NULL || now.fields.at == NULL || file.at == NULL || !file.length || !is_plain_value(file.at, file.length)) Py_RETURN_NONE;
    now.date_length = date_written(at, now.date);
    now.refers_to_length = date_written(same_as_at, now.refers_to);
    if (!now.date_length || !now.refers_to_length || offset < 0) Py_RETURN_NONE;
    if (!line_read(text, text + PyBytes_GET_SIZE(arguments[0]), &original)) Py_RETURN_NONE;
    if (2 * original.url.length + now.identity.length + now.fields.length + 1024 > LONGEST_RECORD) Py_RETURN_NONE;
    char record[LONGEST_RECORD];
    PyObject *member = member_of(record, (size_t)(put_record(record, &original, &now) - record));
    if (member == NULL && PyErr_Occurred()) return NULL;
    if (member == NULL) Py_RETURN_NONE;
    PyObject *line = index_line(&original, &now, file, PyBytes_GET_SIZE(member), offset);
    PyObject *both = line == NULL ? NULL : PyTuple_New(2);
    if (both == NULL) {
        Py_DECREF(member);
        Py_XDECREF(line);
        return NULL;
    }
    PyTuple_SET_ITEM(both, 0, member);
    PyTuple_SET_ITEM(both, 1, line);
    return both;
}
