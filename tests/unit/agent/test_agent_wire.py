"""Registration on the wire: S4's actions and codes byte for byte, double opt-in, and what must not happen."""

from collections.abc import Iterator
from dataclasses import replace
from email.utils import parseaddr
from http.client import HTTPConnection
from pathlib import Path

import pytest
from tests.unit.agent.agents import Endpoint, Inbox, endpoint, listener, mail_server, new_agent

from recrawl.agent import counts, history, registry
from recrawl.agent.command import main
from recrawl.agent.notify import notify
from recrawl.agent.place import Place
from recrawl.agent.rate import Buckets, network_of
from recrawl.agent.service import Desk
from recrawl.agent.watch import look
from recrawl.formats import notice_mail, signature, uod
from recrawl.formats.notice_mail import CONFIRM_SUBJECT, SIGNATURE_HEADER, SUBJECT
from recrawl.formats.registration import Action
from recrawl.model.failure import FormatError

NOW = 1_700_000_000.0
EMAIL = "robot@search.example"


class Time:
    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> float:
        return self.at


class Nonces:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        return f"nonce{self.count:08}"


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def agent(tmp_path: Path, time: Time) -> Iterator[tuple[Endpoint, Inbox, Place]]:
    with mail_server() as (smtp, inbox):
        place = new_agent(tmp_path, smtp)
        look(place, place.settings(), NOW)
        with endpoint(Desk(place, place.settings(), time)) as served:
            yield served, inbox, place


Agent = tuple[Endpoint, Inbox, Place]


def _write(place: Place, name: str, text: str) -> None:
    file = Path(place.settings().documents.root) / name
    file.write_text(text)


def _confirmed(agent: Agent) -> str:
    """Register and confirm; the token."""
    served, inbox, _ = agent
    assert served.form(Action.REGISTER, email=EMAIL, latency_days=0) == b"100\nsuccess\n"
    token = inbox.token()
    assert served.form(Action.CONFIRM, token=token) == b"100\nsuccess\n"
    return token


def test_s4s_five_actions_succeed_in_two_lines(agent: Agent) -> None:
    served, _, place = agent
    assert served.post(b"ACTION=Register&ROBOT_EMAIL=robot@search.example&LATENCY=7") == (200, b"100\nsuccess\n")
    [record] = uod.parse(place.uod.read_text())
    assert (record.email, record.latency_days, record.notified_at) == (EMAIL, 7.0, None)
    for action in ("Suspend", "Resume", "Change", "Unregister"):
        body = f"ACTION={action}&ROBOT_EMAIL={EMAIL}&LATENCY=14".encode()
        assert served.post(body) == (200, b"100\nsuccess\n")
    assert place.uod.read_text() == ""


def test_s4s_five_actions_fail_with_their_codes(agent: Agent) -> None:
    served, _, _ = agent
    token = _confirmed(agent)
    assert served.form(Action.REGISTER, email=EMAIL) == b"201\nregister failed\n"
    assert served.form(Action.UNREGISTER, email="nobody@search.example") == b"202\nunregister failed\n"
    assert served.form(Action.CHANGE, email=EMAIL, token=token) == b"203\nchange failed\n"  # no latency
    assert served.form(Action.SUSPEND, email="nobody@search.example") == b"204\nsuspend failed\n"
    assert served.form(Action.RESUME, email="nobody@search.example") == b"205\nresume failed\n"


def test_nothing_happens_to_a_confirmed_robot_without_its_token(agent: Agent) -> None:
    served, _, place = agent
    _confirmed(agent)
    before = registry.read(place)
    answers = [
        served.form(action, email=EMAIL, latency_days=1, token=token)
        for token in ("", "guessed")
        for action in (Action.UNREGISTER, Action.CHANGE, Action.SUSPEND, Action.RESUME)
    ]
    codes = [b"202\nunregister failed\n", b"203\nchange failed\n", b"204\nsuspend failed\n", b"205\nresume failed\n"]
    assert answers == codes * 2
    assert registry.read(place) == before
    assert counts.read(place)["unregister_refused"] == 2


def test_somebody_elses_address_gets_one_small_mail_and_nothing_more(agent: Agent, time: Time) -> None:
    served, inbox, place = agent
    served.form(Action.REGISTER, email="victim@elsewhere.example", latency_days=0)
    [mail] = inbox.mails
    assert mail["Subject"] == CONFIRM_SUBJECT
    assert len(mail.as_bytes()) < 2000
    _write(place, "a.html", "new")
    look(place, place.settings(), NOW)
    time.at += 90 * 86_400
    assert notify(place, place.settings(), time(), Nonces()).robots == 0
    assert len(inbox.mails) == 1


