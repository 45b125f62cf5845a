/* What the parser of the HTML Standard does with an element of each name, as far as a sight of a page needs it. */
#ifndef RECRAWL_TAGS_H
#define RECRAWL_TAGS_H

#include <stdint.h>

enum {
    IS_BLOCK = 1 << 0,      /* ends a run of text (`extract/text.py`, BLOCKS) */
    IS_UNSEEN = 1 << 1,     /* its text is never shown (`extract/text.py`, UNSEEN) */
    IS_VOID = 1 << 2,       /* has no inside */
    IS_FORMATTING = 1 << 3, /* opened anew where it is left open */
    IS_SPECIAL = 1 << 4,    /* the standard's "special" category */
    CLOSES_P = 1 << 5,      /* ends a paragraph that is open */
    IS_RAW = 1 << 6,        /* what stands inside is no markup */
    IS_ODD = 1 << 7,        /* leads to rules that are not followed here */
    IS_SCOPE = 1 << 8,      /* what is open outside of it cannot be closed inside */
    IS_LIKE_P = 1 << 9,     /* may hold text of its own, as a paragraph does (`extract/paragraphs.py`) */
    IS_FRAME = 1 << 10,     /* stands around the content of a page (`extract/regions.py`) */
    IN_HEAD = 1 << 11,      /* may stand in the head of a page */
    IS_HEADING = 1 << 12,
    IS_TABLE_PART = 1 << 13,
};

enum Tag {
    T_OTHER, T_A, T_AREA, T_ARTICLE, T_BASE, T_BODY, T_BUTTON, T_CAPTION, T_COL, T_COLGROUP, T_DD, T_DIV, T_DT, T_FORM,
    T_HEAD, T_HEADER, T_HTML, T_IFRAME, T_LI, T_LINK, T_MAIN, T_META, T_NOBR, T_NOSCRIPT, T_OL, T_OPTGROUP, T_OPTION, T_P,
    T_RP, T_RT, T_RUBY, T_SCRIPT, T_SELECT, T_SVG, T_TABLE, T_TBODY, T_TD, T_TEXTAREA, T_TFOOT, T_TH, T_THEAD, T_TITLE,
    T_TR, T_UL, T_ADDRESS, T_HR, T_STYLE,
};

typedef struct {
    const char *name;
    uint8_t tag;
    uint16_t flags;
} TagRule;

#define BLOCK (IS_BLOCK | IS_SPECIAL)
#define BLOCK_P (BLOCK | CLOSES_P)
#define HEADING (BLOCK_P | IS_HEADING)
#define UNSEEN_RAW (IS_UNSEEN | IS_RAW | IS_SPECIAL)
#define CELL (BLOCK | IS_TABLE_PART | IS_SCOPE)
#define VOID (IS_VOID | IS_SPECIAL)
#define HEAD_VOID (VOID | IN_HEAD)

