"""Digests of bodies and of text: equal digests end most comparisons before they begin."""

import hashlib
import unicodedata
from collections.abc import Iterable

from recrawl.model.document import Block

TEXT_DIGEST_BYTES = 8


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
    composed = text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)
    return " ".join(composed.replace("\x00", " ").split())


def text_digest(blocks: Iterable[Block]) -> bytes:
    """Eight bytes over the folded, non-empty texts in their order. Where they stand does not matter."""
    texts = (fold(block.text) for block in blocks)
    joined = "\n".join(text for text in texts if text)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).digest()[:TEXT_DIGEST_BYTES]
