"""The API over a real socket: what the store holds, page by page, with ETags, metrics and probes beside it."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.unit.web.conftest import NOW, Get, Small, asking

from recrawl.folder.folder import Folder
from recrawl.web.metrics import COUNTERS
from recrawl.web.serving import beside
from recrawl.web.settings import WebSettings


def get(ask: Get, path: str) -> Any:
    answer = ask(path)
    assert answer.status == 200, (path, answer.text)
    return answer.json


def test_pages_come_in_parts_and_every_one_once(ask: Get, small: Small) -> None:
    met, after = [], ""
    while True:
        part = get(ask, f"/api/pages?limit=1{after}")
        met += [item["url"] for item in part["items"]]
        if part["next"] is None:
            break
        after = f"&after={part['next']}"
    assert sorted(met) == sorted(page.url for page in (small.ferry, small.quiet, small.gone))


def test_changes_go_on_from_their_cursor(ask: Get) -> None:
    first = get(ask, "/api/changes?limit=3")
    rest = get(ask, f"/api/changes?after={first['next']}")
    end = get(ask, f"/api/changes?after={rest['next']}")
    assert [item["kind"] for item in first["items"] + rest["items"]] == ["added", "added", "removed", "updated"]
    assert end == {"items": [], "next": rest["next"]}


def kinds(part: Any) -> list[str]:
    return [item["kind"] for item in part["items"]]


def test_changes_are_told_from_a_time_on_or_after_a_cursor(ask: Get) -> None:
    [_, second, _, last] = get(ask, "/api/changes")["items"]
    assert kinds(get(ask, "/api/changes?since=3d")) == ["updated"]
    assert kinds(get(ask, f"/api/changes?since={last['at']}")) == ["updated"]
    assert kinds(get(ask, "/api/changes?since=2026-01-01")) == ["added", "added", "removed", "updated"]
    assert kinds(get(ask, f"/api/changes?since={second['cursor']}")) == ["removed", "updated"]
    first = get(ask, "/api/changes?since=4d&limit=1")
    assert kinds(first) == ["removed"] and kinds(get(ask, f"/api/changes?since=4d&after={first['next']}")) == [
        "updated"
    ]


def test_a_cursor_that_is_not_reached_is_refused(ask: Get) -> None:
    last = get(ask, "/api/changes")["next"]
    refused = ask(f"/api/changes?after={last + 10}")
    assert refused.status == 404 and f"no cursor {last + 10} yet" in refused.text


def test_who_asks_from_a_time_without_changes_goes_on_behind_those_before_it(ask: Get) -> None:
    last = get(ask, "/api/changes")["next"]
    assert get(ask, "/api/changes?since=1h") == {"items": [], "next": last}


@pytest.mark.parametrize(
    "question, said",
    [
        ("changes?since=yesterday", "'yesterday' is no time: write 2026-11-01"),
        ("changes?since=99999999999999999999", "larger than any can be"),
        ("changes?kind=limit_hit", "limit_hit is no kind of change: write added, updated, moved, removed, lost"),
        ("changes?sience=2d", "no parameter 'sience': it knows after, since, site, kind, limit"),
        ("pages?category=news", "no parameter 'category': it knows site"),
        ("servers?site=harbour", "no parameter 'site': it knows none"),
        ("search?q=ferry&as-of=2d", "no parameter 'as-of': it knows q, site, category, as_of"),
        ("records?since=2d", "no parameter 'since'"),
        ("search?q=ferry&as_of=soon", "'soon' is no time"),
    ],
)
def test_a_question_that_cannot_be_answered_as_asked_is_refused(ask: Get, question: str, said: str) -> None:
    answer = ask(f"/api/{question}")
    assert answer.status == 400 and said in answer.json["detail"], answer.text  # type: ignore[index]


def test_the_facts_of_a_page_are_those_of_why(ask: Get, small: Small) -> None:
    by_id, by_url = get(ask, f"/api/pages/{small.ferry.id}"), get(ask, f"/api/page?url={small.ferry.url}")
    assert by_id == by_url and by_id["visits"] == 4 and by_id["belief"]["changes"] == 1
    assert by_id["server"]["overloaded"] and by_id["robots"]["allowed"]


def test_versions_and_their_difference_can_be_read(ask: Get, small: Small) -> None:
    page = f"/api/pages/{small.ferry.id}"
    assert [one["number"] for one in get(ask, f"{page}/versions")] == [2, 1]
    assert "leaves at ten" in get(ask, f"{page}/versions/2")["text"]
    parts = get(ask, f"{page}/difference/1/2")["parts"]
    old = "".join(part["text"] for part in parts if part["kind"] != "added")
    assert "leaves at nine" in old and "fog" not in old
    assert ask(f"{page}/versions/3").status == 404


def test_an_answer_that_is_known_is_not_sent_again(ask: Get) -> None:
    first = ask("/api/errors")
    tag = first.headers["etag"]
    assert first.status == 200 and first.body
    for known in (tag, f'"other", W/{tag}', "*"):
        again = ask("/api/errors", If_None_Match=known)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert ask("/api/errors", If_None_Match='"other"').status == 200


def test_every_view_has_its_numbers_in_the_api(ask: Get) -> None:
    overview = get(ask, "/api/overview")
    assert (overview["pages"], overview["requests_today"], overview["due"]) == (2, 3, 1)
    assert [site["name"] for site in get(ask, "/api/sites")] == ["harbour", "island"]
    assert get(ask, "/api/sites/harbour")["categories"] == {"boats/ferries": 1}
    [robots] = get(ask, "/api/sites/harbour")["robots"]
    assert robots["status"] == 200 and robots["origin"] == "http://harbour.example/robots.txt"
    assert sum(map(sum, get(ask, "/api/week")["changes"])) == 1
    assert sum(band["pages"] for band in get(ask, "/api/figures")["intervals"]) == 2
    assert get(ask, "/api/plan")["pages"] == 2
    assert get(ask, "/api/errors")[0]["reason"] == "404 on consecutive visits"
    assert get(ask, "/api/search?q=ferry")["total"] == 1
    [record] = get(ask, "/api/records")["items"]
    assert record["data"]["price"] == 6.0 and get(ask, "/api/records?site=island")["items"] == []
    assert [one["data"]["price"] for one in get(ask, f"/api/pages/{record['page']}/records")] == [4.5, 6.0]
    assert get(ask, "/api/due")[0]["url"] == "http://island.example/"
    assert {server["key"] for server in get(ask, "/api/servers")} == {"harbour.example", "island.example"}


def test_metrics_follow_the_store_and_every_name_is_documented(ask: Get) -> None:
    text = ask("/metrics").text
    assert 'recrawl_visits_total{site="harbour"} 6.0' in text
    assert 'recrawl_pages{site="harbour",state="gone"} 1.0' in text
    assert 'recrawl_servers{state="overloaded"} 1.0' in text
    names = {
        re.sub(r"_(total|created|bucket|count|sum)$", "", name) for name in re.findall(r"^(recrawl_\w+)", text, re.M)
    }
    assert {name for name, _, _ in COUNTERS} <= names
    page = (Path(__file__).parents[3] / "docs/reference/metrics.md").read_text()
    assert [name for name in sorted(names) if f"`{name}" not in page] == []


def test_the_labels_of_requests_are_routes_not_addresses(ask: Get) -> None:
    for path in ("/page/123", "/page/456", "/nothing-like-this", "/sites/harbour"):
        ask(path)
    text = ask("/metrics").text
    assert 'route="/page/{page}"' in text and "123" not in re.sub(r" [\d.e+-]+$", "", text, flags=re.M)


def test_every_path_of_the_api_is_documented(ask: Get) -> None:
    paths = get(ask, "/api/openapi.json")["paths"]
    page = (Path(__file__).parents[3] / "docs/reference/api.md").read_text()
    missing = [
        f"{verb.upper()} {path}"
        for path, verbs in paths.items()
        for verb in verbs
        if f"`{verb.upper()} {path}`" not in page
    ]
    assert missing == []


def test_health_is_alive_and_readiness_waits_for_the_first_crawl(tmp_path: Path, ask: Get) -> None:
    assert get(ask, "/health") == {"status": "alive"} and get(ask, "/ready") == {"status": "ready", "pages": 3}
    empty = Folder(tmp_path / "empty")
    empty.create("")
    with beside(empty, WebSettings(port=0, log=False), lambda: NOW) as base:
        other = asking(base)
        assert other("/health").status == 200 and other("/ready").status == 503
        assert other("/").status == 404 and "nothing crawled yet" in other("/").text


def test_another_name_for_the_address_is_not_answered(ask: Get) -> None:
    answer = ask("/api/overview", Host="evil.example")
    assert answer.status == 421 and "content-security-policy" in answer.headers


@pytest.mark.parametrize(
    "call",
    ["overview", "pages", "changes", "due", "week", "figures", "plan", "errors", "records", "search"],
)
def test_nothing_of_a_site_that_is_not_there_is_no_answer(ask: Get, call: str) -> None:
    told = ask(f"/api/{call}?site=harbor")
    assert told.status == 404 and "did you mean 'harbour'?" in told.text
    assert ask(f"/api/{call}?site=harbour").status == 200
