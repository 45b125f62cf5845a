/* A sight of a page: where it leads, what it is called, what it asks of robots, and whether it has text of its own,
 * read from its source in one pass without a tree.
 *
 * Everything here is certain or not told: as soon as a page does what the HTML Standard would need its tree for (formatting
 * left open, tables with strangers in them, templates, drawings with links, …) the answer is None, and whoever asked
 * parses the page. What is told equals what the tree would tell (`tests/unit/extract/test_extract_sight.py` holds that),
 * but for the letters of main text: these are so many or more.
 *
 * With a reader (`reading.h`) the same pass reads all of the text and every link, as the tree would tell them: then a page
 * needs none to be compared with another version of it, of which only what differs is read (`trail.h`).
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <string.h>

#include "met.h"
#include "native.h"
#include "reading.h"
#include "tags.h"
#include "text.h"
#include "trail.h"

#define DEEPEST 256
#define LONGEST_NAME 31
#define MOST_ATTRIBUTES 64
#define MOST_INSIDE 200 /* elements of a paragraph (`extract/paragraphs.py`) */
#define LONG_TEXT 70    /* letters that make a run content by itself (`extract/main.py`) */
#define LINKED_TENTHS 4 /* share of link text from which on a run is navigation (`extract/main.py`) */
#define ENOUGH 4096     /* letters that are counted; more than anybody asks for */

enum { REGION_MAIN = 1, REGION_ARTICLE = 2, REGION_FRAME = 4, REGION_UNSEEN = 8 };
enum { BEFORE_HTML, BEFORE_HEAD, IN_THE_HEAD, AFTER_HEAD, IN_BODY };
enum { BAIL = -1, GO_ON = 0 };

enum Name { N_CLASS, N_EQUIV, N_HIDDEN, N_HREF, N_ID, N_ITEMSCOPE, N_NAME, N_PROPERTY, N_REL, N_ROLE, N_STYLE, N_TYPE, N_XLINK, NAMES };
static const char *const KNOWN_NAMES[NAMES] = {"class", "http-equiv", "hidden", "href", "id", "itemscope", "name",
                                               "property", "rel", "role", "style", "type", "xlink:href"};

typedef struct {
    const char *name, *value; /* value NULL: none was given */
    uint32_t name_length, value_length;
} Attribute;

typedef struct {
    const TagRule *rule; /* by its name; NULL: there is none for it */
    const char *spelt;
    uint16_t flags;
    uint8_t tag;
    uint8_t spelt_length;
    uint8_t region;         /* its own and those of everything it stands in; FRAME_LIKE is found out when it matters */
    uint8_t is_like;        /* its names say that it is a frame: 0 unknown, 1 no, 2 yes */
    uint8_t is_dead;        /* a block whose text does not count */
    uint8_t has_inner;      /* a block with blocks inside */
    int16_t block;          /* the nearest block around it, itself if it is one; -1: none */
    int16_t inside;         /* elements inside a block */
    int32_t step;           /* of the trail */
    uint32_t letters, linked;
    uint8_t at_space;       /* the text so far ends in space, or there is none */
    const char *id, *classes;
    uint32_t id_length, classes_length;
} Open;

typedef struct {
    const char *at, *end;
    int is_ascii;
    int phase, depth, links_open, seen_main, seen_article, form_is_open, in_select;
    Py_ssize_t tags, most_tags;
    uint32_t letters_main, letters_article, letters;
    int offers;
    uint8_t body_region;
    PyObject *title, *hrefs, *others; /* others: [(how many hrefs come before, tag, {attribute: value})] */
    const Met *met;                   /* links to these are passed over; NULL: none is */
    const char *origin;               /* of paths; NULL: not known */
    size_t origin_length;
    Py_ssize_t anchors, passed;       /* links in all, and those passed over */
    int attribute_count;
    uint8_t known[NAMES]; /* places of known attributes, from 1 */
    Reader *reader;       /* of all text and all links; NULL: a glance is enough */
    int option_is_open;   /* for the reader */
    Trail *trail;         /* of the reader, to be kept; NULL: not wanted */
    const Trail *beside;  /* of another version; NULL: none is known */
    const Mark *beside_at;     /* where on it we are */
    Py_ssize_t beside_from;    /* from here on both versions end alike */
    Py_ssize_t beside_distance; /* how far behind ours its end is */
    const char *source;
    Attribute attributes[MOST_ATTRIBUTES];
    Open stack[DEEPEST];
} Sight;

/* ---- names ------------------------------------------------------------------------------------------------------ */

#define TABLE_SIZE 1024
static const TagRule *tag_table[TABLE_SIZE];

static uint64_t
hash_of(const char *name, size_t length)
{
    uint64_t hash = 14695981039346656037ULL;
    for (size_t at = 0; at < length; at++) {
        unsigned char letter = (unsigned char)name[at];
        if (letter >= 'A' && letter <= 'Z') letter |= 0x20;
        hash = (hash ^ letter) * 1099511628211ULL;
    }
    return hash;
}

void
sight_prepare(void)
{
    for (size_t at = 0; at < sizeof(TAG_RULES) / sizeof(TAG_RULES[0]); at++) {
        uint64_t place = hash_of(TAG_RULES[at].name, strlen(TAG_RULES[at].name));
        while (tag_table[place % TABLE_SIZE] != NULL) place++;
        tag_table[place % TABLE_SIZE] = &TAG_RULES[at];
    }
}

static int
is_named(const char *text, size_t length, const char *name)
{
    if (strlen(name) != length) return 0;
    for (size_t at = 0; at < length; at++) {
        char letter = text[at];
        if (letter >= 'A' && letter <= 'Z') letter |= 0x20;
        if (letter != name[at]) return 0;
    }
    return 1;
}

/* Two names of this length, whatever the case of their letters. */
static int
is_same_name(const char *one, const char *other, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        char letter = one[at], beside = other[at];
        if (letter >= 'A' && letter <= 'Z') letter |= 0x20;
        if (beside >= 'A' && beside <= 'Z') beside |= 0x20;
        if (letter != beside) return 0;
    }
    return 1;
}

static const TagRule *
rule_of(const char *name, size_t length, uint64_t hash)
{
    for (uint64_t place = hash; tag_table[place % TABLE_SIZE] != NULL; place++)
        if (is_named(name, length, tag_table[place % TABLE_SIZE]->name)) return tag_table[place % TABLE_SIZE];
    return NULL;
}

int
tag_is_block(const char *name, size_t length)
{
    const TagRule *rule = rule_of(name, length, hash_of(name, length));
    return rule != NULL && rule->flags & IS_BLOCK;
}

static int
is_space(char letter)
{
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r' || letter == '\f';
}

static int
is_letter(char letter)
{
    letter |= 0x20;
    return letter >= 'a' && letter <= 'z';
}

static int
is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* Words that name the frame of a page (`extract/regions.py`), given by `frame_words`. */
static PyObject *frame_parts, *frame_names, *layout_words;

PyObject *
native_frame_words(PyObject *module, PyObject *arguments)
{
    PyObject *parts, *names, *layout;
    if (!PyArg_ParseTuple(arguments, "O!O!O!", &PyFrozenSet_Type, &parts, &PyFrozenSet_Type, &names, &PyFrozenSet_Type,
                          &layout))
        return NULL;
    Py_XSETREF(frame_parts, Py_NewRef(parts));
    Py_XSETREF(frame_names, Py_NewRef(names));
    Py_XSETREF(layout_words, Py_NewRef(layout));
    Py_RETURN_NONE;
}

static int
has_word(PyObject *words, const char *text, size_t length)
{
    PyObject *word = PyUnicode_DecodeASCII(text, (Py_ssize_t)length, NULL);
    int found = word == NULL ? -1 : PySet_Contains(words, word);
    Py_XDECREF(word);
    return found;
}

