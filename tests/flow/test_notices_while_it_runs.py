"""A crawl that runs, and beside it the dashboard: notices pushed, sites added and paused, all without a restart."""

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from recrawl.formats import moment
from tests.flow.conftest import RECRAWL
from tests.flow.told import Town, web_town

KEY = "0123456789abcdef"
TOKEN = "a token of some length"


@contextmanager
def _started(made: Town, *words: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [*RECRAWL, *words], cwd=made.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=120)


def _post(url: str, value: object, token: str = "") -> int:
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(url, json.dumps(value).encode(), headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def _next_change(feed: "subprocess.Popen[str]", name: str) -> dict[str, object]:
    assert feed.stdout is not None
    changes = (json.loads(line) for line in feed.stdout)
    return next(one for one in changes if str(one["url"]).endswith(f"/{name}"))


def _found(made: Town, word: str) -> set[str]:
    return {str(one["url"]) for one in made.run("search", word, "--folder", "crawl", "--json")}


def _home(made: Town) -> None:
    made.write("index.html", "<html><body><h1>Home</h1><p>Nothing is linked from here.</p></body></html>")


def test_pushed_pages_and_new_sites_are_visited_and_paused_ones_are_not_while_the_crawl_runs(tmp_path: Path) -> None:
    with ExitStack() as stack:
        made, other = (stack.enter_context(web_town(tmp_path / name)) for name in ("one", "two"))
        for town in (made, other):
            _home(town)
        made.run("add", made.url, "--own", "--name", "town", "--folder", "crawl")
        stack.enter_context(_started(made, "run", "crawl"))
        made.wait_for("/")
        serving = stack.enter_context(_started(made, "serve", "crawl", "--port", "0", "--token", TOKEN, "--quiet"))
        assert serving.stdout is not None
        dashboard = serving.stdout.readline().split()[0]

        made.write("news.html", "<html><body><p>Nobody links here, somebody announced it.</p></body></html>")
        (made.root / f"{KEY}.txt").write_text(KEY)
        ping = {"host": made.url.split("/")[2], "key": KEY, "urlList": [f"{made.url}news.html"]}
        assert _post(f"{dashboard}indexnow", {**ping, "key": "not the key at all"}) == 403
        assert _post(f"{dashboard}indexnow", ping) == 202
        made.wait_for("/news.html")
        assert f"/{KEY}.txt" in {path for path, _ in made.asked()}

        feed = stack.enter_context(_started(made, "changes", "crawl", "--follow", "--json"))
        assert _next_change(feed, "news.html")["kind"] == "added"
        assert _found(made, "announced") == {f"{made.url}news.html"}
        made.write("news.html", "<html><body><p>Nobody links here, but it was rewritten.</p></body></html>")
        assert _post(f"{dashboard}indexnow", ping) == 200  # the key was proved
        change = _next_change(feed, "news.html")
        assert (_found(made, "announced"), _found(made, "rewritten")) == (set(), {f"{made.url}news.html"})
        print(f"a changed word was found {time.time() - moment.parse(str(change['at']), 0.0):.2f} s after the visit")
        hidden = '<html><head><meta name="robots" content="noindex"></head>'
        made.write("news.html", f"{hidden}<body><p>Nobody links here, but it was rewritten.</p></body></html>")
        assert _post(f"{dashboard}indexnow", ping) == 200
        _next_change(feed, "news.html")
        assert _found(made, "rewritten") == set()

        made.run("add", other.url, "--own", "--name", "other", "--folder", "crawl")
        other.wait_for("/")
        assert _post(f"{dashboard}api/sites/town/pause", {}, TOKEN) == 200
        _also(made, other, "first")  # whoever has read this has read the pause
        made.asked()
        assert _post(f"{dashboard}api/due", {"site": "town"}, TOKEN) == 200
        _also(made, other, "second")
        assert made.asked() == []
        assert _post(f"{dashboard}api/sites/town/resume", {}, TOKEN) == 200
        made.wait_for("/news.html")


def _also(made: Town, other: Town, name: str) -> None:
    """One more address for the other site, and wait until it was asked for."""
    other.write(f"{name}.html", f"<html><body><p>The {name} page of the other town.</p></body></html>")
    made.run("add", f"{other.url}{name}.html", "--own", "--name", "other", "--folder", "crawl")
    other.wait_for(f"/{name}.html")
