/* What a 304 leaves in the archive: the index line of the response it confirms is found, its record and its own index
 * line are written (archive/cdxj_index.py, Wanted; archive/warc.py, unchanged; archive/tray.py). */
#include "lines.h"

static const char REVISIT[] = "warc/revisit";
#define HEADER_BYTES GZIP_HEADER_BYTES
#define TRAILER_BYTES 8
#define LONGEST_RECORD 8192

static uint32_t checks[8][256]; /* CRC-32, eight bytes at a time */

uint32_t
crc32_on(uint32_t before, const char *data, size_t length)
{
    uint32_t check = ~before;
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
fitting(const char *begin, const char *end, const Wish *wish, Piece *found, Line *original)
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
            *original = line;
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

/* The line that is wanted, in the nearest of sorted sidecars: those begun before the moment first, latest first. Where it
 * is found, `held` is what it lies in, to be released; negative: an exception. */
static int
find_nearest(PyObject *created, PyObject *sidecars, const Wish *wish, Py_buffer *held, Piece *found, Line *original)
{
    Piece moment = {wish->key.at + wish->key.length - 15, 14};
    Py_ssize_t files = PyList_GET_SIZE(sidecars), before = begun_by(created, moment);
    for (Py_ssize_t one = 0; one < files; one++) {
        PyObject *sidecar = PyList_GET_ITEM(sidecars, one < before ? before - 1 - one : one);
        if (sidecar == Py_None) return LINE_UNSURE;
        if (PyObject_GetBuffer(sidecar, held, PyBUF_SIMPLE) < 0) return -1;
        int state = fitting(held->buf, (const char *)held->buf + held->len, wish, found, original);
        if (state == LINE_FOUND) return state;
        PyBuffer_Release(held);
        if (state == LINE_UNSURE) return state;
    }
    return LINE_MISSING;
}

static int
are_beside_each_other(PyObject *created, PyObject *sidecars)
{
    if (PyList_Check(created) && PyList_Check(sidecars) && PyList_GET_SIZE(created) == PyList_GET_SIZE(sidecars)) return 1;
    PyErr_SetString(PyExc_TypeError, "two lists are wanted, as long as each other");
    return 0;
}

/* fitting_line(created, sidecars, key, url, sha256, sha1) -> the index line that is wanted, of sorted sidecars in order of
 * their making. None: it is in none, or one of them is not at hand. */
PyObject *
native_fitting_line(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 6 || !PyBytes_Check(arguments[2])) return PyErr_Format(PyExc_TypeError, "sidecars, a key, an address and digests are wanted");
    if (!are_beside_each_other(arguments[0], arguments[1])) return NULL;
    Wish wish = {{PyBytes_AS_STRING(arguments[2]), (size_t)PyBytes_GET_SIZE(arguments[2])},
                 ascii_piece(arguments[3]), ascii_piece(arguments[4]), ascii_piece(arguments[5])};
    if (wish.url.at == NULL || wish.sha256.at == NULL || wish.sha1.at == NULL || wish.key.length < 16) Py_RETURN_NONE;
    Py_buffer held;
    Piece found;
    Line original;
    int state = find_nearest(arguments[0], arguments[1], &wish, &held, &found, &original);
    if (state < 0) return NULL;
    if (state != LINE_FOUND) Py_RETURN_NONE;
    PyObject *line = PyBytes_FromStringAndSize(found.at, (Py_ssize_t)found.length);
    PyBuffer_Release(&held);
    return line;
}

typedef struct {
    char date[LONGEST_DATE], refers_to[LONGEST_DATE];
    size_t date_length, refers_to_length;
    Piece identity, fields;
} Confirmed;

#define FIXED(text) {text, sizeof(text) - 1}

enum { TO_IDENTITY, TO_DATE, TO_URL, TO_FIELDS, TO_PROFILE, TO_REFERENCE, TO_SHA1, TO_SHA256, TO_END, FIXED_PIECES };