/* Whether one of the words of an id or a class speaks of a frame; 1 in doubt, negative on failure. */
static int
names_frame(const char *text, size_t length)
{
    char word[64];
    for (size_t at = 0; at < length;) {
        while (at < length && is_space(text[at])) at++;
        size_t size = 0;
        for (; at < length && !is_space(text[at]); at++, size++) {
            char letter = text[at];
            if ((letter & 0x80) || letter == '&' || (letter > 0 && letter < ' ') || size == sizeof(word)) return 1;
            word[size] = letter >= 'A' && letter <= 'Z' ? (char)(letter | 0x20) : letter;
        }
        if (size == 0) continue;
        int found = has_word(frame_names, word, size);
        if (found) return found;
        int is_layout = -1;
        for (size_t start = 0; start <= size;) {
            size_t stop = start;
            while (stop < size && word[stop] != '-' && word[stop] != '_') stop++;
            if (is_layout < 0) {
                is_layout = has_word(layout_words, word, stop);
                if (is_layout < 0) return -1;
                if (is_layout) break;
            }
            if (stop > start && (found = has_word(frame_parts, word + start, stop - start))) return found;
            start = stop + 1;
        }
    }
    return 0;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static PyObject *
text_of(const Sight *sight, const char *text, size_t length)
{
    if (!sight->is_ascii) return PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, NULL);
    PyObject *made = PyUnicode_New((Py_ssize_t)length, 127);
    if (made != NULL && length) memcpy(PyUnicode_1BYTE_DATA(made), text, length);
    return made;
}

/* Counts the letters of a text once its space is folded. References count as nothing: they may stand for space. */
static void
count_letters(Open *block, const char *text, const char *end, int is_linked)
{
    uint32_t letters = 0;
    int at_space = block->at_space;
    const unsigned char *at = (const unsigned char *)text, *stop = (const unsigned char *)end;
    while (at < stop) {
        unsigned char letter = *at;
        int space = letter <= ' ' ? 1 : letter >= 0x80 ? space_at(at, stop) : 0;
        if (space) {
            at += space;
        } else {
            if (letter == '&') {
                const unsigned char *name = at + 1;
                while (name < stop && name < at + 40 && (is_letter((char)*name) || is_digit((char)*name) || *name == '#')) name++;
                at = name < stop && *name == ';' ? name + 1 : name;
                continue;
            }
            letters += is_letter_start(letter);
            letters += at_space;
            at_space = 0;
            at++;
            continue;
        }
        at_space = block->letters + letters > 0;
    }
    if (is_linked) block->linked += (uint32_t)(end - text);
    block->letters += letters;
    block->at_space = (uint8_t)at_space;
}

/* Whether more letters in such a region would change nothing. */
static int
is_told(const Sight *sight, uint8_t region)
{
    if (region & REGION_MAIN && sight->letters_main <= ENOUGH) return 0;
    if (region & REGION_ARTICLE && sight->letters_article <= ENOUGH) return 0;
    return sight->letters > ENOUGH;
}

static void
hear(Sight *sight, const char *text, const char *end)
{
    if (sight->depth == 0 || sight->in_select || sight->reader) return;
    int at = sight->stack[sight->depth - 1].block;
    if (at < 0) return;
    Open *block = &sight->stack[at];
    if (block->is_dead || block->has_inner || !(block->tag == T_P || block->flags & IS_LIKE_P)) return;
    if (block->region & (REGION_FRAME | REGION_UNSEEN) || is_told(sight, block->region)) return;
    count_letters(block, text, end, sight->links_open);
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

/* The first of a name counts. */
static void
recognise(Sight *sight, const Attribute *found)
{
    for (int name = 0; name < NAMES; name++)
        if (KNOWN_NAMES[name][0] == (found->name[0] | 0x20) && !sight->known[name] &&
            is_named(found->name, found->name_length, KNOWN_NAMES[name]))
            sight->known[name] = (uint8_t)sight->attribute_count;
}

static void
forget_attributes(Sight *sight)
{
    if (sight->attribute_count) memset(sight->known, 0, sizeof(sight->known));
    sight->attribute_count = 0;
}

/* From behind a tag's name to behind its `>`; NULL: it does not end, or there is more than can be held. */
static const char *
read_attributes(Sight *sight, const char *at)
{
    const char *end = sight->end;
    forget_attributes(sight);
    for (;;) {
        while (at < end && (is_space(*at) || *at == '/')) at++;
        if (at >= end) return NULL;
        if (*at == '>') return at + 1;
        Attribute found = {at, NULL, 0, 0};
        if (*at == '=') at++;
        while (at < end && !is_space(*at) && *at != '/' && *at != '>' && *at != '=') at++;
        found.name_length = (uint32_t)(at - found.name);
        while (at < end && is_space(*at)) at++;
        if (at < end && *at == '=') {
            at++;
            while (at < end && is_space(*at)) at++;
            if (at >= end) return NULL;
            if (*at == '"' || *at == '\'') {
                const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
                if (close == NULL) return NULL;
                found.value = at + 1;
                at = close + 1;
                found.value_length = (uint32_t)(close - found.value);
            } else {
                found.value = at;
                while (at < end && !is_space(*at) && *at != '>') at++;
                found.value_length = (uint32_t)(at - found.value);
            }
        }
        if (sight->attribute_count == MOST_ATTRIBUTES) return NULL;
        sight->attributes[sight->attribute_count++] = found;
        recognise(sight, &found);
    }
}

/* Whether the tag read last, which ends here, closes itself: a `/` at the end of a value without quotes is part of it. */
static int
closes_itself(const Sight *sight, const char *at)
{
    const Attribute *last = sight->attribute_count ? &sight->attributes[sight->attribute_count - 1] : NULL;
    return at[-2] == '/' && (last == NULL || last->value == NULL || last->value + last->value_length != at - 1);
}

static const Attribute *
attribute(const Sight *sight, enum Name name)
{
    return sight->known[name] ? &sight->attributes[sight->known[name] - 1] : NULL;
}

/* Something of it may not be seen (`suspects` in `extract/paragraphs.py`). */
static int
is_suspect(const Sight *sight)
{
    return sight->known[N_ROLE] || sight->known[N_HIDDEN] || sight->known[N_STYLE];
}

static const struct {
    const char *name;
    char letter;
} REFERENCES[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"AMP", '&'}, {"#39", '\''},
                  {"#34", '"'}, {"#38", '&'}, {"#x27", '\''}, {"#x2F", '/'}, {"#x2f", '/'}, {"#47", '/'}, {"#x26", '&'},
                  {"#x22", '"'}, {"#x3D", '='}, {"#x3d", '='}, {"#61", '='}, {"#x3A", ':'}, {"#58", ':'}};

/* The value of an attribute with its references undone. NULL without an exception: it holds what is not known here. */
static PyObject *
value_of(const Sight *sight, const Attribute *found)
{
    const char *at = found->value, *end = at + found->value_length;
    if (at == NULL || at == end) return PyUnicode_FromStringAndSize("", 0);
    if (memchr(at, '\r', found->value_length)) return NULL;
    if (!memchr(at, '&', found->value_length)) return text_of(sight, at, found->value_length);
    char small[512];
    char *made = found->value_length <= sizeof(small) ? small : PyMem_Malloc(found->value_length);
    if (made == NULL) return PyErr_NoMemory();
    size_t size = 0;
    int is_known = 1;
    while (at < end && is_known) {
        if (*at != '&') {
            made[size++] = *at++;
            continue;
        }
        const char *name = at + 1, *stop = name;
        if (stop < end && *stop == '#') stop++;
        while (stop < end && (is_letter(*stop) || is_digit(*stop))) stop++;
        size_t length = (size_t)(stop - name);
        if (stop < end && *stop == ';' && length) {
            is_known = 0;
            for (size_t one = 0; one < sizeof(REFERENCES) / sizeof(REFERENCES[0]) && !is_known; one++)
                if (strlen(REFERENCES[one].name) == length && !memcmp(REFERENCES[one].name, name, length)) {
                    made[size++] = REFERENCES[one].letter;
                    at = stop + 1;
                    is_known = 1;
                }
        } else if (length == 0 || (stop < end && *stop == '=' && *name != '#') || (length > 6 && *name != '#') ||
                   (length == 1 && *name != '#')) {
            made[size++] = *at++; /* in a value, `&name=` is no reference; nor is a name that is none */
        } else {
            is_known = 0;
        }
    }
    PyObject *value = is_known ? text_of(sight, made, size) : NULL;
    if (made != small) PyMem_Free(made);
    return value;
}

