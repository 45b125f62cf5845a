/* Words: which links stand in a text, and whether a text is folded. */
#include "words.h"

#include <string.h>

typedef struct {
    const char *text;
    uint32_t length;
    uint32_t hash;
    uint8_t is_there;
    uint8_t is_doubtful; /* it stood in a text that is gone */
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
        all->words[all->count] = (Word){word, (uint32_t)length, hash, 0, 0};
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

typedef int (*Meet)(Word *known); /* whether one that was looked for is found by that */

static int
come(Word *known)
{
    int is_new = !known->is_there;
    known->is_there = 1;
    known->is_doubtful = 0;
    return is_new;
}

static int
go(Word *known)
{
    int is_new = known->is_there && !known->is_doubtful;
    known->is_doubtful |= known->is_there;
    return is_new;
}

static int
stay(Word *known)
{
    int was_doubtful = known->is_doubtful;
    known->is_doubtful = 0;
    return was_doubtful;
}

/* Meets the words of a text that are known, as long as there is one to be found. */
static int
meet(const Words *all, PyObject *text, Meet how, size_t *missing)
{
    const char *at, *end, *stop;
    uint32_t hash;
    size_t place;
    int read = utf8(text, &at, &end);
    if (read != WELL) return read;
    while (*missing && (at = next_word(at, end, &stop, &hash)) != NULL) {
        Word *known = may_have(all, hash) ? find(all, at, (size_t)(stop - at), hash, &place) : NULL;
        if (known != NULL) *missing -= (size_t)how(known);
        at = stop;
    }
    return WELL;
}

static int
look_for(const Words *all, PyObject *texts)
{
    size_t missing = all->count;
    int read = WELL;
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(texts) && missing && read == WELL; one++)
        read = meet(all, PyList_GET_ITEM(texts, one), come, &missing);
    return read;
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

enum { BLOCK_TEXT, BLOCK_LEVEL, LINK_URL, LINK_RELATION, LINK_TEXT, READ_SLOTS };

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
    static const char *const NAMES[READ_SLOTS] = {"text", "level", "url", "relation", "text"};
    for (int one = 0; one < READ_SLOTS; one++) {
        read_offsets[one] = slot_named(one <= BLOCK_LEVEL ? block : link, NAMES[one]);
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

/* What was told last: most of the time the next document is another version of that one. */
typedef struct {
    PyObject *links, *texts, *chosen, *captions, *answer;
    Py_ssize_t most;
    Words all;
} Told;

static Told last_told;

static void
forget(Told *told)
{
    Py_XDECREF(told->links);
    Py_XDECREF(told->texts);
    Py_XDECREF(told->chosen);
    Py_XDECREF(told->captions);
    Py_XDECREF(told->answer);
    PyMem_Free(told->all.words);
    PyMem_Free(told->all.table);
    *told = (Told){0};
}

/* Where the links lead all of whose words are there. NULL with an exception. */
static PyObject *
targets_of(const Told *told)
{
    PyObject *targets = PySet_New(NULL), *ordered = NULL, *answer = NULL;
    for (Py_ssize_t one = 0; targets != NULL && one < PyList_GET_SIZE(told->chosen); one++) {
        if (!stands_there(&told->all, PyList_GET_ITEM(told->captions, one))) continue;
        PyObject *target = target_of(read_slot(PyList_GET_ITEM(told->chosen, one), LINK_URL));
        if (target == NULL || PySet_Add(targets, target) < 0) Py_CLEAR(targets);
        Py_XDECREF(target);
    }
    ordered = targets ? PySequence_List(targets) : NULL;
    PyObject *blank = ordered ? PyUnicode_FromStringAndSize(" ", 1) : NULL;
    if (blank != NULL && PyList_Sort(ordered) == 0) answer = PyUnicode_Join(blank, ordered);
    Py_XDECREF(targets);
    Py_XDECREF(ordered);
    Py_XDECREF(blank);
    return answer;
}

/* Of a document that nothing is known of. */
static int
tell(Told *told, PyObject *texts, PyObject *links, Py_ssize_t most)
{
    told->texts = Py_NewRef(texts);
    told->links = Py_NewRef(links);
    told->most = most;
    if ((told->chosen = counted(links, most)) == NULL) return FAILED;
    if ((told->captions = PyList_New(PyList_GET_SIZE(told->chosen))) == NULL) return FAILED;
    for (Py_ssize_t one = 0; one < PyList_GET_SIZE(told->chosen); one++)
        PyList_SET_ITEM(told->captions, one, Py_NewRef(read_slot(PyList_GET_ITEM(told->chosen, one), LINK_TEXT)));
    if (grow(&told->all) < 0) {
        PyErr_NoMemory();
        return FAILED;
    }
    int read = learn_phrases(&told->all, told->captions);
    if (read == WELL) read = look_for(&told->all, texts);
    if (read == WELL && (told->answer = targets_of(told)) == NULL) read = FAILED;
    return read;
}

static int
are_same(PyObject *one, PyObject *other)
{
    if (one == NULL || PyTuple_GET_SIZE(one) != PyTuple_GET_SIZE(other)) return 0;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(one); at++)
        if (PyTuple_GET_ITEM(one, at) != PyTuple_GET_ITEM(other, at)) return 0;
    return 1;
}

/* Of another version of the document told last, with the very same links: words that only a text that is gone had may be
 * there no more, those of one that came are there now. */
static int
tell_anew(Told *told, PyObject *texts)
{
    Py_ssize_t was = PyList_GET_SIZE(told->texts), now = PyList_GET_SIZE(texts), head = 0, tail = 0;
    while (head < was && head < now && PyList_GET_ITEM(told->texts, head) == PyList_GET_ITEM(texts, head)) head++;
    while (head + tail < was && head + tail < now && PyList_GET_ITEM(told->texts, was - 1 - tail) == PyList_GET_ITEM(texts, now - 1 - tail)) tail++;
    Words *all = &told->all;
    size_t any = SIZE_MAX, doubtful = 0;
    int read = WELL, differs = 0;
    for (Py_ssize_t one = head; one < was - tail && read == WELL; one++) read = meet(all, PyList_GET_ITEM(told->texts, one), go, &any);
    for (Py_ssize_t one = head; one < now - tail && read == WELL; one++) {
        size_t before = any;
        read = meet(all, PyList_GET_ITEM(texts, one), come, &any);
        differs |= before != any;
    }
    for (size_t one = 0; one < all->count; one++) doubtful += all->words[one].is_doubtful;
    for (Py_ssize_t one = 0; one < now && doubtful && read == WELL; one++) read = meet(all, PyList_GET_ITEM(texts, one), stay, &doubtful);
    for (size_t one = 0; one < all->count; one++) {
        differs |= all->words[one].is_doubtful;
        all->words[one].is_there &= !all->words[one].is_doubtful;
        all->words[one].is_doubtful = 0;
    }
    if (read != WELL) return read;
    Py_SETREF(told->texts, Py_NewRef(texts));
    if (differs) {
        PyObject *answer = targets_of(told);
        if (answer == NULL) return FAILED;
        Py_SETREF(told->answer, answer);
    }
    return WELL;
}

/* link_targets(main, links, most) -> where those lead all of whose words stand in the main text, each once, in order, a
 * blank between them; None for a lone surrogate */
PyObject *
native_link_targets(PyObject *module, PyObject *arguments)
{
    PyObject *main, *links;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(arguments, "O!O!n", &PyTuple_Type, &main, &PyTuple_Type, &links, &most)) return NULL;
    if (link_type == NULL) {
        PyErr_SetString(PyExc_TypeError, "call linked first");
        return NULL;
    }
    PyObject *texts = texts_of(main, block_type, BLOCK_TEXT), *answer = NULL;
    if (texts == NULL) return NULL;
    Told told = last_told; /* taken out: what is called from here may come back */
    last_told = (Told){0};
    int read;
    if (are_same(told.links, links) && told.most == most) {
        read = tell_anew(&told, texts);
    } else {
        forget(&told);
        read = tell(&told, texts, links, most);
    }
    if (read == WELL) answer = Py_NewRef(told.answer);
    else if (read == ODD) answer = Py_NewRef(Py_None);
    if (read != WELL) forget(&told);
    forget(&last_told);
    last_told = told;
    Py_DECREF(texts);
    return answer;
}

