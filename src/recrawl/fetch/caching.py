"""What a response says about its own keeping (RFC 9111), and which validators to send back (RFC 9110, 8.8).

recrawl is a private keeper of copies: `s-maxage` is not meant for it. Freshness is a hint for the schedule,
never a reason to skip a visit that is due. Doubt is staleness: an unreadable number or date is worth 0.
"""

import re
from collections.abc import Iterable, Sequence

from recrawl.fetch.dates import parse_http_date
from recrawl.model.values import dataclass

Headers = Iterable[tuple[str, str]]

TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
QUOTED = r'"(?:[^"\\]|\\.)*"'
DIRECTIVE = re.compile(rf"\s*({TOKEN})(?:=({QUOTED}|[^,\s]*))?\s*(?:,|$)", re.ASCII)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
DIGITS = re.compile(r"\d+", re.ASCII)
LEADING_DIGITS = re.compile(r"\s*(\d+)\s*(?:,|$)", re.ASCII)

LONGEST_S = 2.0**31  # RFC 9111, 1.2.2: what overflows counts as this
HEURISTIC_SHARE = 0.1  # of the time since the last modification (RFC 9111, 4.2.2)
HEURISTIC_LONGEST_S = 7 * 86400.0

ENTITY_TAG = re.compile(r'(W/)?"[\x21\x23-\x7e\x80-\xff]*"')
SAFE_TAG = re.compile(r"[\x21-\x7e\x80-\xff](?:[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?")
DIGIT = re.compile(r"\d")
SAFE_DATE = re.compile(r"[\x20-\x7e]{1,64}")
LONGEST_TAG = 1024
STRONG_AFTER_S = 60.0  # RFC 9110, 8.8.2.2: a Last-Modified this much older than Date is strong


@dataclass(frozen=True, slots=True)
class Validators:
    """What to send back, as received; '' where there is nothing safe to send."""

    etag: str = ""
    last_modified: str = ""

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)


def cache_control(headers: Headers) -> dict[str, str]:
    """Directives by lower-case name, arguments unquoted; the first of several wins. A directive that is not well
    formed (`max-age = 5`) is kept under its name with the argument '?', so that it counts as unreadable."""
    directives: dict[str, str] = {}
    for value in _values(headers, "cache-control"):
        at = 0
        while at < len(value):
            found = DIRECTIVE.match(value, at)
            if found is None:
                at = _spoilt(value, at, directives)
                continue
            directives.setdefault(found[1].lower(), _unquoted(found[2] or ""))
            at = found.end()
    return directives


def freshness_lifetime_s(headers: Headers, now: float, heuristic: bool = False) -> float | None:
    """For how long the server vouches for the response, counted from its making; None if it does not say.
    With `heuristic`, a tenth of its age since Last-Modified stands in for silence."""
    headers = list(headers)
    directives = cache_control(headers)
    if "no-store" in directives or "no-cache" in directives:
        return 0.0
    if "max-age" in directives:
        return _delta_s(directives["max-age"])
    expires = _values(headers, "expires")
    if expires:
        return _until_expiry_s(expires[0], _date(headers, now), now)
    if not directives and any("no-cache" in value.lower() for value in _values(headers, "pragma")):
        return 0.0
    return _heuristic_s(headers, now) if heuristic else None


def age_s(headers: Headers, now: float) -> float:
    """How old the response already was when it came (RFC 9111, 4.2.3): by Age or by Date, whichever is more."""
    headers = list(headers)
    said = LEADING_DIGITS.match(next(iter(_values(headers, "age")), ""))
    stated_s = _seconds(said[1]) if said else 0.0
    return max(stated_s, now - _date(headers, now), 0.0)


def fresh_for_s(headers: Headers, now: float) -> float:
    """What is left of the lifetime; 0 when it is over or was never promised."""
    headers = list(headers)
    return max((freshness_lifetime_s(headers, now) or 0.0) - age_s(headers, now), 0.0)


def validators_of(headers: Headers) -> Validators:
    """The validators of a response that may be sent back. A field that came more than once counts as absent
    unless it says the same each time."""
    headers = list(headers)
    etag, last_modified = _single(headers, "etag"), _single(headers, "last-modified")
    return Validators(
        etag if is_safe_etag(etag) else "",
        last_modified if is_safe_date(last_modified) else "",
    )


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


def is_weak(etag: str) -> bool:
    return etag.startswith("W/")


def same_tag(one: str, other: str) -> bool:
    """Weak comparison (RFC 9110, 8.8.3.2)."""
    return one.removeprefix("W/") == other.removeprefix("W/")


def is_strong_date(headers: Headers, now: float) -> bool:
    """Whether Last-Modified is old enough that no second change can hide within the same second."""
    headers = list(headers)
    modified_at = parse_http_date(_single(headers, "last-modified"), now)
    return modified_at is not None and _date(headers, now) - modified_at >= STRONG_AFTER_S


def _values(headers: Headers, name: str) -> list[str]:
    return [value for key, value in headers if key.lower() == name]


def _single(headers: Sequence[tuple[str, str]], name: str) -> str:
    values = {value.strip(" \t") for value in _values(headers, name)}
    return values.pop() if len(values) == 1 else ""


def _date(headers: Sequence[tuple[str, str]], now: float) -> float:
    said = parse_http_date(next(iter(_values(headers, "date")), ""), now)
    return now if said is None else said


def _unquoted(argument: str) -> str:
    return ESCAPE.sub(r"\1", argument[1:-1]) if argument.startswith('"') else argument


def _spoilt(value: str, at: int, directives: dict[str, str]) -> int:
    """Step over a directive that cannot be read, remembering its name."""
    end = value.find(",", at)
    end = len(value) if end < 0 else end
    name = re.match(rf"\s*({TOKEN})", value[at:end])
    if name is not None:
        directives.setdefault(name[1].lower(), "?")
    return end + 1


def _delta_s(argument: str) -> float:
    return _seconds(argument) if DIGITS.fullmatch(argument) else 0.0


def _seconds(digits: str) -> float:
    return min(float(digits.lstrip("0")[:12] or "0"), LONGEST_S)


def _until_expiry_s(expires: str, date_at: float, now: float) -> float:
    expires_at = parse_http_date(expires, now)
    return 0.0 if expires_at is None else max(expires_at - date_at, 0.0)


def _heuristic_s(headers: Sequence[tuple[str, str]], now: float) -> float | None:
    modified_at = parse_http_date(_single(headers, "last-modified"), now)
    if modified_at is None:
        return None
    return min(max(_date(headers, now) - modified_at, 0.0) * HEURISTIC_SHARE, HEURISTIC_LONGEST_S)
