/* How many tags a source has and which letters they begin with (extract/tag_letters.py), in one look, however long it is. */
#include "native.h"
#include <string.h>

static const char *const NAMES[] = {"b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u", NULL};

typedef struct {
    Py_ssize_t tags, html, body, opened, bare;
} Letters;

static unsigned char
at_or_none(const unsigned char *at, const unsigned char *end)
{
    return at < end ? *at : 0;
}

static int
is_letter_or_digit(unsigned char byte)
{
    unsigned char small = byte | 0x20;
    if (byte >= 0x80) return byte != 0xD7; /* taken one by one, bytes beyond ASCII are letters, but this one */
    return (byte >= '0' && byte <= '9') || (small >= 'a' && small <= 'z');
}

/* Whether a tag of formatting may begin with these two. */
static int
may_format(unsigned char first, unsigned char second)
{
    static const char PAIRS[] = "bicoemfosmsttt";
    unsigned char one = first | 0x20, other = second | 0x20;
    for (const char *pair = PAIRS; *pair; pair += 2)
        if (one == pair[0] && other == pair[1]) return 1;
    return (one == 'b' || one == 'i' || one == 's' || one == 'u') && !is_letter_or_digit(second);
}

/* Whether a bare tag begins here and the next one is its end. */
static int
is_bare(const unsigned char *tag, const unsigned char *next, const unsigned char *end)
{
    if (at_or_none(next + 1, end) != '/') return 0;
    for (const char *const *name = NAMES; *name; name++) {
        size_t length = strlen(*name), at = 0;
        if ((size_t)(end - tag) < length + 2 || (size_t)(end - next) < length + 3) continue;
        while (at < length && (tag[1 + at] | 0x20) == (*name)[at] && (next[2 + at] | 0x20) == (*name)[at]) at++;
        if (at == length && (tag[1 + at] | 0x20) == '>' && (next[2 + at] | 0x20) == '>') return 1;
    }
    return 0;
}

static void
look(Letters *letters, const unsigned char *at, const unsigned char *end)
{
    const unsigned char *opened = NULL;
    while (at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        unsigned char first = at_or_none(at + 1, end), second = at_or_none(at + 2, end), one = first | 0x20, other = second | 0x20;
        if (opened != NULL && is_bare(opened, at, end)) letters->bare++;
        opened = may_format(first, second) ? at : NULL;
        letters->tags++;
        letters->html += one == 'h' && other == 't';
        letters->body += one == 'b' && other == 'o';
        letters->opened += opened != NULL;
        at++;
    }
}

/* tag_letters(source) -> tags, those that begin like html, like body, like formatting, and of these the bare ones that the next tag
 * ends; None: it cannot be written as UTF-8 */
PyObject *
native_tag_letters(PyObject *module, PyObject *source)
{
    if (!PyUnicode_Check(source)) return PyErr_Format(PyExc_TypeError, "a text is wanted");
    Letters letters = {0, 0, 0, 0, 0};
    if (PyUnicode_IS_ASCII(source)) {
        const unsigned char *text = PyUnicode_1BYTE_DATA(source);
        look(&letters, text, text + PyUnicode_GET_LENGTH(source));
    } else {
        PyObject *bytes = PyUnicode_AsUTF8String(source);
        if (bytes == NULL) {
            if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
            PyErr_Clear();
            Py_RETURN_NONE;
        }
        const unsigned char *text = (const unsigned char *)PyBytes_AS_STRING(bytes);
        look(&letters, text, text + PyBytes_GET_SIZE(bytes));
        Py_DECREF(bytes);
    }
    return Py_BuildValue("nnnnn", letters.tags, letters.html, letters.body, letters.opened, letters.bare);
}
