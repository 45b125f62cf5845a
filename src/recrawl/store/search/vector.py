"""Words as PostgreSQL's text search takes them: vectors of words with their places, and questions to these.

A vector holds no more than 255 places of one word, 16,383 places and a megabyte. A longer text is cut into pieces that
overlap by as many words as a phrase may have, so that nothing of it is lost: a vector is one piece of one part.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from recrawl.model.search import Term

PIECE_WORDS = 4096
PIECE_BYTES = 400_000
PLACES_OF_A_WORD = 255
PHRASE_WORDS = 96  # a longer phrase is asked for by its beginning


def pieces(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Stretches that fit into a vector each; a phrase that begins in one ends in it."""
    start = 0
    while start < len(words):
        end = _end(words, start)
        yield words[start:end]
        if end == len(words):
            return
        start = max(start + 1, end - PHRASE_WORDS + 1)


def _end(words: Sequence[str], start: int) -> int:
    """How far a piece can reach."""
    size, places = 0, defaultdict[str, int](int)
    for at in range(start, min(len(words), start + PIECE_WORDS)):
        word = words[at]
        places[word] += 1
        size += len(word.encode("utf-8", "surrogatepass")) + 8
        if places[word] > PLACES_OF_A_WORD or size > PIECE_BYTES:
            return at
    return min(len(words), start + PIECE_WORDS)


def vector(words: Sequence[str]) -> str:
    """As PostgreSQL reads a vector: `'word':1,7 'other':2`."""
    places = defaultdict[str, list[str]](list)
    for place, word in enumerate(words, start=1):
        places[word].append(str(place))
    return " ".join(f"{quoted(word)}:{','.join(at)}" for word, at in places.items())


def asked(term: Term) -> str:
    """As PostgreSQL reads a question: `'word' <-> 'beginning':*`."""
    marked = [quoted(word) for word in term.words]
    if term.open:
        marked[-1] += ":*"
    return " <-> ".join(marked[:PHRASE_WORDS])


def quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