def test_an_address_is_asked_three_times_a_day_at_most(agent: Agent, time: Time) -> None:
    served, inbox, _ = agent
    answers = [served.form(Action.REGISTER, email=EMAIL) for _ in range(5)]
    assert answers == [b"100\nsuccess\n"] * 3 + [b"201\nregister failed\n"] * 2
    assert len(inbox.mails) == 3
    time.at += 86_401
    assert served.form(Action.REGISTER, email=EMAIL) == b"100\nsuccess\n"


def test_a_token_confirms_once_asked_within_two_days(agent: Agent, time: Time) -> None:
    served, inbox, place = agent
    served.form(Action.REGISTER, email=EMAIL)
    token = inbox.token()
    assert served.form(Action.CONFIRM, token="wrong") == b"206\nconfirm failed\n"
    time.at += 2 * 86_400 + 1
    assert served.form(Action.CONFIRM, token=token) == b"206\nconfirm failed\n"
    assert not registry.read(place)[EMAIL].told


def test_a_notice_is_s4s_mail_signed_for_this_robot_alone(agent: Agent) -> None:
    served, inbox, place = agent
    served.form(Action.REGISTER, email=EMAIL, latency_days=0)
    secret = served.json(Action.CONFIRM, token=inbox.token()).secret
    _write(place, "a.html", "new")
    look(place, place.settings(), NOW)
    told = notify(place, place.settings(), NOW, Nonces())
    assert (told.robots, told.notices, told.failures) == (1, 1, [])
    mail = inbox.mails[-1]
    assert (mail["Subject"], mail["To"]) == (SUBJECT, EMAIL)
    assert parseaddr(mail["From"])[1].endswith("@www.example.com")
    [entry] = notice_mail.parse(mail.get_content())
    assert (entry.kind.value, entry.path, entry.size_bytes) == ("A", "/a.html", 3)
    signed = signature.parse(mail[SIGNATURE_HEADER])
    assert signed is not None
    assert signature.fits(secret, mail.get_content(), signed)
    assert notify(place, place.settings(), NOW + 1, Nonces()).robots == 0  # nothing new
    [record] = uod.parse(place.uod.read_text())
    assert record.status is uod.Switch.ON
    assert record.notified_at is not None


def test_a_notice_stands_in_the_mail_line_by_line_as_s4_wrote_it_however_long_a_path_is(agent: Agent) -> None:
    served, inbox, place = agent
    served.form(Action.REGISTER, email=EMAIL, latency_days=0)
    secret = served.json(Action.CONFIRM, token=inbox.token()).secret
    name = "a-document-with-many-words-in-its-name-" * 5 + ".html"
    _write(place, name, "new")
    look(place, place.settings(), NOW)
    notify(place, place.settings(), NOW, lambda: "nonce-of-sixteen-and-more-letters")
    head, _, body = inbox.raw[-1].decode("ascii").partition("\r\n\r\n")
    [line] = [line for line in body.split("\r\n") if line]
    assert line.startswith(f"<RoBoT> A:/{name}:3:20")
    [written] = [line for line in head.split("\r\n") if line.startswith(f"{SIGNATURE_HEADER}: ")]
    signed = signature.parse(written.removeprefix(f"{SIGNATURE_HEADER}: "))
    assert signed is not None and signature.fits(secret, body.replace("\r\n", "\n"), signed)


def test_suspend_holds_notices_back_and_resume_sends_what_was_missed(agent: Agent) -> None:
    served, inbox, place = agent
    token = _confirmed(agent)
    assert served.form(Action.SUSPEND, email=EMAIL, token=token) == b"100\nsuccess\n"
    for number in range(3):
        _write(place, f"{number}.html", "new")
        look(place, place.settings(), NOW)
        assert notify(place, place.settings(), NOW, Nonces()).robots == 0
    assert served.form(Action.RESUME, email=EMAIL, token=token) == b"100\nsuccess\n"
    assert notify(place, place.settings(), NOW, Nonces()).notices == 3
    assert len(notice_mail.parse(inbox.mails[-1].get_content())) == 3


def test_latency_is_clamped_and_kept(agent: Agent, time: Time) -> None:
    served, inbox, place = agent
    served.form(Action.REGISTER, email=EMAIL, latency_days=999_999)
    assert registry.read(place)[EMAIL].latency_days == 90.0
    token = inbox.token()
    served.form(Action.CONFIRM, token=token)
    served.form(Action.CHANGE, email=EMAIL, token=token, latency_days=7)
    _write(place, "a.html", "new")
    look(place, place.settings(), NOW)
    assert notify(place, place.settings(), NOW + 7 * 86_400 - 1, Nonces()).robots == 0
    assert notify(place, place.settings(), NOW + 7 * 86_400, Nonces()).robots == 1


