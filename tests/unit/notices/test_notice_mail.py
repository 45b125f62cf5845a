"""Which mails are believed, and where they are read."""

import mailbox
import re
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as some

from recrawl.formats import notice_mail, signature
from recrawl.formats.notice_mail import CONFIRM_SUBJECT, SIGNATURE_HEADER, SUBJECT
from recrawl.notices import registrations
from recrawl.notices.mail import Accepted, Confirmation, Judgement, NotOurs, SetAside, judge
from recrawl.notices.mailbox import MailboxUnreadable, letters
from recrawl.notices.registrations import Book, Registration, Standing

NOW = 1_700_000_000.0
BODY = "<RoBoT> A:/a.html:5:20231101\n<RoBoT> D:/b.html:0:20231101\n"
AGENT, EMAIL = "https://www.example.com/agent", "r@s.example"
SIGNED = Registration("https://www.example.com", AGENT, EMAIL, 1.0, Standing.ON, secret="key")
PLAIN = Registration("http://old.example", "http://old.example/agent", "r@s.example", 1.0, Standing.ON)


def _mail(
    body: str = BODY,
    sender: str = "agent@www.example.com",
    subject: str = SUBJECT,
    secret: str = "key",
    at: float = NOW,
    **headers: str,
) -> bytes:
    message = EmailMessage()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message["From"], message["Subject"], message["Message-ID"] = sender, subject, "<one@www.example.com>"
    if secret:
        message[SIGNATURE_HEADER] = signature.render(signature.sign(secret, body, int(at), "nonce-0001"))
    message.set_content(body)
    return message.as_bytes()


def _judge(raw: bytes, seen: frozenset[str] = frozenset(), authority: str = "") -> Judgement:
    return judge(raw, [SIGNED, PLAIN], seen, NOW, authority)


def test_a_signed_notice_of_a_registered_server_is_taken_once() -> None:
    found = _judge(_mail())
    assert isinstance(found, Accepted)
    assert found.registration == SIGNED
    assert [(entry.kind.value, entry.path) for entry in found.entries] == [("A", "/a.html"), ("D", "/b.html")]
    assert _judge(_mail(), frozenset({found.mark})) == SetAside("replayed")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (_mail(sender="agent@evil.example"), "sender is no registered server"),
        (_mail(sender="agent@www.example.com, x@evil.example"), "sender is no registered server"),
        (_mail(sender="agent@example.com"), "sender is no registered server"),
        (_mail(secret=""), "no signature"),
        (_mail(secret="guessed"), "wrong signature"),
        (_mail(at=NOW - 30 * 86_400), "signed too long ago"),
        (_mail(at=NOW + 86_400), "signed too long ago"),
        (_mail(body="nothing marked\n"), "no sound line"),
        (_mail(body="<RoBoT> garbage\n"), "no sound line"),
        (_mail(body="<RoBoT> A:/a:1:20230101\n" * 100_001), "too many lines"),
        (_mail().replace(b"utf-8", b"klingon").replace(b"us-ascii", b"klingon"), "unreadable"),
        (_mail(subject=CONFIRM_SUBJECT), "unreadable"),
    ],
)
def test_what_does_not_fit_is_set_aside(raw: bytes, reason: str) -> None:
    assert _judge(raw) == SetAside(reason)


def test_a_signature_of_another_body_does_not_fit() -> None:
    assert _judge(_mail().replace(b"/a.html", b"/c.html")) == SetAside("wrong signature")


def test_a_mail_of_a_million_lines_is_not_read() -> None:
    raw = _mail() + b"<RoBoT> A:/a.html:5:20231101\n" * 1_000_000
    assert _judge(raw) == SetAside("too large")


