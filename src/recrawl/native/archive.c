/* Small things that every record of a WARC file needs. */
#define _GNU_SOURCE /* memrchr */
#include "lines.h"

#include <math.h>

#define UUID_BYTES 16

static const char BASE_32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
static const char HEX[] = "0123456789abcdef";
enum { OF_BASE_32 = 1, OF_HEX = 2, OF_VALUE = 4 };
static unsigned char kinds[256]; /* which of these a byte is one of */

void
archive_prepare(void)
{
    for (const char *letter = BASE_32; *letter; letter++) kinds[(unsigned char)*letter] |= OF_BASE_32;
    for (const char *letter = HEX; *letter; letter++) kinds[(unsigned char)*letter] |= OF_HEX;
    for (int letter = 0x20; letter < 0x7F; letter++)
        if (letter != '"' && letter != '\\') kinds[letter] |= OF_VALUE;
}

void
put_sha1(char *to, const unsigned char *digest)
{
    to = PUT(to, "sha1:");
    for (int five = 0; five < 4; five++, digest += 5) {
        uint64_t bits = 0;
        for (int at = 0; at < 5; at++) bits = bits << 8 | digest[at];
        for (int shift = 35; shift >= 0; shift -= 5) *to++ = BASE_32[bits >> shift & 31];
    }
}

/* sha1_text(digest) -> "sha1:…" in base 32, of twenty bytes */
PyObject *
native_sha1_text(PyObject *module, PyObject *digest)
{
    if (!PyBytes_Check(digest) || PyBytes_GET_SIZE(digest) != 20) {
        PyErr_SetString(PyExc_ValueError, "a sha1 has twenty bytes");
        return NULL;
    }
    PyObject *text = PyUnicode_New(5 + 32, 127);
    if (text != NULL) put_sha1((char *)PyUnicode_1BYTE_DATA(text), (const unsigned char *)PyBytes_AS_STRING(digest));
    return text;
}

