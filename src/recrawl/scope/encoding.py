"""Percent-encoding with one spelling: unreserved characters bare, everything illegal encoded, hexadecimal in capitals.

Reserved characters are left as they stand: `%2F` is not `/`, `%26` is not `&`.
"""

import re

from recrawl.model.late import late

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# Legal in a path or a query: what RFC 3986 calls reserved or unreserved, but for the brackets (the host's alone).
_LEGAL = "!#-;=?-Z_a-z~"
_NEEDS_WORK = late(rf"%|[^{_LEGAL}]")
_TOKEN = late(rf"%([0-9A-Fa-f]{{2}})|%|[^{_LEGAL}]")
_SPELLING = {f"{octet:02x}": chr(octet) if octet in UNRESERVED else f"%{octet:02X}" for octet in range(256)}


def normal_encoding(text: str) -> str:
    """One spelling of a path or a query."""
    return _TOKEN.sub(_spell, text) if _NEEDS_WORK.search(text) else text


def encode_octets(text: str) -> str:
    """`%C3%A9` for `é`: every octet of the UTF-8 form."""
    return "".join(f"%{octet:02X}" for octet in text.encode("utf-8", "surrogatepass"))


def _spell(found: re.Match[str]) -> str:
    digits = found[1]
    if digits is not None:
        return _SPELLING[digits.lower()]
    return encode_octets(found[0])  # a percent sign that starts nothing, or an illegal character
