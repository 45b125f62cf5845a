"""Two versions of a page read with and without a tree, and pages changed a little to find where the two differ."""

import random
from typing import Any

from recrawl.detect.digest import body_digest
from recrawl.detect.verdict import compare, recalled
from recrawl.extract import turbo
from recrawl.extract.document import Parsed, compared, kept, parse
from recrawl.extract.settings import DEFAULT
from recrawl.extract.text import read_runs
from recrawl.model.document import Document
from recrawl.model.page import Page
from recrawl.model.verdict import Verdict
from recrawl.model.visit import Ask, Evidence, Reply

URL = "http://h.example/d/x.html"
TYPE = "text/html; charset=utf-8"

_PIECES = (
    "<p>new words</p>", "<div class=nav>", "</div>", "</p>", "<a href=/n>n</a>",
    "<a href='/n?a&amp;b' rel=nofollow>r</a>", "<b>", "</b>", "word", "<!-- c -->", "<form>", "</form>",
    "<title>x</title>", "<meta name=robots content=noindex>", "<span itemscope>", "<li>", "</ul>", "<table><tr><td>",
    "</table>", "<select><option>a<option>b</select>", "&eacute;", "<br>", "<hr>", "<section id=a>", "</section>",
    "<base href=/b/>", "<nav>", "</body>", "<textarea>t &amp; u</textarea>", "<p hidden>h</p>", "<x-y>", "</x-y>",
    "é", "<h2>t</h2>", "1 < 2", "<script>a<b</script>", "<svg>t</svg>", "<pre>\nx</pre>",
)  # fmt: skip


def changed(source: str, dice: random.Random) -> str:
    """With a piece or two more or less, mostly between tags."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        at, kind = dice.randrange(len(source) + 1), dice.random()
        tag = source.find("<", at)
        if kind < 0.5:
            at = tag if tag >= 0 and dice.random() < 0.8 else at
            source = source[:at] + dice.choice(_PIECES) + source[at:]
        elif kind < 0.8 and tag >= 0 and (end := source.find(">", tag)) >= 0:
            source = source[:tag] + source[end + 1 :]
        else:
            source = source[:at] + source[at + dice.randrange(30) :]
    return source


def by_tree(body: bytes, beside: Parsed | None = None) -> Parsed:
    """Read the slow way, whatever the page is like."""
    return parse(body, TYPE, URL, parse_html=lambda text: turbo.parse(text), beside=beside)


def source_differences(body: bytes) -> list[Any] | None:
    """What a page says otherwise as source than as a tree, [] if nothing; None: it cannot be read as source."""
    read = parse(body, TYPE, URL)
    if read._at_source is None:
        return None
    grown = by_tree(body)
    tree = grown.tree
    assert tree is not None
    walked = read_runs(tree, (), DEFAULT.text_chars, DEFAULT.node_limit)
    reading = read._reading
    facts = ((reading.runs, walked.runs), (reading.skeleton, walked.skeleton), (compared(read), compared(grown)))
    assert "_planted" not in vars(read), "the tree was made all the same"
    return [fact for fact in facts if fact[0] != fact[1]]


def pair_differences(before: bytes, after: bytes) -> list[Any]:
    """What two versions say otherwise, the older read beside the newer one, than each by itself as a tree."""
    newer = parse(after, TYPE, URL)
    new = compared(newer)
    old = parse(before, TYPE, URL, beside=newer)
    facts = (
        (new, compared(by_tree(after))),
        (kept(old), kept(by_tree(before))),
        (old.template, by_tree(before).template),
    )
    return [fact for fact in facts if fact[0] != fact[1]]


def shared_blocks(before: bytes, after: bytes) -> tuple[Document, Document, int]:
    """Both versions, and how many blocks of the older one are those of the newer one."""
    newer = parse(after, TYPE, URL)
    new, old = compared(newer), kept(parse(before, TYPE, URL, beside=newer))
    own = set(map(id, new.main))
    return new, old, sum(id(block) in own for block in old.main)


def verdicts(before: bytes, after: bytes) -> tuple[Verdict, Verdict]:
    """On a page that became another: by two versions read side by side, and by the tree of each."""
    newer = parse(after, TYPE, URL)
    beside = compared(newer), kept(parse(before, TYPE, URL, beside=newer))
    apart = compared(by_tree(after)), kept(by_tree(before))
    page = Page(1, URL, "h.example", "site", body_digest=body_digest(before), visits=1)
    reply = Reply(ask=Ask(URL), evidence=Evidence.DOCUMENT, at=0.0, status=200, body=after)
    by_source, by_trees = (compare(recalled(page, old), reply, new, old) for new, old in (beside, apart))
    return by_source, by_trees
