"""The words of a text, found for two versions of a page at little more than the price of one."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from recrawl.detect.digest import words

Words = AbstractSet[bytes]
_NONE: Words = frozenset()


class KnownWords:
    """Of a text given in parts. `base`: those of another version of it, `come`: what was added since, `doubtful`: what
    was said there and may not be said here. Where nothing is doubtful, `base` and `come` are all there are."""

    __slots__ = ("_base", "_come", "_doubtful", "_texts")

    def __init__(self, texts: Sequence[str], base: Words, come: Words = _NONE, doubtful: Words = _NONE) -> None:
        self._texts, self._base, self._come, self._doubtful = texts, base, come, doubtful

    def has(self, some: Words) -> bool:
        """Whether all of them occur."""
        if self._doubtful and not self._doubtful.isdisjoint(some):
            self._base, self._come, self._doubtful = _words(self._texts), _NONE, _NONE
        return some <= self._base or (bool(self._come) and some - self._base <= self._come)

    def has_each(self, captions: Sequence[Words]) -> list[bool]:
        """`has` of one after the other."""
        is_sure = not self._come and not self._doubtful
        return list(map(self._base.__ge__, captions)) if is_sure else [self.has(some) for some in captions]

    def beside(self, texts: Sequence[str]) -> "tuple[KnownWords, Words] | None":
        """The words of another version, and those that only one of the two may have; None where it differs in much."""
        if not any(text in texts for text in self._texts[:: 1 + len(self._texts) // 4]):
            return None  # another page
        mine, others = set(self._texts), set(texts)
        gone, come = mine - others, others - mine
        if 2 * len(gone | come) > len(mine | others):
            return None
        went, came = _words(gone), _words(come)
        return KnownWords(texts, self._base, self._come | came, (self._doubtful | went) - came), went ^ came


def known_words(texts: Sequence[str]) -> KnownWords:
    return KnownWords(texts, _words(texts))


def _words(texts: Iterable[str]) -> set[bytes]:
    return set(words("\n".join(texts)))
