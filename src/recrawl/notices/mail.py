"""Is this mail a notice that we may act on? Only S4's subject and lines, from a server we registered with, signed
where it signs, authenticated where our own mail server says so, and new."""

import hashlib
from collections.abc import Collection, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import getaddresses
from urllib.parse import urlsplit

from recrawl.formats import notice_mail, signature
from recrawl.formats.his import Entry
from recrawl.formats.notice_mail import CONFIRM_SUBJECT, SIGNATURE_HEADER, SUBJECT
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass
from recrawl.notices.registrations import Registration, Standing

MOST_BYTES = 20_000_000
MOST_LINES = 100_000
OLDEST_S = 14 * 86_400.0  # mail can be slow


@dataclass(frozen=True, slots=True)
class Accepted:
    registration: Registration
    entries: tuple[Entry, ...]
    faults: int
    mark: str  # to be remembered: the same notice is taken once


@dataclass(frozen=True, slots=True)
class Confirmation:
    """An agent asks whether it was us."""

    agent: str
    token: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """Looked like a notice, and is none."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotOurs:
    """Somebody's ordinary mail: left alone."""


Judgement = Accepted | Confirmation | SetAside | NotOurs


def judge(
    raw: bytes, registrations: Sequence[Registration], seen: Collection[str], now: float, authority: str = ""
) -> Judgement:
    """`authority`: the name of our own mail server in Authentication-Results; only its word on DKIM counts."""
    message = message_from_bytes(raw[:MOST_BYTES], policy=policy.default)
    assert isinstance(message, EmailMessage)
    subject = " ".join(_header(message, "Subject").split())
    if subject not in (SUBJECT, CONFIRM_SUBJECT):
        return NotOurs()
    if len(raw) > MOST_BYTES:
        return SetAside("too large")
    try:
        text = message.get_content() if message.get_content_type() == "text/plain" else ""
    except (LookupError, ValueError, KeyError):
        return SetAside("unreadable")
    if not isinstance(text, str) or not text:
        return SetAside("unreadable")
    return (
        _confirmation(text)
        if subject == CONFIRM_SUBJECT
        else _notice(message, text, registrations, seen, now, authority)
    )


def mark_of(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:32]


def _confirmation(text: str) -> Judgement:
    try:
        return Confirmation(*notice_mail.parse_confirmation(text))
    except FormatError:
        return SetAside("unreadable")


def _notice(
    message: EmailMessage,
    text: str,
    registrations: Sequence[Registration],
    seen: Collection[str],
    now: float,
    authority: str,
) -> Judgement:
    host = sender_host(message)
    known = [one for one in registrations if _host(one) == host and one.standing is not Standing.UNCONFIRMED]
    if not known:
        return SetAside("sender is no registered server")
    if authority and (fault := dkim_fault(message, authority, host)):
        return SetAside(fault)
    registration, mark, fault = _signer(message, text, known, now)
    if registration is None:
        return SetAside(fault)
    if mark in seen:
        return SetAside("replayed")
    if text.count("\n") > MOST_LINES:
        return SetAside("too many lines")
    reading = notice_mail.read(text, MOST_LINES)
    if not reading.entries:
        return SetAside("no sound line")
    return Accepted(registration, reading.entries, reading.faults, mark)


def _signer(
    message: EmailMessage, text: str, known: Sequence[Registration], now: float
) -> tuple[Registration | None, str, str]:
    """Who signed it, the mark to remember, or why nobody did."""
    signed = signature.parse(_header(message, SIGNATURE_HEADER))
    plain = [one for one in known if not one.secret]
    if signed is None:
        mark = mark_of(text.encode("utf-8", "replace") + _header(message, "Message-ID").encode("utf-8", "replace"))
        return (plain[0], mark, "") if plain else (None, "", "no signature")
    signer = next((one for one in known if signature.fits(one.secret, text, signed)), None)
    if signer is None:
        return None, "", "wrong signature"
    if not signature.is_fresh(signed, now, OLDEST_S):
        return None, "", "signed too long ago"
    return signer, f"{signer.server} {signed.nonce}", ""


def sender_host(message: EmailMessage) -> str:
    """The host after the @ of the only From address; '' if there is not exactly one."""
    addresses = getaddresses([str(value) for value in message.get_all("From", [])])
    if len(addresses) != 1 or "@" not in addresses[0][1]:
        return ""
    host = addresses[0][1].rpartition("@")[2].lower().strip("[]").removeprefix("ipv6:")
    return host.removesuffix(".")


def dkim_fault(message: EmailMessage, authority: str, host: str) -> str:
    """What our mail server found: a signature that fails, or of somebody else's domain, does not fit. Only the header
    that it put on top counts; the others may be the sender's own invention."""
    top = str(next(iter(message.get_all("Authentication-Results", [])), ""))
    words = " ".join(top.split()).lower()
    if words.partition(";")[0].strip().split(" ")[0] != authority.lower():
        return ""
    results = [part.strip() for part in words.split(";")[1:] if part.strip().startswith("dkim=")]
    if not results:
        return ""
    domains = [
        word.partition("=")[2].rpartition("@")[2]
        for part in results
        if part.startswith("dkim=pass")
        for word in part.split()
        if word.startswith(("header.d=", "header.i="))
    ]
    return "" if any(host == domain or host.endswith("." + domain) for domain in domains) else "DKIM does not fit"


def _host(registration: Registration) -> str:
    return (urlsplit(registration.origin).hostname or "").lower()


def _header(message: EmailMessage, name: str) -> str:
    """Headers of strangers can be broken in ways that the parser only finds when asked."""
    try:
        return str(message.get(name, ""))
    except (ValueError, IndexError, KeyError, AttributeError, TypeError):
        return ""
