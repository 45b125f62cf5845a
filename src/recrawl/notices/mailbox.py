"""Where mails are read: a Maildir, an mbox file, an IMAP server."""

import imaplib
import mailbox
import re
import ssl
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from recrawl.model.failure import RecrawlError
from recrawl.model.values import dataclass

MOST_MAILS = 10_000
MOST_BYTES = 20_000_001  # one more than a notice may have: enough to see that it is too large
IMAP_WITHIN_S = 60.0
_SUBJECT = '(UNSEEN SUBJECT "Robot :")'


class MailboxUnreadable(RecrawlError):
    """Says which mailbox and why."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as it came, and how to say that it was dealt with."""

    raw: bytes
    done: Callable[[], None]


def letters(place: str, password: str = "") -> Iterator[Letter]:
    """`imap://user@host/folder` or `imaps://…`, a Maildir folder, or an mbox file."""
    if place.startswith(("imap://", "imaps://")):
        return _from_imap(place, password)
    path = Path(place)
    if path.is_dir():
        return _from_maildir(path)
    if path.is_file():
        return _from_mbox(path)
    raise MailboxUnreadable(f"{place} is no Maildir folder, no mbox file and no imap:// address")


def _from_maildir(path: Path) -> Iterator[Letter]:
    """New mails only; one that is done moves to `cur`, as a mail program would do it."""
    if not (path / "new").is_dir() or not (path / "cur").is_dir():
        raise MailboxUnreadable(f"{path} is no Maildir: it has no folders `new` and `cur`")
    for file in sorted((path / "new").iterdir())[:MOST_MAILS]:
        if file.is_file():
            yield Letter(_start_of(file), lambda file=file: _moved(file, path / "cur"))  # type: ignore[misc]


def _moved(file: Path, folder: Path) -> None:
    file.rename(folder / f"{file.name}:2,S")


def _start_of(file: Path) -> bytes:
    with file.open("rb") as data:
        return data.read(MOST_BYTES)


def _from_mbox(path: Path) -> Iterator[Letter]:
    """The file is only read: what was dealt with is remembered by the caller."""
    box = mailbox.mbox(path, create=False)
    try:
        for key in list(box.iterkeys())[:MOST_MAILS]:
            with box.get_file(key) as data:
                yield Letter(data.read(MOST_BYTES), _nothing)
    except (OSError, mailbox.Error) as error:
        raise MailboxUnreadable(f"{path}: {error}") from error
    finally:
        box.close()


def _nothing() -> None:
    """An mbox is left as it is."""


def _from_imap(address: str, password: str) -> Iterator[Letter]:
    parts = urlsplit(address)
    try:
        server = _imap_server(parts.scheme == "imaps", parts.hostname or "", parts.port)
        try:
            server.login(unquote(parts.username or ""), password)
            _checked(server.select(f'"{unquote(parts.path.strip("/")) or "INBOX"}"'))
            [numbers] = _checked(server.uid("SEARCH", _SUBJECT))
            for number in numbers.split()[:MOST_MAILS]:
                yield _imap_letter(server, number.decode("ascii"))
        finally:
            server.logout()
    except (OSError, imaplib.IMAP4.error, ValueError) as error:
        raise MailboxUnreadable(f"{parts.scheme}://{parts.hostname}: {error}") from error


def _imap_server(secure: bool, host: str, port: int | None) -> imaplib.IMAP4:
    """Connected, and certain of whom to: a password leaves the machine only for a server with a valid certificate."""
    trusted = ssl.create_default_context()
    if secure:
        return imaplib.IMAP4_SSL(host, port or 993, ssl_context=trusted, timeout=IMAP_WITHIN_S)
    server = imaplib.IMAP4(host, port or 143, timeout=IMAP_WITHIN_S)
    if "STARTTLS" in server.capabilities:
        _checked(server.starttls(trusted))
    elif not _is_here(server):
        server.shutdown()
        raise ValueError("offers no encryption, so the password was not sent: write imaps://")
    return server


def _is_here(server: imaplib.IMAP4) -> bool:
    return ip_address(server.socket().getpeername()[0].partition("%")[0]).is_loopback


def _imap_letter(server: imaplib.IMAP4, number: str) -> Letter:
    size = _size(_checked(server.uid("FETCH", number, "(RFC822.SIZE)")))
    asked = "(BODY.PEEK[])" if size < MOST_BYTES else f"(BODY.PEEK[]<0.{MOST_BYTES}>)"
    answer = _checked(server.uid("FETCH", number, asked))
    raw = next((part[1] for part in answer if isinstance(part, tuple)), b"")
    return Letter(raw, lambda: _seen(server, number))


def _seen(server: imaplib.IMAP4, number: str) -> None:
    server.uid("STORE", number, "+FLAGS", r"(\Seen)")


def _size(answer: list[Any]) -> int:
    found = re.search(rb"RFC822\.SIZE (\d+)", b" ".join(part for part in answer if isinstance(part, bytes)))
    return int(found[1]) if found else 0


def _checked(answer: tuple[str, list[Any]]) -> list[Any]:
    """What came with an OK; anything else is an error with the server's words."""
    if answer[0] != "OK":
        raise imaplib.IMAP4.error(b" ".join(one for one in answer[1] if one).decode("ascii", "replace"))
    return answer[1]
