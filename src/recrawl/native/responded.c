/* What a whole response leaves in the archive, where its body is kept as it was sent: the records of response, request and
 * metadata, and the index line (archive/warc.py, exchange; archive/member.py, stored; archive/tray.py). */
#include "lines.h"

#define LONGEST_TEXT 8192 /* of a record's fields and, but for the response, its block */
#define MOST_FIELDS 2048  /* of an address, twice that of identities and all that is the same in every record */
#define LONGEST_FACTS 2048
#define STORED_BYTES 0xFFFF
#define DIGEST_TEXT 37 /* "sha1:" and base 32 */

enum { CAPTURE, REPLY, TIMES, CLASSES };
enum {
    CAPTURE_URL, CAPTURE_AT, CAPTURE_REPLY, CAPTURE_DIGEST, CAPTURE_SAME_AT, CAPTURE_FACTS,
    REPLY_STATUS, REPLY_EVIDENCE, REPLY_HEADERS, REPLY_HEAD, REPLY_SENT, REPLY_BODY, REPLY_PEER, REPLY_TIMES, REPLY_FAILURE,
    REPLY_DETAIL, REPLY_RECEIVED, REPLY_SOURCE, REPLY_LET_GO,
    TIMES_TOTAL,
    SLOTS
};

static const struct {
    int class;
    const char *name;
} FIELDS[SLOTS] = {
    {CAPTURE, "url"}, {CAPTURE, "at"}, {CAPTURE, "reply"}, {CAPTURE, "digest"}, {CAPTURE, "same_as_at"}, {CAPTURE, "facts"},
    {REPLY, "status"}, {REPLY, "evidence"}, {REPLY, "headers"}, {REPLY, "raw_head"}, {REPLY, "sent_body"}, {REPLY, "body"},
    {REPLY, "peer"}, {REPLY, "times"}, {REPLY, "failure"}, {REPLY, "detail"}, {REPLY, "received_bytes"}, {REPLY, "source"},
    {REPLY, "let_go_bytes"},
    {TIMES, "total_s"},
};

static Py_ssize_t offsets[SLOTS];
static PyTypeObject *classes[CLASSES];
static PyObject *connection_fields, *check_sum, *digests_of;

/* responding((Capture, Reply, Times), connection, crc32, digests): what `responded` reads and asks. `connection(peer, begin of
 * a head)` gives what a record says of the connection, `digests(head, payload)` the sha1 of the payload and of both. */
PyObject *
native_responding(PyObject *module, PyObject *arguments)
{
    PyObject *given[CLASSES], *connection, *crc32, *digests;
    if (!PyArg_ParseTuple(arguments, "(O!O!O!)OOO", &PyType_Type, &given[CAPTURE], &PyType_Type, &given[REPLY], &PyType_Type,
                          &given[TIMES], &connection, &crc32, &digests))
        return NULL;
    for (int one = 0; one < SLOTS; one++) {
        offsets[one] = slot_named((PyTypeObject *)given[FIELDS[one].class], FIELDS[one].name);
        if (offsets[one] < 0) return NULL;
    }
    for (int one = 0; one < CLASSES; one++) Py_XSETREF(classes[one], (PyTypeObject *)Py_NewRef(given[one]));
    Py_XSETREF(connection_fields, Py_NewRef(connection));
    Py_XSETREF(check_sum, Py_NewRef(crc32));
    Py_XSETREF(digests_of, Py_NewRef(digests));
    Py_RETURN_NONE;
}

static PyObject *
get(PyObject *value, int which)
{
    PyObject *found = *(PyObject **)((char *)value + offsets[which]);
    return found == NULL ? Py_None : found;
}

typedef struct {
    PyObject *payload, *head;
    Piece url, body_digest, peer;
    char key[LONGEST_KEY + 16], date[LONGEST_DATE], digests[2][DIGEST_TEXT]; /* of payload and block */
    size_t key_length, date_length;
    char facts[LONGEST_FACTS];
    size_t facts_length;
    Piece mime;
} Response;

/* ---- whether it is plain ----------------------------------------------------------------------------------------------- */