/* All attributes, the first of each name; NULL without an exception: one of them is not known here. */
static PyObject *
all_attributes(const Sight *sight)
{
    PyObject *all = PyDict_New();
    for (int at = 0; all != NULL && at < sight->attribute_count; at++) {
        const Attribute *one = &sight->attributes[at];
        char lower[64];
        if (one->name_length > sizeof(lower)) goto bail;
        for (uint32_t letter = 0; letter < one->name_length; letter++) {
            char here = one->name[letter];
            lower[letter] = here >= 'A' && here <= 'Z' ? (char)(here | 0x20) : here;
        }
        PyObject *name = text_of(sight, lower, one->name_length);
        PyObject *value = name == NULL ? NULL : value_of(sight, one);
        if (value == NULL || PyDict_SetDefault(all, name, value) == NULL) {
            Py_XDECREF(name);
            Py_XDECREF(value);
            goto bail;
        }
        Py_DECREF(name);
        Py_DECREF(value);
    }
    return all;
bail:
    Py_DECREF(all);
    return NULL;
}

static int
holds(const Attribute *found, const char *word)
{
    size_t length = strlen(word);
    for (uint32_t at = 0; found->value != NULL && at + length <= found->value_length; at++)
        if (is_named(found->value + at, length, word)) return 1;
    return 0;
}

/* ---- what is open ----------------------------------------------------------------------------------------------- */

static Open *
top(Sight *sight)
{
    return sight->depth ? &sight->stack[sight->depth - 1] : NULL;
}

static uint8_t
region_around(const Sight *sight)
{
    return sight->depth ? sight->stack[sight->depth - 1].region : sight->body_region;
}

enum { PLAYS_WHO_KNOWS = -1 };

/* The region that a role names: of main content, 0 for any other, negative where it is spelt in a way not read here. */
static int
mark_played(const Sight *sight)
{
    const Attribute *role = attribute(sight, N_ROLE);
    if (role == NULL || role->value == NULL) return 0;
    for (uint32_t at = 0; at < role->value_length; at++)
        if (role->value[at] == '&' || (unsigned char)role->value[at] >= 0x80) return PLAYS_WHO_KNOWS;
    const char *from = role->value, *to = from + role->value_length;
    while (from < to && (unsigned char)*from <= ' ') from++;
    while (to > from && (unsigned char)to[-1] <= ' ') to--;
    if (is_named(from, (size_t)(to - from), "main")) return REGION_MAIN;
    return is_named(from, (size_t)(to - from), "article") ? REGION_ARTICLE : 0;
}

/* What main text must stand in, if anything on the page is called so. In doubt it is: then no other text counts. */
static void
note_mark(Sight *sight, int tag)
{
    int played = mark_played(sight);
    if (tag == T_MAIN || played == REGION_MAIN || played == PLAYS_WHO_KNOWS) sight->seen_main = 1;
    if (tag == T_ARTICLE || played == REGION_ARTICLE) sight->seen_article = 1;
}

/* The region that an element opens by its name and its role, with that around it. Its names are looked at later. */
static uint8_t
region_of(Sight *sight, const Open *open)
{
    uint8_t around = region_around(sight), region = around;
    if (open->flags & IS_UNSEEN || open->tag == T_A) region |= REGION_UNSEEN;
    if (open->tag == T_MAIN) region |= REGION_MAIN;
    if (open->tag == T_ARTICLE) region |= REGION_ARTICLE;
    if (open->flags & IS_BLOCK) {
        if (open->flags & IS_FRAME) region |= REGION_FRAME;
        if (open->tag == T_HEADER && !(around & (REGION_MAIN | REGION_ARTICLE))) region |= REGION_FRAME;
    }
    if (attribute(sight, N_ROLE) != NULL) {
        int played = mark_played(sight);
        int is_page = open->tag == T_HTML || open->tag == T_BODY; /* what they play says nothing of a place in it */
        if (played <= 0) region |= REGION_FRAME; /* most roles are of frames; the others are not believed */
        else if (open->flags & IS_BLOCK && !is_page) region |= (uint8_t)played;
    }
    const Attribute *style = attribute(sight, N_STYLE);
    if (style != NULL && (holds(style, "display") || holds(style, "visibility") || holds(style, "&"))) region |= REGION_UNSEEN;
    if (attribute(sight, N_HIDDEN) != NULL) region |= REGION_UNSEEN;
    return region;
}

/* ---- what is read ----------------------------------------------------------------------------------------------- */

#define LONGEST_LOOK 4096

typedef struct {
    char text[LONGEST_LOOK];
    size_t length;
} Look;

static int
add_to(Look *look, const char *bytes, size_t length)
{
    if (length > LONGEST_LOOK - look->length) return BAIL;
    memcpy(look->text + look->length, bytes, length);
    look->length += length;
    return GO_ON;
}

static int
is_plain_value(const char *at, size_t length)
{
    for (const char *end = at + length; at < end; at++)
        if (*at == '&' || *at == '"' || *at == '<' || *at == '\r') return 0;
    return 1;
}

/* A value with what a parser escapes in it. */
static int
add_escaped(Look *look, const char *at, size_t length)
{
    int added = GO_ON;
    for (const char *end = at + length; at < end && added == GO_ON; at++) {
        const char *means = *at == '&' ? "&amp;" : *at == '"' ? "&quot;" : *at == '<' ? "&lt;" : NULL;
        added = means ? add_to(look, means, strlen(means)) : add_to(look, at, 1);
    }
    return added;
}

static int
add_value(const Sight *sight, Look *look, const Attribute *found)
{
    if (is_plain_value(found->value, found->value_length)) return add_to(look, found->value, found->value_length);
    PyObject *value = value_of(sight, found);
    Py_ssize_t length;
    const char *text = value ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    int added = text ? add_escaped(look, text, (size_t)length) : BAIL;
    Py_XDECREF(value);
    return added;
}

/* An attribute as a parser would write it, behind what there is. */
static int
add_attribute(const Sight *sight, Look *look, enum Name name)
{
    const Attribute *found = attribute(sight, name);
    if (found == NULL) return GO_ON;
    if (add_to(look, " ", 1) == BAIL || add_to(look, KNOWN_NAMES[name], strlen(KNOWN_NAMES[name])) == BAIL) return BAIL;
    if (add_to(look, "=\"", 2) == BAIL || (found->value && add_value(sight, look, found) == BAIL)) return BAIL;
    return add_to(look, "\"", 1);
}

/* The tag read last, as far as it says what the element stands for (`extract/contexts.py`), is entered. */
static int
read_tag(Sight *sight, const char *name, size_t length, const TagRule *rule)
{
    static const enum Name OF_BLOCKS[] = {N_ID, N_CLASS, N_ROLE};
    int drops_a_line = rule && (!strcmp(rule->name, "pre") || !strcmp(rule->name, "listing"));
    if (drops_a_line && sight->reader->anchor >= 0) return BAIL; /* a caption would show where it begins */
    Look look;
    look.length = length;
    for (size_t at = 0; at < length; at++) look.text[at] = name[at] >= 'A' && name[at] <= 'Z' ? (char)(name[at] | 0x20) : name[at];
    if (sight->attribute_count) {
        for (size_t one = 0; rule && rule->flags & IS_BLOCK && one < sizeof(OF_BLOCKS) / sizeof(OF_BLOCKS[0]); one++)
            if (add_attribute(sight, &look, OF_BLOCKS[one]) == BAIL) return BAIL;
        if (add_attribute(sight, &look, N_HIDDEN) == BAIL || add_attribute(sight, &look, N_STYLE) == BAIL) return BAIL;
    }
    return reader_enter(sight->reader, look.text, look.length, length, rule && rule->tag == T_A) == WELL ? GO_ON : BAIL;
}

static int
read_leave(Sight *sight)
{
    return reader_leave(sight->reader) == WELL ? GO_ON : BAIL;
}

static int
read_text(Sight *sight, const char *text, const char *end)
{
    return sight->reader == NULL || reader_hear(sight->reader, text, end) == WELL ? GO_ON : BAIL;
}

/* An element whose inside is no markup. */
static int
read_raw(Sight *sight, const char *name, size_t length, const TagRule *rule, const char *text, const char *end)
{
    if (sight->reader == NULL) return GO_ON;
    if (sight->reader->anchor >= 0) return BAIL; /* a caption may have it */
    if (rule->flags & IS_UNSEEN) return GO_ON;
    if (rule->tag != T_TEXTAREA) return BAIL;
    if (read_tag(sight, name, length, rule) == BAIL || read_text(sight, text, end) == BAIL) return BAIL;
    return read_leave(sight);
}

/* An element without an inside. Most say nothing. */
static int
read_void(Sight *sight, const char *name, size_t length, const TagRule *rule)
{
    if (sight->reader == NULL || !(rule->tag == T_HR || is_named(name, length, "br"))) return GO_ON;
    return read_tag(sight, name, length, rule);
}