static const Piece FIXED_TEXTS[FIXED_PIECES] = {
    FIXED("WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: "),
    FIXED("\r\nWARC-Date: "),
    FIXED("\r\nWARC-Target-URI: "),
    FIXED("\r\n"),
    FIXED("WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\nWARC-Refers-To-Target-URI: "),
    FIXED("\r\nWARC-Refers-To-Date: "),
    FIXED("\r\nWARC-Payload-Digest: sha1:"),
    FIXED("\r\nRecrawl-Body-Digest: sha256:"),
    FIXED("\r\nContent-Type: application/http; msgtype=response\r\n"
          "WARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\nContent-Length: 0\r\n\r\n\r\n\r\n"),
};
static Mould mould; /* of these */

#define MOST_PARTS (2 * FIXED_PIECES)

typedef struct {
    char text[LONGEST_RECORD];
    size_t length, count;
    Part parts[MOST_PARTS];
} Record;

static void
lay_part(Record *record, Piece piece, int fixed, int like)
{
    record->parts[record->count++] = (Part){record->length, piece.length, fixed, like};
    memcpy(record->text + record->length, piece.at, piece.length);
    record->length += piece.length;
}

static void
lay_fixed(Record *record, int which)
{
    lay_part(record, FIXED_TEXTS[which], which, -1);
}

static void
lay_free(Record *record, Piece piece)
{
    lay_part(record, piece, -1, -1);
}

static void
make_record(Record *record, const Line *original, const Confirmed *now)
{
    record->length = record->count = 0;
    lay_fixed(record, TO_IDENTITY);
    lay_free(record, now->identity);
    lay_fixed(record, TO_DATE);
    int date = (int)record->count;
    lay_free(record, (Piece){now->date, now->date_length});
    lay_fixed(record, TO_URL);
    int url = (int)record->count;
    lay_free(record, original->url);
    lay_fixed(record, TO_FIELDS);
    lay_free(record, now->fields);
    lay_fixed(record, TO_PROFILE);
    lay_part(record, original->url, -1, url);
    lay_fixed(record, TO_REFERENCE);
    lay_part(record, (Piece){now->refers_to, now->refers_to_length}, -1, date);
    if (original->digest.length) {
        lay_fixed(record, TO_SHA1);
        lay_free(record, original->digest);
    }
    if (original->sha256.length) {
        lay_fixed(record, TO_SHA256);
        lay_free(record, original->sha256);
    }
    lay_fixed(record, TO_END);
}

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
    mould_made(&mould, FIXED_TEXTS, FIXED_PIECES);
}

size_t
member_room(size_t length)
{
    return HEADER_BYTES + deflated_room(length) + TRAILER_BYTES;
}

static char *
put_trailer(char *to, const char *record, size_t length)
{
    const uint32_t trailer[2] = {crc32_on(0, record, length), (uint32_t)length};
    return put_text(to, (const char *)trailer, TRAILER_BYTES);
}

char *
put_member(char *to, const char *record, size_t length)
{
    memcpy(to, GZIP_HEADER, HEADER_BYTES);
    char *end = (char *)deflated_into((unsigned char *)to + HEADER_BYTES, record, length);
    return end == NULL ? NULL : put_trailer(end, record, length);
}

/* The same of a record: most of it was encoded before. */
static char *
put_record_member(char *to, const Record *record, const Line *original)
{
    if (!original->digest.length || !original->sha256.length) return put_member(to, record->text, record->length);
    memcpy(to, GZIP_HEADER, HEADER_BYTES);
    char *end = (char *)moulded_into((unsigned char *)to + HEADER_BYTES, record->text, record->length, &mould, record->parts, record->count);
    return end == NULL ? NULL : put_trailer(end, record->text, record->length);
}

static size_t
line_room(const Line *original, Piece file)
{
    return original->key.length + original->url.length + file.length + 320;
}

char *
put_number(char *to, unsigned long long number)
{
    char digits[24], *first = digits + sizeof(digits);
    do *--first = (char)('0' + number % 10);
    while (number /= 10);
    return put_text(to, first, (size_t)(digits + sizeof(digits) - first));
}

