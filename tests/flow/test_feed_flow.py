"""The feed for machines: documents in it, consumers that die, receivers that do not answer."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recrawl.formats import webhook
from tests.flow.conftest import RECRAWL, Ran, Site
from tests.flow.nursery import fork
from tests.flow.pages import Pages, serving

Run = Callable[..., Ran]
Start = Callable[..., Site]


def test_a_consumer_killed_in_the_middle_goes_on_with_nothing_lost_and_nothing_twice(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    site = start_site(150)
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    got: list[int] = []
    for size in (1, 40, 25):
        words = [*RECRAWL, "changes", "D", "--follow", "--json", "--since", str(got[-1] if got else 0)]
        consumer = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert consumer.stdout is not None
        got += [json.loads(consumer.stdout.readline())["cursor"] for _ in range(size)]
        consumer.kill()
        consumer.communicate()
    got += [line["cursor"] for line in recrawl("changes", "D", "--json", "--since", got[-1]).lines]
    assert len(got) == 150
    assert got == sorted(set(got))


@pytest.fixture
def town(recrawl: Run) -> Iterator[Pages]:
    pages = Pages()
    pages.write("/a", "Harbour", "<p>The ferry was late because of the fog.</p>")
    pages.write("/b", "부두", "<p>오늘 배가 떠났다.</p>", language="ko")
    pages.link()
    with serving(pages):
        recrawl("add", pages.url, "--own", "--folder", "D")
        yield pages


def test_documents_come_with_their_changes_and_tombstones_without(town: Pages, recrawl: Run) -> None:
    recrawl("run", "D", "--once")
    first = {line["url"].rpartition("/")[2]: line for line in recrawl("changes", "D", "--text").lines}
    assert (
        first["b"]["title"] == "부두" and first["b"]["language"] == "ko" and first["b"]["text"] == "오늘 배가 떠났다."
    )
    town.write("/a", "Harbour", "<p>The ferry was early, and the sun shone on the quay all day.</p>")
    del town.html["/b"]
    cursor = max(line["cursor"] for line in first.values())
    recrawl("run", "D", "--once", "--all")
    recrawl("run", "D", "--once", "--all")
    later = recrawl("changes", "D", "--text", "--since", cursor).lines
    [changed] = [line for line in later if line["kind"] == "updated"]
    [removed] = [line for line in later if line["kind"] == "removed"]
    assert changed["previous_digest"] == first["a"]["digest"] != changed["digest"]
    assert 0 < changed["share_changed"] <= 1 and "early" in changed["text"]
    assert removed["url"].endswith("/b") and removed["text"] is None and removed["digest"] is None
    [again] = [line for line in recrawl("changes", "D", "--text").lines if line["cursor"] == first["a"]["cursor"]]
    assert "fog" in again["text"]  # still the version that the change spoke of
    newest = later[-1]["cursor"]
    assert recrawl("changes", "D", "--since", newest).out == ""
    assert "older copy" in recrawl("changes", "D", "--since", newest + 1, expect=2).err


def test_webhooks_are_told_during_the_run_signed_in_order_and_after_failures(
    town: Pages, recrawl: Run, tmp_path: Path
) -> None:
    settings = tmp_path / "D" / "recrawl.toml"
    hooks = f'[webhooks]\nurls = ["{town.url}hook"]\nsecret = "quiet"\ntext = true\n'
    settings.write_text(settings.read_text() + hooks)
    town.fail = 1
    process = fork("recrawl", ["run", "D"], tmp_path, Path(os.devnull))
    deadline = time.monotonic() + 120
    while not town.posted and time.monotonic() < deadline:  # the first try fails, the next comes after its back-off
        time.sleep(0.05)
    process.terminate()
    assert process.wait(timeout=60) == 143
    assert town.fail == 0
    [(path, headers, body), *_] = town.posted
    assert path == "/hook"
    assert webhook.fits("quiet", headers, body, time.time())
    recrawl("changes", "D", "--deliver")
    once = {
        headers["webhook-id"]: json.loads(body) for _, headers, body in town.posted
    }  # the end may have cut a yes off
    changes = [change for delivery in once.values() for change in delivery["changes"]]
    assert [change["cursor"] for change in changes] == [
        line["cursor"] for line in recrawl("changes", "D", "--json").lines
    ]
    assert {change["text"] for change in changes} >= {"오늘 배가 떠났다."}
    assert json.loads(recrawl("changes", "D", "--deliver", "--json").out) == {"delivered": 0, "left": 0}
    settings.write_text(settings.read_text().replace("/hook", "/another"))
    town.fail = 1
    assert "answered 503" in recrawl("changes", "D", "--deliver", expect=4).err
    assert f"{len(changes)} delivered, 0 left" in recrawl("changes", "D", "--deliver").out


def test_deliver_without_a_webhook_says_how_to_set_one(town: Pages, recrawl: Run) -> None:
    assert "[webhooks]" in recrawl("changes", "D", "--deliver", expect=2).err
