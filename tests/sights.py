"""A page read at sight and by its tree: what both must say alike, and pages made up to find where they do not."""

import random
from typing import Any

from recrawl.extract.document import Parsed, parse
from recrawl.extract.enough import has_main_text

URL = "http://h.example/d/x.html"

_ALL = """
a abbr address area article aside audio b base big blockquote body br button canvas caption center code col colgroup
custom-tag dd details dialog div dl dt em embed fieldset figcaption figure font footer form frame h1 h2 h3 h6 head
header hr html i iframe img input label legend li link main menu meta nav nobr noscript object ol optgroup option p
param path picture pre rp rt ruby s script section select small source span strong style sub summary sup svg table
tbody td template textarea tfoot th thead title tr u ul video wbr x
"""
_USUAL = "div p a span li ul b i em td tr table section h2 br img a a p div"
_EMPTY = "area base br col embed frame hr img input link meta param source wbr"
_SAID = """
lorem ipsum dolor sit amet consectetur adipiscing elit &amp; &nbsp; &lt;x&gt; café 東京 & &# &#39; &#x2019; &#0; \ufffd
&#146; &copy &copy; &notit; x=1&y=2 - > ] " '
"""
_NAMED = """
href rel class id role style hidden name content property http-equiv type src itemscope title lang data-x xlink:href
HREF Class onclick
"""
_TAGS, _COMMON, _VOID, _NAMES = _ALL.split(), _USUAL.split(), frozenset(_EMPTY.split()), _NAMED.split()
_WORDS = [*_SAID.split(), "\u00a0", "\u3000"]
_RAW = frozenset(("script", "style", "title", "textarea", "iframe"))
_VALUES = (
    "/a", "/b?x=1&y=2", "/b?x=1&amp;y=2", "http://e.com/x", "#f", "", "javascript:x()", "mailto:a@b", "../up", "  /sp ",
    "/c&copy=1", "/c&copy;", "/d&lt", "/e&#39;x", "/é", "//h/x", "/q?a&b", "/x\ny", "/x\ry", "x", "main", "article",
    "nofollow", "navigation", "display:none", "color:red", "nav", "sidebar post", "content", "header", "has-sidebar",
    "no-footer menu", "a:b", "og:title", "robots", "noindex, nofollow", "refresh", "0;url=/r", "application/ld+json",
    "canonical", "next", "alternate", "stylesheet", "m&#97;in", "main\u00a0", "og&#58;title", "di\u017fplay:none",
)  # fmt: skip
_ODDITIES = (
    "<!-- c -->", "<!--x--!>", "<!-->", "<!--->", "<!---->", "<?pi x>", "<!doctype html>", "<![CDATA[x]]>", "</>",
    "</ x>", "<", "<3", "<!--a<b>--c-->", "< p>", "</br>", "</p>", "</h1>",
)  # fmt: skip
_HEADS = (
    "<title>T &amp; x</title>", "<meta charset=utf-8>", '<meta name=robots content="noindex">',
    "<link rel=canonical href=/c>", "<base href=/dir/>", "<script>a</script>", "<noscript><img src=x></noscript>",
    "<noscript><link rel=next href=/n></noscript>", '<meta http-equiv=refresh content="0;url=/r">', "text",
    "<style>a{}</style>", "<p>", '<meta property="og:x" content=y>',
)  # fmt: skip


def page_of(seed: int) -> str:
    """Mostly well made, with a little of everything that is not."""
    dice = random.Random(seed)
    head = "".join(dice.choices(_HEADS, k=dice.randint(0, 4)))
    body = "".join(_node(dice, 0) for _ in range(dice.randint(1, 8)))
    if dice.random() < 0.4:
        body += "<p>" + "word " * dice.choice((10, 20, 100, 300)) + "</p>"
    if dice.random() < 0.3:
        body = f"<main>{body}</main>"
    attributes = dice.choice(("", "", " class=nav", " hidden", " style=x", " role=main"))
    shapes = (
        f"<!doctype html><html><head>{head}</head><body{attributes}>{body}</body></html>",
        f"<html lang=en><head>{head}<body>{body}",
        head + body,
        body,
    )
    return dice.choices(shapes, (5, 2, 2, 1))[0]


