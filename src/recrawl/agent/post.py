"""How a notice travels: S4's mail, a signed webhook, an IndexNow ping."""

import json
import smtplib
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path

from recrawl.agent.outward import NotSent, ask
from recrawl.agent.registry import Robot
from recrawl.agent.settings import Settings
from recrawl.formats import notice_mail, signature, w3c_moment
from recrawl.formats.his import Entry
from recrawl.formats.notice_mail import CONFIRM_SUBJECT, SIGNATURE_HEADER, SUBJECT

SMTP_WITHIN_S = 30.0
INDEXNOW_MOST = 10_000
TAKEN = range(200, 300)
MOST_WORDS_BYTES = 200
PLAIN = SMTP.clone(max_line_length=998)  # all that mail allows: else long paths and signatures are written in codes


def notice(settings: Settings, robot: Robot, entries: Sequence[Entry], now: float, nonce: str) -> EmailMessage:
    """One mail in S4's form. The signature covers the body; S4's own readers pass over the header."""
    body = notice_mail.render(entries)
    message = _message(settings, robot.email, SUBJECT, body, now, nonce)
    message["X-Recrawl-Server"] = settings.server
    message[SIGNATURE_HEADER] = signature.render(signature.sign(robot.secret, body, int(now), nonce))
    return message


def confirmation(settings: Settings, email: str, token: str, now: float, nonce: str) -> EmailMessage:
    body = notice_mail.render_confirmation(settings.endpoint, token)
    return _message(settings, email, CONFIRM_SUBJECT, body, now, nonce)


def send(settings: Settings, messages: Sequence[EmailMessage]) -> None:
    """All over one connection; NotSent if the mail server does not take them."""
    host, _, port = settings.mail.smtp.rpartition(":")
    try:
        with smtplib.SMTP(host.strip("[]"), int(port), timeout=SMTP_WITHIN_S) as server:
            if settings.mail.starttls:
                server.starttls()
            if settings.mail.user:
                server.login(settings.mail.user, Path(settings.mail.password_file).read_text("utf-8").strip())
            for message in messages:
                server.send_message(message)
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise NotSent(f"mail server {settings.mail.smtp}: {error}") from error


def webhook(settings: Settings, robot: Robot, entries: Sequence[Entry], now: float, nonce: str) -> None:
    """The same notice as JSON, signed, to a callback that proved itself."""
    text = json.dumps({"server": settings.server, "notices": [_as_json(settings, entry) for entry in entries]})
    signed = signature.render(signature.sign(robot.secret, text, int(now), nonce))
    headers = {"Content-Type": "application/json", SIGNATURE_HEADER: signed}
    _need_taken(robot.callback, *ask("POST", robot.callback, text.encode(), headers, settings.serve.private_callbacks))


def ping(settings: Settings, endpoint: str, urls: Sequence[str]) -> None:
    """IndexNow: one POST with up to 10,000 addresses; the key file must lie at the root of the site."""
    value = {"host": settings.server, "key": settings.indexnow.key, "urlList": list(urls)}
    headers = {"Content-Type": "application/json; charset=utf-8"}
    _need_taken(endpoint, *ask("POST", endpoint, json.dumps(value).encode(), headers, settings.serve.private_callbacks))


def _need_taken(url: str, status: int, body: bytes) -> None:
    """With the first of its words, which may say why not; nothing in them that a terminal would obey."""
    words = body[:MOST_WORDS_BYTES].decode("utf-8", "replace")
    said = " ".join("".join(one if one.isprintable() else " " for one in words).split())
    if status not in TAKEN:
        raise NotSent(f"{url} answered {status}{f' ({said})' if said else ''}")


def _as_json(settings: Settings, entry: Entry) -> dict[str, object]:
    return {
        "kind": entry.kind.value,
        "url": settings.origin + entry.path,
        "size": entry.size_bytes,
        "modified": w3c_moment.render(entry.modified_at),
    }


def _message(settings: Settings, to: str, subject: str, body: str, now: float, nonce: str) -> EmailMessage:
    message = EmailMessage(policy=PLAIN)
    message["From"] = settings.sender
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.fromtimestamp(int(now), UTC))
    message["Message-ID"] = f"<{nonce}@{settings.sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(body)
    return message