def test_an_agent_that_never_signed_is_believed_by_its_host_and_by_our_mail_server() -> None:
    raw = _mail(sender="agent@old.example", secret="")
    assert isinstance(_judge(raw), Accepted)
    passed = _mail(
        sender="agent@old.example", secret="", Authentication_Results="mx.us; dkim=pass header.d=old.example"
    )
    assert isinstance(_judge(passed, authority="mx.us"), Accepted)
    for result in (
        "dkim=fail header.d=old.example",
        "dkim=pass header.d=evil.example",
        "dkim=pass header.d=ld.example",
    ):
        raw = _mail(sender="agent@old.example", secret="", Authentication_Results=f"mx.us; {result}")
        assert _judge(raw, authority="mx.us") == SetAside("DKIM does not fit")
    forged = _mail(sender="agent@old.example", secret="", Authentication_Results="mx.evil; dkim=fail")
    assert isinstance(_judge(forged, authority="mx.us"), Accepted)  # not our server's word


def test_ordinary_mail_is_left_alone_and_a_question_back_is_recognised() -> None:
    assert isinstance(_judge(_mail(subject="Lunch?")), NotOurs)
    asked = _mail(notice_mail.render_confirmation("http://a/", "tok-en"), subject=CONFIRM_SUBJECT, secret="")
    assert _judge(asked) == Confirmation("http://a/", "tok-en")


@given(some.binary(max_size=300), some.binary(max_size=100))
def test_no_bytes_make_the_judge_fail(head: bytes, body: bytes) -> None:
    for raw in (head, b"Subject: " + SUBJECT.encode() + b"\n" + head + b"\n\n" + body):
        assert not isinstance(_judge(raw), Accepted)


def test_an_unconfirmed_registration_is_not_believed() -> None:
    waiting = Registration(SIGNED.origin, SIGNED.agent, SIGNED.email, 1.0, secret="key")
    assert judge(_mail(), [waiting], (), NOW) == SetAside("sender is no registered server")


def test_the_book_reads_back_and_is_for_the_owners_eyes_only(tmp_path: Path) -> None:
    file = tmp_path / "robot.json"
    book = Book().put(SIGNED).put(PLAIN).having_seen("a", "b", "a").counted({"taken": 2})
    registrations.write(file, book)
    assert registrations.read(file) == book
    assert file.stat().st_mode & 0o077 == 0
    assert book.without(SIGNED.origin).registrations == (PLAIN,)
    assert registrations.read(tmp_path / "none.json") == Book()


def test_a_maildir_is_read_and_what_is_done_moves_to_cur(tmp_path: Path) -> None:
    box = mailbox.Maildir(tmp_path / "box")
    box.add(_mail())
    box.add(_mail(subject="Lunch?"))
    found = list(letters(str(tmp_path / "box")))
    assert len(found) == 2
    found[0].done()
    assert len(list(letters(str(tmp_path / "box")))) == 1
    assert [file.name[-4:] for file in (tmp_path / "box" / "cur").iterdir()] == [":2,S"]


def test_an_mbox_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "box")
    box.add(_mail())
    box.close()
    before = (tmp_path / "box").read_bytes()
    [letter] = letters(str(tmp_path / "box"))
    letter.done()
    assert isinstance(_judge(letter.raw), Accepted)
    assert (tmp_path / "box").read_bytes() == before


def test_what_is_no_mailbox_is_said_to_be_none(tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path, "imap://user@127.0.0.1:1/"):
        with pytest.raises(MailboxUnreadable):
            list(letters(str(place)))