def _node(dice: random.Random, depth: int) -> str:
    kind = dice.random()
    if kind < 0.3 or depth > 7:
        return " ".join(dice.choices(_WORDS, k=dice.choice((1, 2, 3, 8, 30)))) + dice.choice(("", "\n", " "))
    if kind < 0.34:
        return dice.choice(_ODDITIES)
    tag = dice.choice(_COMMON if dice.random() < 0.7 else _TAGS)
    if tag in _RAW:
        inside = dice.choice(("words", "x<b>y", "if(a<b){}", "<!-- x -->", "<!-- <script> -->", ""))
        return f"{_opening(dice, tag)}{inside}</{tag}>"
    if tag in _VOID:
        return _opening(dice, tag)
    inside = _inside(dice, tag, depth)
    end = dice.random()
    closing = "" if end < 0.12 else f"</{dice.choice(_COMMON)}>" if end < 0.15 else f"</{tag}>"
    return f"{_opening(dice, tag)}{inside}{closing}"


def _inside(dice: random.Random, tag: str, depth: int) -> str:
    if tag == "table" and dice.random() < 0.8:
        return "".join(_row(dice, depth) for _ in range(dice.randint(1, 3)))
    if tag == "select" and dice.random() < 0.8:
        return "<option>a<option value=b>b</option>"
    if tag == "ruby" and dice.random() < 0.8:
        return f"{_node(dice, depth + 2)}<rt>{_node(dice, depth + 2)}{dice.choice(('</rt>', '', '<rp>)'))}"
    if tag == "svg" and dice.random() < 0.8:
        return '<path d="M0"/><g><circle r=1></g>'
    return "".join(_node(dice, depth + 1) for _ in range(dice.choice((0, 1, 1, 2, 3))))


def _row(dice: random.Random, depth: int) -> str:
    cells = (f"<td>{_node(dice, depth + 2)}{dice.choice(('</td>', '</td>', ''))}" for _ in range(dice.randint(1, 3)))
    return f"<tr>{''.join(cells)}{dice.choice(('</tr>', '</tr>', ''))}"


def _opening(dice: random.Random, tag: str) -> str:
    attributes = "".join(f" {_attribute(dice)}" for _ in range(dice.choice((0, 0, 0, 1, 1, 2, 3))))
    if tag == "a" and dice.random() < 0.8:
        attributes += f' href="/p{dice.randrange(9)}"'
    name = tag.upper() if dice.random() < 0.05 else tag
    return f"<{name}{attributes}{dice.choice(('', ' ', '/', ' /')) if dice.random() < 0.2 else ''}>"


def _attribute(dice: random.Random) -> str:
    name, value = dice.choice(_NAMES), dice.choice(_VALUES)
    return dice.choices((name, f'{name}="{value}"', f"{name}='{value}'", f"{name}={value}"), (1, 6, 2, 1))[0]


def differences(body: bytes) -> list[Any] | None:
    """What the two say differently, [] if nothing; None: there is no sight of this page."""
    seen = parse(body, "text/html; charset=utf-8", URL, met=())
    if seen.sight is None:
        return None
    whole = parse(body, "text/html; charset=utf-8", URL)
    told, known = _facts(seen), _facts(whole)
    found: list[Any] = [(name, told[name], known[name]) for name in told if told[name] != known[name]]
    tree, letters = whole.tree, min(seen.sight.letters, 4096)
    assert tree is not None
    if seen.sight.is_decoded and "\ufffd" in tree.all_text():
        found.append("a replacement character")
    if letters and (tree.flat() is None or not has_main_text(tree, set(), letters - 1, lambda: ())):
        found.append(("letters", letters))
    return found


def _facts(parsed: Parsed) -> dict[str, object]:
    return {
        "title": parsed.title,
        "base": parsed.base,
        "offers": parsed.offers,
        "directives": parsed.directives,
        "links": parsed.fresh_links(set()),
        "language": parsed._meta_language(),
        "refresh": parsed._metas("http-equiv"),
    }