static int
is_named(PyObject *text, const char *name)
{
    return PyUnicode_CheckExact(text) && PyUnicode_CompareWithASCIIString(text, name) == 0;
}

/* Whether the length that the headers tell, if any, is that of the payload, and how often they say "gzip", and nothing else, of
 * its coding; 0: they are not so plain. */
static int
are_plain(PyObject *headers, Py_ssize_t length, int *gzips)
{
    int lengths = 0;
    *gzips = 0;
    if (!PyTuple_CheckExact(headers)) return 0;
    for (Py_ssize_t one = 0; one < PyTuple_GET_SIZE(headers); one++) {
        PyObject *pair = PyTuple_GET_ITEM(headers, one);
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2) return 0;
        PyObject *name = PyTuple_GET_ITEM(pair, 0), *value = PyTuple_GET_ITEM(pair, 1);
        if (is_named(name, "content-length")) {
            char told[24];
            snprintf(told, sizeof(told), "%zd", length);
            if (lengths++ || !is_named(value, told)) return 0;
        } else if (is_named(name, "content-encoding")) {
            if (!is_named(value, "gzip")) return 0;
            ++*gzips;
        }
    }
    return 1;
}

/* Whether any reader gets the decoded body out of the one that was sent, which is another (archive/coding.py). */
static int
is_kept_as_sent(PyObject *reply, PyObject *sent, int gzips)
{
    PyObject *body = get(reply, REPLY_BODY), *let_go = get(reply, REPLY_LET_GO);
    if (!PyBytes_CheckExact(body) || !PyLong_CheckExact(let_go)) return 0;
    if (PyObject_IsTrue(let_go)) return PyBytes_GET_SIZE(body) == 0 && PyBytes_GET_SIZE(sent) > 0;
    Py_ssize_t length = PyBytes_GET_SIZE(sent), out = PyBytes_GET_SIZE(body);
    if (gzips != 1 || length < 18 || out == 0 || length == out) return 0;
    const unsigned char *end = (const unsigned char *)PyBytes_AS_STRING(sent) + length;
    return (uint32_t)out == ((uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24);
}

static int
is_sha256(Piece text)
{
    if (text.length != 7 + 64 || memcmp(text.at, "sha256:", 7)) return 0;
    for (size_t at = 7; at < text.length; at++)
        if (!((text.at[at] >= '0' && text.at[at] <= '9') || (text.at[at] >= 'a' && text.at[at] <= 'f'))) return 0;
    return 1;
}

static char
lowered(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter | 0x20) : letter;
}

static int
is_blank(char letter)
{
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

/* The type that a head names first, without its parameters; empty: it names none (archive/reading.py, CONTENT_TYPE). */
static Piece
type_in(const char *at, const char *end)
{
    static const char NAME[] = "content-type";
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        size_t same = 0;
        for (at++; same < sizeof(NAME) - 1 && at + same < end && lowered(at[same]) == NAME[same]; same++);
        if (same < sizeof(NAME) - 1) continue;
        for (at += same; at < end && (*at == ' ' || *at == '\t'); at++);
        if (at == end || *at != ':') continue;
        for (at++; at < end && (*at == ' ' || *at == '\t'); at++);
        Piece found = {at, 0};
        while (at < end && *at != ';' && !is_blank(*at)) at++;
        found.length = (size_t)(at - found.at);
        return found;
    }
    return (Piece){end, 0};
}

/* ---- what it says ------------------------------------------------------------------------------------------------------ */

/* Of any `str` that is ASCII, a member of an enum as well. */
static Piece
text_piece(PyObject *text)
{
    if (!PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text)) return (Piece){NULL, 0};
    return (Piece){(const char *)PyUnicode_DATA(text), (size_t)PyUnicode_GET_LENGTH(text)};
}

/* One line more of what is told beside the response; its end, NULL: it has no room, or is not plain. Nothing is said of what
 * is empty. */