static char *
put_line(char *to, const Line *original, const Confirmed *now, Piece file, size_t length, long long offset)
{
    to = put_piece(to, original->key);
    *to++ = ' ';
    digits_of_date(now->date, to);
    to = PUT(to + 14, " {\"url\": \"");
    to = put_piece(to, original->url);
    to = PUT(to, "\", \"mime\": \"warc/revisit");
    if (original->digest.length) {
        to = PUT(to, "\", \"digest\": \"");
        to = put_piece(to, original->digest);
    }
    to = PUT(to, "\", \"length\": \"");
    to = put_number(to, length);
    to = PUT(to, "\", \"offset\": \"");
    to = put_number(to, (unsigned long long)offset);
    to = PUT(to, "\", \"filename\": \"");
    to = put_piece(to, file);
    if (original->sha256.length) {
        to = PUT(to, "\", \"sha256\": \"");
        to = put_piece(to, original->sha256);
    }
    return PUT(to, "\"}\n");
}

/* Whether the record has room where records are written. */
static int
is_short(const Line *original, const Confirmed *now)
{
    return 2 * original->url.length + now->identity.length + now->fields.length + 1024 <= LONGEST_RECORD;
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
    if (!line_read(text, text + PyBytes_GET_SIZE(arguments[0]), &original) || !is_short(&original, &now)) Py_RETURN_NONE;
    char member[LONGEST_RECORD * 2];
    Record record;
    make_record(&record, &original, &now);
    if (member_room(record.length) > sizeof(member)) Py_RETURN_NONE;
    char *member_end = put_record_member(member, &record, &original);
    if (member_end == NULL) Py_RETURN_NONE;
    size_t member_bytes = (size_t)(member_end - member);
    PyObject *line = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)line_room(&original, file));
    if (line == NULL) return NULL;
    char *begin = PyBytes_AS_STRING(line), *end = put_line(begin, &original, &now, file, member_bytes, offset);
    if (_PyBytes_Resize(&line, end - begin) < 0) return NULL;
    return Py_BuildValue("(y#N)", member, (Py_ssize_t)member_bytes, line);
}

/* ---- many of them ------------------------------------------------------------------------------------------------- */

enum { CAPTURE_URL, CAPTURE_AT, CAPTURE_REPLY, CAPTURE_SAME_AT, CAPTURE_SAME_DIGEST, REPLY_STATUS, REPLY_PEER, REPLY_HEAD, CAPTURED_SLOTS };

static Py_ssize_t captured_offsets[CAPTURED_SLOTS];
static PyTypeObject *capture_type, *reply_type;
static PyObject *place_type, *connection_fields;

/* captured(Capture, Reply, Place, connection): what `unchanged_run` reads and makes. `connection(peer, begin of a head)`
 * gives what a record says of the connection. */
PyObject *
native_captured(PyObject *module, PyObject *arguments)
{
    PyTypeObject *capture, *reply;
    PyObject *place, *connection;
    if (!PyArg_ParseTuple(arguments, "O!O!OO", &PyType_Type, &capture, &PyType_Type, &reply, &place, &connection)) return NULL;
    static const char *const NAMES[CAPTURED_SLOTS] = {"url", "at", "reply", "same_as_at", "same_as_digest", "status", "peer", "raw_head"};
    for (int one = 0; one < CAPTURED_SLOTS; one++) {
        captured_offsets[one] = slot_named(one < REPLY_STATUS ? capture : reply, NAMES[one]);
        if (captured_offsets[one] < 0) return NULL;
    }
    Py_XSETREF(capture_type, (PyTypeObject *)Py_NewRef(capture));
    Py_XSETREF(reply_type, (PyTypeObject *)Py_NewRef(reply));
    Py_XSETREF(place_type, Py_NewRef(place));
    Py_XSETREF(connection_fields, Py_NewRef(connection));
    Py_RETURN_NONE;
}

static PyObject *
captured_slot(PyObject *value, int which)
{
    PyObject *found = *(PyObject **)((char *)value + captured_offsets[which]);
    return found == NULL ? Py_None : found;
}

typedef struct {
    char *text;
    size_t used, room;
} Pile;

static char *
room_on(Pile *pile, size_t wanted)
{
    if (pile->room - pile->used < wanted) {
        size_t room = pile->room * 2 + wanted;
        char *text = PyMem_Realloc(pile->text, room);
        if (text == NULL) return (char *)PyErr_NoMemory();
        pile->text = text;
        pile->room = room;
    }
    return pile->text + pile->used;
}

