/* Deflates the records of an archive that are headers and little else, and inflates them again.
 *
 * What takes a compressor most of its time with half a kilobyte is finding a code for it, and the code is the same for all
 * of them but for little. So it is given here (RFC 1951, a block with its own code): of a sample of such records it needs
 * 1 to 3 % more bytes than codes made for each, and a third of the time. Only ASCII has a place in it.
 */
#include "lines.h"

#define LONGEST_DATA 16384 /* as far back as the distances reach */
#define LITERALS 286
#define DISTANCES 28
#define END_OF_BLOCK 256
#define SHORTEST_MATCH 4
#define LONGEST_MATCH 258
#define TABLE_BITS 11
#define LONGEST_CODE 12 /* bits */

typedef struct {
    uint16_t first, last, bits;
} Span;

/* how many bits each sign has: bytes, the end, lengths; and each distance */
static const Span LITERAL_SPANS[] = {
    {10, 10, 6},  {13, 13, 6},  {32, 32, 5},   {33, 42, 12},  {43, 44, 7},   {45, 45, 5},   {46, 57, 6},
    {58, 58, 5},  {59, 81, 8},  {82, 85, 7},   {86, 92, 8},   {93, 96, 11},  {97, 102, 5},  {103, 108, 7},
    {109, 115, 6}, {116, 116, 5}, {117, 121, 7}, {122, 126, 8}, {256, 265, 7}, {266, 275, 11}, {276, 285, 12},
};
static const Span DISTANCE_SPANS[] = {{0, 16, 5}, {17, 20, 4}, {21, 27, 5}};
/* … and the lengths of codes by which the code itself is told: 0 to 15, then "as before", "some nothing", "much nothing" */
static const uint8_t TOLD_BITS[19] = {[0] = 5, [4] = 6, [5] = 3, [6] = 4, [7] = 3, [8] = 5, [11] = 5, [12] = 5, [16] = 1, [17] = 6, [18] = 5};
static const uint8_t TOLD_ORDER[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

typedef struct {
    uint16_t code; /* its first bit lowest */
    uint8_t bits;  /* 0: it has no place */
} Sign;

typedef struct {
    unsigned char *to;
    uint64_t waiting;
    unsigned bits;
} Writer;

static Sign literals[LITERALS], distances[DISTANCES];
static struct {
    uint8_t sign_offset, extra_bits;
    uint16_t first;
} lengths[LONGEST_MATCH + 1];
static unsigned char told[2][64]; /* how a block begins: one that is not the last, one that is */
static unsigned told_bits;
static uint16_t literal_at[1 << LONGEST_CODE]; /* which sign the next bits are, from 1 */
static uint8_t distance_at[1 << LONGEST_CODE];
static uint16_t first_lengths[LITERALS - 257];

static inline void
put(Writer *writer, uint64_t value, unsigned bits)
{
    writer->waiting |= value << writer->bits;
    writer->bits += bits;
}

/* Whole bytes leave; at most seven bits stay, of less than 64. Eight bytes must be free, however few leave. */
static inline void
settle(Writer *writer)
{
    memcpy(writer->to, &writer->waiting, 8); /* the first one lowest, as the bits are */
    writer->to += writer->bits / 8;
    writer->waiting >>= writer->bits & ~7u;
    writer->bits &= 7;
}

/* Canonical codes for lengths (RFC 1951, 3.2.2). */
static void
give_codes(Sign *signs, size_t count)
{
    unsigned of_length[16] = {0}, next[16] = {0}, code = 0;
    for (size_t one = 0; one < count; one++) of_length[signs[one].bits]++;
    of_length[0] = 0;
    for (unsigned bits = 1; bits < 16; bits++) next[bits] = code = (code + of_length[bits - 1]) << 1;
    for (size_t one = 0; one < count; one++) {
        unsigned given = signs[one].bits ? next[signs[one].bits]++ : 0, turned = 0;
        for (unsigned bit = 0; bit < signs[one].bits; bit++) turned |= (given >> bit & 1) << (signs[one].bits - 1 - bit);
        signs[one].code = (uint16_t)turned;
    }
}

static void
take_spans(Sign *signs, const Span *spans, size_t count)
{
    for (size_t one = 0; one < count; one++)
        for (unsigned sign = spans[one].first; sign <= spans[one].last; sign++) signs[sign].bits = (uint8_t)spans[one].bits;
}

static void
put_sign(Writer *writer, const Sign *sign)
{
    put(writer, sign->code, sign->bits);
}

/* The lengths of all codes, in a row (RFC 1951, 3.2.7). */
static void
tell_code(Writer *writer)
{
    Sign signs[19] = {{0, 0}};
    uint8_t row[LITERALS + DISTANCES];
    for (int one = 0; one < 19; one++) signs[one].bits = TOLD_BITS[one];
    give_codes(signs, 19);
    for (int one = 0; one < LITERALS; one++) row[one] = literals[one].bits;
    for (int one = 0; one < DISTANCES; one++) row[LITERALS + one] = distances[one].bits;
    int named = 19;
    while (!TOLD_BITS[TOLD_ORDER[named - 1]]) named--;
    put(writer, LITERALS - 257, 5);
    put(writer, DISTANCES - 1, 5);
    put(writer, (uint64_t)named - 4, 4);
    settle(writer);
    for (int one = 0; one < named; one++) {
        put(writer, TOLD_BITS[TOLD_ORDER[one]], 3);
        settle(writer);
    }
    for (size_t at = 0; at < sizeof(row);) {
        size_t alike = 1;
        while (at + alike < sizeof(row) && row[at + alike] == row[at]) alike++;
        size_t told_now = 1;
        if (row[at] == 0 && alike >= 11) {
            told_now = alike < 138 ? alike : 138;
            put_sign(writer, &signs[18]);
            put(writer, told_now - 11, 7);
        } else if (row[at] == 0 && alike >= 3) {
            told_now = alike;
            put_sign(writer, &signs[17]);
            put(writer, told_now - 3, 3);
        } else if (row[at] != 0 && at > 0 && row[at - 1] == row[at] && alike >= 3) {
            told_now = alike < 6 ? alike : 6;
            if (alike > 6 && alike < 9) told_now = alike - 3; /* what is left can be told in the same way */
            put_sign(writer, &signs[16]);
            put(writer, told_now - 3, 2);
        } else {
            put_sign(writer, &signs[row[at]]);
        }
        settle(writer);
        at += told_now;
    }
}

/* What lengths of matches are written as (RFC 1951, 3.2.5): steps double every four signs. */
static void
take_lengths(void)
{
    unsigned first = 3;
    for (unsigned sign = 0; sign < 28; sign++) {
        unsigned extra = sign < 8 ? 0 : sign / 4 - 1;
        first_lengths[sign] = (uint16_t)first;
        for (unsigned length = first; length < first + (1u << extra) && length < LONGEST_MATCH; length++) {
            lengths[length].sign_offset = (uint8_t)sign;
            lengths[length].extra_bits = (uint8_t)extra;
            lengths[length].first = (uint16_t)first;
        }
        first += 1u << extra;
    }
    lengths[LONGEST_MATCH].sign_offset = 28;
    lengths[LONGEST_MATCH].first = LONGEST_MATCH;
    first_lengths[28] = LONGEST_MATCH;
}

/* Which sign any bits begin with. */
static void
take_turns(void)
{
    for (unsigned one = 0; one < LITERALS; one++)
        for (unsigned bits = literals[one].code; literals[one].bits && bits < 1u << LONGEST_CODE; bits += 1u << literals[one].bits) literal_at[bits] = (uint16_t)(one + 1);
    for (unsigned one = 0; one < DISTANCES; one++)
        for (unsigned bits = distances[one].code; bits < 1u << LONGEST_CODE; bits += 1u << distances[one].bits) distance_at[bits] = (uint8_t)(one + 1);
}

void
pack_prepare(void)
{
    take_spans(literals, LITERAL_SPANS, sizeof(LITERAL_SPANS) / sizeof(LITERAL_SPANS[0]));
    take_spans(distances, DISTANCE_SPANS, sizeof(DISTANCE_SPANS) / sizeof(DISTANCE_SPANS[0]));
    give_codes(literals, LITERALS);
    give_codes(distances, DISTANCES);
    take_lengths();
    take_turns();
    for (unsigned is_last = 0; is_last < 2; is_last++) {
        Writer writer = {told[is_last], 0, 0};
        put(&writer, is_last | 2 << 1, 3);
        tell_code(&writer);
        told_bits = (unsigned)(writer.to - told[is_last]) * 8 + writer.bits;
        *writer.to = (unsigned char)writer.waiting;
    }
}

static inline uint32_t
four_at(const unsigned char *at)
{
    uint32_t four;
    memcpy(&four, at, 4);
    return four;
}

static void
put_match(Writer *writer, unsigned length, unsigned distance)
{
    const Sign *sign = &literals[257 + lengths[length].sign_offset];
    settle(writer);
    put(writer, sign->code, sign->bits);
    put(writer, length - lengths[length].first, lengths[length].extra_bits);
    unsigned back = distance - 1, extra = 0, place = back;
    if (back >= 4) { /* the two highest bits tell the sign, the others follow it */
        while (back >> extra >= 4) extra++;
        place = 2 * extra + (back >> extra);
    }
    put(writer, distances[place].code, distances[place].bits);
    put(writer, back & ((1u << extra) - 1), extra);
    settle(writer);
}

static inline unsigned
slot_of(uint32_t four)
{
    return four * 2654435761u >> (32 - TABLE_BITS);
}

/* How many bytes here are as they were there, of `most`; the first ones are known to be. */
static inline size_t
same_bytes(const unsigned char *here, const unsigned char *there, size_t most)
{
    size_t same = SHORTEST_MATCH;
    while (same + 4 <= most && four_at(here + same) == four_at(there + same)) same += 4;
    while (same < most && here[same] == there[same]) same++;
    return same;
}

/* All of the data; -1: a byte has no place in the code. */
static int
put_data(Writer *writer, const unsigned char *data, size_t length)
{
    uint16_t seen[1 << TABLE_BITS] = {0}; /* where four bytes were met last, from 1 */
    size_t at = 0, fours = length < SHORTEST_MATCH ? 0 : length - SHORTEST_MATCH + 1; /* that many places have four bytes */
    while (at < length) {
        if (at < fours) {
            uint32_t four = four_at(data + at);
            uint16_t *slot = &seen[slot_of(four)];
            size_t before = *slot;
            *slot = (uint16_t)(at + 1);
            if (before && four_at(data + before - 1) == four) {
                size_t most = length - at < LONGEST_MATCH ? length - at : LONGEST_MATCH;
                size_t same = same_bytes(data + at, data + before - 1, most), end = at + same, last = end < fours ? end : fours;
                put_match(writer, (unsigned)same, (unsigned)(at + 1 - before));
                for (at++; at < last; at++) seen[slot_of(four_at(data + at))] = (uint16_t)(at + 1);
                at = end;
                continue;
            }
        }
        const Sign *sign = &literals[data[at]];
        if (!sign->bits) return -1;
        put_sign(writer, sign);
        if (writer->bits > 48) settle(writer); /* the next one has room */
        at++;
    }
    settle(writer);
    put_sign(writer, &literals[END_OF_BLOCK]);
    settle(writer);
    return 0;
}

size_t
deflated_room(size_t length)
{
    return sizeof(told[0]) + length * 3 / 2 + 32; /* a byte takes 12 bits at most, four in a match 12 + 5 + 5 + 13 */
}

/* One that is not last ends with an empty block, at a whole byte. NULL: the data is long, or more than ASCII. */
static unsigned char *
deflate_into(unsigned char *to, const char *data, size_t length, int is_last)
{
    if (length > LONGEST_DATA) return NULL;
    memcpy(to, told[is_last], sizeof(told[0]));
    unsigned whole = told_bits / 8;
    Writer writer = {to + whole, told_bits % 8 ? told[is_last][whole] : 0, told_bits % 8};
    if (put_data(&writer, (const unsigned char *)data, length) < 0) return NULL;
    if (!is_last) put(&writer, 0, 3);
    if (writer.bits % 8) writer.bits += 8 - writer.bits % 8;
    settle(&writer);
    if (is_last) return writer.to;
    memcpy(writer.to, "\0\0\xff\xff", 4);
    return writer.to + 4;
}

unsigned char *
deflated_into(unsigned char *to, const char *data, size_t length)
{
    return deflate_into(to, data, length, 1);
}

unsigned char *
deflated_before(unsigned char *to, const char *data, size_t length)
{
    return deflate_into(to, data, length, 0);
}

/* ---- texts of which most is always the same ----------------------------------------------------------------------- */

/* A constant piece, encoded once: signs as bits, and matches with what stands before them in constant pieces. */
static void
mould_piece(Mould *mould, const Piece *pieces, size_t which, uint16_t *seen, const uint16_t *starts)
{
    const unsigned char *data = (const unsigned char *)pieces[which].at;
    size_t length = pieces[which].length;
    Step *step = NULL;
    for (size_t at = 0; at < length;) {
        uint16_t *slot = at + SHORTEST_MATCH <= length ? &seen[slot_of(four_at(data + at))] : NULL;
        size_t before = slot ? *slot : 0, from = which;
        if (slot) *slot = (uint16_t)(starts[which] + at + 1);
        if (before-- > 0) {
            while (starts[from] > before) from--;
            size_t from_at = before - starts[from], most = pieces[from].length - from_at, same = 0;
            if (most > length - at) most = length - at;
            if (most > LONGEST_MATCH) most = LONGEST_MATCH;
            while (same < most && pieces[from].at[from_at + same] == pieces[which].at[at + same]) same++;
            if (same >= SHORTEST_MATCH && mould->count < MOULD_STEPS) {
                step = &mould->steps[mould->count++];
                *step = (Step){0, 0, (uint16_t)at, (uint16_t)same, (uint16_t)from, (uint16_t)from_at};
                at += same;
                continue;
            }
        }
        const Sign *sign = &literals[data[at++]];
        if (step == NULL || step->length || step->bits + sign->bits > 56) {
            if (mould->count == MOULD_STEPS) { /* nothing is put that is not whole */
                mould->count = 0;
                return;
            }
            step = &mould->steps[mould->count++];
            *step = (Step){0};
        }
        step->code |= (uint64_t)sign->code << step->bits;
        step->bits = (uint16_t)(step->bits + sign->bits);
    }
    mould->ends[which] = (uint16_t)mould->count;
}

void
mould_made(Mould *mould, const Piece *pieces, size_t count)
{
    uint16_t seen[1 << TABLE_BITS] = {0}, starts[MOULD_PIECES], start = 0;
    mould->count = 0;
    for (size_t which = 0; which < count; which++) {
        starts[which] = start;
        start = (uint16_t)(start + pieces[which].length);
        mould_piece(mould, pieces, which, seen, starts);
        if (mould->count == 0) return;
    }
}

static int
put_literals(Writer *writer, const unsigned char *data, size_t length)
{
    settle(writer);
    for (; length >= 4; length -= 4, data += 4) {
        const Sign *signs[4] = {&literals[data[0]], &literals[data[1]], &literals[data[2]], &literals[data[3]]};
        if (!signs[0]->bits || !signs[1]->bits || !signs[2]->bits || !signs[3]->bits) return -1;
        for (int one = 0; one < 4; one++) put_sign(writer, signs[one]);
        settle(writer);
    }
    for (; length; length--, data++) {
        if (!literals[*data].bits) return -1;
        put_sign(writer, &literals[*data]);
    }
    settle(writer);
    return 0;
}

/* A piece that begins as another one before it does. */
static int
put_alike(Writer *writer, const unsigned char *text, const Part *part, const Part *like)
{
    const unsigned char *data = text + part->start, *there = text + like->start;
    size_t same = 0, most = part->length < like->length ? part->length : like->length, at = 0;
    while (same < most && data[same] == there[same]) same++;
    while (same - at >= SHORTEST_MATCH) {
        size_t length = same - at < LONGEST_MATCH ? same - at : LONGEST_MATCH;
        put_match(writer, (unsigned)length, (unsigned)(part->start - like->start));
        at += length;
    }
    return put_literals(writer, data + at, part->length - at);
}

/* A raw deflate stream of a text in parts, that is the last. NULL: it is long, or a byte has no place in the code. */
unsigned char *
moulded_into(unsigned char *to, const char *text, size_t length, const Mould *mould, const Part *parts, size_t count)
{
    if (length > LONGEST_DATA || mould->count == 0) return NULL;
    memcpy(to, told[1], sizeof(told[0]));
    unsigned whole = told_bits / 8;
    Writer writer = {to + whole, told_bits % 8 ? told[1][whole] : 0, told_bits % 8};
    size_t starts[MOULD_PIECES];
    for (size_t one = 0; one < count; one++) {
        const Part *part = &parts[one];
        if (part->fixed < 0) {
            const Part *like = part->like < 0 ? NULL : &parts[part->like];
            const unsigned char *data = (const unsigned char *)text;
            if ((like ? put_alike(&writer, data, part, like) : put_literals(&writer, data + part->start, part->length)) < 0) return NULL;
            continue;
        }
        starts[part->fixed] = part->start;
        for (unsigned at = part->fixed ? mould->ends[part->fixed - 1] : 0; at < mould->ends[part->fixed]; at++) {
            const Step *step = &mould->steps[at];
            if (step->length) {
                put_match(&writer, step->length, (unsigned)(part->start + step->at - starts[step->from] - step->from_at));
            } else {
                put(&writer, step->code, step->bits);
                settle(&writer);
            }
        }
    }
    put_sign(&writer, &literals[END_OF_BLOCK]);
    if (writer.bits % 8) writer.bits += 8 - writer.bits % 8;
    settle(&writer);
    return writer.to;
}

/* deflated(data, is_last) -> a raw deflate stream; None: the data is long, or more than ASCII */
PyObject *
native_deflated(PyObject *module, PyObject *arguments)
{
    const char *data;
    Py_ssize_t length;
    int is_last;
    if (!PyArg_ParseTuple(arguments, "y#p", &data, &length, &is_last)) return NULL;
    if (length > LONGEST_DATA) Py_RETURN_NONE;
    PyObject *answer = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)deflated_room((size_t)length));
    if (answer == NULL) return NULL;
    unsigned char *begin = (unsigned char *)PyBytes_AS_STRING(answer), *end = deflate_into(begin, data, (size_t)length, is_last);
    if (end == NULL) {
        Py_DECREF(answer);
        Py_RETURN_NONE;
    }
    if (_PyBytes_Resize(&answer, end - begin) < 0) return NULL;
    return answer;
}