static int
end_option(Sight *sight)
{
    if (!sight->option_is_open) return GO_ON;
    sight->option_is_open = 0;
    return read_leave(sight);
}

static int
begin_option(Sight *sight, const char *name, size_t length, const TagRule *rule)
{
    if (sight->reader == NULL) return GO_ON;
    if (rule->tag != T_OPTION || end_option(sight) == BAIL) return BAIL; /* groups and lines are rare */
    sight->option_is_open = 1;
    return read_tag(sight, name, length, rule);
}

static int
note_step(Sight *sight, Open *open, const Open *around)
{
    Trail *trail = sight->trail;
    open->step = (int32_t)trail->step_count;
    Step step = {open->rule, open->spelt, open->spelt_length, around ? around->step : -1, sight->reader->context};
    return trail_step(trail, step) == 0 ? GO_ON : BAIL;
}

static int
push(Sight *sight, const char *spelt, size_t length, const TagRule *rule)
{
    if (sight->depth == DEEPEST) return BAIL;
    if (sight->reader && read_tag(sight, spelt, length, rule) == BAIL) return BAIL;
    Open *around = top(sight);
    Open *open = &sight->stack[sight->depth];
    memset(open, 0, sizeof(*open));
    open->rule = rule;
    open->spelt = spelt;
    open->spelt_length = (uint8_t)length;
    open->tag = rule ? rule->tag : T_OTHER;
    open->flags = rule ? rule->flags : 0;
    open->region = sight->attribute_count || rule ? region_of(sight, open) : region_around(sight);
    open->at_space = 0;
    int parent = around ? around->block : -1;
    if (open->flags & IS_BLOCK) {
        open->block = (int16_t)sight->depth;
        if (parent >= 0) sight->stack[parent].has_inner = 1;
        const Attribute *id = attribute(sight, N_ID), *classes = attribute(sight, N_CLASS);
        if (id != NULL && id->value != NULL) open->id = id->value, open->id_length = id->value_length;
        if (classes != NULL && classes->value != NULL)
            open->classes = classes->value, open->classes_length = classes->value_length;
    } else {
        open->block = (int16_t)parent;
        if (parent >= 0) {
            Open *block = &sight->stack[parent];
            if (open->flags & IS_UNSEEN || is_suspect(sight) || ++block->inside >= MOST_INSIDE) block->is_dead = 1;
        }
    }
    if (open->tag == T_A) sight->links_open++;
    if (open->tag == T_FORM) sight->form_is_open = 1;
    if (sight->trail && note_step(sight, open, around) == BAIL) return BAIL;
    sight->depth++;
    return GO_ON;
}

/* An element without an inside, in the text of a block. */
static void
pass(Sight *sight, const TagRule *rule)
{
    Open *around = top(sight);
    if (around == NULL || around->block < 0) return;
    Open *block = &sight->stack[around->block];
    if (rule->flags & IS_BLOCK) {
        block->has_inner = 1;
    } else if (rule->flags & IS_UNSEEN || ++block->inside >= MOST_INSIDE || is_suspect(sight)) {
        block->is_dead = 1;
    }
}

/* Negative on failure. */
static int
is_in_frame(Sight *sight, int at)
{
    for (; at >= 0; at--) {
        Open *open = &sight->stack[at];
        if (!(open->flags & IS_BLOCK)) continue;
        if (open->is_like == 0) {
            int found = names_frame(open->id, open->id_length);
            if (found == 0) found = names_frame(open->classes, open->classes_length);
            if (found < 0) return -1;
            open->is_like = found ? 2 : 1;
        }
        if (open->is_like == 2) return 1;
    }
    return 0;
}

/* The element on top ends: were its words content? */
static int
pop(Sight *sight)
{
    Open *open = &sight->stack[--sight->depth];
    if (open->tag == T_A) sight->links_open--;
    if (sight->reader) return read_leave(sight);
    if (open->letters < LONG_TEXT || open->is_dead || open->has_inner || open->region & (REGION_FRAME | REGION_UNSEEN)) return GO_ON;
    if ((uint64_t)open->linked * 10 > (uint64_t)open->letters * LINKED_TENTHS) return GO_ON;
    int is_framed = is_in_frame(sight, sight->depth);
    if (is_framed < 0) return BAIL;
    if (is_framed) return GO_ON;
    sight->letters += open->letters;
    if (open->region & REGION_MAIN) sight->letters_main += open->letters;
    if (open->region & REGION_ARTICLE) sight->letters_article += open->letters;
    return GO_ON;
}

/* Everything down to that place ends. Formatting that is left open so would be opened anew: not followed, but in
 * cells, where it ends with them. */
static int
pop_to(Sight *sight, int place, int is_cell)
{
    for (int at = sight->depth - 1; at > place; at--)
        if (sight->stack[at].flags & IS_FORMATTING && !is_cell) return BAIL;
    while (sight->depth > place)
        if (pop(sight) == BAIL) return BAIL;
    return GO_ON;
}

/* Where the nearest open element of this kind is, not looking beyond a table, a cell or what else is asked; -1: nowhere. */
static int
find(const Sight *sight, int tag, int stop)
{
    for (int at = sight->depth - 1; at >= 0; at--) {
        if (sight->stack[at].tag == tag) return at;
        if (sight->stack[at].flags & IS_SCOPE || (stop && sight->stack[at].tag == stop)) return -1;
    }
    return -1;
}

static int
close_p(Sight *sight)
{
    int place = find(sight, T_P, T_BUTTON);
    return place < 0 ? GO_ON : pop_to(sight, place, 0);
}

