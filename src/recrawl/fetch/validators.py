"""Which validators may be sent back (RFC 9110, 8.8): as they came, or not at all."""

from recrawl.model.late import late

ENTITY_TAG = late(r'(W/)?"[\x21\x23-\x7e\x80-\xff]*"')
SAFE_TAG = late(r"[\x21-\x7e\x80-\xff](?:[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?")
DIGIT = late(r"\d")
SAFE_DATE = late(r"[\x20-\x7e]{1,64}")
LONGEST_TAG = 1024


def is_safe_etag(etag: str) -> bool:
    """A well-formed tag, or a malformed one that can mean nothing else when sent back: `*` would match anything,
    and a bare comma would make two tags of one."""
    if ENTITY_TAG.fullmatch(etag):
        return len(etag) <= LONGEST_TAG
    bare = etag.strip()
    return 0 < len(etag) <= LONGEST_TAG and bare != "*" and "," not in bare and bool(SAFE_TAG.fullmatch(etag))


def is_safe_date(text: str) -> bool:
    """Something to be echoed; servers that compare the text need it unchanged, the others ignore a bad date."""
    return bool(SAFE_DATE.fullmatch(text) and DIGIT.search(text))