def test_a_mail_server_that_is_down_loses_nothing(agent: Agent) -> None:
    _, inbox, place = agent
    _confirmed(agent)
    _write(place, "a.html", "new")
    look(place, place.settings(), NOW)
    told = place.settings()
    down = replace(told, mail=replace(told.mail, smtp="127.0.0.1:1"))
    failed = notify(place, down, NOW, Nonces())
    assert (failed.robots, len(failed.failures)) == (0, 1)
    assert notify(place, told, NOW, Nonces()).notices == 1
    assert len(inbox.mails) == 2


def test_a_long_notice_goes_in_several_mails(agent: Agent) -> None:
    _, inbox, place = agent
    _confirmed(agent)
    for number in range(25):
        _write(place, f"{number}.html", "new")
    look(place, place.settings(), NOW)
    told = place.settings()
    notify(place, replace(told, mail=replace(told.mail, most_lines=10)), NOW, Nonces())
    lines = [len(notice_mail.parse(mail.get_content())) for mail in inbox.mails[1:]]
    assert lines == [10, 10, 5]


def test_malformed_oversized_and_unknown_posts_get_a_clear_answer(agent: Agent) -> None:
    served, inbox, place = agent
    assert served.post(b"ACTION=Explode&ROBOT_EMAIL=a@b.example") == (400, b"201\nregister failed\n")
    assert served.post(b"ACTION=Suspend&ROBOT_EMAIL=nonsense") == (400, b"204\nsuspend failed\n")
    assert served.post(b"\xff\xfe\x00") == (400, b"201\nregister failed\n")
    assert served.post(b"A" * 100_000) == (413, b"201\nregister failed\n")
    assert served.post(b"{" * 5000, "application/json")[0] == 400
    assert served.post(b'{"action": ["Register"]}', "application/json")[0] == 400
    assert inbox.mails == []
    assert counts.read(place)["malformed"] == 6


def test_a_post_without_a_length_is_refused_and_a_get_explains(agent: Agent) -> None:
    served, _, _ = agent
    connection = HTTPConnection(*served.address, timeout=20)
    connection.putrequest("POST", "/")
    connection.endheaders()
    assert connection.getresponse().status == 411
    connection.close()
    for path, status in (("/", 200), ("/sitemap.xml", 200), ("/changes.atom", 200), ("/../agent.toml", 404)):
        connection = HTTPConnection(*served.address, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == status
        assert b"[documents]" not in answer.read()
        connection.close()


def test_a_sender_that_asks_too_often_is_refused_but_may_always_leave(agent: Agent) -> None:
    served, inbox, place = agent
    token = _confirmed(agent)
    limit = place.settings().limits.requests_per_sender_hour
    codes = [served.post(b"ACTION=Register&ROBOT_EMAIL=x@y.example")[0] for _ in range(limit)]
    assert codes[-1] == 429
    assert served.post(f"ACTION=Unregister&ROBOT_EMAIL={EMAIL}&TOKEN={token}".encode()) == (200, b"100\nsuccess\n")
    assert EMAIL not in registry.read(place)
    assert len(inbox.mails) <= 4


def test_a_network_shares_its_bucket() -> None:
    assert network_of("192.0.2.7") == network_of("192.0.2.200") == "192.0.2.0/24"
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") == "2001:db8::/64"
    assert network_of("::ffff:192.0.2.7") == "192.0.2.0/24"
    buckets = Buckets(2)
    assert [buckets.take("a", NOW) for _ in range(3)] == [True, True, False]
    assert buckets.take("b", NOW)
    assert buckets.take("a", NOW + 1800)


def test_a_callback_must_serve_the_token_itself_and_then_gets_signed_notices(tmp_path: Path, time: Time) -> None:
    with listener() as robot, mail_server() as (smtp, inbox):
        place = new_agent(tmp_path, smtp, more="private_callbacks = true\n")
        look(place, place.settings(), NOW)
        with endpoint(Desk(place, place.settings(), time)) as served:
            answer = served.json(Action.REGISTER, email=EMAIL, latency_days=0, callback=f"{robot.url}/told")
            assert answer.token
            assert served.json(Action.CONFIRM, token=answer.token).code == 206  # it does not serve it yet
            robot.serves = answer.token.encode() + b"\n"
            secret = served.json(Action.CONFIRM, token=answer.token).secret
        _write(place, "a.html", "new")
        look(place, place.settings(), NOW)
        assert notify(place, place.settings(), NOW, Nonces()).robots == 1
        [(path, headers, body)] = robot.posts
        signed = signature.parse(headers[SIGNATURE_HEADER])
        assert path == "/told"
        assert signed is not None
        assert signature.fits(secret, body.decode(), signed)
        assert b'"url": "http://www.example.com/a.html"' in body
        assert inbox.mails == []
        _write(place, "b.html", "new")
        look(place, place.settings(), NOW)
        robot.answers = 500
        assert notify(place, place.settings(), NOW, Nonces()).failures
        robot.answers = 200
        assert notify(place, place.settings(), NOW, Nonces()).notices == 1


def test_a_callback_on_a_private_address_is_never_asked(tmp_path: Path, time: Time) -> None:
    with listener() as victim, mail_server() as (smtp, _):
        place = new_agent(tmp_path, smtp)
        with endpoint(Desk(place, place.settings(), time)) as served:
            answer = served.json(Action.REGISTER, email=EMAIL, callback=f"{victim.url}/admin")
            victim.serves = answer.token.encode()
            assert served.json(Action.CONFIRM, token=answer.token).code == 206
        assert victim.gets == []


@pytest.mark.parametrize("listen", ["nowhere", "127.0.0.1:", "127.0.0.1:99999", "{taken}"])
def test_where_nobody_can_listen_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], listen: str
) -> None:
    with listener() as other:
        place = new_agent(tmp_path)
        listen = listen.replace("{taken}", other.url.partition("://")[2])
        assert main(["serve", "--state", str(place.path), "--listen", listen]) == 2
    assert "listen" in (said := capsys.readouterr().err) and said.count("\n") == 1