/* An item that begins ends the one before it. */
static int
close_item(Sight *sight, int one, int other)
{
    for (int at = sight->depth - 1; at >= 0; at--) {
        const Open *open = &sight->stack[at];
        if (open->tag == one || open->tag == other) return pop_to(sight, at, 0);
        if (open->flags & IS_SPECIAL && open->tag != T_ADDRESS && open->tag != T_DIV && open->tag != T_P) return GO_ON;
    }
    return GO_ON;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static int
is_row_group(int tag)
{
    return tag == T_TBODY || tag == T_THEAD || tag == T_TFOOT;
}

/* In a table, outside of its cells: everything but its own parts would be put elsewhere. */
static int
is_between_cells(Sight *sight)
{
    const Open *open = top(sight);
    return open != NULL && (open->tag == T_TABLE || open->tag == T_TR || open->tag == T_COLGROUP || is_row_group(open->tag));
}

static int
push_plain(Sight *sight, const char *name)
{
    forget_attributes(sight);
    size_t length = strlen(name);
    return push(sight, name, length, rule_of(name, length, hash_of(name, length)));
}

static int
begin_table_part(Sight *sight, const char *spelt, size_t length, const TagRule *rule)
{
    int table = -1;
    for (int at = sight->depth - 1; at >= 0 && table < 0; at--)
        if (sight->stack[at].tag == T_TABLE) table = at;
    if (table < 0) return BAIL;
    if (sight->stack[sight->depth - 1].tag == T_CAPTION && rule->tag != T_CAPTION) { /* ends with what follows it */
        if (pop_to(sight, sight->depth - 1, 1) == BAIL) return BAIL;
    }
    int keep = table; /* the part that goes around the new one */
    for (int at = table + 1; at < sight->depth; at++) {
        int tag = sight->stack[at].tag;
        if (is_row_group(tag) && (rule->tag == T_TR || rule->tag == T_TD || rule->tag == T_TH)) keep = at;
        else if (tag == T_TR && keep == at - 1 && (rule->tag == T_TD || rule->tag == T_TH)) keep = at;
        else if (tag == T_COLGROUP && rule->tag == T_COL) keep = at;
        else break;
    }
    if (keep + 1 < sight->depth && pop_to(sight, keep + 1, 1) == BAIL) return BAIL;
    int around = top(sight)->tag;
    uint8_t known[NAMES];
    int count = sight->attribute_count;
    memcpy(known, sight->known, sizeof(known));
    if (rule->tag == T_COL && around == T_TABLE && push_plain(sight, "colgroup") == BAIL) return BAIL;
    if ((rule->tag == T_TR || rule->tag == T_TD || rule->tag == T_TH) && around == T_TABLE) {
        if (push_plain(sight, "tbody") == BAIL) return BAIL;
        around = T_TBODY;
    }
    if ((rule->tag == T_TD || rule->tag == T_TH) && is_row_group(around) && push_plain(sight, "tr") == BAIL) return BAIL;
    memcpy(sight->known, known, sizeof(known)); /* of the tag that was read; those in between have none */
    sight->attribute_count = count;
    if (rule->flags & IS_VOID) return GO_ON;
    return push(sight, spelt, length, rule);
}

/* ---- tags ------------------------------------------------------------------------------------------------------- */

/* Behind the end tag of an element whose inside is no markup; NULL: there is none. */
static const char *
behind_raw(const Sight *sight, const char *at, const char *name, size_t length, const char **text_end)
{
    while (at < sight->end) {
        at = memchr(at, '<', (size_t)(sight->end - at));
        if (at == NULL || at + 2 + length >= sight->end) return NULL;
        if (at[1] == '/' && is_same_name(at + 2, name, length)) {
            char next = at[2 + length];
            if (is_space(next) || next == '/' || next == '>') {
                *text_end = at;
                const char *close = memchr(at + 2 + length, '>', (size_t)(sight->end - at - 2 - (Py_ssize_t)length));
                /* attributes of an end tag mean nothing, but a `>` may stand in one */
                for (const char *one = at + 2 + length; close != NULL && one < close; one++)
                    if (*one == '"' || *one == '\'') return NULL;
                return close == NULL ? NULL : close + 1;
            }
        }
        at++;
    }
    return NULL;
}

static int
contains(const char *text, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (; text + length <= end; text++) {
        text = memchr(text, word[0], (size_t)(end - text));
        if (text == NULL || text + length > end) return 0;
        if (is_named(text, length, word)) return 1;
    }
    return 0;
}

static int
note_other(Sight *sight, const char *tag)
{
    PyObject *all = all_attributes(sight);
    if (all == NULL) return BAIL;
    if (sight->reader && strcmp(tag, "base") && reader_note(sight->reader, Py_BuildValue("sO", tag, all)) != WELL) {
        Py_DECREF(all);
        return BAIL;
    }
    PyObject *entry = Py_BuildValue("nsN", PyList_GET_SIZE(sight->hrefs), tag, all);
    int failed = entry == NULL || PyList_Append(sight->others, entry) < 0;
    Py_XDECREF(entry);
    return failed ? BAIL : GO_ON;
}

/* Whether a link leads where others led, as it is spelt. */
static int
is_met(const Sight *sight, const char *href, size_t length)
{
    if (sight->met == NULL) return 0;
    int is_rooted = length > 0 && href[0] == '/';
    return met_has(sight->met, is_rooted ? sight->origin : NULL, is_rooted ? sight->origin_length : 0, href, length);
}

/* An anchor for the reader, its caption to come: (tag, href, rel, caption). */
static int
read_anchor(Sight *sight, int is_area)
{
    const Attribute *href = attribute(sight, N_HREF), *rel = attribute(sight, N_REL);
    if (href == NULL) href = attribute(sight, N_XLINK);
    if (sight->reader->anchor >= 0) return BAIL; /* one inside the other, in a table */
    static PyObject *names[2]; /* kept for good */
    if (names[is_area] == NULL) names[is_area] = PyUnicode_InternFromString(is_area ? "area" : "a");
    PyObject *to = href ? value_of(sight, href) : Py_NewRef(Py_None), *how = rel ? value_of(sight, rel) : Py_NewRef(Py_None);
    PyObject *tag = names[is_area], *caption = is_area ? PyUnicode_FromStringAndSize("", 0) : Py_NewRef(Py_None);
    PyObject *item = to && how && tag && caption ? PyTuple_Pack(4, tag, to, how, caption) : NULL;
    Py_XDECREF(caption);
    Py_XDECREF(to);
    Py_XDECREF(how);
    return item != NULL && reader_note(sight->reader, item) == WELL ? GO_ON : BAIL;
}

static int
note_anchor(Sight *sight, int is_area)
{
    const Attribute *href = attribute(sight, N_HREF);
    sight->anchors++;
    if (sight->reader) return read_anchor(sight, is_area);
    if (attribute(sight, N_REL) || (href ? is_area : attribute(sight, N_XLINK) != NULL))
        return note_other(sight, is_area ? "area" : "a");
    if (href == NULL) return GO_ON;
    const char *text = href->value;
    Py_ssize_t length = href->value_length;
    if (text != NULL && !memchr(text, '&', (size_t)length) && is_met(sight, text, (size_t)length)) {
        sight->passed++;
        return GO_ON;
    }
    PyObject *value = value_of(sight, href);
    if (value == NULL) return BAIL;
    if (text != NULL && memchr(text, '&', (size_t)length)) {
        text = PyUnicode_AsUTF8AndSize(value, &length);
        if (text != NULL && is_met(sight, text, (size_t)length)) {
            sight->passed++;
            Py_DECREF(value);
            return GO_ON;
        }
    }
    int failed = PyErr_Occurred() || PyList_Append(sight->hrefs, value) < 0;
    Py_DECREF(value);
    return failed ? BAIL : GO_ON;
}

/* From here on paths lead elsewhere. */
static int
note_base(Sight *sight)
{
    if (sight->passed) return BAIL;
    sight->met = NULL;
    return note_other(sight, "base");
}

static const char *const NO_PAGES[] = {"stylesheet", "icon", "shortcut icon", "preload", "preconnect", "dns-prefetch", "prefetch",
                                       "manifest", "apple-touch-icon", "apple-touch-icon-precomposed", "modulepreload",
                                       "mask-icon", "pingback", "edituri", "wlwmanifest"};

/* Whether it may say something that somebody wants to know: where a page leads, or what it asks of robots. */
static int
says_something(const Sight *sight, int tag)
{
    const Attribute *rel = attribute(sight, N_REL), *name = attribute(sight, N_NAME);
    if (tag == T_META) return attribute(sight, N_EQUIV) != NULL || (name != NULL && (holds(name, "robots") || holds(name, "recrawl") || holds(name, "&")));
    if (tag != T_LINK) return 1;
    if (rel == NULL || rel->value == NULL) return 0;
    for (size_t one = 0; one < sizeof(NO_PAGES) / sizeof(NO_PAGES[0]); one++)
        if (is_named(rel->value, rel->value_length, NO_PAGES[one])) return 0;
    return 1;
}

/* Whether it is written so that it may say something else than what stands there. */
static int
is_referring(const Attribute *found)
{
    return found->value != NULL && memchr(found->value, '&', found->value_length) != NULL;
}

static int
note_offers(Sight *sight, const TagRule *rule)
{
    if (sight->offers || sight->attribute_count == 0) return GO_ON;
    if (attribute(sight, N_ITEMSCOPE) != NULL) sight->offers = 1;
    if (rule == NULL) return GO_ON;
    const Attribute *said[] = {NULL, NULL};
    const char *offer = ":";
    if (rule->tag == T_META) said[0] = attribute(sight, N_PROPERTY), said[1] = attribute(sight, N_NAME);
    if (rule->tag == T_SCRIPT) said[0] = attribute(sight, N_TYPE), offer = "application/ld+json";
    int is_doubtful = 0;
    for (int one = 0; one < 2; one++) {
        if (said[one] == NULL || said[one]->value == NULL) continue;
        int is_whole = rule->tag == T_META || said[one]->value_length == strlen(offer);
        if (is_whole && holds(said[one], offer)) sight->offers = 1;
        else if (is_referring(said[one])) is_doubtful = 1;
    }
    return is_doubtful && !sight->offers ? BAIL : GO_ON;
}

/* A drawing: nothing in it is told, so nothing in it may lead anywhere. Behind it; NULL: it is not so plain. */
static const char *
behind_drawing(Sight *sight, const char *at)
{
    static const char *const plain[] = {"path", "g", "circle", "rect", "line", "polyline", "polygon", "ellipse", "use", "defs",
                                        "clippath", "lineargradient", "radialgradient", "stop", "mask", "symbol", "svg",
                                        "animate", "animatetransform", "filter", "fegaussianblur", "feoffset", "femerge",
                                        "femergenode", "feblend", "feflood", "fecomposite", "fecolormatrix", "pattern"};
    int depth = 1;
    while (depth) {
        const char *text = at;
        at = memchr(at, '<', (size_t)(sight->end - at));
        if (at == NULL || at + 2 >= sight->end) return NULL;
        for (; sight->reader && text < at; text++)
            if (!is_space(*text)) return NULL; /* it is shown */
        int closes = at[1] == '/';
        const char *name = at + 1 + closes, *stop = name;
        while (stop < sight->end && (is_letter(*stop) || is_digit(*stop))) stop++;
        if (stop == name || stop >= sight->end || !(is_space(*stop) || *stop == '/' || *stop == '>')) return NULL;
        int is_plain = 0;
        for (size_t one = 0; one < sizeof(plain) / sizeof(plain[0]) && !is_plain; one++)
            is_plain = is_named(name, (size_t)(stop - name), plain[one]);
        if (!is_plain || ++sight->tags > sight->most_tags) return NULL;
        at = read_attributes(sight, stop);
        if (at == NULL) return NULL;
        if (note_offers(sight, NULL) == BAIL) return NULL;
        note_mark(sight, T_OTHER);
        if (closes) {
            depth--;
            if (depth == 0 && !is_named(name, (size_t)(stop - name), "svg")) return NULL;
        } else if (!closes_itself(sight, at)) {
            depth++;
        }
        if (depth > DEEPEST) return NULL;
    }
    return at;
}

/* What needs no end tag of its own ("implied end tags"), as far as it can be open here. */
static int
ends_by_itself(int tag)
{
    return tag == T_RT || tag == T_RP || tag == T_P || tag == T_LI || tag == T_DD || tag == T_DT;
}

static int
begin_body(Sight *sight)
{
    sight->phase = IN_BODY;
    return GO_ON;
}

/* A start tag, its attributes read. `at`: behind it; where to go on, NULL to give up. */
static const char *
begin(Sight *sight, const char *name, size_t length, const TagRule *rule, const char *at)
{
    int tag = rule ? rule->tag : T_OTHER, flags = rule ? rule->flags : 0;
    if (flags & IS_ODD) return NULL;
    note_mark(sight, tag);
    if (tag == T_HTML) {
        if (sight->phase != BEFORE_HTML) return NULL;
        sight->phase = BEFORE_HEAD;
    } else if (tag == T_HEAD) {
        if (sight->phase > BEFORE_HEAD) return NULL;
        sight->phase = IN_THE_HEAD;
    } else if (tag == T_BODY) {
        if (sight->phase == IN_BODY) return NULL;
        begin_body(sight);
    }
    if (tag == T_HTML || tag == T_HEAD || tag == T_BODY) {
        if (note_offers(sight, rule) == BAIL) return NULL;
        if (sight->reader && tag != T_HEAD && (attribute(sight, N_HIDDEN) || attribute(sight, N_STYLE))) return NULL;
        Open open = {.tag = (uint8_t)tag, .flags = tag == T_HEAD ? 0 : rule->flags};
        if (tag != T_HEAD) sight->body_region = region_of(sight, &open);
        return at;
    }
    if (sight->phase < IN_BODY) {
        if (!(flags & IN_HEAD) || (tag == T_NOSCRIPT && sight->phase == AFTER_HEAD)) begin_body(sight);
        else if (sight->phase < IN_THE_HEAD) sight->phase = IN_THE_HEAD;
    }
    if (note_offers(sight, rule) == BAIL) return NULL;
    if (sight->in_select) {
        if (tag != T_OPTION && tag != T_OPTGROUP && tag != T_HR) return NULL;
        return begin_option(sight, name, length, rule) == BAIL ? NULL : at;
    }
    if (tag == T_OPTION || tag == T_OPTGROUP) return NULL;
    if (is_between_cells(sight) && !(flags & IS_TABLE_PART) && tag != T_SCRIPT && tag != T_STYLE) return NULL;
    if (flags & IS_TABLE_PART) return begin_table_part(sight, name, length, rule) == BAIL ? NULL : at;
    if (tag == T_SVG) {
        Open *around = top(sight);
        if (around != NULL && around->block >= 0) sight->stack[around->block].is_dead = 1;
        return closes_itself(sight, at) ? at : behind_drawing(sight, at);
    }
    if (tag == T_A && find(sight, T_A, 0) >= 0) return NULL;
    if (tag == T_NOBR && find(sight, T_NOBR, 0) >= 0) return NULL;
    if (tag == T_BUTTON && find(sight, T_BUTTON, 0) >= 0) return NULL;
    if (tag == T_FORM && sight->form_is_open) return NULL;
    if (tag == T_TABLE && find(sight, T_P, T_BUTTON) >= 0) return NULL; /* in it or behind it: a matter of the doctype */
    if (tag == T_LI && close_item(sight, T_LI, T_LI) == BAIL) return NULL;
    if ((tag == T_DD || tag == T_DT) && close_item(sight, T_DD, T_DT) == BAIL) return NULL;
    if (flags & CLOSES_P && close_p(sight) == BAIL) return NULL;
    if (flags & IS_HEADING && top(sight) && top(sight)->flags & IS_HEADING) return NULL;
    if ((tag == T_RT || tag == T_RP) && find(sight, T_RUBY, 0) >= 0)
        while (ends_by_itself(top(sight)->tag))
            if (pop(sight) == BAIL) return NULL;
    int noted = GO_ON;
    if (tag == T_A || tag == T_AREA) noted = note_anchor(sight, tag == T_AREA);
    else if (tag == T_BASE) noted = note_base(sight);
    else if ((tag == T_LINK || tag == T_META || tag == T_IFRAME) && says_something(sight, tag)) noted = note_other(sight, rule->name);
    if (noted == BAIL) return NULL;
    if (flags & IS_RAW) {
        const char *text = at, *text_end;
        pass(sight, rule);
        at = behind_raw(sight, at, name, length, &text_end);
        if (at == NULL) return NULL;
        if (tag == T_SCRIPT && contains(text, text_end, "<!--") && contains(text, text_end, "<script")) return NULL;
        if (read_raw(sight, name, length, rule, text, text_end) == BAIL) return NULL;
        if (tag == T_TITLE && sight->title == NULL && (sight->title = text_of(sight, text, (size_t)(text_end - text))) == NULL)
            return NULL;
        return at;
    }
    if (flags & IS_VOID) {
        pass(sight, rule);
        return read_void(sight, name, length, rule) == BAIL ? NULL : at;
    }
    if (tag == T_NOSCRIPT && sight->phase < IN_BODY) return at; /* ends with what may not stand in a head */
    if (tag == T_SELECT) sight->in_select = 1;
    return push(sight, name, length, rule) == BAIL ? NULL : at;
}

static int
end(Sight *sight, const char *name, size_t length, const TagRule *rule)
{
    int tag = rule ? rule->tag : T_OTHER, flags = rule ? rule->flags : 0;
    if (flags & IS_ODD) return BAIL;
    if (tag == T_HEAD) {
        if (sight->phase <= IN_THE_HEAD) sight->phase = AFTER_HEAD;
        return GO_ON;
    }
    if (tag == T_HTML || tag == T_BODY) return sight->in_select || is_between_cells(sight) ? BAIL : begin_body(sight);
    if (sight->in_select) {
        if (tag == T_OPTION) return end_option(sight);
        if (tag != T_SELECT) return tag == T_OPTGROUP ? GO_ON : BAIL;
        sight->in_select = 0;
        return end_option(sight) == BAIL ? BAIL : pop(sight);
    }
    if (sight->phase < IN_BODY) return flags & IN_HEAD ? GO_ON : BAIL;
    if (flags & IS_VOID) return tag == T_OTHER && rule->name[0] == 'b' && rule->name[1] == 'r' ? BAIL : GO_ON;
    if (tag == T_FORM) sight->form_is_open = 0; /* nothing else ends it: left otherwise, it keeps others from beginning */
    int is_found = 0, place = sight->depth - 1;
    for (; place >= 0; place--) {
        const Open *open = &sight->stack[place];
        if (open->rule == rule && (rule != NULL || (open->spelt_length == length && is_same_name(open->spelt, name, length)))) {
            is_found = 1;
            break;
        }
        if (open->flags & IS_SCOPE && !(flags & IS_TABLE_PART) && tag != T_TABLE) break;
        if (!(flags & (IS_SPECIAL | IS_FORMATTING)) && open->flags & IS_SPECIAL) break;
        if (tag == T_LI && (open->tag == T_OL || open->tag == T_UL)) break;
        if (tag == T_P && open->tag == T_BUTTON) break;
        if (open->tag == T_TABLE) break;
    }
    if (flags & (IS_TABLE_PART) || tag == T_TABLE) {
        if (!is_found) return is_between_cells(sight) ? BAIL : GO_ON;
        return pop_to(sight, place, 1);
    }
    if (is_between_cells(sight)) return BAIL;
    if (!is_found) return tag == T_P || flags & IS_HEADING ? BAIL : GO_ON;
    if (place == sight->depth - 1) return pop(sight);
    if (flags & IS_FORMATTING) {
        for (int at = place + 1; at < sight->depth; at++)
            if (sight->stack[at].flags & (IS_SPECIAL | IS_FORMATTING)) return BAIL;
    }
    if (tag == T_FORM || flags & IS_HEADING || tag == T_NOSCRIPT) return BAIL;
    return pop_to(sight, place, 0);
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

/* Behind a comment or a declaration; NULL: it does not end. */
static const char *
behind_comment(const char *at, const char *end)
{
    if (end - at >= 4 && at[1] == '!' && at[2] == '-' && at[3] == '-') {
        at += 4;
        if (at < end && *at == '>') return at + 1;
        if (at + 1 < end && at[0] == '-' && at[1] == '>') return at + 2;
        for (; at + 2 < end; at++) {
            at = memchr(at, '-', (size_t)(end - at));
            if (at == NULL || at + 2 >= end) return NULL;
            if (at[1] != '-') continue;
            if (at[2] == '>') return at + 3;
            if (at[2] == '!' && at + 3 < end && at[3] == '>') return at + 4;
        }
        return NULL;
    }
    at = memchr(at, '>', (size_t)(end - at));
    return at == NULL ? NULL : at + 1;
}

/* Whether no text and no link is under way, so that what comes follows from what is open. */
static int
is_between(const Sight *sight)
{
    const Reader *reader = sight->reader;
    return sight->phase == IN_BODY && !sight->in_select && reader->anchor < 0 && reader->run.length == 0;
}

static Counts
counts_of(PyObject *runs, PyObject *items, PyObject *others)
{
    return (Counts){(int32_t)PyList_GET_SIZE(runs), (int32_t)PyList_GET_SIZE(items), (int32_t)PyList_GET_SIZE(others)};
}

static int
note_place(Sight *sight, const char *at)
{
    Mark mark = {
        .at = (int32_t)(at - sight->source),
        .before = counts_of(sight->reader->runs, sight->reader->items, sight->others),
        .tags = (int32_t)sight->tags,
        .steps = (int32_t)sight->trail->step_count,
        .inside = sight->depth ? top(sight)->step : -1,
        .form_is_open = (uint8_t)sight->form_is_open,
        .has_title = sight->title != NULL,
        .offers = (uint8_t)sight->offers,
    };
    return trail_mark(sight->trail, mark) == 0 ? GO_ON : BAIL;
}

static int
is_step(const Open *open, const Step *step)
{
    if (open->rule != step->rule) return 0;
    return open->rule != NULL || (open->spelt_length == step->spelt_length && is_same_name(open->spelt, step->spelt, step->spelt_length));
}

/* Whether the same is open here as at the mark of the other version. */
static int
is_alike(const Sight *sight, const Mark *mark)
{
    const Reader *reader = sight->reader;
    if (mark->form_is_open != sight->form_is_open || mark->has_title != (sight->title != NULL) || mark->offers != sight->offers) return 0;
    if (reader->depth != sight->depth) return 0;
    PyObject *context = reader->context;
    int32_t inside = mark->inside;
    for (int at = sight->depth - 1; at >= 0; at--) {
        if (inside < 0) return 0;
        const Step *step = &sight->beside->steps[inside];
        if (step->context != context || !is_step(&sight->stack[at], step)) return 0;
        context = reader->stack[at];
        inside = step->parent;
    }
    return inside < 0;
}

static int
add_rows(PyObject *list, PyObject *others, Py_ssize_t from, Py_ssize_t to)
{
    PyObject *rows = PyList_GetSlice(others, from, to);
    Py_ssize_t end = PyList_GET_SIZE(list);
    int added = rows != NULL && PyList_SetSlice(list, end, end, rows) == 0;
    Py_XDECREF(rows);
    return added ? GO_ON : BAIL;
}

/* What was read of the other version from one place to another is read of this one. */
static int
add_all(Sight *sight, Counts from, Counts to)
{
    const Trail *beside = sight->beside;
    Reader *reader = sight->reader;
    if (add_rows(reader->runs, beside->runs, from.runs, to.runs) == BAIL || add_rows(reader->items, beside->items, from.items, to.items) == BAIL) return BAIL;
    return add_rows(sight->others, beside->others, from.others, to.others);
}

static int
add_names(Sight *sight, Py_ssize_t from, Py_ssize_t to)
{
    for (Py_ssize_t one = from; one < to; one++)
        if (reader_add_name(sight->reader, sight->beside->steps[one].context) != WELL) return BAIL;
    return GO_ON;
}

/* Begins where the other version begins to differ. */
static int
set_out(Sight *sight, const Mark *mark)
{
    const Trail *beside = sight->beside;
    Reader *reader = sight->reader;
    int depth = 0;
    for (int32_t at = mark->inside; at >= 0; at = beside->steps[at].parent) depth++;
    sight->depth = reader->depth = depth;
    int32_t inside = mark->inside;
    for (int at = depth - 1; at >= 0; at--) {
        const Step *step = &beside->steps[inside];
        const TagRule *rule = step->rule;
        sight->stack[at] = (Open){.rule = rule, .spelt = step->spelt, .flags = rule ? rule->flags : 0, .tag = rule ? rule->tag : T_OTHER,
                                  .spelt_length = (uint8_t)step->spelt_length, .step = inside};
        reader->stack[at] = step->parent < 0 ? reader->body : beside->steps[step->parent].context;
        if (at == depth - 1) reader->context = step->context;
        inside = step->parent;
    }
    for (int at = 0, block = -1; at < depth; at++) {
        if (sight->stack[at].flags & IS_BLOCK) block = at;
        sight->stack[at].block = (int16_t)block;
        sight->links_open += sight->stack[at].tag == T_A;
    }
    sight->phase = IN_BODY;
    sight->tags = mark->tags;
    sight->form_is_open = mark->form_is_open;
    sight->offers = mark->offers;
    sight->title = mark->has_title ? Py_NewRef(beside->title) : NULL;
    sight->at = sight->source + mark->at;
    if (add_all(sight, (Counts){0}, mark->before) == BAIL) return BAIL;
    return add_names(sight, 0, mark->steps);
}

/* The rest is as in the other version. */
static int
arrive(Sight *sight, const Mark *mark)
{
    const Trail *beside = sight->beside;
    sight->tags += beside->tags - mark->tags;
    if (sight->tags > sight->most_tags) return BAIL;
    if (sight->title == NULL) sight->title = Py_XNewRef(beside->title);
    sight->offers = beside->offers;
    if (add_all(sight, mark->before, counts_of(beside->runs, beside->items, beside->others)) == BAIL) return BAIL;
    return add_names(sight, mark->steps, beside->step_count);
}

/* The mark of the other version from which on it is like this one; NULL: not here. */
static const Mark *
met_again(Sight *sight, const char *at)
{
    Py_ssize_t place = at - sight->source;
    if (place < sight->beside_from || !is_between(sight)) return NULL;
    const Mark *mark = trail_at(sight->beside, place + sight->beside_distance, &sight->beside_at);
    return mark != NULL && is_alike(sight, mark) ? mark : NULL;
}

static int
scan(Sight *sight)
{
    const char *at = sight->at, *stop = sight->end;
    while (at < stop) {
        const char *open = memchr(at, '<', (size_t)(stop - at));
        const char *text_end = open == NULL ? stop : open;
        if (at < text_end) {
            int is_blank = 1;
            for (const char *one = at; one < text_end && is_blank; one++) is_blank = is_space(*one);
            if (!is_blank) {
                if (is_between_cells(sight)) return BAIL;
                if (sight->phase < IN_BODY) begin_body(sight);
            }
            hear(sight, at, text_end);
            if (read_text(sight, at, text_end) == BAIL) return BAIL;
        }
        if (open == NULL) break;
        if (open + 1 >= stop) return BAIL;
        if (sight->trail && is_between(sight) && note_place(sight, open) == BAIL) return BAIL;
        if (sight->beside) {
            const Mark *mark = met_again(sight, open);
            if (mark != NULL) return arrive(sight, mark);
        }
        char next = open[1];
        if (is_letter(next) || (next == '/' && open + 2 < stop && is_letter(open[2]))) {
            int closes = next == '/';
            const char *name = open + 1 + closes, *name_end = name;
            while (name_end < stop && !is_space(*name_end) && *name_end != '/' && *name_end != '>') name_end++;
            size_t length = (size_t)(name_end - name);
            if (length > LONGEST_NAME || ++sight->tags > sight->most_tags) return BAIL;
            at = read_attributes(sight, name_end);
            if (at == NULL) return BAIL;
            const TagRule *rule = rule_of(name, length, hash_of(name, length));
            if (closes) {
                if (end(sight, name, length, rule) == BAIL) return BAIL;
            } else if ((at = begin(sight, name, length, rule, at)) == NULL) {
                return BAIL;
            }
        } else if (next == '!' || next == '?' || next == '/') {
            at = behind_comment(open, stop);
            if (at == NULL) return BAIL;
        } else {
            if (is_between_cells(sight)) return BAIL;
            if (sight->phase < IN_BODY) begin_body(sight);
            if (sight->reader) return BAIL; /* what stands before and behind it is one text */
            hear(sight, open, open + 1);
            at = open + 1;
        }
    }
    if (sight->in_select) return BAIL;
    return sight->depth ? pop_to(sight, 0, 1) : GO_ON;
}

/* No replacement character stands in it, and no number that stands for one. */
static int
is_decoded(const char *at, const char *end, int is_ascii)
{
    for (const char *one = at; !is_ascii && (one = memchr(one, 0xEF, (size_t)(end - one))) != NULL; one++)
        if (end - one >= 3 && (unsigned char)one[1] == 0xBF && (unsigned char)one[2] == 0xBD) return 0;
    for (; (at = memchr(at, '&', (size_t)(end - at))) != NULL; at++) {
        if (end - at < 3 || at[1] != '#') continue;
        const char *digit = at + 2;
        int is_hex = *digit == 'x' || *digit == 'X';
        uint32_t number = 0;
        digit += is_hex;
        const char *first = digit;
        for (; digit < end && number < 0x200000; digit++) {
            char letter = (char)(*digit | 0x20);
            if (is_digit(*digit)) number = number * (is_hex ? 16 : 10) + (uint32_t)(*digit - '0');
            else if (is_hex && letter >= 'a' && letter <= 'f') number = number * 16 + (uint32_t)(letter - 'a' + 10);
            else break;
        }
        if (digit == first) continue;
        if (number == 0 || number == 0xFFFD || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000)) return 0;
    }
    return 1;
}

static void
sight_free(Sight *sight)
{
    Py_XDECREF(sight->title);
    Py_XDECREF(sight->hrefs);
    Py_XDECREF(sight->others);
    PyMem_Free(sight);
}

/* The source of a page, if it can be looked at: NULL without an exception where it holds a lone surrogate or a NUL. */
static Sight *
sight_new(PyObject *source, Py_ssize_t most_tags)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(source, &length);
    if (text == NULL) {
        if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) PyErr_Clear();
        return NULL;
    }
    if (length > INT32_MAX) return NULL;
    if (memchr(text, '\0', (size_t)length)) return NULL;
    Sight *sight = PyMem_Malloc(sizeof(Sight));
    if (sight == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memset(sight, 0, offsetof(Sight, attributes)); /* what follows is written before it is read */
    sight->at = sight->source = text;
    sight->end = text + length;
    sight->is_ascii = PyUnicode_IS_ASCII(source);
    sight->most_tags = most_tags;
    sight->hrefs = PyList_New(0);
    sight->others = PyList_New(0);
    if (sight->hrefs && sight->others) return sight;
    sight_free(sight);
    return NULL;
}