static PyObject *
urn_uuid(const unsigned char *from)
{
    PyObject *text = PyUnicode_New(10 + 36 + 1, 127);
    if (text == NULL) return NULL;
    Py_UCS1 *to = PyUnicode_1BYTE_DATA(text);
    memcpy(to, "<urn:uuid:", 10);
    to += 10;
    for (int at = 0; at < UUID_BYTES; at++) {
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

/* urn_uuids(bytes) -> ["<urn:uuid:…>", …], random UUIDs of sixteen random bytes each */
PyObject *
native_urn_uuids(PyObject *module, PyObject *random)
{
    if (!PyBytes_Check(random) || PyBytes_GET_SIZE(random) % UUID_BYTES != 0) {
        PyErr_SetString(PyExc_ValueError, "a UUID has sixteen bytes");
        return NULL;
    }
    const unsigned char *from = (const unsigned char *)PyBytes_AS_STRING(random);
    Py_ssize_t count = PyBytes_GET_SIZE(random) / UUID_BYTES;
    PyObject *texts = PyList_New(count);
    for (Py_ssize_t at = 0; texts != NULL && at < count; at++, from += UUID_BYTES) {
        PyObject *text = urn_uuid(from);
        if (text == NULL) Py_CLEAR(texts);
        else PyList_SET_ITEM(texts, at, text);
    }
    return texts;
}

#define NEAR 1024 /* bytes: some lines */

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
compare(const char *line, const char *end, Piece key)
{
    size_t room = (size_t)(end - line), shared = room < key.length ? room : key.length;
    int order = memcmp(line, key.at, shared);
    return order ? order : (shared < key.length ? -1 : 0);
}

int
begins_with_key(const char *line, const char *end, Piece key)
{
    return compare(line, end, key) == 0;
}

/* Where the next look may be: two of them are under way while this one is compared. */
static inline void
look_ahead_between(const char *low, const char *high)
{
#ifdef __GNUC__
    const char *middle = low + (high - low) / 2;
    __builtin_prefetch(middle - 64);
    __builtin_prefetch(middle - 192);
#endif
}

const char *
first_line(const char *begin, const char *end, Piece key)
{
    const char *low = begin, *high = end;
    while (high - low > NEAR) { /* the line at `low`, if it is not the first one, is smaller: nobody looks for its end */
        const char *at = low + (high - low) / 2;
        look_ahead_between(low, at);
        look_ahead_between(at, high);
        const char *middle = line_start(low, at);
        if (middle == low) break;
        if (compare(middle, end, key) < 0)
            low = middle;
        else
            high = middle;
    }
    while (low < high) {
        const char *middle = line_start(low, low + (high - low) / 2);
        if (compare(middle, end, key) < 0) {
            const char *next = memchr(middle, '\n', (size_t)(end - middle));
            low = next == NULL ? end : next + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* lines_beginning_with(sorted, key) -> [line, …] of a buffer of sorted lines */
PyObject *
native_lines_beginning_with(PyObject *module, PyObject *arguments)
{
    Py_buffer sorted, wanted;
    if (!PyArg_ParseTuple(arguments, "y*y*", &sorted, &wanted)) return NULL;
    Piece key = {wanted.buf, (size_t)wanted.len};
    const char *begin = sorted.buf, *end = begin + sorted.len, *low = first_line(begin, end, key);
    PyObject *found = PyList_New(0);
    while (found != NULL && low < end && begins_with_key(low, end, key)) {
        const char *next = memchr(low, '\n', (size_t)(end - low));
        const char *stop = next == NULL ? end : next + 1;
        PyObject *line = PyBytes_FromStringAndSize(low, stop - low);
        if (line == NULL || PyList_Append(found, line) < 0) Py_CLEAR(found);
        Py_XDECREF(line);
        low = stop;
    }
    PyBuffer_Release(&sorted);
    PyBuffer_Release(&wanted);
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

/* Whether a line may begin with one of these names. */
static int
names_any(const char *line, const char *end, PyObject *names)
{
    for (Py_ssize_t one = 0; one < PyTuple_GET_SIZE(names); one++) {
        PyObject *name = PyTuple_GET_ITEM(names, one);
        if (!PyBytes_Check(name) || begins_with(line, end, PyBytes_AS_STRING(name), (size_t)PyBytes_GET_SIZE(name))) return 1;
    }
    return 0;
}

/* Whether its lines are plain but for the first; `hidden` NULL: without one that tells a transfer coding. */
static int
has_plain_fields(const char *at, const char *end, PyObject *hidden)
{
    static const char CODING[] = "transfer-encoding";
    for (int is_status = 1;; is_status = 0) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL || stop == at || stop[-1] != '\r' || memchr(at, '\r', (size_t)(stop - 1 - at))) return 0;
        if (stop - 1 == at) return stop + 1 == end;
        if (!is_status && !is_alphanumeric(*at)) return 0;
        if (!is_status && (hidden ? names_any(at, stop, hidden) : begins_with(at, stop, CODING, sizeof(CODING) - 1))) return 0;
        at = stop + 1;
    }
}

static int
is_plain(const char *at, const char *end, PyObject *hidden)
{
    if (end - at < 14 || memcmp(at, "HTTP/1.", 7) || (at[7] != '0' && at[7] != '1') || at[8] != ' ') return 0;
    if (at[9] == '0' || !is_digit(at[9]) || !is_digit(at[10]) || !is_digit(at[11]) || (at[12] != ' ' && at[12] != '\r')) return 0;
    return has_plain_fields(at, end, hidden);
}

/* `METHOD target HTTP/1.1` */
static int
is_request_line(const char *at, const char *end)
{
    static const char VERSION[] = " HTTP/1.1\r\n";
    const char *target = at;
    while (target < end && *target >= 'A' && *target <= 'Z') target++;
    if (target == at || target == end || *target++ != ' ') return 0;
    const char *behind = target;
    while (behind < end && *behind != ' ' && *behind != '\r' && *behind != '\n') behind++;
    return behind > target && (size_t)(end - behind) >= sizeof(VERSION) - 1 && !memcmp(behind, VERSION, sizeof(VERSION) - 1);
}

/* is_plain_request(raw, secrets): a request line of HTTP/1.1, one field a line, none that may have one of these names */
PyObject *
native_is_plain_request(PyObject *module, PyObject *arguments)
{
    PyObject *raw, *secrets;
    if (!PyArg_ParseTuple(arguments, "SO!", &raw, &PyTuple_Type, &secrets)) return NULL;
    const char *at = PyBytes_AS_STRING(raw), *end = at + PyBytes_GET_SIZE(raw);
    return PyBool_FromLong(is_request_line(at, end) && has_plain_fields(at, end, secrets));
}

int
is_plain_response_head(const char *at, size_t length)
{
    return is_plain(at, at + length, NULL);
}

/* is_plain_head(raw, hidden): a status line of HTTP/1, one field a line, none that may have one of these names */
PyObject *
native_is_plain_head(PyObject *module, PyObject *arguments)
{
    PyObject *raw, *hidden;
    if (!PyArg_ParseTuple(arguments, "SO!", &raw, &PyTuple_Type, &hidden)) return NULL;
    return PyBool_FromLong(is_plain(PyBytes_AS_STRING(raw), PyBytes_AS_STRING(raw) + PyBytes_GET_SIZE(raw), hidden));
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

/* ---- index lines ------------------------------------------------------------------------------------------------- */

static int
is_all_of(const char *at, size_t length, unsigned char kind)
{
    for (const char *end = at + length; at < end; at++)
        if (!(kinds[(unsigned char)*at] & kind)) return 0;
    return 1;
}

int
is_plain_value(const char *at, size_t length)
{
    return is_all_of(at, length, OF_VALUE);
}

static const char *
behind(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return at != NULL && (size_t)(end - at) >= length && !memcmp(at, text, length) ? at + length : NULL;
}

/* The value behind `name`, which ends with a quote; where it ends, its quote included. NULL: it is not there. */
static const char *
value_at(const char *at, const char *end, const char *name, Piece *found)
{
    at = behind(at, end, name);
    const char *quote = at == NULL ? NULL : memchr(at, '"', (size_t)(end - at));
    if (quote == NULL) return NULL;
    *found = (Piece){at, (size_t)(quote - at)};
    return quote + 1;
}

static int
is_number(Piece piece, size_t most)
{
    for (size_t at = 0; at < piece.length; at++)
        if (!is_digit(piece.at[at])) return 0;
    return piece.length >= 1 && piece.length <= most;
}

static PyObject *
text_of(Piece piece)
{
    PyObject *text = PyUnicode_New((Py_ssize_t)piece.length, 127);
    if (text != NULL && piece.length) memcpy(PyUnicode_1BYTE_DATA(text), piece.at, piece.length);
    return text;
}

static PyObject *
number_of(Piece piece)
{
    long long number = 0;
    for (size_t at = 0; at < piece.length; at++) number = number * 10 + (piece.at[at] - '0');
    return PyLong_FromLongLong(number);
}

int
line_read(const char *at, const char *end, Line *line)
{
    *line = (Line){.key = {at, 0}, .status = {at, 0}, .digest = {at, 0}, .sha256 = {at, 0}};
    while (at < end && *at > 0x20 && *at < 0x7F) at++;
    line->key.length = (size_t)(at - line->key.at);
    if (line->key.length == 0 || end - at < 16 || *at != ' ' || at[15] != ' ') return 0;
    line->moment = (Piece){at + 1, 14};
    at = value_at(at + 15, end, " {\"url\": \"", &line->url);
    at = value_at(at, end, ", \"mime\": \"", &line->mime);
    const char *next = value_at(at, end, ", \"status\": \"", &line->status);
    if (next != NULL) at = next;
    if (next != NULL && !is_number(line->status, 3)) return 0;
    next = value_at(at, end, ", \"digest\": \"", &line->digest);
    if (next != NULL) at = next;
    if (next != NULL && (line->digest.length != 32 || !is_all_of(line->digest.at, 32, OF_BASE_32))) return 0;
    at = value_at(at, end, ", \"length\": \"", &line->length);
    at = value_at(at, end, ", \"offset\": \"", &line->offset);
    at = value_at(at, end, ", \"filename\": \"", &line->file);
    next = value_at(at, end, ", \"sha256\": \"", &line->sha256);
    if (next != NULL) at = next;
    if (next != NULL && (line->sha256.length != 64 || !is_all_of(line->sha256.at, 64, OF_HEX))) return 0;
    at = behind(at, end, "}");
    if (at == NULL || (at < end && (*at != '\n' || at + 1 < end))) return 0;
    if (!is_number(line->moment, 14) || !is_number(line->length, 15) || !is_number(line->offset, 15)) return 0;
    if (!line->url.length || !line->mime.length || !line->file.length) return 0;
    return is_plain_value(line->url.at, line->url.length) && is_plain_value(line->mime.at, line->mime.length) &&
           is_plain_value(line->file.at, line->file.length);
}

/* own_line(line) -> what a `CdxLine` is made of, of a line as recrawl writes most (formats/cdxj.py, OWN); None: another */
PyObject *
native_own_line(PyObject *module, PyObject *line)
{
    if (!PyBytes_Check(line)) {
        PyErr_SetString(PyExc_TypeError, "a line is bytes");
        return NULL;
    }
    const char *at = PyBytes_AS_STRING(line);
    Line read;
    if (!line_read(at, at + PyBytes_GET_SIZE(line), &read)) Py_RETURN_NONE;
    PyObject *more = read.sha256.length ? Py_BuildValue("((sN))", "sha256", text_of(read.sha256)) : PyTuple_New(0);
    return Py_BuildValue(
        "(NNNNNNNNNN)", text_of(read.key), text_of(read.moment), text_of(read.url), text_of(read.mime), text_of(read.status),
        text_of(read.digest), number_of(read.length), number_of(read.offset), text_of(read.file), more);
}

enum { LINE_KEY, LINE_MOMENT, LINE_URL, LINE_MIME, LINE_STATUS, LINE_DIGEST, LINE_FILE, LINE_SHA256, LINE_TEXTS };

/* written_line(urlkey, timestamp, url, mime, status, digest, filename, sha256, length, offset) -> the line, its newline
 * included; None where a value is empty that must not be, or needs an escape */
PyObject *
native_written_line(PyObject *module, PyObject *arguments)
{
    PyObject *texts[LINE_TEXTS];
    long long length, offset;
    if (!PyArg_ParseTuple(arguments, "UUUUUUUULL", &texts[0], &texts[1], &texts[2], &texts[3], &texts[4], &texts[5], &texts[6], &texts[7], &length, &offset)) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return NULL;
        PyErr_Clear(); /* longer than any file */
        Py_RETURN_NONE;
    }
    Piece pieces[LINE_TEXTS];
    size_t room = 160;
    for (int one = 0; one < LINE_TEXTS; one++) {
        if (!PyUnicode_IS_ASCII(texts[one])) Py_RETURN_NONE;
        pieces[one] = (Piece){(const char *)PyUnicode_1BYTE_DATA(texts[one]), (size_t)PyUnicode_GET_LENGTH(texts[one])};
        if (one > LINE_MOMENT && !is_plain_value(pieces[one].at, pieces[one].length)) Py_RETURN_NONE;
        room += pieces[one].length;
    }
    if (!pieces[LINE_URL].length || !pieces[LINE_MIME].length || !pieces[LINE_FILE].length) Py_RETURN_NONE;
    static const char SHA256[] = "\", \"sha256\": \"";
    static const struct {
        int which;
        const char *before;
    } FRONT[] = {{LINE_KEY, ""}, {LINE_MOMENT, " "}, {LINE_URL, " {\"url\": \""}, {LINE_MIME, "\", \"mime\": \""},
                 {LINE_STATUS, "\", \"status\": \""}, {LINE_DIGEST, "\", \"digest\": \""}};
    PyObject *answer = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room);
    if (answer == NULL) return NULL;
    char *begin = PyBytes_AS_STRING(answer), *to = begin, *stop = begin + room;
    for (size_t one = 0; one < sizeof(FRONT) / sizeof(FRONT[0]); one++) {
        Piece piece = pieces[FRONT[one].which];
        if (!piece.length && FRONT[one].which >= LINE_STATUS) continue; /* nothing to say */
        size_t before = strlen(FRONT[one].before);
        memcpy(to, FRONT[one].before, before);
        memcpy(to + before, piece.at, piece.length);
        to += before + piece.length;
    }
    to += snprintf(to, (size_t)(stop - to), "\", \"length\": \"%lld\", \"offset\": \"%lld\", \"filename\": \"", length, offset);
    memcpy(to, pieces[LINE_FILE].at, pieces[LINE_FILE].length);
    to += pieces[LINE_FILE].length;
    if (pieces[LINE_SHA256].length) {
        memcpy(to, SHA256, sizeof(SHA256) - 1);
        to += sizeof(SHA256) - 1;
        memcpy(to, pieces[LINE_SHA256].at, pieces[LINE_SHA256].length);
        to += pieces[LINE_SHA256].length;
    }
    memcpy(to, "\"}\n", 3);
    to += 3;
    if (_PyBytes_Resize(&answer, to - begin) < 0) return NULL;
    return answer;
}

size_t
date_written(double at, char *text)
{
    if (!(at >= 0 && at < 253402300799.0)) return 0;
    double second, microseconds = rint(modf(at, &second) * 1e6);
    if (!(microseconds > 0 && microseconds < 1e6)) return 0;
    long long whole = (long long)second, days = whole / 86400, left = whole % 86400;
    /* the day's date, by years that begin in March */
    long long since = days + 719468, era = since / 146097, day_of_era = since % 146097;
    long long year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    long long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    long long part = (5 * day_of_year + 2) / 153, day = day_of_year - (153 * part + 2) / 5 + 1;
    long long month = part < 10 ? part + 3 : part - 9, year = year_of_era + era * 400 + (month <= 2);
    const long long numbers[] = {year, month, day, left / 3600, left / 60 % 60, left % 60, (long long)microseconds};
    static const struct {
        int digits;
        char behind;
    } FORM[] = {{4, '-'}, {2, '-'}, {2, 'T'}, {2, ':'}, {2, ':'}, {2, '.'}, {6, 'Z'}};
    char *to = text;
    for (int one = 0; one < 7; one++) {
        long long number = numbers[one];
        for (int digit = FORM[one].digits; digit--; number /= 10) to[digit] = (char)('0' + number % 10);
        to += FORM[one].digits;
        *to++ = FORM[one].behind;
    }
    return (size_t)(to - text);
}

void
digits_of_date(const char *date, char *to)
{
    static const struct {
        int at, digits;
    } PARTS[] = {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}};
    for (int one = 0; one < 6; one++) to = put_text(to, date + PARTS[one].at, (size_t)PARTS[one].digits);
}

/* warc_date(at) -> "yyyy-mm-ddThh:mm:ss.ffffffZ"; None for a whole second, and before 1970 or after 9999 */
PyObject *
native_warc_date(PyObject *module, PyObject *moment)
{
    char text[LONGEST_DATE];
    double at = PyFloat_AsDouble(moment);
    if (at == -1.0 && PyErr_Occurred()) return NULL;
    size_t length = date_written(at, text);
    if (!length) Py_RETURN_NONE;
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
}
