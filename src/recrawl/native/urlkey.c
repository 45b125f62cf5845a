/* The key under which replay tools look an address up, of addresses that need no unescaping (formats/cdxj.py, urlkey). */
#include "lines.h"

#define MOST_ARGUMENTS 32

enum { IN_HOST = 1, IN_PATH = 2, IN_QUERY = 4 };

static unsigned char kinds[256];

static void
allow(const char *letters, unsigned char kind)
{
    for (; *letters; letters++) kinds[(unsigned char)*letters] |= kind;
}

void
urlkey_prepare(void)
{
    static const char SMALL[] = "abcdefghijklmnopqrstuvwxyz0123456789-", LARGE[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char MARKS[] = "_.~!$'*+,:;=@";
    allow(SMALL, IN_HOST | IN_PATH | IN_QUERY);
    allow(LARGE, IN_PATH | IN_QUERY);
    allow(MARKS, IN_PATH | IN_QUERY);
    allow("&", IN_PATH);
    allow("/?", IN_QUERY);
}

static int
is_of_kind(char letter, unsigned char kind)
{
    return kinds[(unsigned char)letter] & kind;
}

static char
lowered(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter | 0x20) : letter;
}

static int
is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* A name, or an IPv4 address in its usual form. */
static int
is_plain_host(Piece host)
{
    size_t dots = 0, letters = 0, part = 0;
    int is_usual = 1; /* so far: parts of one to three digits, none with a nought before them */
    for (size_t at = 0; at <= host.length; at++) {
        if (at == host.length || host.at[at] == '.') {
            if (part == 0) return 0;
            if (part > 3 || (part > 1 && host.at[at - part] == '0')) is_usual = 0;
            dots += at < host.length;
            part = 0;
        } else {
            if (!is_of_kind(host.at[at], IN_HOST)) return 0;
            letters += host.at[at] >= 'a';
            part++;
        }
    }
    if (letters) return 1;
    return dots == 3 && is_usual && memchr(host.at, '-', host.length) == NULL;
}

static Piece
without_www(Piece host)
{
    size_t at = 3;
    if (host.length < 4 || memcmp(host.at, "www", 3)) return host;
    while (at < host.length && is_digit(host.at[at])) at++;
    if (at == host.length || host.at[at] != '.') return host;
    return (Piece){host.at + at + 1, host.length - at - 1};
}

static char *
put_reversed(char *to, Piece host)
{
    size_t end = host.length;
    while (1) {
        size_t start = end;
        while (start && host.at[start - 1] != '.') start--;
        to = put_text(to, host.at + start, end - start);
        if (!start) return to;
        *to++ = ',';
        end = start - 1;
    }
}

/* Up to the query or the end; NULL: a part that is empty, or begins with a dot, or has a letter that is not plain. */
static const char *
put_path(char **to, const char *at, const char *end)
{
    char *begin = *to, *now = begin;
    for (; at < end && *at != '?'; at++) {
        if (*at == '/') {
            if (at + 1 < end && (at[1] == '/' || at[1] == '.')) return NULL;
            *now++ = '/';
        } else {
            if (!is_of_kind(*at, IN_PATH)) return NULL;
            *now++ = lowered(*at);
        }
    }
    if (now - begin > 1 && now[-1] == '/') now--;
    *to = now;
    return at;
}

static int
has(Piece text, const char *word)
{
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= text.length; at++)
        if (!memcmp(text.at + at, word, length)) return 1;
    return 0;
}

/* As tuples of name and value are compared: one without a value first. */
static int
is_before(Piece one, Piece other)
{
    const char *ends[2] = {memchr(one.at, '=', one.length), memchr(other.at, '=', other.length)};
    size_t names[2] = {ends[0] ? (size_t)(ends[0] - one.at) : one.length, ends[1] ? (size_t)(ends[1] - other.at) : other.length};
    size_t shared = names[0] < names[1] ? names[0] : names[1];
    int order = memcmp(one.at, other.at, shared);
    if (order) return order < 0;
    if (names[0] != names[1]) return names[0] < names[1];
    if (!ends[0] || !ends[1]) return !ends[0] && ends[1];
    size_t values[2] = {one.length - names[0], other.length - names[1]};
    shared = values[0] < values[1] ? values[0] : values[1];
    order = memcmp(ends[0], ends[1], shared);
    return order ? order < 0 : values[0] < values[1];
}