static PyObject *
none_unless_failed(void)
{
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* sight(source, most_tags, origin, met) -> (title, hrefs, others, anchors, letters, offers, is_decoded), or None.
 * `origin`: of the page, where its paths are plain; '' and None for `met`: all links are told. */
PyObject *
native_sight(PyObject *module, PyObject *arguments)
{
    PyObject *source, *met;
    Py_ssize_t most_tags, origin_length;
    const char *origin;
    if (!PyArg_ParseTuple(arguments, "Uns#O", &source, &most_tags, &origin, &origin_length, &met)) return NULL;
    if (frame_parts == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "call frame_words first");
        return NULL;
    }
    Sight *sight = sight_new(source, most_tags);
    if (sight == NULL) return none_unless_failed();
    const char *text = sight->at;
    if (origin_length && Py_IS_TYPE(met, &MetType)) {
        sight->met = (const Met *)met;
        sight->origin = origin;
        sight->origin_length = (size_t)origin_length;
    }
    PyObject *answer = NULL;
    if (scan(sight) == GO_ON) {
        uint32_t letters = sight->seen_main      ? sight->letters_main
                           : sight->seen_article ? sight->letters_article
                                                 : sight->letters;
        answer = Py_BuildValue("OOOnIOO", sight->title == NULL ? Py_None : sight->title, sight->hrefs, sight->others, sight->anchors, letters,
                               sight->offers ? Py_True : Py_False,
                               is_decoded(text, sight->end, sight->is_ascii) ? Py_True : Py_False);
    } else {
        answer = none_unless_failed();
    }
    sight_free(sight);
    return answer;
}