static char *
put_fact(char *to, const char *stop, Piece name, Piece value)
{
    if (name.at == NULL || value.at == NULL || !name.length) return NULL;
    if (!value.length) return to;
    if (name.length + value.length + 4 > (size_t)(stop - to) || value.at[0] == ' ' || value.at[value.length - 1] == ' ') return NULL;
    for (size_t at = 0; at < name.length; at++)
        if (!((lowered(name.at[at]) >= 'a' && lowered(name.at[at]) <= 'z') || name.at[at] == '-')) return NULL;
    for (size_t at = 0; at < value.length; at++)
        if (value.at[at] < 0x20 || value.at[at] > 0x7E || (value.at[at] == ' ' && value.at[at + 1] == ' ')) return NULL;
    to = put_piece(to, name);
    to = PUT(to, ": ");
    to = put_piece(to, value);
    return PUT(to, "\r\n");
}

#define NAME(literal) ((Piece){literal, sizeof(literal) - 1})

/* As `_facts` of archive/warc.py. 0: they are not plain. */
static int
take_facts(Response *response, PyObject *capture, PyObject *reply)
{
    PyObject *more = get(capture, CAPTURE_FACTS), *received = get(reply, REPLY_RECEIVED), *total_s = get(get(reply, REPLY_TIMES), TIMES_TOTAL);
    if (!PyTuple_CheckExact(more) || !PyLong_CheckExact(received) || !PyFloat_CheckExact(total_s)) return 0;
    long long bytes = PyLong_AsLongLong(received);
    double milliseconds = PyFloat_AS_DOUBLE(total_s) * 1000;
    if (bytes < 0 || !(milliseconds >= 0 && milliseconds < 1e12)) {
        PyErr_Clear();
        return 0;
    }
    char number[32], *to = response->facts;
    const char *stop = to + LONGEST_FACTS;
    to = put_fact(to, stop, NAME("digest"), response->body_digest);
    if (to != NULL) to = put_fact(to, stop, NAME("evidence"), text_piece(get(reply, REPLY_EVIDENCE)));
    if (to != NULL) to = put_fact(to, stop, NAME("detail"), text_piece(get(reply, REPLY_DETAIL)));
    if (to != NULL && bytes) to = put_fact(to, stop, NAME("received-bytes"), (Piece){number, (size_t)(put_number(number, (unsigned long long)bytes) - number)});
    if (to != NULL && milliseconds != 0) {
        char *text = PyOS_double_to_string(milliseconds, 'f', 1, 0, NULL);
        if (text == NULL) {
            PyErr_Clear();
            return 0;
        }
        to = put_fact(to, stop, NAME("fetch-time-ms"), (Piece){text, strlen(text)});
        PyMem_Free(text);
    }
    for (Py_ssize_t one = 0; to != NULL && one < PyTuple_GET_SIZE(more); one++) {
        PyObject *pair = PyTuple_GET_ITEM(more, one);
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2) return 0;
        to = put_fact(to, stop, text_piece(PyTuple_GET_ITEM(pair, 0)), text_piece(PyTuple_GET_ITEM(pair, 1)));
    }
    if (to == NULL) return 0;
    response->facts_length = (size_t)(to - response->facts);
    return 1;
}

