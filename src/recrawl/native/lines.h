/* Index lines as recrawl writes most of them (formats/cdxj.py, OWN), and what their records are made of. */
#ifndef RECRAWL_LINES_H
#define RECRAWL_LINES_H

#include "native.h"

#include <string.h>

#define GZIP_HEADER "\x1f\x8b\x08\0\0\0\0\0\0\xff" /* of a member */
#define GZIP_HEADER_BYTES 10
#define LONGEST_DATE 32
#define LONGEST_KEY 2048 /* an address that is longer is left to Python */

typedef struct {
    const char *at;
    size_t length;
} Piece;

typedef struct {
    Piece key, moment, url, mime, status, digest, length, offset, file, sha256; /* those that are not there: empty */
} Line;

/* Whether the text is one such line, its newline included or not. */
int line_read(const char *at, const char *end, Line *line);
/* The first of sorted lines that is not before the key. */
const char *first_line(const char *begin, const char *end, Piece key);
/* Whether a line that stands in [line, end) begins with the key. */
int begins_with_key(const char *line, const char *end, Piece key);
/* Printable ASCII but for the quote and the backslash: stands in JSON as it is. */
int is_plain_value(const char *at, size_t length);
/* The moment as "yyyy-mm-ddThh:mm:ss.ffffffZ"; 0: a whole second, before 1970 or after 9999. */
size_t date_written(double at, char *to);
/* "yyyymmddhhmmss" of a date. */
void digits_of_date(const char *date, char *to);
/* How the index lines of an address and a second begin, behind `to`, where LONGEST_KEY + 16 bytes are free; its end, NULL:
 * Python must find it. */
char *put_line_key(char *to, Piece url, double at);
/* A raw deflate stream that is the last, behind `to`, where `deflated_room` bytes are free; its end, NULL: no code for it. */
unsigned char *deflated_into(unsigned char *to, const char *data, size_t length);
size_t deflated_room(size_t length);
/* The same for one that others follow, at a whole byte. */
unsigned char *deflated_before(unsigned char *to, const char *data, size_t length);
#define MOULD_PIECES 12
#define MOULD_STEPS 240

/* What of a text is always the same, encoded beforehand: some signs, or (`length`) as much as it has in common with `from_at`
 * of another piece. */
typedef struct {
    uint64_t code;
    uint16_t bits, at, length, from, from_at;
} Step;

typedef struct {
    Step steps[MOULD_STEPS];
    unsigned count; /* 0: it is not to be used */
    uint16_t ends[MOULD_PIECES];
} Mould;

/* A part of a text: `fixed` says which constant piece it is, -1: none; `like`: which part before it may begin alike, or -1. */
typedef struct {
    size_t start, length;
    int fixed, like;
} Part;

void mould_made(Mould *mould, const Piece *pieces, size_t count);
/* `deflated_into` of a text that consists of these parts, all constant pieces among them in their order. */
unsigned char *moulded_into(unsigned char *to, const char *text, size_t length, const Mould *mould, const Part *parts, size_t count);
/* A gzip member of so much data, behind `to`, where `member_room` bytes are free; its end, NULL: there is no code for it. */
char *put_member(char *to, const char *record, size_t length);
size_t member_room(size_t length);
/* CRC-32 of what follows something of which it is `before`. */
uint32_t crc32_on(uint32_t before, const char *data, size_t length);
char *put_number(char *to, unsigned long long number);
/* "sha1:" and the digest in base 32: 37 bytes. */
void put_sha1(char *to, const unsigned char *digest);
/* A fresh identity as `record_id` writes it; NULL: an exception. */
PyObject *new_identity(PyObject *new_id);
/* A status line of HTTP/1 and one field a line, none of which tells a transfer coding. */
int is_plain_response_head(const char *at, size_t length);

static inline char *
put_text(char *to, const char *text, size_t length)
{
    memcpy(to, text, length);
    return to + length;
}

static inline char *
put_piece(char *to, Piece piece)
{
    return put_text(to, piece.at, piece.length);
}

#define PUT(to, literal) put_text(to, literal, sizeof(literal) - 1)

/* The text of a `str` that is ASCII; its address is NULL: it is another. */
static inline Piece
ascii_piece(PyObject *text)
{
    if (!PyUnicode_Check(text) || !PyUnicode_IS_COMPACT_ASCII(text)) return (Piece){NULL, 0};
    return (Piece){(const char *)PyUnicode_1BYTE_DATA(text), (size_t)PyUnicode_GET_LENGTH(text)};
}

#endif