typedef struct {
    PyObject *created, *sidecars, *new_id, *file_name, *places;
    Piece file;
    double before; /* an original of that moment or later may lie elsewhere */
    long long offset;
    Pile members, lines;
    PyObject *peer, *fields; /* of the last one … */
    int are_plain;
    char begin[8];           /* … of its head */
    size_t begin_bytes;
} Run;

static int
are_plain_fields(Piece fields)
{
    for (size_t at = 0; at < fields.length; at++)
        if (!is_plain_value(fields.at + at, 1) && fields.at[at] != '\r' && fields.at[at] != '\n') return 0;
    return fields.at != NULL;
}

/* What a record says of its connection; negative: an exception, 0: it is not plain. */
static int
take_fields(Run *run, PyObject *reply, Piece *fields)
{
    PyObject *peer = captured_slot(reply, REPLY_PEER), *head = captured_slot(reply, REPLY_HEAD);
    if (!PyUnicode_Check(peer) || !PyBytes_Check(head)) return 0;
    size_t size = (size_t)PyBytes_GET_SIZE(head), begin_bytes = size < sizeof(run->begin) ? size : sizeof(run->begin);
    const char *begin = PyBytes_AS_STRING(head);
    if (run->fields == NULL || run->peer != peer || run->begin_bytes != begin_bytes || memcmp(run->begin, begin, begin_bytes)) {
        PyObject *told = PyObject_CallFunction(connection_fields, "Oy#", peer, begin, (Py_ssize_t)begin_bytes);
        if (told == NULL) return -1;
        Py_XSETREF(run->fields, told);
        Py_XSETREF(run->peer, Py_NewRef(peer));
        memcpy(run->begin, begin, begin_bytes);
        run->begin_bytes = begin_bytes;
        run->are_plain = are_plain_fields(ascii_piece(told));
    }
    *fields = ascii_piece(run->fields);
    return run->are_plain;
}

PyObject *
new_identity(PyObject *new_id)
{
    PyObject *given = PyObject_CallNoArgs(new_id);
    Piece piece = given == NULL ? (Piece){NULL, 0} : ascii_piece(given);
    if (given == NULL || piece.at == NULL || piece.at[0] == '<') return given;
    size_t known = piece.length >= 9 && !memcmp(piece.at, "urn:uuid:", 9) ? 9 : 0;
    PyObject *whole = PyUnicode_FromFormat("<urn:uuid:%s>", piece.at + known);
    Py_DECREF(given);
    return whole;
}

static int
add_place(Run *run, size_t member_bytes)
{
    PyObject *told[] = {run->file_name, PyLong_FromLongLong(run->offset), PyLong_FromSize_t(member_bytes)};
    PyObject *place = told[1] == NULL || told[2] == NULL ? NULL : PyObject_Vectorcall(place_type, told, 3, NULL);
    int failed = place == NULL || PyList_Append(run->places, place) < 0;
    Py_XDECREF(place);
    Py_XDECREF(told[1]);
    Py_XDECREF(told[2]);
    return failed;
}

static int
lay_one(Run *run, const Line *original, Confirmed *now)
{
    PyObject *identity = new_identity(run->new_id);
    if (identity == NULL) return -1;
    now->identity = ascii_piece(identity);
    char *to = NULL, *end = NULL;
    if (now->identity.at != NULL && is_short(original, now)) {
        Record record;
        make_record(&record, original, now);
        to = room_on(&run->members, member_room(record.length));
        end = to == NULL ? NULL : put_record_member(to, &record, original);
    }
    Py_DECREF(identity);
    if (end == NULL) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "an identity is a UUID");
        return -1;
    }
    size_t member_bytes = (size_t)(end - to);
    to = room_on(&run->lines, line_room(original, run->file));
    if (to == NULL) return -1;
    run->lines.used += (size_t)(put_line(to, original, now, run->file, member_bytes, run->offset) - to);
    int failed = add_place(run, member_bytes);
    run->members.used += member_bytes;
    run->offset += (long long)member_bytes;
    return failed ? -1 : 1;
}