/* ---- back ------------------------------------------------------------------------------------------------------- */

#define HEADER_BYTES 10
#define TRAILER_BYTES 8

typedef struct {
    const unsigned char *at, *end;
    uint64_t waiting;
    unsigned bits;
} Bits;

static inline void
fill(Bits *bits)
{
    while (bits->bits <= 56 && bits->at < bits->end) {
        bits->waiting |= (uint64_t)*bits->at++ << bits->bits;
        bits->bits += 8;
    }
}

/* The next few bits; behind the end there are none but zeros, and too many taken are seen by `is_short`. */
static inline unsigned
take(Bits *bits, unsigned count)
{
    unsigned taken = (unsigned)(bits->waiting & ((1u << count) - 1));
    bits->waiting >>= count;
    bits->bits -= count;
    return taken;
}

static inline int
is_short(const Bits *bits)
{
    return bits->bits > 64;
}

/* Which block begins here, of those whose code we know: 0 one that is not the last, 1 one that is; -1: another. */
static int
kind_of_block(const unsigned char *at, size_t length)
{
    unsigned whole = told_bits / 8, rest = told_bits % 8;
    for (int is_last = 0; is_last < 2 && length > whole; is_last++)
        if (!memcmp(at, told[is_last], whole) && !((at[whole] ^ told[is_last][whole]) & ((1u << rest) - 1))) return is_last;
    return -1;
}

