"""Which of the words asked for a text has: for two versions of a page at little more than the price of one."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from recrawl.detect.digest import words

Words = AbstractSet[bytes]
_NONE: frozenset[bytes] = frozenset()
_MOST_WORDS = 5_000  # that are handed on: pages of a template are for ever versions of each other


class KnownWords:
    """Of a text given in parts. `asked`: words of which it is known whether they are `there`, but for those that are
    `doubtful`: another version had them, and this one may not."""

    __slots__ = ("_asked", "_doubtful", "_texts", "_there")

    def __init__(
        self,
        texts: Sequence[str],
        asked: frozenset[bytes] = _NONE,
        there: frozenset[bytes] = _NONE,
        doubtful: frozenset[bytes] = _NONE,
    ) -> None:
        self._texts, self._asked, self._there, self._doubtful = texts, asked, there, doubtful

    def has_each(self, phrases: Sequence[Words]) -> list[bool]:
        """Of which of them all words occur."""
        asked = _NONE.union(*phrases)
        if not asked <= self._asked or not asked.isdisjoint(self._doubtful):
            self._asked |= asked
            self._there, self._doubtful = self._asked.intersection(_words(self._texts)), _NONE
        return list(map(self._there.issuperset, phrases))

    def beside(self, texts: Sequence[str]) -> "tuple[KnownWords, Words] | None":
        """The same of another version, and the words that only one of the two may have; None where much differs."""
        if len(self._asked) + len(self._doubtful) > _MOST_WORDS:
            return None  # much was asked of many
        if not any(text in texts for text in self._texts[:: 1 + len(self._texts) // 4]):
            return None  # another page
        mine, others = set(self._texts), set(texts)
        gone, come = mine - others, others - mine
        if 2 * len(gone | come) > len(mine | others):
            return None
        went, came = frozenset(_words(gone)), frozenset(_words(come))
        there, doubtful = self._there | (came & self._asked), (self._doubtful | went) - came
        return KnownWords(texts, self._asked, there, doubtful), went ^ came


def _words(texts: Iterable[str]) -> list[bytes]:
    return words("\n".join(texts))