class Imap(socketserver.StreamRequestHandler):
    """As much of RFC 3501 as a reader of one folder needs."""

    mails: dict[int, bytes]
    seen: set[int]
    secure: ssl.SSLContext | None  # from the first byte on
    offers: ssl.SSLContext | None  # by STARTTLS
    said: list[str]

    def handle(self) -> None:
        try:
            if self.secure:
                self._wrap(self.secure)
            self._converse()
        except OSError:
            self.said.append("broken off")

    def _wrap(self, context: ssl.SSLContext) -> None:
        self.request = context.wrap_socket(self.request, server_side=True)
        self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", buffering=0)

    def _converse(self) -> None:
        self._say(b"* OK ready")
        while line := self.rfile.readline():
            tag, _, rest = line.decode().strip().partition(" ")
            command = rest.upper()
            self.said.append(command.partition(" ")[0])
            if command == "STARTTLS" and self.offers:
                self._say(f"{tag} OK go on".encode())
                self._wrap(self.offers)
                continue
            if command.startswith("LOGIN") and '"SECRET"' not in command:
                self._say(f"{tag} NO wrong password".encode())
                continue
            if command.startswith("SELECT"):
                self._say(f"* {len(self.mails)} EXISTS".encode())
            elif command.startswith("UID SEARCH"):
                assert 'UNSEEN SUBJECT "ROBOT :"' in command
                unseen = sorted(set(self.mails) - self.seen)
                self._say(f"* SEARCH {' '.join(map(str, unseen))}".encode())
            elif command.startswith("UID FETCH"):
                self._fetch(command)
            elif command.startswith("UID STORE"):
                self.seen.add(int(re.findall(r"\d+", command)[0]))
            elif command.startswith("CAPABILITY"):
                plain = self.offers is not None and not isinstance(self.request, ssl.SSLSocket)
                self._say(b"* CAPABILITY IMAP4rev1" + b" STARTTLS" * plain)
            elif command == "LOGOUT":
                self._say(b"* BYE")
            self._say(f"{tag} OK done".encode())

    def _fetch(self, command: str) -> None:
        number = int(re.findall(r"\d+", command)[0])
        raw = self.mails[number]
        if "RFC822.SIZE" in command:
            self._say(f"* {number} FETCH (UID {number} RFC822.SIZE {len(raw)})".encode())
        else:
            self.wfile.write(f"* {number} FETCH (UID {number} BODY[] {{{len(raw)}}}\r\n".encode() + raw + b")\r\n")

    def _say(self, line: bytes) -> None:
        self.wfile.write(line + b"\r\n")


@contextmanager
def imap_server(
    mails: dict[int, bytes], secure: ssl.SSLContext | None = None, offers: ssl.SSLContext | None = None
) -> Iterator[tuple[int, Imap]]:
    given = {"mails": mails, "seen": set(), "secure": secure, "offers": offers, "said": []}
    handler = type("Served", (Imap,), given)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server.server_address[1], handler  # type: ignore[misc]
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trusting(authority: trustme.CA, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with authority.cert_pem.tempfile() as file:
        monkeypatch.setenv("SSL_CERT_FILE", file)
        yield


def _context(authority: trustme.CA, name: str = "127.0.0.1") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("way", ["imap", "imaps", "starttls"])
def test_an_imap_folder_is_read_and_what_is_done_is_marked_seen(authority: trustme.CA, way: str) -> None:
    secure = _context(authority) if way == "imaps" else None
    offers = _context(authority) if way == "starttls" else None
    with imap_server({4: _mail(), 7: _mail(body=BODY + "more\n")}, secure, offers) as (port, served):
        place = f"{way.replace('starttls', 'imap')}://robot@127.0.0.1:{port}/INBOX"
        taken = 0
        for letter in letters(place, "secret"):
            assert isinstance(_judge(letter.raw), Accepted)
            letter.done()
            taken += 1
        assert taken == 2
        assert served.seen == {4, 7}
        assert ("STARTTLS" in served.said) is (way == "starttls")
        assert list(letters(place, "secret")) == []
        with pytest.raises(MailboxUnreadable, match="wrong password"):
            list(letters(place, "guessed"))


@pytest.mark.parametrize("way", ["imaps", "starttls"])
def test_a_password_is_not_sent_to_a_mail_server_that_nobody_vouches_for(authority: trustme.CA, way: str) -> None:
    secure = _context(authority) if way == "imaps" else None
    offers = _context(authority) if way == "starttls" else None
    with imap_server({4: _mail()}, secure, offers) as (port, served):
        with pytest.raises(MailboxUnreadable, match="certificate"):
            list(letters(f"{way.replace('starttls', 'imap')}://robot@127.0.0.1:{port}/", "secret"))
        assert "LOGIN" not in served.said


@pytest.mark.usefixtures("trusting")
def test_a_certificate_for_another_name_is_not_enough(authority: trustme.CA) -> None:
    with imap_server({4: _mail()}, _context(authority, "mail.elsewhere.example")) as (port, served):
        with pytest.raises(MailboxUnreadable, match="certificate"):
            list(letters(f"imaps://robot@127.0.0.1:{port}/", "secret"))
        assert "LOGIN" not in served.said