/* The signs of a block, its code read already; how many bytes they are, negative: they are not so plain. */
static Py_ssize_t
inflate_signs(Bits *bits, unsigned char *to, size_t room)
{
    size_t size = 0;
    for (;;) {
        fill(bits);
        unsigned sign = literal_at[bits->waiting & ((1u << LONGEST_CODE) - 1)];
        if (sign-- == 0) return -1;
        take(bits, literals[sign].bits);
        if (is_short(bits)) return -1;
        if (sign == END_OF_BLOCK) return (Py_ssize_t)size;
        if (sign < END_OF_BLOCK) {
            if (size == room) return -1;
            to[size++] = (unsigned char)sign;
            continue;
        }
        sign -= 257;
        size_t length = first_lengths[sign] + take(bits, sign < 8 || sign == 28 ? 0 : sign / 4 - 1);
        unsigned place = distance_at[bits->waiting & ((1u << LONGEST_CODE) - 1)];
        if (place-- == 0) return -1;
        take(bits, distances[place].bits);
        unsigned extra = place < 4 ? 0 : place / 2 - 1;
        size_t distance = 1 + (place < 4 ? place : (2 + place % 2) << extra) + take(bits, extra);
        if (is_short(bits) || distance > size || length > room - size) return -1;
        for (; length--; size++) to[size] = to[size - distance];
    }
}