static const TagRule TAG_RULES[] = {
    {"a", T_A, IS_FORMATTING},
    {"address", T_ADDRESS, BLOCK_P},
    {"applet", T_OTHER, IS_ODD},
    {"area", T_AREA, VOID},
    {"article", T_ARTICLE, BLOCK_P},
    {"aside", T_OTHER, BLOCK_P | IS_FRAME},
    {"audio", T_OTHER, IS_UNSEEN},
    {"b", T_OTHER, IS_FORMATTING},
    {"base", T_BASE, HEAD_VOID},
    {"basefont", T_OTHER, HEAD_VOID},
    {"bgsound", T_OTHER, HEAD_VOID},
    {"big", T_OTHER, IS_FORMATTING},
    {"blockquote", T_OTHER, BLOCK_P | IS_LIKE_P},
    {"body", T_BODY, BLOCK},
    {"br", T_OTHER, VOID},
    {"button", T_BUTTON, BLOCK},
    {"canvas", T_OTHER, IS_UNSEEN},
    {"caption", T_CAPTION, CELL},
    {"center", T_OTHER, BLOCK_P},
    {"code", T_OTHER, IS_FORMATTING},
    {"col", T_COL, VOID | IS_TABLE_PART},
    {"colgroup", T_COLGROUP, IS_SPECIAL | IS_TABLE_PART},
    {"datalist", T_OTHER, IS_UNSEEN},
    {"dd", T_DD, BLOCK_P | IS_LIKE_P},
    {"desc", T_OTHER, IS_UNSEEN},
    {"details", T_OTHER, BLOCK_P},
    {"dialog", T_OTHER, BLOCK_P | IS_FRAME},
    {"dir", T_OTHER, BLOCK_P},
    {"div", T_DIV, BLOCK_P | IS_LIKE_P},
    {"dl", T_OTHER, BLOCK_P},
    {"dt", T_DT, BLOCK_P},
    {"em", T_OTHER, IS_FORMATTING},
    {"embed", T_OTHER, VOID},
    {"fieldset", T_OTHER, BLOCK_P},
    {"figcaption", T_OTHER, BLOCK_P},
    {"figure", T_OTHER, BLOCK_P},
    {"font", T_OTHER, IS_FORMATTING},
    {"footer", T_OTHER, BLOCK_P | IS_FRAME},
    {"form", T_FORM, BLOCK_P},
    {"frame", T_OTHER, IS_ODD},
    {"frameset", T_OTHER, IS_ODD},
    {"h1", T_OTHER, HEADING},
    {"h2", T_OTHER, HEADING},
    {"h3", T_OTHER, HEADING},
    {"h4", T_OTHER, HEADING},
    {"h5", T_OTHER, HEADING},
    {"h6", T_OTHER, HEADING},
    {"head", T_HEAD, IS_UNSEEN | IS_SPECIAL},
    {"header", T_HEADER, BLOCK_P},
    {"hgroup", T_OTHER, BLOCK_P},
    {"hr", T_HR, VOID | IS_BLOCK | CLOSES_P},
    {"html", T_HTML, BLOCK},
    {"i", T_OTHER, IS_FORMATTING},
    {"iframe", T_IFRAME, UNSEEN_RAW},
    {"image", T_OTHER, IS_VOID},
    {"img", T_OTHER, VOID},
    {"input", T_OTHER, VOID},
    {"keygen", T_OTHER, VOID},
    {"legend", T_OTHER, IS_BLOCK},
    {"li", T_LI, BLOCK_P | IS_LIKE_P},
    {"link", T_LINK, HEAD_VOID},
    {"listing", T_OTHER, BLOCK_P},
    {"main", T_MAIN, BLOCK_P},
    {"marquee", T_OTHER, IS_ODD},
    {"math", T_OTHER, IS_ODD},
    {"menu", T_OTHER, BLOCK_P | IS_FRAME},
    {"meta", T_META, HEAD_VOID},
    {"metadata", T_OTHER, IS_UNSEEN},
    {"nav", T_OTHER, BLOCK_P | IS_FRAME},
    {"nobr", T_NOBR, IS_FORMATTING},
    {"noembed", T_OTHER, UNSEEN_RAW},
    {"noframes", T_OTHER, UNSEEN_RAW | IN_HEAD},
    {"noscript", T_NOSCRIPT, BLOCK | IS_FRAME | IN_HEAD},
    {"object", T_OTHER, IS_ODD},
    {"ol", T_OL, BLOCK_P},
    {"optgroup", T_OPTGROUP, IS_BLOCK},
    {"option", T_OPTION, IS_BLOCK},
    {"p", T_P, BLOCK_P},
    {"param", T_OTHER, VOID},
    {"plaintext", T_OTHER, IS_ODD},
    {"pre", T_OTHER, BLOCK_P | IS_LIKE_P},
    {"rb", T_OTHER, IS_ODD},
    {"rp", T_RP, IS_UNSEEN},
    {"rt", T_RT, 0},
    {"rtc", T_OTHER, IS_ODD},
    {"ruby", T_RUBY, 0},
    {"s", T_OTHER, IS_FORMATTING},
    {"script", T_SCRIPT, UNSEEN_RAW | IN_HEAD},
    {"search", T_OTHER, BLOCK_P | IS_FRAME},
    {"section", T_OTHER, BLOCK_P | IS_LIKE_P},
    {"select", T_SELECT, BLOCK},
    {"small", T_OTHER, IS_FORMATTING},
    {"source", T_OTHER, VOID},
    {"strike", T_OTHER, IS_FORMATTING},
    {"strong", T_OTHER, IS_FORMATTING},
    {"style", T_STYLE, UNSEEN_RAW | IN_HEAD},
    {"summary", T_OTHER, BLOCK_P},
    {"svg", T_SVG, 0},
    {"table", T_TABLE, BLOCK | IS_SCOPE},
    {"tbody", T_TBODY, BLOCK | IS_TABLE_PART},
    {"td", T_TD, CELL | IS_LIKE_P},
    {"template", T_OTHER, IS_ODD},
    {"textarea", T_TEXTAREA, BLOCK | IS_RAW},
    {"tfoot", T_TFOOT, BLOCK | IS_TABLE_PART},
    {"th", T_TH, CELL},
    {"thead", T_THEAD, BLOCK | IS_TABLE_PART},
    {"title", T_TITLE, UNSEEN_RAW | IN_HEAD},
    {"tr", T_TR, BLOCK | IS_TABLE_PART},
    {"track", T_OTHER, VOID},
    {"tt", T_OTHER, IS_FORMATTING},
    {"u", T_OTHER, IS_FORMATTING},
    {"ul", T_UL, BLOCK_P},
    {"video", T_OTHER, IS_UNSEEN},
    {"wbr", T_OTHER, VOID},
    {"xmp", T_OTHER, BLOCK_P | IS_RAW},
};

#endif
