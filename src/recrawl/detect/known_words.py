"""The words of a text, found for two versions of a page at little more than the price of one."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from recrawl.detect.digest import words
from recrawl.model.document import Block

Words = AbstractSet[bytes]


class KnownWords:
    """Of a text given in blocks. `doubtful`: words of `all` that another version had and this one may not."""

    __slots__ = ("_all", "_blocks", "_doubtful")

    def __init__(self, blocks: Sequence[Block], everything: Words, doubtful: Words = frozenset()) -> None:
        self._blocks, self._all, self._doubtful = blocks, everything, doubtful

    def has(self, some: Words) -> bool:
        """Whether all of them occur."""
        if not some <= self._all:
            return False
        if self._doubtful and not self._doubtful.isdisjoint(some):
            self._all, self._doubtful = _words(self._blocks), frozenset()
        return some <= self._all

    def of(self, blocks: Sequence[Block]) -> "KnownWords | None":
        """The words of another version; None where it differs in much."""
        mine = self._blocks
        shorter = min(len(mine), len(blocks))
        head = next((at for at in range(shorter) if mine[at].text != blocks[at].text), shorter)
        tail = next((at for at in range(shorter - head) if mine[-1 - at].text != blocks[-1 - at].text), shorter - head)
        if (head + tail) * 2 < max(len(mine), len(blocks)):
            return None
        gone, come = _words(mine[head : len(mine) - tail]), _words(blocks[head : len(blocks) - tail])
        return KnownWords(blocks, self._all | come, (self._doubtful | gone) - come)


_last: list[KnownWords] = []


def known_words(blocks: Sequence[Block]) -> KnownWords:
    """Remembers the text it was asked for last: most of the time that is another version of this one."""
    known = (_last[0].of(blocks) if _last else None) or KnownWords(blocks, _words(blocks))
    _last[:] = [known]
    return known


def _words(blocks: Sequence[Block]) -> set[bytes]:
    return set(words("\n".join([block.text for block in blocks])))
