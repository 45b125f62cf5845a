"""S4 whole: two processes, real mail, and exactly the right requests."""

import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from recrawl.formats import batch_file, signature
from recrawl.formats.notice_mail import SIGNATURE_HEADER, SUBJECT
from recrawl.model.notice import NoticeKind
from recrawl.model.page import Status
from recrawl.store.sqlite import open_sqlite
from tests.flow.told import EMAIL, Town, town

DOCUMENTS = 50
WORDS = ("harbour", "lantern", "meadow", "orchard", "quarry", "ribbon", "saddle", "timber", "velvet", "willow")


def _text(name: str, version: int) -> str:
    chosen = [WORDS[(version * 7 + place * (version + 3)) % len(WORDS)] for place in range(60)]
    words = f"document {' '.join(chosen)} {_mark(version)}"
    return f"<html><head><title>{name}</title></head><body><p>{words}</p></body></html>"


def _mark(version: int) -> str:
    """A word that this version alone has."""
    return f"edition{version}x"


def _start(made: Town, documents: int) -> None:
    """A site with documents, crawled once, its agent registered with and confirmed."""
    for number in range(documents):
        made.write(f"{number}.html", _text(f"{number}", 0))
    links = "".join(f'<a href="/{number}.html">{number}</a> ' for number in range(documents))
    made.write("index.html", f"<html><body><p>All documents</p>{links}</body></html>")
    made.agent("watch")
    (made.root / "robots.txt").write_text(f"User-agent: *\nAllow: /\n{made.agent('status')['robots_txt']}\n")
    made.agent("watch")
    made.run("add", made.url, "--own", "--name", "town", "--folder", "crawl")
    made.crawl()
    assert made.robot("list")["offers"] == {"town": made.agent_url}
    assert made.robot("register", "town", "--email", EMAIL, "--latency", "0") == {
        "server": made.url.split("/")[2],
        "agent": made.agent_url,
        "email": EMAIL,
        "latency_days": 0.0,
        "standing": "unconfirmed",
        "signed": False,
    }
    assert made.robot("mailbox", made.maildir) == {"confirmed": 1}
    assert made.robot("list")["offers"] == {}
    [registered] = made.robot("list")["registrations"]
    assert (registered["standing"], registered["signed"]) == ("on", True)
    made.asked()


@pytest.fixture(scope="module")
def big_town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    with town(tmp_path_factory.mktemp("town")) as made:
        _start(made, DOCUMENTS - 10)
        yield made


def _story(seed: int) -> list[tuple[int, str]]:
    """Documents added, updated, deleted and created again, in some order: enough that every kind occurs."""
    dice = random.Random(seed)
    return [(dice.randrange(DOCUMENTS), dice.choice("AUDDA")) for _ in range(dice.randrange(50, 120))]


@settings(max_examples=3, deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])
@given(story=some.integers().map(_story), looks=some.integers(1, 3))
def test_exactly_what_changed_is_fetched_and_the_copy_is_right(
    big_town: Town, story: list[tuple[int, str]], looks: int
) -> None:
    made = big_town
    before = {file.name: file.read_bytes() for file in made.root.glob("*.html")}
    for look in range(looks):  # the agent may look in between: its history, not its memory, must be right
        for number, event in story[look::looks]:
            file = made.root / f"{number}.html"
            if event == "D":
                file.unlink(missing_ok=True)
            elif (event == "U") is file.exists():
                made.write(file.name, _text(file.name, made.written))
        made.agent("watch")
    after = {file.name: file.read_bytes() for file in made.root.glob("*.html")}
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    gone = set(before) - set(after)
    told = made.agent("notify")
    assert told["failures"] == []
    assert told["notices"] == len(changed)
    came = made.robot("mailbox", made.maildir)
    assert came.get("visits", 0) == len(changed)
    made.crawl()
    asked = Counter(path.lstrip("/") for path, _ in made.asked())
    assert set(asked) == changed
    assert {name for name, times in asked.items() if times > 1} <= gone  # a deletion must be proved twice
    assert max(asked.values(), default=0) <= 2
    _check_copy(made, after, gone)
    _check_index(made, {name: after[name] for name in changed if name in after}, set(after) - {"index.html"})


def _check_index(made: Town, changed: dict[str, bytes], documents: set[str]) -> None:
    """Deleted documents are not found, changed ones by what they say now."""
    assert _found(made, "document") == documents
    for name in sorted(changed)[:2]:
        [mark] = re.findall(r"edition\d+x", changed[name].decode())
        assert _found(made, mark) == {name}


