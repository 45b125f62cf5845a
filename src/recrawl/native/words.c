/* Words: which links stand in a text, and whether a text is folded. */
#include "native.h"

#include <string.h>

typedef struct {
    const char *text;
    uint32_t length;
    uint32_t hash;
    int is_there;
} Word;

typedef struct {
    Word *words; /* of all phrases, each once */
    size_t count, room;
    uint32_t *table; /* places in `words`, from 1 */
    size_t size;     /* a power of two */
    uint64_t hashes[512]; /* a bit for each hash, by its highest bits: most words of a text are none of these */
} Words;

static inline int
may_have(const Words *all, uint32_t hash)
{
    return all->hashes[hash >> 23] >> (hash >> 17 & 63) & 1;
}

enum { FAILED = -1, WELL = 0, ODD = 1 };

/* What stands between words (`detect/digest.py`, words): blanks and ASCII punctuation. */
static unsigned char parts_words[256];

void
words_prepare(void)
{
    for (const char *one = " \t\n\r\v\f!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"; *one; one++) parts_words[(unsigned char)*one] = 1;
}

/* Eight bytes at a time; of the last ones as many as there are. */
static inline uint32_t
hash_of(const char *word, size_t length, const char *end)
{
    uint64_t mixed = length;
    for (;; word += 8, length -= 8) {
        uint64_t piece = 0;
        if (end - word >= 8) memcpy(&piece, word, 8);
        else memcpy(&piece, word, (size_t)(end - word));
        if (length < 8) piece &= ((uint64_t)1 << (8 * length)) - 1;
        mixed = (mixed ^ piece) * 0x9E3779B97F4A7C15ULL;
        mixed ^= mixed >> 32;
        if (length <= 8) return (uint32_t)mixed;
    }
}

/* The next word from here on; NULL: there is none. */
static inline const char *
next_word(const char *at, const char *end, const char **stop, uint32_t *hash)
{
    while (at < end && parts_words[(unsigned char)*at]) at++;
    if (at == end) return NULL;
    const char *word = at;
    while (at < end && !parts_words[(unsigned char)*at]) at++;
    *stop = at;
    *hash = hash_of(word, (size_t)(at - word), end);
    return word;
}

/* A word farther from its place than this was made to be there: at most half of the table is in use. */
#define FARTHEST 128
#define NOWHERE SIZE_MAX

static Word *
find(const Words *all, const char *word, size_t length, uint32_t hash, size_t *place)
{
    size_t at = hash & (all->size - 1);
    int steps = 0;
    for (; all->table[at]; at = (at + 1) & (all->size - 1)) {
        if (steps++ == FARTHEST) {
            *place = NOWHERE; /* no word was put so far away */
            return NULL;
        }
        Word *known = &all->words[all->table[at] - 1];
        if (known->hash == hash && known->length == length && !memcmp(known->text, word, length)) return known;
    }
    *place = steps < FARTHEST ? at : NOWHERE; /* where it would be found again */
    return NULL;
}

static int
grow(Words *all)
{
    size_t room = all->room ? all->room * 2 : 256, size = room * 2;
    Word *words = PyMem_Realloc(all->words, room * sizeof(Word));
    if (words == NULL) return -1;
    all->words = words;
    all->room = room;
    uint32_t *table = PyMem_Calloc(size, sizeof(uint32_t));
    if (table == NULL) return -1;
    PyMem_Free(all->table);
    all->table = table;
    all->size = size;
    for (size_t one = 0; one < all->count; one++) {
        size_t at = words[one].hash & (size - 1);
        while (table[at]) at = (at + 1) & (size - 1);
        table[at] = (uint32_t)one + 1;
    }
    return 0;
}

static int
learn(Words *all, const char *word, size_t length, uint32_t hash)
{
    if (all->count == all->room && grow(all) < 0) return FAILED;
    size_t place = 0;
    if (find(all, word, length, hash, &place) == NULL) {
        if (place == NOWHERE) return ODD;
        all->words[all->count] = (Word){word, (uint32_t)length, hash, 0};
        all->hashes[hash >> 23] |= (uint64_t)1 << (hash >> 17 & 63);
        all->table[place] = (uint32_t)++all->count;
    }
    return WELL;
}

static int
utf8(PyObject *text, const char **at, const char **end)
{
    Py_ssize_t length;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "texts are wanted");
        return FAILED;
    }
    *at = PyUnicode_AsUTF8AndSize(text, &length);
    if (*at != NULL) {
        *end = *at + length;
        return WELL;
    }
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return FAILED;
    PyErr_Clear(); /* a lone surrogate */
    return ODD;
}