/* 1: it is laid; 0: it is not a plain 304 whose original is at hand; negative: an exception. */
static int
take_one(Run *run, PyObject *capture)
{
    if (!Py_IS_TYPE(capture, capture_type)) return 0;
    PyObject *reply = captured_slot(capture, CAPTURE_REPLY), *at = captured_slot(capture, CAPTURE_AT);
    PyObject *same_as_at = captured_slot(capture, CAPTURE_SAME_AT);
    if (!Py_IS_TYPE(reply, reply_type) || !PyFloat_CheckExact(at) || !PyFloat_CheckExact(same_as_at)) return 0;
    PyObject *status = captured_slot(reply, REPLY_STATUS);
    if (!PyLong_CheckExact(status) || PyLong_AsLong(status) != 304) {
        PyErr_Clear();
        return 0;
    }
    char key[LONGEST_KEY + 16];
    Wish wish = {{key, 0}, ascii_piece(captured_slot(capture, CAPTURE_URL)), ascii_piece(captured_slot(capture, CAPTURE_SAME_DIGEST)), {key, 0}};
    char *key_end = wish.url.at == NULL || wish.sha256.at == NULL ? NULL : put_line_key(key, wish.url, PyFloat_AS_DOUBLE(same_as_at));
    if (key_end == NULL) return 0;
    wish.key.length = (size_t)(key_end - key);
    if (wish.sha256.length >= 7 && !memcmp(wish.sha256.at, "sha256:", 7)) wish.sha256 = (Piece){wish.sha256.at + 7, wish.sha256.length - 7};
    if (!(PyFloat_AS_DOUBLE(same_as_at) < run->before)) return 0;
    Confirmed now = {.identity = {key, 256}};
    now.date_length = date_written(PyFloat_AS_DOUBLE(at), now.date);
    now.refers_to_length = date_written(PyFloat_AS_DOUBLE(same_as_at), now.refers_to);
    if (!now.date_length) return 0;
    int state = take_fields(run, reply, &now.fields);
    if (state <= 0) return state;
    Py_buffer held;
    Piece found;
    Line original;
    state = find_nearest(run->created, run->sidecars, &wish, &held, &found, &original);
    if (state != LINE_FOUND) return state < 0 ? -1 : 0;
    state = is_short(&original, &now) ? lay_one(run, &original, &now) : 0;
    PyBuffer_Release(&held);
    return state;
}

/* unchanged_run(captures, start, created, sidecars, before, new_id, file, offset, limit) -> members, index lines and places
 * of the plain 304s from there on, up to the first that is another, or to the limit. `before`: of originals. */
PyObject *
native_unchanged_run(PyObject *module, PyObject *arguments)
{
    PyObject *captures, *answer = NULL;
    Py_ssize_t start;
    long long limit;
    Run run = {NULL};
    if (!PyArg_ParseTuple(arguments, "O!nO!O!dOULL", &PyList_Type, &captures, &start, &PyList_Type, &run.created, &PyList_Type,
                          &run.sidecars, &run.before, &run.new_id, &run.file_name, &run.offset, &limit))
        return NULL;
    run.file = ascii_piece(run.file_name);
    if (!are_beside_each_other(run.created, run.sidecars)) return NULL;
    if (capture_type == NULL || start < 0) return PyErr_Format(PyExc_ValueError, "call captured first, then with a place in the list");
    int goes_on = run.file.length && is_plain_value(run.file.at, run.file.length);
    run.places = PyList_New(0);
    if (run.places == NULL) return NULL;
    for (; goes_on > 0 && start < PyList_GET_SIZE(captures) && run.offset < limit; start++) goes_on = take_one(&run, PyList_GET_ITEM(captures, start));
    if (goes_on >= 0)
        answer = Py_BuildValue("(y#y#O)", run.members.text ? run.members.text : "", (Py_ssize_t)run.members.used,
                               run.lines.text ? run.lines.text : "", (Py_ssize_t)run.lines.used, run.places);
    Py_DECREF(run.places);
    Py_XDECREF(run.peer);
    Py_XDECREF(run.fields);
    PyMem_Free(run.members.text);
    PyMem_Free(run.lines.text);
    return answer;
}