/* Whether every one of the records is plain; negative: an exception. */
static int
take(Response *response, PyObject *capture)
{
    if (!Py_IS_TYPE(capture, classes[CAPTURE])) return 0;
    PyObject *reply = get(capture, CAPTURE_REPLY), *at = get(capture, CAPTURE_AT);
    if (!Py_IS_TYPE(reply, classes[REPLY]) || !PyFloat_CheckExact(at) || get(capture, CAPTURE_SAME_AT) != Py_None) return 0;
    if (get(reply, REPLY_FAILURE) != Py_None || get(reply, REPLY_SOURCE) != Py_None || !Py_IS_TYPE(get(reply, REPLY_TIMES), classes[TIMES])) return 0;
    PyObject *sent = response->payload = get(reply, REPLY_SENT), *head = response->head = get(reply, REPLY_HEAD);
    if (!PyBytes_CheckExact(sent) || !PyBytes_CheckExact(head)) return 0;
    int gzips, is_plain = is_plain_response_head(PyBytes_AS_STRING(head), (size_t)PyBytes_GET_SIZE(head));
    if (!is_plain || !are_plain(get(reply, REPLY_HEADERS), PyBytes_GET_SIZE(sent), &gzips)) return 0;
    const char *status = PyBytes_AS_STRING(head) + 9;
    PyObject *number = get(reply, REPLY_STATUS);
    if (!PyLong_CheckExact(number) || PyLong_AsLong(number) != (status[0] - '0') * 100 + (status[1] - '0') * 10 + status[2] - '0') {
        PyErr_Clear();
        return 0;
    }
    if (!memcmp(status, "304", 3) || !is_kept_as_sent(reply, sent, gzips)) return 0;
    response->url = ascii_piece(get(capture, CAPTURE_URL));
    response->body_digest = ascii_piece(get(capture, CAPTURE_DIGEST));
    if (response->url.at == NULL || response->body_digest.at == NULL || !is_sha256(response->body_digest)) return 0;
    if (memchr(response->url.at, ' ', response->url.length) || !is_plain_value(response->url.at, response->url.length)) return 0;
    char *key_end = put_line_key(response->key, response->url, PyFloat_AS_DOUBLE(at));
    if (key_end == NULL) return 0;
    response->key_length = (size_t)(key_end - response->key);
    response->date_length = date_written(PyFloat_AS_DOUBLE(at), response->date);
    response->mime = type_in(PyBytes_AS_STRING(head), PyBytes_AS_STRING(head) + PyBytes_GET_SIZE(head));
    if (!response->mime.length) response->mime = NAME("unk");
    return is_plain_value(response->mime.at, response->mime.length) && take_facts(response, capture, reply);
}

/* ---- its records ------------------------------------------------------------------------------------------------------- */

static char *
put_begin(char *to, Piece kind, Piece identity, const Response *response)
{
    to = PUT(to, "WARC/1.1\r\nWARC-Type: ");
    to = put_piece(to, kind);
    to = PUT(to, "\r\nWARC-Record-ID: ");
    to = put_piece(to, identity);
    to = PUT(to, "\r\nWARC-Date: ");
    to = put_text(to, response->date, response->date_length);
    to = PUT(to, "\r\nWARC-Target-URI: ");
    to = put_piece(to, response->url);
    return PUT(to, "\r\n");
}

static char *
put_length(char *to, size_t length)
{
    to = PUT(to, "Content-Length: ");
    to = put_number(to, length);
    return PUT(to, "\r\n\r\n");
}

/* Head and payload as they are, in blocks of a deflate stream of which the last one ends it, END behind them. */
static char *
put_stored(char *to, Piece head, Piece payload)
{
    static const char END[] = "\r\n\r\n";
    const Piece parts[] = {head, payload, {END, 4}};
    size_t left = head.length + payload.length + 4, room = 0;
    for (int one = 0; one < 3; one++) {
        Piece part = parts[one];
        while (part.length) {
            if (!room) {
                room = left < STORED_BYTES ? left : STORED_BYTES;
                *to++ = left == room; /* the last one */
                const uint16_t lengths[2] = {(uint16_t)room, (uint16_t)~room};
                to = put_text(to, (const char *)lengths, 4);
            }
            size_t now = part.length < room ? part.length : room;
            to = put_text(to, part.at, now);
            part = (Piece){part.at + now, part.length - now};
            room -= now;
            left -= now;
        }
    }
    return to;
}

