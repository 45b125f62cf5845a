"""The first whole thing: crawl, come back, tell what changed."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.flow.conftest import Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]


def test_every_page_reachable_by_links_is_kept_once_and_nothing_disallowed_is_asked_for(
    start_site: Start, recrawl: Run
) -> None:
    site = start_site(2000, "--traps", "5")
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    [status] = recrawl("status", "D", "--json").lines
    asked = Counter(site.pages_asked())
    assert set(asked) == site.paths() - site.forbidden()
    assert max(asked.values()) == 1
    assert status["pages"] == status["visits"] == status["versions"] == len(asked)
    assert status["requests"] == len(asked) + 1  # and robots.txt
    assert status["refused"] == len(site.forbidden())
    assert status["failed"] == status["changed"] == status["not_modified"] == 0


def test_a_second_run_asks_only_conditionally_and_transfers_next_to_nothing(start_site: Start, recrawl: Run) -> None:
    site = start_site(300)
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    [first] = recrawl("status", "D", "--json").lines
    seen = len(site.requests())
    recrawl("run", "D", "--once", "--all")
    [second] = recrawl("status", "D", "--json").lines
    again = [request for request in site.requests()[seen:] if request.path != "/robots.txt"]
    assert len(again) == 300
    assert all(request.conditional and request.status == 304 for request in again)
    assert second["bytes"] - first["bytes"] < 0.05 * first["bytes"]
    assert second["pages"] == first["pages"]
    assert second["known"] == first["known"]


def test_changes_names_exactly_the_pages_that_changed_and_never_a_clock_or_a_token(
    start_site: Start, recrawl: Run
) -> None:
    site = start_site(200, "--noisy", "6")
    recrawl("add", site.url, "--own", "--folder", "D")
    for _ in range(3):
        recrawl("run", "D", "--once", "--all")
    cursor = recrawl("changes", "D", "--json").lines[-1]["cursor"]
    changed = [f"/p/{number}.html" for number in range(20, 120, 10)]
    site.change(*changed)
    recrawl("run", "D", "--once", "--all")
    found = recrawl("changes", "D", "--json", "--since", cursor).lines
    told = {(line["kind"], line["url"]) for line in found}
    assert told == {("updated", site.url.rstrip("/") + one) for one in changed}
    assert len(found) == len(changed)
    for line in found:
        assert set(line) >= {"cursor", "kind", "url", "at", "digest", "previous_digest", "share_changed"}
        assert line["digest"] != line["previous_digest"]
        assert 0 < line["share_changed"] <= 1


def test_the_feed_can_be_resumed_from_any_cursor(start_site: Start, recrawl: Run) -> None:
    site = start_site(40)
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    whole = recrawl("changes", "D", "--json").lines
    for place in range(0, len(whole), 7):
        rest = recrawl("changes", "D", "--json", "--since", whole[place]["cursor"]).lines
        assert rest == whole[place + 1 :]


def test_a_removed_page_is_gone_after_two_looks_and_a_moved_one_leads_on(start_site: Start, recrawl: Run) -> None:
    site = start_site(60)
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    site.control({"remove": ["/p/50.html"], "move": {"/p/51.html": "/p/1.html"}})
    recrawl("run", "D", "--once", "--all")
    kinds = {line["url"][len(site.url) - 1 :]: line["kind"] for line in recrawl("changes", "D", "--json").lines}
    assert kinds["/p/50.html"] == "added"  # one 404 proves nothing
    assert kinds["/p/51.html"] == "moved"
    recrawl("run", "D", "--once", "--all")
    kinds = {line["url"][len(site.url) - 1 :]: line["kind"] for line in recrawl("changes", "D", "--json").lines}
    assert kinds["/p/50.html"] == "removed"
    site.control({"restore": ["/p/50.html", "/p/51.html"]})
    before = recrawl("changes", "D", "--json").lines[-1]["cursor"]
    recrawl("run", "D", "--once", "--all")
    back = recrawl("changes", "D", "--json", "--since", before).lines
    assert {line["url"][len(site.url) - 1 :]: line["kind"] for line in back} == {
        "/p/50.html": "added",
        "/p/51.html": "added",
    }


def test_history_show_diff_and_why_speak_of_one_page(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    site = start_site(30)
    page = site.url + "p/7.html"
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    before = recrawl("show", page, "--folder", "D").out
    site.change("/p/7.html")
    recrawl("run", "D", "--once", "--all")
    after = recrawl("show", page, "--folder", "D").out
    versions = recrawl("history", page, "--folder", "D", "--json").lines
    assert before != after
    assert recrawl("show", page, "--folder", "D", "--at", versions[1]["at"]).out == before
    assert len(versions) == 2
    assert all((tmp_path / "D" / "warc" / one["warc"]["file"]).exists() for one in versions)
    [difference] = recrawl("diff", page, "--folder", "D", "--json").lines
    assert {one["kind"] for one in difference["segments"]} == {"removed", "added"}
    assert recrawl("diff", page, "--folder", "D").out.startswith("--- ")
    [why] = recrawl("why", page, "--folder", "D", "--json").lines
    assert [visit["verdict"] for visit in why["last_visits"]] == ["changed", "new"]
    assert why["robots"]["allowed"]
    assert why["due_at"]
    assert "1 found a change" in recrawl("why", page, "--folder", "D").out
