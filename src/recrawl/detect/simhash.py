"""How alike two texts are, in 64 bits: words, or pairs of characters where a script writes no spaces.

Only asked for when the text digests differ. Signed, so that every database can hold it.
"""

from collections import Counter
from collections.abc import Iterable

import xxhash

from recrawl.detect.digest import words
from recrawl.model.numpy_late import Floats, Ints, Unsigned, np

BITS = 64
AT_ONCE = 32_768  # hashes whose bits are laid out at a time
MOST_UNCOUNTED = 10_000  # words
MOST_WEIGHT = 4  # a word said a hundred times is not a hundred times as important
CJK_RANGES = (
    (0x2E80, 0x2FDF),  # radicals
    (0x3040, 0x318F),  # kana, bopomofo, Hangul jamo
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # ideographs
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7AF),  # Hangul
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
CJK = "".join(f"{chr(first)}-{chr(last)}" for first, last in CJK_RANGES)  # for a character class


def simhash(text: str) -> int:
    """0 for a text without words. The same in every process and on every machine."""
    lowered = text.lower()
    hashes, weights = _words(lowered) if lowered.isascii() else _words_and_pairs(lowered)
    if not len(hashes):
        return 0
    capped = np.minimum(weights, MOST_WEIGHT)
    ones = sum(_ones(hashes[at : at + AT_ONCE], capped[at : at + AT_ONCE]) for at in range(0, len(hashes), AT_ONCE))
    return int(np.packbits(ones * 2 > capped.sum(), bitorder="little").view("<i8")[0])


def _ones(hashes: Unsigned, weights: Ints) -> Floats:
    """How much speaks for each bit."""
    bits = np.unpackbits(hashes.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    ones = weights.astype(np.float32) @ bits.astype(np.float32)  # whole numbers far below 2**24: exact
    return ones.astype(np.float64)


def distance(one: int, other: int) -> int:
    """Differing bits, 0..64: about 0..3 for the same text retouched, about 32 for two unrelated ones."""
    return ((one ^ other) & (1 << BITS) - 1).bit_count()


def share_between(one: int, other: int) -> float:
    """A rough share changed, 0..1, for when the earlier text cannot be read any more."""
    return min(1.0, distance(one, other) / (BITS / 2))


def _words(text: str) -> tuple[Unsigned, Ints]:
    """Told apart by their hashes: of few words that is quicker than counting them."""
    found = words(text)
    if len(found) > MOST_UNCOUNTED:
        counted = Counter(found)
        return _hashed(counted), np.fromiter(counted.values(), dtype=np.int64, count=len(counted))
    hashes, counts = np.unique(_hashed(found), return_counts=True)
    return hashes, counts.astype(np.int64)


def _hashed(some: Iterable[bytes]) -> Unsigned:
    return np.frombuffer(b"".join(map(xxhash.xxh3_64_digest, some)), dtype=">u8").astype(np.uint64)


def _words_and_pairs(text: str) -> tuple[Unsigned, Ints]:
    """CJK characters leave the words and count in pairs; one that stands alone pairs with nothing."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    inside = np.zeros(len(points) + 2, dtype=np.bool_)
    for first, last in CJK_RANGES:
        inside[1:-1] |= (points >= first) & (points <= last)
    if not inside.any():
        return _words(text)
    here, before, after = inside[1:-1], inside[:-2], inside[2:]
    padded = np.append(points, np.uint32(0)).astype(np.uint64)
    followers = np.where(after, padded[1:], np.uint64(0))
    pairs = (padded[:-1] << np.uint64(32) | followers)[here & (after | ~before)]
    rest = np.where(here, np.uint32(32), points).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    distinct, counts = np.unique(pairs, return_counts=True)
    hashes, weights = _words(rest)
    return np.concatenate([hashes, _mixed(distinct)]), np.concatenate([weights, counts.astype(np.int64)])


def _mixed(numbers: Unsigned) -> Unsigned:
    """The finaliser of splitmix64: every input bit reaches every output bit."""
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)
