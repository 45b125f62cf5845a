"""Tells the main content of a page from the frame around it.

First what the page says itself (`main`, `article`, roles), then its words: runs of long text with few links are
content, and short runs between them belong to it. Every run is judged by its neighbourhood alone, so that a change
in one corner of a page does not move the border in another.
"""

from collections.abc import Sequence

from recrawl.extract.regions import Region
from recrawl.extract.text import Run
from recrawl.model.late import late
from recrawl.native import compiled

_LONG = 70  # characters (a CJK one counts twice) that make a run content by itself
FEWEST_LETTERS = _LONG // 2  # what is shorter is none, in any script
_LINKED = 0.4  # share of link text from which on a run is navigation
_ENOUGH = 140  # less main text than this is not believed
_REACH = 3  # short runs so near to content belong to it
_FRAME = Region.FRAME | Region.NOSCRIPT
_WIDE = late("[\u2e80-\U0010ffff]+")


def main_runs(runs: Sequence[Run]) -> Sequence[Run]:
    """The main content; all of them where nothing stands out."""
    if compiled is not None:
        found: list[Run] = compiled.main_runs(list(runs))
        return found
    return judged_runs(runs)


def judged_runs(runs: Sequence[Run]) -> Sequence[Run]:
    """The same in Python."""
    inside = _outside_the_frame(runs)
    for mark in (Region.MAIN, Region.ARTICLE):
        marked = [run for run in inside if run.region & mark]
        if marked and (mark is Region.MAIN or _weight(marked) * 3 >= _weight(inside)):
            return marked
    dense = _dense(inside)
    return dense if _weight(dense) >= _ENOUGH else inside or runs


def _outside_the_frame(runs: Sequence[Run]) -> list[Run]:
    """Names of classes lie at times: where believing them would leave next to nothing, only tags and roles count."""
    by_tag = [run for run in runs if not run.region & _FRAME]
    by_name = [run for run in by_tag if not run.region & Region.FRAME_LIKE]
    if len(by_name) == len(by_tag):
        return by_tag
    if _letters(by_name) * 3 >= _letters(by_tag):  # then it is so, however wide the letters are
        return by_name
    return by_name if _weight(by_name) * 5 >= _weight(by_tag) else by_tag


def _letters(runs: Sequence[Run]) -> int:
    return sum([len(run.text) for run in runs])


def _dense(runs: Sequence[Run]) -> list[Run]:
    content = [at for at, run in enumerate(runs) if len(run.text) >= FEWEST_LETTERS and is_content(run)]
    near = {beside for at in content for beside in range(at - _REACH, at + _REACH + 1)}
    own = set(content)
    return [
        run
        for at, run in enumerate(runs)
        if at in near and (at in own or run.level or not is_linked(run.link_chars, len(run.text)))
    ]


def is_content(run: Run) -> bool:
    return is_long(run.text) and not is_linked(run.link_chars, len(run.text))


def is_long(text: str) -> bool:
    """Long enough to be content by itself."""
    return len(text) >= _LONG or (len(text) >= FEWEST_LETTERS and _wide(text) >= _LONG)


def is_linked(link_chars: int, chars: int) -> bool:
    """Whether so much of a text stands in links that it is navigation."""
    return link_chars > chars * _LINKED


def _weight(runs: Sequence[Run]) -> int:
    return sum(_wide(run.text) for run in runs)


def _wide(text: str) -> int:
    """Length in Latin characters: an ideograph or a syllable of Hangul says as much as two."""
    return len(text) if text.isascii() else 2 * len(text) - len(_WIDE.sub("", text))