/* The member of the response; its end, NULL: an exception, or there is no code for it. */
static char *
put_response(char *to, Response *response, Piece identity)
{
    char text[LONGEST_TEXT], *end = put_begin(text, NAME("response"), identity, response);
    Piece head = {PyBytes_AS_STRING(response->head), (size_t)PyBytes_GET_SIZE(response->head)};
    Piece payload = {PyBytes_AS_STRING(response->payload), (size_t)PyBytes_GET_SIZE(response->payload)};
    end = put_piece(end, response->peer);
    end = PUT(end, "WARC-Payload-Digest: ");
    end = put_text(end, response->digests[0], DIGEST_TEXT);
    end = PUT(end, "\r\nRecrawl-Body-Digest: ");
    end = put_piece(end, response->body_digest);
    end = PUT(end, "\r\nContent-Type: application/http; msgtype=response\r\nWARC-Block-Digest: ");
    end = put_text(end, response->digests[1], DIGEST_TEXT);
    end = put_length(PUT(end, "\r\n"), head.length + payload.length);
    size_t length = (size_t)(end - text);
    uint32_t check = crc32_on(crc32_on(0, text, length), head.at, head.length);
    PyObject *summed = PyObject_CallFunction(check_sum, "Ok", response->payload, (unsigned long)check);
    if (summed == NULL) return NULL;
    check = (uint32_t)PyLong_AsUnsignedLongMask(summed);
    Py_DECREF(summed);
    if (PyErr_Occurred()) return NULL;
    to = put_text(to, GZIP_HEADER, GZIP_HEADER_BYTES);
    to = (char *)deflated_before((unsigned char *)to, text, length);
    if (to == NULL) return NULL;
    to = put_stored(to, head, payload);
    const uint32_t trailer[2] = {crc32_on(check, "\r\n\r\n", 4), (uint32_t)(length + head.length + payload.length + 4)};
    return put_text(to, (const char *)trailer, sizeof(trailer));
}

/* The member of a record beside it; its end, NULL: there is no code for it. */
static char *
put_beside(char *to, Piece kind, Piece type, const Response *response, const Piece *identities, Piece peer, Piece block)
{
    char text[LONGEST_TEXT], *end = put_begin(text, kind, identities[1], response);
    end = PUT(end, "WARC-Concurrent-To: ");
    end = put_piece(end, identities[0]);
    end = put_piece(PUT(end, "\r\n"), peer);
    end = put_piece(PUT(end, "Content-Type: "), type);
    end = put_length(PUT(end, "\r\n"), block.length);
    end = PUT(put_piece(end, block), "\r\n\r\n");
    return put_member(to, text, (size_t)(end - text));
}

static PyObject *
line_of(const Response *response, Piece file, size_t length, long long offset)
{
    PyObject *line = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(response->key_length + response->url.length + response->mime.length + file.length + 320));
    if (line == NULL) return NULL;
    char *begin = PyBytes_AS_STRING(line), *to = put_text(begin, response->key, response->key_length);
    to = put_piece(PUT(to, "{\"url\": \""), response->url);
    to = put_piece(PUT(to, "\", \"mime\": \""), response->mime);
    to = put_text(PUT(to, "\", \"status\": \""), PyBytes_AS_STRING(response->head) + 9, 3);
    to = put_text(PUT(to, "\", \"digest\": \""), response->digests[0] + 5, DIGEST_TEXT - 5);
    to = put_number(PUT(to, "\", \"length\": \""), length);
    to = put_number(PUT(to, "\", \"offset\": \""), (unsigned long long)offset);
    to = put_piece(PUT(to, "\", \"filename\": \""), file);
    to = put_text(PUT(to, "\", \"sha256\": \""), response->body_digest.at + 7, 64);
    to = PUT(to, "\"}\n");
    _PyBytes_Resize(&line, to - begin);
    return line;
}

/* 0: they cannot be told, negative: an exception. */
static int
take_digests(Response *response)
{
    PyObject *both = PyObject_CallFunctionObjArgs(digests_of, response->head, response->payload, NULL);
    if (both == NULL) return -1;
    int is_told = PyTuple_CheckExact(both) && PyTuple_GET_SIZE(both) == 2;
    for (int one = 0; is_told && one < 2; one++) {
        PyObject *digest = PyTuple_GET_ITEM(both, one);
        is_told = PyBytes_CheckExact(digest) && PyBytes_GET_SIZE(digest) == 20;
        if (is_told) put_sha1(response->digests[one], (const unsigned char *)PyBytes_AS_STRING(digest));
    }
    Py_DECREF(both);
    return is_told;
}

