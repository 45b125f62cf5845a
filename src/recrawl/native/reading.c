/* Reads a page as its parser wrote it out again: its text in runs, and where it leads, in one pass.
 *
 * The same as `extract/text_written.py` and `extract/links.py` read, which say what everything means. Written out, a page
 * is regular: every element is closed, every `<` and `>` of a text or a value is escaped. What an element stands for is
 * known by its context (`extract/contexts.py`); one that was not met before is asked for there.
 */
#define _GNU_SOURCE /* memmem */
#include "reading.h"

#include <stddef.h>
#include <string.h>

#include "text.h"

enum { LINK = 1, STRESS = 2, EMPHASIS_LEVEL = 8 };
enum { SLOT_BLOCK, SLOT_CHILDREN, SLOT_ENDS_RUN, SLOT_IS_VOID, SLOT_MARKS, SLOT_NAMED, SLOTS };
enum { OPENED_TAG = 1, OPENED_PLACE = 2, OPENED_REGION = 3, OPENED_LEVEL = 4 };

static const char *const SLOT_NAMES[SLOTS] = {"block", "children", "ends_run", "is_void", "marks", "named"};
static Py_ssize_t slot_offsets[SLOTS];
static PyTypeObject *context_type, *run_type;
static PyObject *line_break; /* the context of <br> */
static PyObject *unescape;   /* what references of a source stand for */

/* contexts(Context, Run, BREAK, unescape): the classes that are read and made, before the first page; and what undoes the
 * references of a text */
PyObject *
native_contexts(PyObject *module, PyObject *arguments)
{
    PyTypeObject *context, *run;
    PyObject *broken, *undo;
    if (!PyArg_ParseTuple(arguments, "O!O!OO", &PyType_Type, &context, &PyType_Type, &run, &broken, &undo)) return NULL;
    for (int slot = 0; slot < SLOTS; slot++) {
        slot_offsets[slot] = slot_named(context, SLOT_NAMES[slot]);
        if (slot_offsets[slot] < 0) return NULL;
    }
    Py_XSETREF(context_type, (PyTypeObject *)Py_NewRef(context));
    Py_XSETREF(run_type, (PyTypeObject *)Py_NewRef(run));
    Py_XSETREF(line_break, Py_NewRef(broken));
    Py_XSETREF(unescape, Py_NewRef(undo));
    Py_RETURN_NONE;
}