static int
learn_phrases(Words *all, PyObject *phrases)
{
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(phrases); one++) {
        const char *at, *end, *stop;
        uint32_t hash;
        int read = utf8(PyList_GET_ITEM(phrases, one), &at, &end);
        if (read != WELL) return read;
        while ((at = next_word(at, end, &stop, &hash)) != NULL) {
            read = learn(all, at, (size_t)(stop - at), hash);
            if (read == FAILED) PyErr_NoMemory();
            if (read != WELL) return read;
            at = stop;
        }
    }
    return WELL;
}

static int
look_for(Words *all, PyObject *texts)
{
    size_t missing = all->count, place;
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(texts) && missing; one++) {
        const char *at, *end, *stop;
        uint32_t hash;
        int read = utf8(PyList_GET_ITEM(texts, one), &at, &end);
        if (read != WELL) return read;
        while (missing && (at = next_word(at, end, &stop, &hash)) != NULL) {
            Word *known = may_have(all, hash) ? find(all, at, (size_t)(stop - at), hash, &place) : NULL;
            if (known != NULL && !known->is_there) {
                known->is_there = 1;
                missing--;
            }
            at = stop;
        }
    }
    return WELL;
}

static int
stands_there(const Words *all, PyObject *phrase)
{
    const char *at, *end, *stop;
    uint32_t hash;
    size_t place;
    int is_there = utf8(phrase, &at, &end) == WELL;
    while (is_there && (at = next_word(at, end, &stop, &hash)) != NULL) {
        const Word *known = find(all, at, (size_t)(stop - at), hash, &place);
        is_there = known != NULL && known->is_there;
        at = stop;
    }
    return is_there;
}

/* ---- the links of a text ---------------------------------------------------------------------------------------- */

enum { BLOCK_TEXT, LINK_URL, LINK_RELATION, LINK_TEXT, READ_SLOTS };

static Py_ssize_t read_offsets[READ_SLOTS];
static PyTypeObject *block_type, *link_type;
static PyObject *counted_relations, *stripped_target;

/* linked(Block, Link, relations, stripped): what `link_targets` reads, which relations count, and what makes a target of
 * an address with a query or a fragment */
PyObject *
native_linked(PyObject *module, PyObject *arguments)
{
    PyTypeObject *block, *link;
    PyObject *relations, *stripped;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O", &PyType_Type, &block, &PyType_Type, &link, &PyFrozenSet_Type, &relations, &stripped)) return NULL;
    static const char *const NAMES[READ_SLOTS] = {"text", "url", "relation", "text"};
    for (int one = 0; one < READ_SLOTS; one++) {
        read_offsets[one] = slot_named(one == BLOCK_TEXT ? block : link, NAMES[one]);
        if (read_offsets[one] < 0) return NULL;
    }
    Py_XSETREF(block_type, (PyTypeObject *)Py_NewRef(block));
    Py_XSETREF(link_type, (PyTypeObject *)Py_NewRef(link));
    Py_XSETREF(counted_relations, Py_NewRef(relations));
    Py_XSETREF(stripped_target, Py_NewRef(stripped));
    Py_RETURN_NONE;
}

static PyObject *
read_slot(PyObject *value, int which)
{
    return *(PyObject **)((char *)value + read_offsets[which]);
}

/* A list of the texts of values of one class, all of them there; NULL: not so, with an exception. */
static PyObject *
texts_of(PyObject *values, PyTypeObject *type, int which)
{
    PyObject *texts = PyList_New(PyTuple_GET_SIZE(values));
    for (Py_ssize_t one = 0; texts != NULL && one < PyTuple_GET_SIZE(values); one++) {
        PyObject *value = PyTuple_GET_ITEM(values, one), *text = Py_IS_TYPE(value, type) ? read_slot(value, which) : NULL;
        if (text == NULL) {
            PyErr_SetString(PyExc_TypeError, "not a value as it was told");
            Py_CLEAR(texts);
        } else {
            PyList_SET_ITEM(texts, one, Py_NewRef(text));
        }
    }
    return texts;
}

/* Of the first links those that count and say something. NULL with an exception. */
static PyObject *
counted(PyObject *links, Py_ssize_t most)
{
    PyObject *found = PyList_New(0);
    for (Py_ssize_t one = 0; found != NULL && one < PyTuple_GET_SIZE(links) && one < most; one++) {
        PyObject *link = PyTuple_GET_ITEM(links, one);
        PyObject *text = Py_IS_TYPE(link, link_type) ? read_slot(link, LINK_TEXT) : NULL, *relation = text ? read_slot(link, LINK_RELATION) : NULL;
        if (relation == NULL || !PyUnicode_Check(text)) {
            PyErr_SetString(PyExc_TypeError, "not a link as it was told");
            Py_CLEAR(found);
            break;
        }
        int counts = PySet_Contains(counted_relations, relation), says = 0;
        for (Py_ssize_t at = 0; at < PyUnicode_GET_LENGTH(text) && !says; at++) says = !Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, at));
        if (counts < 0 || (counts && says && PyList_Append(found, link) < 0)) Py_CLEAR(found);
    }
    return found;
}