/* ---- whether the links that stand in a text are the same in another version of it ------------------------------- */

#define MOST_SEARCHES 16 /* for single words: more of them cost more than `link_targets` */

enum { WENT = 1, CAME = 2 };

/* Learns the words of a text, each of which `how` it is there. */
static int
learn_how(Words *all, PyObject *text, uint8_t how)
{
    const char *at, *end, *stop;
    uint32_t hash;
    size_t place;
    int read = utf8(text, &at, &end);
    while (read == WELL && (at = next_word(at, end, &stop, &hash)) != NULL) {
        read = learn(all, at, (size_t)(stop - at), hash);
        if (read == FAILED) PyErr_NoMemory();
        else if (read == WELL) find(all, at, (size_t)(stop - at), hash, &place)->is_there |= how;
        at = stop;
    }
    return read;
}

typedef struct {
    Words all;           /* of the texts that went or came */
    const Version *now;  /* one version … */
    Py_ssize_t head, tail; /* … so many texts of which both begin and end with */
    int searches;        /* so many more */
} Alike;

enum { ABSENT, PRESENT, UNSURE };

/* Whether a word stands in a text; UNSURE: of such a text only Python can tell. Negative on failure. */
static int
has_word(PyObject *text, const char *word, size_t length)
{
    const char *from, *at, *end;
    int read = utf8(text, &from, &end);
    /* most letters are none that a word begins with, which `memmem` would not know */
    for (at = from; read == WELL && (at = memchr(at, word[0], (size_t)(end - at))) != NULL; at++) {
        if (at > from && !parts_words[(unsigned char)at[-1]]) continue;
        if ((size_t)(end - at) < length) return ABSENT;
        if (!memcmp(at, word, length) && (at + length == end || parts_words[(unsigned char)at[length]])) return PRESENT;
    }
    return read == FAILED ? FAILED : read == ODD ? UNSURE : ABSENT;
}