def _found(made: Town, words: str) -> set[str]:
    answers = made.run("search", words, "--folder", "crawl", "--limit", "100", "--json")
    return {one["url"].removeprefix(made.url) for one in answers}


def _check_copy(made: Town, tree: dict[str, bytes], gone: set[str]) -> None:
    store = open_sqlite(made.folder / "crawl" / "recrawl.db", readonly=True)
    try:
        pages = {page.url.removeprefix(made.url): page for page in store.scan(limit=1000)}
        kept = {name or "index.html": page.body_digest for name, page in pages.items() if page.status is Status.LIVE}
        assert kept == {name: hashlib.sha256(body).digest() for name, body in tree.items()}
        assert all(pages[name].status is Status.GONE for name in gone)
        assert all(notice.proved for notice in store.notices(limit=10_000))
    finally:
        store.close()
    told = made.run("changes", "crawl", "--json", "--kind", "removed")
    removed = {line["url"].removeprefix(made.url) for line in told}
    assert gone <= removed
    [trust] = made.run("notices", "trust", "--folder", "crawl", "--json")
    assert (trust["source"], trust["wrong"], trust["missed"]) == ("agent", 0.0, 0.0)


def test_suspend_holds_notices_back_resume_sends_what_was_missed_and_leaving_ends_it(tmp_path: Path) -> None:
    with town(tmp_path) as made:
        _start(made, 5)
        made.robot("suspend", "town")
        made.write("0.html", _text("0", 1))
        made.agent("watch")
        (made.root / "1.html").unlink()
        made.agent("watch")
        assert made.agent("notify")["robots"] == 0
        assert made.robot("mailbox", made.maildir) == {}
        made.robot("resume", "town")
        assert made.agent("notify")["notices"] == 2
        assert made.robot("mailbox", made.maildir)["visits"] == 2
        made.crawl()
        assert Counter(made.asked()) == {("/0.html", 200): 1, ("/1.html", 404): 2}
        made.robot("change", "town", "--latency", "30")
        made.robot("batch-file", "town", "batch.txt")
        batch = batch_file.parse((tmp_path / "batch.txt").read_bytes())
        found = {one.url.removeprefix(made.url): (one.action, one.body) for one in batch.documents}
        assert found == {
            "0.html": (NoticeKind.UPDATED, _text("0", 1).encode()),
            "1.html": (NoticeKind.DELETED, b""),
        }
        assert made.robot("unregister", "town")["standing"] == "unregistered"
        assert (made.folder / "agent" / "robots.uod").read_text() == ""
        made.write("2.html", _text("2", 1))
        made.agent("watch")
        assert made.agent("notify", "--now")["robots"] == 0


def _mail(sender: str, body: str, signed: str = "") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, EMAIL, SUBJECT
    if signed:
        message[SIGNATURE_HEADER] = signed
    message.set_content(body)
    return message.as_bytes()


def test_forged_and_replayed_mails_do_nothing_and_are_counted(tmp_path: Path) -> None:
    with town(tmp_path) as made:
        _start(made, 3)
        body = "<RoBoT> D:/0.html:0:20200101\n<RoBoT> U:/1.html:5:20200101\n"
        sender = "recrawl-agent@[127.0.0.1]"
        forged = signature.render(signature.sign("guessed", body, 1_700_000_000, "0123456789"))
        box = made.maildir / "new"
        (box / "wrong-host").write_bytes(_mail("agent@evil.example", body, forged))
        (box / "no-signature").write_bytes(_mail(sender, body))
        (box / "wrong-signature").write_bytes(_mail(sender, body, forged))
        (box / "ordinary").write_bytes(_mail(sender, body).replace(SUBJECT.encode(), b"Lunch?"))
        came = made.robot("mailbox", made.maildir)
        assert came == {
            "set aside: sender is no registered server": 1,
            "set aside: no signature": 1,
            "set aside: wrong signature": 1,
        }
        assert len(list((tmp_path / "crawl" / "set-aside").iterdir())) == 3
        assert (box / "ordinary").exists()
        made.write("2.html", _text("2", 1))
        made.agent("watch")
        made.agent("notify")
        [real] = [file for file in box.iterdir() if file.name != "ordinary"]
        raw = real.read_bytes()
        assert made.robot("mailbox", made.maildir)["visits"] == 1
        made.crawl()
        assert made.asked() == [("/2.html", 200)]
        (box / "replayed").write_bytes(b"X-Way: another\n" + raw)
        assert made.robot("mailbox", made.maildir) == {"set aside: replayed": 1}
        made.crawl()
        assert made.asked() == []
        assert made.robot("list")["counts"]["set aside: replayed"] == 1