/* Only what differs from the other version is to be read. */
static int
go_beside(Sight *sight, const Trail *beside)
{
    Py_ssize_t same_end, length = sight->end - sight->source;
    const Mark *mark = trail_last_before(beside, sight->source, length, &same_end);
    sight->beside = beside;
    sight->beside_from = length - same_end;
    sight->beside_distance = beside->length - length;
    sight->beside_at = mark;
    return mark == NULL ? GO_ON : set_out(sight, mark);
}

static PyObject *
or_none(PyObject *value)
{
    return value == NULL ? Py_None : value;
}

/* The trail with all that was read, as an object; None: it was not wanted. */
static PyObject *
kept_trail(Sight *sight)
{
    Trail *trail = sight->trail;
    if (trail == NULL) return Py_NewRef(Py_None);
    PyObject *capsule = trail_capsule(trail);
    if (capsule == NULL) return NULL;
    sight->trail = NULL;
    trail->title = Py_XNewRef(sight->title);
    trail->runs = Py_NewRef(sight->reader->runs);
    trail->items = Py_NewRef(sight->reader->items);
    trail->others = Py_NewRef(sight->others);
    trail->tags = sight->tags;
    trail->offers = sight->offers;
    return capsule;
}

static PyObject *
read_with(Sight *sight, Reader *reader, PyObject *source, PyObject *beside)
{
    const Trail *trail = trail_of(beside);
    sight->reader = reader;
    reader->is_source = 1;
    reader->is_ascii = sight->is_ascii;
    reader->context = reader->body;
    if (beside == Py_None && (sight->trail = trail_new(source, reader->body, reader->child_of)) == NULL) return NULL;
    if (trail != NULL && trail->body == reader->body && go_beside(sight, trail) == BAIL) return none_unless_failed();
    if (scan(sight) == BAIL || reader_finish(reader) != WELL) return none_unless_failed();
    return Py_BuildValue("OOOOOON", or_none(sight->title), sight->others, sight->offers ? Py_True : Py_False, reader->runs,
                         reader->skeleton, reader->items, kept_trail(sight));
}

PyObject *
source_read(PyObject *source, Py_ssize_t most_tags, PyObject *body, PyObject *child_of, Py_ssize_t caption_letters, PyObject *beside)
{
    Reader *reader = reader_new(body, child_of, caption_letters);
    if (reader == NULL) return NULL;
    Sight *sight = sight_new(source, most_tags);
    PyObject *answer = sight == NULL ? none_unless_failed() : read_with(sight, reader, source, beside);
    if (sight != NULL) {
        trail_free(sight->trail);
        sight_free(sight);
    }
    reader_free(reader);
    return answer;
}

/* read_source(source, most_tags, body, child_of, caption_letters, beside) -> (title, others, offers, runs, skeleton, items,
 * trail), or None. `runs`, `skeleton` and `items` as `read_page` gives them. `beside`: the trail of another version; None: a
 * trail is wanted. */
PyObject *
native_read_source(PyObject *module, PyObject *arguments)
{
    PyObject *source, *body, *child_of, *beside;
    Py_ssize_t most_tags, caption_letters;
    if (!PyArg_ParseTuple(arguments, "UnOOnO", &source, &most_tags, &body, &child_of, &caption_letters, &beside)) return NULL;
    return source_read(source, most_tags, body, child_of, caption_letters, beside);
}