/* Blocks that lie there as they are, up to the trailer; how many bytes they are, negative: they are not so plain. */
static Py_ssize_t
copy_blocks(const unsigned char *at, const unsigned char *end, unsigned char *to, size_t room)
{
    size_t size = 0;
    for (int is_last = 0; !is_last;) {
        if (end - at < 5 || at[0] > 1) return -1;
        is_last = at[0];
        size_t length = at[1] | (size_t)at[2] << 8;
        if ((length ^ 0xFFFF) != (at[3] | (size_t)at[4] << 8)) return -1;
        at += 5;
        if (length > (size_t)(end - at) || length > room - size) return -1;
        memcpy(to + size, at, length);
        size += length;
        at += length;
    }
    return at == end ? (Py_ssize_t)size : -1;
}

/* All of a member into so much room, which it must fill; negative: it is not so plain. */
static int
unpack_into(unsigned char *to, size_t room, const unsigned char *at, const unsigned char *end)
{
    int is_last = kind_of_block(at, (size_t)(end - at));
    if (is_last < 0) return -1;
    Bits bits = {at + told_bits / 8, end, 0, 0};
    fill(&bits);
    take(&bits, told_bits % 8);
    Py_ssize_t size = inflate_signs(&bits, to, room), more = 0;
    if (size < 0 || (!is_last && (fill(&bits), take(&bits, 3)) != 0) || is_short(&bits)) return -1;
    at = bits.at - bits.bits / 8; /* behind the byte that is begun */
    if (is_last) return at == end && (size_t)size == room ? 0 : -1;
    if (end - at < 4 || memcmp(at, "\0\0\xff\xff", 4)) return -1;
    more = copy_blocks(at + 4, end, to + size, room - (size_t)size);
    return more >= 0 && (size_t)(size + more) == room ? 0 : -1;
}

/* unpacked(member) -> what lies in a gzip member that begins with a code of ours; None: it is another. Its checksum is not
 * looked at. */
PyObject *
native_unpacked(PyObject *module, PyObject *member)
{
    static const unsigned char HEADER[HEADER_BYTES] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    if (!PyBytes_Check(member)) {
        PyErr_SetString(PyExc_TypeError, "bytes are wanted");
        return NULL;
    }
    const unsigned char *at = (const unsigned char *)PyBytes_AS_STRING(member), *end = at + PyBytes_GET_SIZE(member);
    if (end - at < HEADER_BYTES + TRAILER_BYTES || memcmp(at, HEADER, HEADER_BYTES)) Py_RETURN_NONE;
    end -= TRAILER_BYTES;
    uint32_t size = four_at(end + 4);
    if (size > (size_t)(end - at) + LONGEST_DATA) Py_RETURN_NONE;
    PyObject *answer = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (answer == NULL) return NULL;
    if (unpack_into((unsigned char *)PyBytes_AS_STRING(answer), size, at + HEADER_BYTES, end) == 0) return answer;
    Py_DECREF(answer);
    Py_RETURN_NONE;
}