/* The query behind its mark, its arguments sorted; NULL: a letter that is not plain, many arguments, or perhaps a session. */
static char *
put_query(char *to, const char *at, const char *end)
{
    char small[LONGEST_KEY];
    size_t length = (size_t)(end - at), count = 0;
    if (!length) return to;
    for (size_t one = 0; one < length; one++) {
        if (at[one] != '&' && !is_of_kind(at[one], IN_QUERY)) return NULL;
        small[one] = lowered(at[one]);
    }
    Piece whole = {small, length}, sorted[MOST_ARGUMENTS];
    if (has(whole, "sid=") || has(whole, "sessionid") || has(whole, "cfid=")) return NULL;
    for (size_t start = 0; start <= length;) {
        const char *next = memchr(small + start, '&', length - start);
        Piece argument = {small + start, next ? (size_t)(next - small) - start : length - start};
        if (count == MOST_ARGUMENTS) return NULL;
        size_t place = count++;
        for (; place && is_before(argument, sorted[place - 1]); place--) sorted[place] = sorted[place - 1];
        sorted[place] = argument;
        start += argument.length + 1;
    }
    *to++ = '?';
    for (size_t one = 0; one < count; one++) {
        if (one) *to++ = '&';
        to = put_piece(to, sorted[one]);
    }
    return to;
}

/* Behind `to`, where there is room for the address and two bytes more; where the key ends, NULL: Python must find it. */
static char *
put_urlkey(char *to, Piece url)
{
    const char *at = url.at, *end = at + url.length;
    if (url.length < 8 || url.length > LONGEST_KEY - 2 || memcmp(at, "http", 4)) return NULL;
    at += at[4] == 's' ? 5 : 4;
    if (end - at < 4 || memcmp(at, "://", 3)) return NULL;
    Piece host = {at += 3, 0};
    while (at < end && *at != '/' && *at != ':') at++;
    host.length = (size_t)(at - host.at);
    if (at == end || !is_plain_host(host)) return NULL;
    Piece port = {at, 0};
    if (*at == ':') {
        for (at++; at < end && is_digit(*at);) at++;
        port.length = (size_t)(at - port.at);
        if (at == end || port.length < 2 || port.length > 6 || port.at[1] == '0') return NULL;
        if ((port.length == 3 && !memcmp(port.at, ":80", 3)) || (port.length == 4 && !memcmp(port.at, ":443", 4))) return NULL;
    }
    if (*at != '/') return NULL;
    to = put_reversed(to, without_www(host));
    to = put_piece(to, port);
    *to++ = ')';
    at = put_path(&to, at, end);
    if (at == NULL) return NULL;
    return at == end ? to : put_query(to, at + 1, end);
}

/* urlkey(url) -> the key; None: another must find it */
PyObject *
native_urlkey(PyObject *module, PyObject *url)
{
    char text[LONGEST_KEY];
    Piece given = ascii_piece(url);
    char *end = given.at == NULL ? NULL : put_urlkey(text, given);
    if (end == NULL) Py_RETURN_NONE;
    return PyUnicode_FromStringAndSize(text, end - text);
}

char *
put_line_key(char *to, Piece url, double at)
{
    char date[LONGEST_DATE];
    to = date_written(at, date) ? put_urlkey(to, url) : NULL;
    if (to == NULL) return NULL;
    *to++ = ' ';
    digits_of_date(date, to);
    to[14] = ' ';
    return to + 15;
}

/* line_key(url, at) -> how the index lines of an address and a second begin; None: another must find it */
PyObject *
native_line_key(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2) return PyErr_Format(PyExc_TypeError, "an address and a moment are wanted");
    double at = PyFloat_AsDouble(arguments[1]);
    if (at == -1.0 && PyErr_Occurred()) return NULL;
    char text[LONGEST_KEY + 16];
    Piece given = ascii_piece(arguments[0]);
    char *end = given.at == NULL ? NULL : put_line_key(text, given, at);
    if (end == NULL) Py_RETURN_NONE;
    return PyBytes_FromStringAndSize(text, end - text);
}
