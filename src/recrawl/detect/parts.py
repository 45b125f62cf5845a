"""The parts a page may change in, each with a name that is the same on the next visit and on sister pages.

A template's place is often shared by noise and content (`body > p` holds the clock and the article), so noise is
learnt in parts as small as possible:

    FIELD   one moment, token or number in a sentence    (place, skeleton of the text, which hole)
    SLOT    one block among several of the same place    (place, which of them, how many there are)
    PLACE   all blocks of a place

A field is named when only values changed; a slot when a block said something else among others that did not; the
place when all of its blocks did, or when blocks came, went or changed their order.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import xxhash

from recrawl.detect.content import LINKS
from recrawl.detect.lately import lately
from recrawl.detect.shapes import HOLE, Cut, cut
from recrawl.model.document import Block
from recrawl.model.values import dataclass

MASK = "…"  # stands in a masked text for what was left out


class PartKind(IntEnum):
    """The two lowest bits of a part's name."""

    FIELD = 0
    SLOT = 1
    PLACE = 2

    @classmethod
    def of(cls, key: int) -> "PartKind":
        return cls(key & 3)


class Piece(NamedTuple):
    """A block of content, the `which`-th of `total` at its place. Its parts are named when somebody asks: of most
    pieces nobody does."""

    block: Block
    cut: Cut
    which: int
    total: int

    @property
    def place(self) -> int:
        return place_key(self.block.place)

    @property
    def slot(self) -> int:
        return _key(PartKind.SLOT, b"%d\n%d\n%d" % (self.block.place, self.which, self.total))

    @property
    def fields(self) -> tuple[int, ...]:
        if not self.cut.values:
            return ()
        stem = f"{self.block.place}\n{self.cut.skeleton}\n".encode("utf-8", "surrogatepass")
        return tuple(_key(PartKind.FIELD, stem + b"%d" % hole) for hole in range(len(self.cut.values)))


@dataclass(frozen=True, slots=True)
class Found:
    """A part that differs. `mostly_same`: most of its blocks or values stayed, as in a list that grew."""

    key: int
    place: int  # name of the place it lies in
    value: str = ""  # of a field, as it is now
    skeleton: str = ""
    mostly_same: bool = False

    @property
    def kind(self) -> PartKind:
        return PartKind.of(self.key)


@lately
def pieces(blocks: Sequence[Block]) -> tuple[Piece, ...]:
    """Asked only of what is masked or differs: naming the parts of a whole page costs more than comparing it."""
    total = Counter([block.place for block in blocks])
    seen: Counter[int] = Counter()
    made = []
    for block in blocks:
        made.append(piece_of(block, seen[block.place], total[block.place]))
        seen[block.place] += 1
    return tuple(made)


def masked(blocks: Sequence[Block], noise: Set[int]) -> tuple[Block, ...]:
    """The blocks without what is noise."""
    if not noise:
        return _with_text(blocks)
    made = pieces(blocks)
    kept = [_masked(piece, noise) for piece in made if piece.place not in noise and piece.slot not in noise]
    return tuple([block for block in kept if block.text])


@lately
def _with_text(blocks: Sequence[Block]) -> tuple[Block, ...]:
    return tuple([block for block in blocks if block.text])


def values(blocks: Sequence[Block], wanted: Collection[int]) -> Mapping[int, str]:
    """What stands in each of the wanted parts now."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for piece in pieces(blocks) if wanted else ():
        for key in (piece.place, piece.slot):
            if key in wanted:
                found[key].append(piece.block.text)
        for key, value in zip(piece.fields, piece.cut.values, strict=True):
            if key in wanted:
                found[key].append(value)
    return {key: "\n".join(texts) for key, texts in found.items()}


def piece_of(block: Block, which: int, total: int) -> Piece:
    return Piece(block, Cut(block.text) if block.place == LINKS else cut(block.text), which, total)


@lru_cache(maxsize=4096)
def place_key(place: int) -> int:
    return _key(PartKind.PLACE, b"%d" % place)


def _key(kind: PartKind, name: bytes) -> int:
    return xxhash.xxh32_intdigest(name, kind) & ~3 | kind


def _masked(piece: Piece, noise: Set[int]) -> Block:
    fields = piece.fields
    if not any(map(noise.__contains__, fields)):
        return piece.block
    shown = [MASK if key in noise else value for key, value in zip(fields, piece.cut.values, strict=True)]
    parts = piece.cut.skeleton.split(HOLE)
    text = "".join(part + value for part, value in zip(parts, (*shown, ""), strict=True))
    return Block(piece.block.place, "" if _says_nothing(piece, text) else text, piece.block.level)


def _says_nothing(piece: Piece, text: str) -> bool:
    return not any(letter.isalnum() for letter in text) and any(letter.isalnum() for letter in piece.block.text)