/* Whether a word stands in what both begin or end with; the last texts first, since lists of links stand there. */
static int
stays(Alike *alike, const char *word, size_t length)
{
    Py_ssize_t count = alike->now->count;
    int has = ABSENT;
    for (Py_ssize_t one = count - 1; one >= 0 && has == ABSENT; one--)
        if (one < alike->head || one >= count - alike->tail) has = has_word(alike->now->texts[one], word, length);
    return has;
}

/* Looks at the words of a caption that stand in one version, perhaps not in the other. `is_doubtful`: one does not. */
static int
look_at_caption(Alike *alike, PyObject *caption, int *is_doubtful)
{
    const char *at, *end, *stop;
    uint32_t hash;
    size_t place;
    int read = utf8(caption, &at, &end);
    for (; read == WELL && (at = next_word(at, end, &stop, &hash)) != NULL; at = stop) {
        Word *known = may_have(&alike->all, hash) ? find(&alike->all, at, (size_t)(stop - at), hash, &place) : NULL;
        if (known == NULL || known->is_there == (WENT | CAME)) continue;
        if (!known->is_doubtful) {
            if (alike->searches-- == 0) return ODD;
            int has = stays(alike, known->text, known->length);
            if (has < 0 || has == UNSURE) return has < 0 ? FAILED : ODD;
            if (has == PRESENT) known->is_there = WENT | CAME;
            else known->is_doubtful = 1;
        }
        *is_doubtful |= known->is_doubtful;
    }
    return read;
}

/* WELL: a word of the caption stands in neither version, so the others make no difference. */
static int
stands_nowhere(Alike *alike, PyObject *caption)
{
    const char *at, *end, *stop;
    uint32_t hash;
    size_t place;
    int read = utf8(caption, &at, &end);
    for (; read == WELL && (at = next_word(at, end, &stop, &hash)) != NULL; at = stop) {
        if (may_have(&alike->all, hash) && find(&alike->all, at, (size_t)(stop - at), hash, &place)) continue;
        if (alike->searches-- == 0) return ODD;
        int has = stays(alike, at, (size_t)(stop - at));
        if (has != PRESENT) return has < 0 ? FAILED : has == UNSURE ? ODD : WELL;
    }
    return read == WELL ? ODD : read;
}

/* WELL: they are the same for certain; ODD: only `link_targets` will tell. */
static int
compare_targets(Alike *alike, const Version *old, const Version *new, PyObject *const *captions, Py_ssize_t count)
{
    int read = WELL;
    for (Py_ssize_t one = alike->head; one < old->count - alike->tail && read == WELL; one++) read = learn_how(&alike->all, old->texts[one], WENT);
    for (Py_ssize_t one = alike->head; one < new->count - alike->tail && read == WELL; one++) read = learn_how(&alike->all, new->texts[one], CAME);
    for (Py_ssize_t one = 0; one < count && read == WELL; one++) {
        int is_doubtful = 0;
        read = look_at_caption(alike, captions[one], &is_doubtful);
        if (read == WELL && is_doubtful) read = stands_nowhere(alike, captions[one]);
    }
    return read;
}

int
words_stand_alike(const Version *old, const Version *new, Py_ssize_t head, Py_ssize_t tail, PyObject *const *captions, Py_ssize_t count)
{
    Alike alike = {.now = new, .head = head, .tail = tail, .searches = MOST_SEARCHES};
    int read = grow(&alike.all);
    if (read < 0) PyErr_NoMemory();
    else read = compare_targets(&alike, old, new, captions, count);
    PyMem_Free(alike.all.words);
    PyMem_Free(alike.all.table);
    return read;
}

/* What the blocks say, all of them blocks; to be freed. NULL with an exception. */
static PyObject **
said_in(PyObject *blocks)
{
    PyObject **texts = PyMem_Calloc((size_t)PyTuple_GET_SIZE(blocks) + 1, sizeof(PyObject *));
    if (texts == NULL) PyErr_NoMemory();
    for (Py_ssize_t one = 0; texts != NULL && one < PyTuple_GET_SIZE(blocks); one++) {
        PyObject *block = PyTuple_GET_ITEM(blocks, one);
        texts[one] = Py_IS_TYPE(block, block_type) ? read_slot(block, BLOCK_TEXT) : NULL;
        if (texts[one] == NULL) {
            PyErr_SetString(PyExc_TypeError, "blocks are wanted");
            PyMem_Free(texts);
            return NULL;
        }
    }
    return texts;
}