def test_indexnow_hears_of_changes_once(tmp_path: Path) -> None:
    with listener() as engine:
        more = (
            f'private_callbacks = true\n[indexnow]\nkey = "0123456789abcdef"\nendpoints = ["{engine.url}/indexnow"]\n'
        )
        place = new_agent(tmp_path, more=more)
        look(place, place.settings(), NOW)
        assert notify(place, place.settings(), NOW, Nonces()).pings == 0
        _write(place, "a.html", "new")
        look(place, place.settings(), NOW)
        assert history.end(place.history).endswith(":1")
        assert notify(place, place.settings(), NOW, Nonces()).pings == 1
        assert notify(place, place.settings(), NOW, Nonces()).pings == 0
        [(path, _, body)] = engine.posts
        assert path == "/indexnow"
        assert body == (
            b'{"host": "www.example.com", "key": "0123456789abcdef", "urlList": ["http://www.example.com/a.html"]}'
        )


def test_indexnow_hears_first_of_what_changed_today_and_what_was_not_taken_is_sent_again(tmp_path: Path) -> None:
    with listener() as engine:
        place = new_agent(tmp_path)
        look(place, place.settings(), NOW - 86_400.0)
        _write(place, "old.html", "new")
        look(place, place.settings(), NOW - 86_400.0)
        text = place.settings_file.read_text().replace("[serve]", "[serve]\nprivate_callbacks = true")
        text += f'\n[indexnow]\nkey = "0123456789abcdef"\nendpoints = ["{engine.url}/indexnow"]\n'
        place.settings_file.write_text(text.replace("//www.example.com/", "//www.example.com:8080/"))
        for name in ("a.html", "0123456789abcdef.txt"):
            _write(place, name, "new")
        look(place, place.settings(), NOW)
        engine.answers, engine.serves = 422, b"\x1b]0;mine\x07no\r\nsuch key"
        [failure] = notify(place, place.settings(), NOW, Nonces()).failures
        assert failure.endswith("answered 422 (]0;mine no such key)")
        engine.answers = 200
        told = notify(place, place.settings(), NOW + 86_400.0, Nonces())
        assert (told.pings, told.pinged) == (1, 1)
        assert engine.posts[-1][2] == (
            b'{"host": "www.example.com:8080", "key": "0123456789abcdef", '
            b'"urlList": ["http://www.example.com:8080/a.html"]}'
        )


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ('key = "0123456789abcdef"', "indexnow.endpoints is missing"),
        ('endpoints = ["https://api.example/indexnow"]', "indexnow.key must be"),
        ('key = "short"\nendpoints = ["https://api.example/indexnow"]', "indexnow.key must be"),
    ],
)
def test_half_of_what_indexnow_needs_is_told(tmp_path: Path, wish: str, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        new_agent(tmp_path, more=f"[indexnow]\n{wish}\n").settings()