static PyObject *
records_of(Response *response, const Piece *identities, Piece request, int with_facts, Piece file, long long offset)
{
    size_t payload = (size_t)PyBytes_GET_SIZE(response->payload) + (size_t)PyBytes_GET_SIZE(response->head) + 4;
    size_t room = 3 * member_room(LONGEST_TEXT) + payload + (payload / STORED_BYTES + 1) * 5;
    PyObject *members = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room);
    if (members == NULL) return NULL;
    char *begin = PyBytes_AS_STRING(members), *to = put_response(begin, response, identities[0]);
    size_t main_bytes = to == NULL ? 0 : (size_t)(to - begin);
    if (to != NULL && request.length) {
        const Piece both[2] = {identities[0], identities[1]};
        to = put_beside(to, NAME("request"), NAME("application/http; msgtype=request"), response, both, response->peer, request);
    }
    if (to != NULL && with_facts) {
        const Piece both[2] = {identities[0], identities[2]};
        to = put_beside(to, NAME("metadata"), NAME("application/warc-fields"), response, both, (Piece){"", 0}, (Piece){response->facts, response->facts_length});
    }
    if (to == NULL) {
        Py_DECREF(members);
        if (PyErr_Occurred()) return NULL;
        Py_RETURN_NONE;
    }
    if (_PyBytes_Resize(&members, to - begin) < 0) return NULL;
    PyObject *line = line_of(response, file, main_bytes, offset);
    if (line == NULL) {
        Py_DECREF(members);
        return NULL;
    }
    return Py_BuildValue("(NnNn)", members, (Py_ssize_t)main_bytes, line, (Py_ssize_t)response->key_length);
}

/* responded(capture, request, with_metadata, new_id, file, offset) -> the members, how long the first is, the index line and how
 * much of it is its key; None: something about it is not plain */
PyObject *
native_responded(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 6 || !PyBytes_CheckExact(arguments[1]) || !PyLong_Check(arguments[5])) return PyErr_Format(PyExc_TypeError, "a capture, a request and four facts are wanted");
    if (digests_of == NULL) return PyErr_Format(PyExc_ValueError, "call responding first");
    Piece request = {PyBytes_AS_STRING(arguments[1]), (size_t)PyBytes_GET_SIZE(arguments[1])}, file = ascii_piece(arguments[4]);
    int with_facts = PyObject_IsTrue(arguments[2]);
    long long offset = PyLong_AsLongLong(arguments[5]);
    if (with_facts < 0 || PyErr_Occurred()) return NULL;
    Response response;
    if (file.at == NULL || !file.length || !is_plain_value(file.at, file.length) || offset < 0) Py_RETURN_NONE;
    if (request.length > LONGEST_TEXT - MOST_FIELDS - LONGEST_KEY || !take(&response, arguments[0])) Py_RETURN_NONE;
    PyObject *head = response.head, *peer = get(get(arguments[0], CAPTURE_REPLY), REPLY_PEER);
    PyObject *fields = PyObject_CallFunction(connection_fields, "Oy#", peer, PyBytes_AS_STRING(head), (Py_ssize_t)8);
    if (fields == NULL) return NULL;
    PyObject *given[3] = {NULL, NULL, NULL}, *answer = NULL;
    Piece identities[3] = {{"", 0}, {"", 0}, {"", 0}};
    size_t used = 0;
    response.peer = ascii_piece(fields);
    int state = response.peer.at == NULL ? 0 : take_digests(&response);
    for (int one = 0; state > 0 && one < 3; one++) {
        if ((one == 1 && !request.length) || (one == 2 && !with_facts)) continue;
        given[one] = new_identity(arguments[3]);
        identities[one] = given[one] == NULL ? (Piece){NULL, 0} : ascii_piece(given[one]);
        state = given[one] == NULL ? -1 : identities[one].at != NULL;
        used += identities[one].length;
    }
    if (state > 0 && used + response.peer.length + 1024 > MOST_FIELDS) state = 0;
    if (state > 0) answer = records_of(&response, identities, request, with_facts, file, offset);
    if (state == 0) answer = Py_NewRef(Py_None);
    Py_DECREF(fields);
    for (int one = 0; one < 3; one++) Py_XDECREF(given[one]);
    return answer;
}