/* stand_alike(old, new, links, most) -> whether `link_targets` says the same of both texts for certain: no word of a link
 * stands in one of them only */
PyObject *
native_stand_alike(PyObject *module, PyObject *arguments)
{
    PyObject *old, *new, *links, *chosen = NULL, **was = NULL, **now = NULL, **captions = NULL;
    Py_ssize_t most, head = 0, tail = 0;
    if (!PyArg_ParseTuple(arguments, "O!O!O!n", &PyTuple_Type, &old, &PyTuple_Type, &new, &PyTuple_Type, &links, &most)) return NULL;
    if (link_type == NULL) return PyErr_Format(PyExc_TypeError, "call linked first");
    int read = FAILED;
    Version before = {.count = PyTuple_GET_SIZE(old)}, after = {.count = PyTuple_GET_SIZE(new)};
    if ((before.texts = was = said_in(old)) == NULL || (after.texts = now = said_in(new)) == NULL) goto done;
    if ((chosen = counted(links, most)) == NULL) goto done;
    Py_ssize_t count = PyList_GET_SIZE(chosen);
    if ((captions = PyMem_Calloc((size_t)count + 1, sizeof(PyObject *))) == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t one = 0; one < count; one++) captions[one] = read_slot(PyList_GET_ITEM(chosen, one), LINK_TEXT);
    while (head < before.count && head < after.count && PyTuple_GET_ITEM(old, head) == PyTuple_GET_ITEM(new, head)) head++;
    while (head + tail < before.count && head + tail < after.count &&
           PyTuple_GET_ITEM(old, before.count - 1 - tail) == PyTuple_GET_ITEM(new, after.count - 1 - tail))
        tail++;
    read = words_stand_alike(&before, &after, head, tail, captions, count);
done:
    PyMem_Free(was);
    PyMem_Free(now);
    PyMem_Free(captions);
    Py_XDECREF(chosen);
    return read == FAILED ? NULL : PyBool_FromLong(read == WELL);
}

int
words_are_folded(PyObject *text)
{
    if (!PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text)) return 0;
    const unsigned char *at = PyUnicode_1BYTE_DATA(text), *end = at + PyUnicode_GET_LENGTH(text);
    if (at == end) return 1;
    if (*at == ' ' || end[-1] == ' ') return 0;
    const uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
    uint64_t word, before = 0;
    for (; end - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        uint64_t blanks = ~((word ^ (ones * ' ')) + ones * 0x7F) & highs; /* exact, since no byte is above 0x7F */
        if (((word - ones * 0x20) & ~word & highs) || ((word + ones) & highs)) return 0;
        if (blanks & ((blanks << 8) | (before >> 56))) return 0;
        before = blanks;
    }
    for (int was_blank = before >> 63; at < end; at++) {
        if (*at < 0x20 || *at == 0x7F || (*at == ' ' && was_blank)) return 0;
        was_blank = *at == ' ';
    }
    return 1;
}

/* is_folded(text): it is printable ASCII, its space single blanks and none at its ends */
PyObject *
native_is_folded(PyObject *module, PyObject *text)
{
    return PyBool_FromLong(words_are_folded(text));
}

/* folded_blocks(blocks, folded) -> of each block the one that two texts are compared by: itself, where it is plainly folded
 * and no heading, else what `folded` makes of it */
PyObject *
native_folded_blocks(PyObject *module, PyObject *arguments)
{
    PyObject *blocks, *folded;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &blocks, &folded)) return NULL;
    if (block_type == NULL) {
        PyErr_SetString(PyExc_TypeError, "call linked first");
        return NULL;
    }
    PyObject *found = PyList_New(PyTuple_GET_SIZE(blocks));
    for (Py_ssize_t one = 0; found != NULL && one < PyTuple_GET_SIZE(blocks); one++) {
        PyObject *block = PyTuple_GET_ITEM(blocks, one);
        int is_block = Py_IS_TYPE(block, block_type), is_plain = 0;
        if (is_block && PyObject_Not(read_slot(block, BLOCK_LEVEL)) == 1) is_plain = words_are_folded(read_slot(block, BLOCK_TEXT));
        PyObject *made = is_plain ? Py_NewRef(block) : PyObject_CallOneArg(folded, block);
        if (made == NULL) Py_CLEAR(found);
        else PyList_SET_ITEM(found, one, made);
    }
    return found;
}