static PyObject *
in(PyObject *context, int slot)
{
    return *(PyObject **)((char *)context + slot_offsets[slot]);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static int
append(Folded *folded, const char *bytes, size_t length)
{
    if (folded->length + length + 1 > folded->room) {
        size_t room = (folded->length + length + 1) * 2;
        char *more = PyMem_Realloc(folded->text, room);
        if (more == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        folded->text = more;
        folded->room = room;
    }
    memcpy(folded->text + folded->length, bytes, length);
    folded->length += length;
    return 0;
}

/* A stretch of letters without space between them. */
static int
add_word(Folded *folded, const char *bytes, size_t length, size_t letters)
{
    if (folded->at_space && folded->length) {
        if (append(folded, " ", 1) < 0) return -1;
        folded->letters++;
    }
    folded->at_space = 0;
    folded->letters += letters;
    return append(folded, bytes, length);
}

static const struct {
    const char *name;
    const char *means;
} REFERENCES[] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", "\xC2\xA0"}};

/* What a reference stands for, and its length; NULL: it is none that the parser writes. */
static const char *
reference_at(const char *at, const char *end, size_t *length)
{
    for (size_t one = 0; one < sizeof(REFERENCES) / sizeof(REFERENCES[0]); one++) {
        size_t size = strlen(REFERENCES[one].name);
        if ((size_t)(end - at) >= size && !memcmp(at, REFERENCES[one].name, size)) {
            *length = size;
            return REFERENCES[one].means;
        }
    }
    return NULL;
}

/* Bytes that need a look: white space but for the blank, `&`, and whatever is not ASCII. */
static inline uint64_t
odd_bytes(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
    uint64_t reference = word ^ (ones * '&');
    return (word & highs) | ((word - ones * 0x20) & ~word & highs) | ((reference - ones) & ~reference & highs);
}

/* Of eight bytes of ASCII. */
static inline uint64_t
blank_bytes(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
    return ~((word ^ (ones * ' ')) + ones * 0x7F) & highs;
}

/* How many bytes from here on are plain words with single blanks between them, whole words of eight bytes. */
static size_t
folded_already(const unsigned char *at, const unsigned char *stop)
{
    const unsigned char *from = at;
    uint64_t word, before = 0;
    for (; stop - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        if (odd_bytes(word)) break;
        uint64_t blanks = blank_bytes(word);
        if (blanks & ((blanks << 8) | (before >> 56))) break;
        before = blanks;
    }
    return (size_t)(at - from);
}

/* Folds a text behind what there is; how many letters it has once it is stripped, negative on failure. `most`: letters
 * that are wanted in all, 0: all of them. `is_plain`: what looks like a reference is none. */
static Py_ssize_t
add_text(Folded *folded, const char *text, const char *end, size_t most, int is_plain)
{
    const unsigned char *at = (const unsigned char *)text, *stop = (const unsigned char *)end;
    size_t stripped = 0, blanks = 0; /* blanks: since the last letter */
    while (at < stop && (!most || folded->letters < most)) {
        int space = space_at(at, stop);
        if (space) {
            folded->at_space = 1;
            blanks += stripped > 0;
            at += space;
            continue;
        }
        const unsigned char *word = at;
        size_t letters = 0;
        if ((letters = folded_already(at, stop)) > 0) {
            at += letters;
            while (at[-1] == ' ') at--, letters--; /* at most one */
        } else {
            while (at < stop && *at != '&' && !space_at(at, stop)) letters += is_letter_start(*at++);
        }
        if (letters) {
            if (add_word(folded, (const char *)word, (size_t)(at - word), letters) < 0) return -1;
            stripped += blanks + letters;
            blanks = 0;
        }
        if (at < stop && *at == '&') {
            size_t length = 1;
            const char *means = is_plain ? NULL : reference_at((const char *)at, end, &length);
            if (means == NULL) means = "&";
            if (means[0] == '\xC2') {
                folded->at_space = 1;
                blanks += stripped > 0;
            } else {
                if (add_word(folded, means, 1, 1) < 0) return -1;
                stripped += blanks + 1;
                blanks = 0;
            }
            at += length;
        }
    }
    return (Py_ssize_t)stripped;
}

static PyObject *
text_of(const Reader *reader, const char *text, size_t length)
{
    if (!reader->is_ascii) return PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, NULL);
    PyObject *made = PyUnicode_New((Py_ssize_t)length, 127);
    if (made != NULL && length) memcpy(PyUnicode_1BYTE_DATA(made), text, length);
    return made;
}

static void
empty(Folded *folded)
{
    folded->length = folded->letters = 0;
    folded->at_space = 0;
}

/* The run ends here. `block`: what it stands in. */
static int
end_run(Reader *reader, PyObject *block)
{
    Folded *run = &reader->run;
    size_t letters = run->letters, linked = reader->linked, stressed = reader->stressed;
    reader->linked = reader->stressed = 0;
    if (run->length == 0) {
        empty(run);
        return 0;
    }
    PyObject *text = text_of(reader, run->text, run->length);
    empty(run);
    PyObject *level = PyTuple_GET_ITEM(block, OPENED_LEVEL), *chars = PyLong_FromSize_t(linked < letters ? linked : letters);
    int is_stressed = stressed && PyObject_Not(level) == 1 && stressed * 10 >= letters * 9;
    PyObject *shown = is_stressed ? PyLong_FromLong(EMPHASIS_LEVEL) : Py_NewRef(level);
    PyObject *made = text && chars && shown ? run_type->tp_alloc(run_type, 6) : NULL;
    if (made == NULL) {
        Py_XDECREF(text);
        Py_XDECREF(chars);
        Py_XDECREF(shown);
        return -1;
    }
    PyTuple_SET_ITEM(made, 0, Py_NewRef(PyTuple_GET_ITEM(block, OPENED_PLACE)));
    PyTuple_SET_ITEM(made, 1, text);
    PyTuple_SET_ITEM(made, 2, shown);
    PyTuple_SET_ITEM(made, 3, chars);
    PyTuple_SET_ITEM(made, 4, Py_NewRef(PyTuple_GET_ITEM(block, OPENED_REGION)));
    PyTuple_SET_ITEM(made, 5, Py_NewRef(PyTuple_GET_ITEM(block, OPENED_TAG)));
    int failed = PyList_Append(reader->runs, made);
    Py_DECREF(made);
    return failed;
}

static int
hear(Reader *reader, const char *text, const char *end, int is_plain)
{
    if (reader->anchor >= 0 && reader->caption.letters < reader->caption_letters &&
        add_text(&reader->caption, text, end, reader->caption_letters, is_plain) < 0)
        return FAILED;
    if (reader->context == NULL || in(reader->context, SLOT_BLOCK) == Py_None) return WELL;
    Py_ssize_t letters = add_text(&reader->run, text, end, 0, is_plain);
    if (letters < 0) return FAILED;
    long marks = PyLong_AsLong(in(reader->context, SLOT_MARKS));
    if (marks & LINK) reader->linked += (size_t)letters;
    if (marks & STRESS) reader->stressed += (size_t)letters;
    return WELL;
}

/* Whether all references of a text are such as a parser writes. */
static int
is_written(const char *text, const char *end)
{
    for (size_t length; (text = memchr(text, '&', (size_t)(end - text))) != NULL; text += length)
        if (reference_at(text, end, &length) == NULL) return 0;
    return 1;
}

/* Numbers of characters that `unescape` leaves out and a parser does not. */
static int
is_left_out(uint32_t number)
{
    int is_control = number > 0 && number < 0x20 && number != '\t' && number != '\n' && number != '\f' && number != '\r';
    return is_control || number == 0x7F || (number >= 0xFDD0 && number <= 0xFDEF) || (number & 0xFFFE) == 0xFFFE;
}

static int
digit_of(char letter, int is_hex)
{
    if (letter >= '0' && letter <= '9') return letter - '0';
    letter |= 0x20;
    return is_hex && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static int
has_number_left_out(const char *text, const char *end)
{
    for (; (text = memchr(text, '&', (size_t)(end - text))) != NULL; text++) {
        if (end - text < 3 || text[1] != '#') continue;
        int is_hex = (text[2] | 0x20) == 'x', digit;
        uint32_t number = 0;
        for (const char *at = text + 2 + is_hex; at < end && number < 0x200000 && (digit = digit_of(*at, is_hex)) >= 0; at++)
            number = number * (is_hex ? 16 : 10) + (uint32_t)digit;
        if (is_left_out(number)) return 1;
    }
    return 0;
}

int
reader_hear(Reader *reader, const char *text, const char *end)
{
    if (!reader->is_source || is_written(text, end)) return hear(reader, text, end, 0);
    if (has_number_left_out(text, end)) return ODD;
    PyObject *spelt = PyUnicode_DecodeUTF8(text, end - text, NULL), *meant = spelt ? PyObject_CallOneArg(unescape, spelt) : NULL;
    Py_XDECREF(spelt);
    if (meant == NULL) return FAILED;
    Py_ssize_t length;
    const char *plain = PyUnicode_AsUTF8AndSize(meant, &length);
    if (!PyUnicode_IS_ASCII(meant)) reader->is_ascii = 0; /* from here on texts may be more than their source is */
    int heard = plain == NULL ? FAILED : hear(reader, plain, plain + length, 1);
    Py_DECREF(meant);
    return heard;
}

/* ---- tags ------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name, *value;
    size_t name_length, value_length;
} Attribute;

/* The next attribute of a tag as written, ` name="value"`; where it ends, NULL: it is not so plain. */
static const char *
next_attribute(const char *at, const char *end, Attribute *found)
{
    if (*at++ != ' ') return NULL;
    found->name = at;
    while (at < end && *at != '=' && *at != '"' && *at != ' ') at++;
    found->name_length = (size_t)(at - found->name);
    if (end - at < 3 || at[0] != '=' || at[1] != '"') return NULL;
    found->value = at + 2;
    const char *close = memchr(found->value, '"', (size_t)(end - found->value));
    if (close == NULL) return NULL;
    found->value_length = (size_t)(close - found->value);
    return close + 1;
}

static PyObject *
value_of(const Reader *reader, const Attribute *found)
{
    const char *at = found->value, *stop = at + found->value_length;
    if (!memchr(at, '&', found->value_length)) return text_of(reader, at, found->value_length);
    char *plain = PyMem_Malloc(found->value_length + 1);
    if (plain == NULL) return PyErr_NoMemory();
    size_t size = 0;
    while (at < stop) {
        size_t taken = 1;
        const char *means = *at == '&' ? reference_at(at, stop, &taken) : NULL;
        if (means == NULL) {
            plain[size++] = *at++;
            continue;
        }
        size_t meant = strlen(means);
        memcpy(plain + size, means, meant);
        size += meant;
        at += taken;
    }
    PyObject *value = PyUnicode_DecodeUTF8(plain, (Py_ssize_t)size, NULL);
    PyMem_Free(plain);
    return value;
}

static int
is_named(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && !memcmp(name, other, length);
}

int
reader_note(Reader *reader, PyObject *item)
{
    int failed = item == NULL || PyList_Append(reader->items, item) < 0;
    Py_XDECREF(item);
    return failed ? FAILED : WELL;
}

/* An anchor, its caption to come: (tag, href, rel, caption). */
static int
note_anchor(Reader *reader, PyObject *tag, const char *at, const char *end)
{
    Attribute found, href = {0}, drawn = {0}, rel = {0};
    while (at < end) {
        at = next_attribute(at, end, &found);
        if (at == NULL) return ODD;
        if (is_named(found.name, found.name_length, "href")) href = found;
        else if (is_named(found.name, found.name_length, "rel")) rel = found;
        else if (is_named(found.name, found.name_length, "xlink:href")) drawn = found;
    }
    if (href.name == NULL) href = drawn;
    PyObject *to = href.name ? value_of(reader, &href) : Py_NewRef(Py_None);
    PyObject *how = rel.name ? value_of(reader, &rel) : Py_NewRef(Py_None);
    PyObject *item = to && how ? PyTuple_Pack(4, tag, to, how, Py_None) : NULL;
    Py_XDECREF(to);
    Py_XDECREF(how);
    return reader_note(reader, item);
}

/* Another element that may lead somewhere: (tag, {attribute: value}). */
static int
note_other(Reader *reader, PyObject *tag, const char *at, const char *end)
{
    PyObject *values = PyDict_New();
    if (values == NULL) return FAILED;
    Attribute found;
    int noted = WELL;
    while (at < end && noted == WELL) {
        at = next_attribute(at, end, &found);
        if (at == NULL) {
            noted = ODD;
            break;
        }
        PyObject *name = text_of(reader, found.name, found.name_length), *value = name ? value_of(reader, &found) : NULL;
        if (value == NULL || PyDict_SetItem(values, name, value) < 0) noted = FAILED;
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    if (noted == WELL) noted = reader_note(reader, PyTuple_Pack(2, tag, values));
    Py_DECREF(values);
    return noted;
}

static int
note(Reader *reader, const char *name, size_t length, const char *end)
{
    PyObject *tag = text_of(reader, name, length);
    if (tag == NULL) return FAILED;
    int is_anchor = is_named(name, length, "a") || is_named(name, length, "area");
    int noted = is_anchor ? note_anchor(reader, tag, name + length, end) : note_other(reader, tag, name + length, end);
    if (noted == WELL && is_named(name, length, "area")) { /* has no inside, so no caption */
        PyObject *item = PyList_GET_ITEM(reader->items, PyList_GET_SIZE(reader->items) - 1);
        PyObject *nothing = PyUnicode_FromStringAndSize("", 0);
        if (nothing == NULL) noted = FAILED;
        else Py_SETREF(PyTuple_GET_ITEM(item, 3), nothing);
    }
    Py_DECREF(tag);
    return noted;
}

static int
end_anchor(Reader *reader)
{
    Folded *caption = &reader->caption;
    PyObject *text = text_of(reader, caption->text ? caption->text : "", caption->length);
    if (text == NULL) return -1;
    if (PyUnicode_GET_LENGTH(text) > (Py_ssize_t)reader->caption_letters)
        Py_SETREF(text, PyUnicode_Substring(text, 0, (Py_ssize_t)reader->caption_letters));
    if (text == NULL) return -1;
    PyObject *item = PyList_GET_ITEM(reader->items, reader->anchor);
    Py_SETREF(PyTuple_GET_ITEM(item, 3), text); /* nobody has seen it yet */
    reader->anchor = -1;
    empty(caption);
    return 0;
}

/* Children that were asked for lately, by the context around them and the look of their tag. */
#define MOST_RECENT 512

typedef struct {
    PyObject *context, *look, *child;
} Recent;

static Recent recent[MOST_RECENT];
static PyObject *recent_body; /* that they stand in */

static void
forget_recent(PyObject *body)
{
    if (recent_body == body) return;
    Py_XSETREF(recent_body, Py_NewRef(body));
    for (Recent *one = recent; one < recent + MOST_RECENT; one++) {
        Recent gone = *one;
        *one = (Recent){NULL, NULL, NULL}; /* what goes may come back here */
        Py_XDECREF(gone.context);
        Py_XDECREF(gone.look);
        Py_XDECREF(gone.child);
    }
}

static Recent *
recent_at(PyObject *context, const char *look, size_t length)
{
    uint64_t mixed = (uint64_t)(uintptr_t)context ^ length, piece = 0;
    for (; length >= 8; look += 8, length -= 8) {
        memcpy(&piece, look, 8);
        mixed = (mixed ^ piece) * 0x9E3779B97F4A7C15ULL;
        mixed ^= mixed >> 32;
    }
    piece = 0;
    for (size_t at = 0; at < length; at++) piece = piece << 8 | (unsigned char)look[at];
    mixed = (mixed ^ piece) * 0x9E3779B97F4A7C15ULL;
    return &recent[mixed >> 55];
}

static int
is_recent(const Recent *one, PyObject *context, const char *look, size_t length)
{
    return one->context == context && (size_t)PyUnicode_GET_LENGTH(one->look) == length && !memcmp(PyUnicode_1BYTE_DATA(one->look), look, length);
}

static void
keep_recent(Recent *one, PyObject *context, PyObject *look, PyObject *found)
{
    if (!PyUnicode_IS_ASCII(look)) return;
    Recent gone = *one;
    *one = (Recent){Py_NewRef(context), Py_NewRef(look), Py_NewRef(found)};
    Py_XDECREF(gone.context);
    Py_XDECREF(gone.look);
    Py_XDECREF(gone.child);
}

/* What an element with this tag stands for below the context, borrowed; NULL with an exception. */
static PyObject *
child(Reader *reader, const char *tag, size_t length, size_t name_length)
{
    int by_name = length == name_length || (!tag_is_block(tag, name_length) && !memmem(tag, length, " hidden=", 8) &&
                                            !memmem(tag, length, " style=", 7));
    size_t look_length = by_name ? name_length : length;
    Recent *lately = recent_at(reader->context, tag, look_length);
    if (is_recent(lately, reader->context, tag, look_length)) return lately->child;
    PyObject *look = text_of(reader, tag, look_length);
    if (look == NULL) return NULL;
    PyObject *found = PyDict_GetItemWithError(in(reader->context, SLOT_CHILDREN), look);
    if (found != NULL) keep_recent(lately, reader->context, look, found);
    Py_DECREF(look);
    if (found != NULL || PyErr_Occurred()) return found;
    PyObject *whole = text_of(reader, tag, length);
    if (whole == NULL) return NULL;
    PyObject *arguments[] = {reader->context, whole};
    found = PyObject_Vectorcall(reader->child_of, arguments, 2, NULL);
    Py_DECREF(whole);
    if (found == NULL) return NULL;
    if (!Py_IS_TYPE(found, context_type)) {
        Py_DECREF(found);
        PyErr_SetString(PyExc_TypeError, "not a context");
        return NULL;
    }
    Py_DECREF(found); /* its maker keeps it */
    return found;
}

int
reader_add_name(Reader *reader, PyObject *context)
{
    PyObject *named = in(context, SLOT_NAMED);
    return PyUnicode_GET_LENGTH(named) && PySet_Add(reader->skeleton, named) < 0 ? FAILED : WELL;
}

int
reader_enter(Reader *reader, const char *tag, size_t length, size_t name_length, int is_anchor)
{
    PyObject *below = child(reader, tag, length, name_length);
    if (below == NULL) return FAILED;
    if (in(below, SLOT_ENDS_RUN) == Py_True && reader->run.length && end_run(reader, in(reader->context, SLOT_BLOCK)) < 0) return FAILED;
    if (in(below, SLOT_IS_VOID) == Py_True) {
        if (below == line_break) reader->run.at_space = 1; /* a caption knows no lines */
        return is_anchor ? ODD : WELL;
    }
    if (reader->depth == DEEPEST_READ) return ODD;
    reader->stack[reader->depth++] = reader->context;
    reader->context = below;
    if (is_anchor) {
        reader->anchor = PyList_GET_SIZE(reader->items) - 1;
        reader->anchor_depth = reader->depth;
    }
    return reader_add_name(reader, below);
}

static int
enter(Reader *reader, const char *tag, size_t length)
{
    const char *space = memchr(tag, ' ', length);
    size_t name_length = space ? (size_t)(space - tag) : length;
    int is_anchor = is_named(tag, name_length, "a");
    int leads = is_anchor || is_named(tag, name_length, "area") || is_named(tag, name_length, "link") ||
                is_named(tag, name_length, "meta") || is_named(tag, name_length, "frame") || is_named(tag, name_length, "iframe");
    if (leads) {
        if (is_anchor && reader->anchor >= 0) return ODD; /* one inside the other */
        int noted = note(reader, tag, name_length, tag + length);
        if (noted != WELL) return noted;
    }
    return reader->context == NULL ? WELL : reader_enter(reader, tag, length, name_length, is_anchor); /* NULL: in the head */
}

int
reader_leave(Reader *reader)
{
    if (in(reader->context, SLOT_ENDS_RUN) == Py_True && reader->run.length && end_run(reader, in(reader->context, SLOT_BLOCK)) < 0)
        return FAILED;
    if (reader->depth == 0) return ODD;
    if (reader->anchor >= 0 && reader->depth == reader->anchor_depth && end_anchor(reader) < 0) return FAILED;
    reader->context = reader->stack[--reader->depth];
    return WELL;
}

int
reader_finish(Reader *reader)
{
    return end_run(reader, in(reader->body, SLOT_BLOCK)) < 0 ? FAILED : WELL;
}

static const char *const RAW[] = {"script", "style", "iframe", "noembed", "noframes"};

/* Behind an element whose text is written as it is; NULL: it does not end. `at`: behind its tag. */
static const char *
behind_raw(const char *at, const char *end, const char *name)
{
    char close[16];
    size_t length = (size_t)snprintf(close, sizeof(close), "</%s>", name);
    const char *found = memmem(at, (size_t)(end - at), close, length);
    return found == NULL ? NULL : found + length;
}

static int
read_page(Reader *reader, const char *at, const char *end)
{
    int is_in_head = 1, is_over = 0;
    while (at < end) {
        const char *open = memchr(at, '<', (size_t)(end - at));
        if (open == NULL) open = end;
        if (open > at && !is_in_head && !is_over && reader_hear(reader, at, open) < 0) return FAILED;
        if (open == end) break;
        if (end - open >= 4 && !memcmp(open, "<!--", 4)) {
            const char *close = memmem(open + 4, (size_t)(end - open - 4), "-->", 3);
            if (close == NULL) return ODD;
            at = close + 3;
            continue;
        }
        const char *close = memchr(open, '>', (size_t)(end - open));
        if (close == NULL) return ODD;
        const char *tag = open + 1;
        size_t length = (size_t)(close - tag);
        at = close + 1;
        if (length == 0) return ODD;
        if (is_over || *tag == '!' || *tag == '?') continue; /* behind the body, the doctype, an instruction */
        if (*tag == '/') {
            if (is_in_head) continue;
            if (is_named(tag, length, "/body") || reader->depth == 0) {
                if (!is_named(tag, length, "/body") || reader->depth) return ODD;
                is_over = 1;
                continue;
            }
            int left = reader_leave(reader);
            if (left != WELL) return left;
            continue;
        }
        const char *space = memchr(tag, ' ', length);
        size_t name_length = space ? (size_t)(space - tag) : length;
        int is_raw = 0;
        for (size_t one = 0; one < sizeof(RAW) / sizeof(RAW[0]) && !is_raw; one++) {
            if (!is_named(tag, name_length, RAW[one])) continue;
            is_raw = 1;
            if (reader->anchor >= 0) return ODD;
            int noted = is_named(tag, name_length, "iframe") ? note(reader, tag, name_length, tag + length) : WELL;
            if (noted != WELL) return noted;
            at = behind_raw(at, end, RAW[one]);
            if (at == NULL) return ODD;
        }
        if (is_raw) continue;
        if (is_in_head && is_named(tag, name_length, "body")) {
            is_in_head = 0;
            reader->context = reader->body;
            continue;
        }
        int entered = enter(reader, tag, length);
        if (entered != WELL) return entered;
    }
    return is_over ? reader_finish(reader) : ODD;
}

/* NULL with an exception. */
Reader *
reader_new(PyObject *body, PyObject *child_of, Py_ssize_t caption_letters)
{
    if (context_type == NULL || !Py_IS_TYPE(body, context_type)) {
        PyErr_SetString(PyExc_TypeError, "call contexts first, and begin with one of them");
        return NULL;
    }
    forget_recent(body);
    Reader *reader = PyMem_Malloc(sizeof(Reader));
    if (reader == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memset(reader, 0, offsetof(Reader, stack));
    reader->body = body;
    reader->child_of = child_of;
    reader->anchor = -1;
    reader->caption_letters = caption_letters > 0 ? (size_t)caption_letters : 0;
    reader->runs = PyList_New(0);
    reader->skeleton = PySet_New(NULL);
    reader->items = PyList_New(0);
    if (reader->runs && reader->skeleton && reader->items) return reader;
    reader_free(reader);
    return NULL;
}

void
reader_free(Reader *reader)
{
    Py_XDECREF(reader->runs);
    Py_XDECREF(reader->skeleton);
    Py_XDECREF(reader->items);
    PyMem_Free(reader->run.text);
    PyMem_Free(reader->caption.text);
    PyMem_Free(reader);
}

/* read_page(page, body, child_of, caption_letters) -> (runs, skeleton, items), or None where it is not so regular */
PyObject *
native_read_page(PyObject *module, PyObject *arguments)
{
    PyObject *page, *body, *child_of;
    Py_ssize_t caption_letters, length;
    if (!PyArg_ParseTuple(arguments, "UOOn", &page, &body, &child_of, &caption_letters)) return NULL;
    const char *text = PyUnicode_AsUTF8AndSize(page, &length);
    if (text == NULL) { /* a lone surrogate */
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    Reader *reader = reader_new(body, child_of, caption_letters);
    if (reader == NULL) return NULL;
    reader->is_ascii = PyUnicode_IS_ASCII(page);
    PyObject *answer = NULL;
    int read = read_page(reader, text, text + length);
    if (read == WELL) answer = PyTuple_Pack(3, reader->runs, reader->skeleton, reader->items);
    else if (read == ODD) answer = Py_NewRef(Py_None);
    reader_free(reader);
    return answer;
}
