/* Spaces and letters of UTF-8, as Python's `str` sees them. */
#ifndef RECRAWL_TEXT_H
#define RECRAWL_TEXT_H

/* How many bytes the white space here has; 0: it is none. */
static inline int
space_at(const unsigned char *at, const unsigned char *end)
{
    unsigned char first = *at;
    if (first < 0x80) return first == ' ' || (first >= '\t' && first <= '\r') || (first >= 0x1C && first <= 0x1F);
    if (first == 0xC2) return at + 1 < end && (at[1] == 0xA0 || at[1] == 0x85) ? 2 : 0;
    if ((first != 0xE1 && first != 0xE2 && first != 0xE3) || at + 2 >= end) return 0;
    if (first == 0xE1) return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0;
    if (first == 0xE3) return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
    if (at[1] == 0x81) return at[2] == 0x9F ? 3 : 0;
    if (at[1] != 0x80) return 0;
    return (at[2] >= 0x80 && at[2] <= 0x8A) || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF ? 3 : 0;
}

/* Bytes behind the first of a letter are none of their own. */
static inline int
is_letter_start(unsigned char byte)
{
    return (byte & 0xC0) != 0x80;
}

#endif
