"""Digests of bodies and of text: equal digests end most comparisons before they begin."""

import hashlib
import string
import unicodedata
from collections.abc import Callable, Iterable

from recrawl.detect.lately import lately
from recrawl.model.document import Block
from recrawl.native import compiled

TEXT_DIGEST_BYTES = 8
_BLANKS = bytes.maketrans(string.punctuation.encode(), b" " * len(string.punctuation))


@lately
def body_digest(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def written(digest: bytes) -> str:
    """The text form kept in versions, events and WARC headers; '' for no digest."""
    return f"sha256:{digest.hex()}" if digest else ""


def read(text: str) -> bytes:
    """The inverse of `written`."""
    return bytes.fromhex(text.removeprefix("sha256:"))


def fold(text: str) -> str:
    """White space folded to single spaces, Unicode composed (NFC): what two texts are compared by."""
    if is_folded(text):
        return text
    plain = text.isascii() or unicodedata.is_normalized("NFC", text)
    composed = text if plain else unicodedata.normalize("NFC", text)
    return " ".join((composed.replace("\x00", " ") if "\x00" in composed else composed).split())


def is_plainly_folded(text: str) -> bool:
    return text.isascii() and text.isprintable() and "  " not in text and text.strip() == text


is_folded: Callable[[str], bool] = is_plainly_folded if compiled is None else compiled.is_folded


def words(text: str) -> list[bytes]:
    """What stands between blanks and ASCII punctuation, in UTF-8."""
    return text.encode("utf-8", "surrogatepass").translate(_BLANKS).split()


def text_digest(blocks: Iterable[Block]) -> bytes:
    """Eight bytes over the folded, non-empty texts in their order. Where they stand does not matter."""
    texts = (fold(block.text) for block in blocks)
    return digest_of([text for text in texts if text])


def digest_of(folded: Iterable[str]) -> bytes:
    """`text_digest` of texts that are folded already."""
    return hashlib.sha256("\n".join(folded).encode("utf-8", "surrogatepass")).digest()[:TEXT_DIGEST_BYTES]