/* An address without what changes from look to look, a new reference. */
static PyObject *
target_of(PyObject *url)
{
    if (url == NULL || !PyUnicode_Check(url)) {
        PyErr_SetString(PyExc_TypeError, "an address is a text");
        return NULL;
    }
    Py_ssize_t length = PyUnicode_GET_LENGTH(url);
    for (const char *one = "?#;"; *one; one++) {
        Py_ssize_t place = PyUnicode_FindChar(url, (Py_UCS4)*one, 0, length, 1);
        if (place == -2) return NULL;
        if (place >= 0) return PyObject_CallOneArg(stripped_target, url);
    }
    return Py_NewRef(url);
}

/* link_targets(main, links, most) -> where those lead all of whose words stand in the main text, each once, in order, a
 * blank between them; None for a lone surrogate */
PyObject *
native_link_targets(PyObject *module, PyObject *arguments)
{
    PyObject *main, *links, *texts = NULL, *chosen = NULL, *captions = NULL, *targets = NULL, *answer = NULL;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(arguments, "O!O!n", &PyTuple_Type, &main, &PyTuple_Type, &links, &most)) return NULL;
    if (link_type == NULL) {
        PyErr_SetString(PyExc_TypeError, "call linked first");
        return NULL;
    }
    Words all = {0};
    int read = FAILED;
    if ((texts = texts_of(main, block_type, BLOCK_TEXT)) == NULL || (chosen = counted(links, most)) == NULL) goto done;
    if ((captions = PyList_New(PyList_GET_SIZE(chosen))) == NULL) goto done;
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(chosen); one++)
        PyList_SET_ITEM(captions, one, Py_NewRef(read_slot(PyList_GET_ITEM(chosen, one), LINK_TEXT)));
    read = grow(&all) < 0 ? FAILED : learn_phrases(&all, captions);
    if (read == WELL) read = look_for(&all, texts);
    if (read != WELL || (targets = PySet_New(NULL)) == NULL) goto done;
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(chosen); one++) {
        int stands = stands_there(&all, PyList_GET_ITEM(captions, one));
        PyObject *target = stands ? target_of(read_slot(PyList_GET_ITEM(chosen, one), LINK_URL)) : NULL;
        if (stands && (target == NULL || PySet_Add(targets, target) < 0)) {
            Py_XDECREF(target);
            goto done;
        }
        Py_XDECREF(target);
    }
    PyObject *ordered = PySequence_List(targets), *blank = PyUnicode_FromStringAndSize(" ", 1);
    if (ordered != NULL && blank != NULL && PyList_Sort(ordered) == 0) answer = PyUnicode_Join(blank, ordered);
    Py_XDECREF(ordered);
    Py_XDECREF(blank);
done:
    if (read == ODD) answer = Py_NewRef(Py_None);
    else if (answer == NULL && !PyErr_Occurred()) PyErr_NoMemory();
    Py_XDECREF(texts);
    Py_XDECREF(chosen);
    Py_XDECREF(captions);
    Py_XDECREF(targets);
    PyMem_Free(all.words);
    PyMem_Free(all.table);
    return answer;
}

/* is_folded(text): it is printable ASCII, its space single blanks and none at its ends */
PyObject *
native_is_folded(PyObject *module, PyObject *text)
{
    if (!PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text)) Py_RETURN_FALSE;
    const unsigned char *at = PyUnicode_1BYTE_DATA(text), *end = at + PyUnicode_GET_LENGTH(text);
    if (at == end) Py_RETURN_TRUE;
    if (*at == ' ' || end[-1] == ' ') Py_RETURN_FALSE;
    const uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
    uint64_t word, before = 0;
    for (; end - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        uint64_t blanks = ~((word ^ (ones * ' ')) + ones * 0x7F) & highs; /* exact, since no byte is above 0x7F */
        if (((word - ones * 0x20) & ~word & highs) || ((word + ones) & highs)) Py_RETURN_FALSE;
        if (blanks & ((blanks << 8) | (before >> 56))) Py_RETURN_FALSE;
        before = blanks;
    }
    for (int was_blank = before >> 63; at < end; at++) {
        if (*at < 0x20 || *at == 0x7F || (*at == ' ' && was_blank)) Py_RETURN_FALSE;
        was_blank = *at == ' ';
    }
    Py_RETURN_TRUE;
}
