"""What the servers' own logs show: politeness kept, with several workers at once."""

from collections.abc import Callable
from pathlib import Path

from recrawl.lab.requests_log import closer_than, overlapping
from tests.flow.conftest import Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]


def test_four_workers_never_ask_one_server_twice_at_once_nor_closer_than_its_gap(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    sites = [start_site(12, "--traps", "2", "--delay", "0.02") for _ in range(4)]
    slow = start_site(6, "--crawl-delay", "1")
    for number, site in enumerate([*sites, slow]):
        recrawl("add", site.url, "--own", "--gap", "0.2", "--name", f"s{number}", "--folder", "D")
    recrawl("run", "D", "--once", "--workers", "4")
    for site in [*sites, slow]:
        requests = site.requests()
        gap_s = 1.0 if site is slow else 0.2
        assert {request.path for request in requests} == (site.paths() - site.forbidden()) | {"/robots.txt"}
        assert requests[0].path == "/robots.txt"
        assert not overlapping(requests)
        assert not closer_than(requests, gap_s)


def test_retry_after_is_kept(start_site: Start, recrawl: Run) -> None:
    site = start_site(10)
    site.control({"busy": {"times": 2, "retry_after": 2}})
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    requests = site.requests()
    busy = [place for place, request in enumerate(requests) if request.status in (429, 503)]
    assert len(busy) == 2
    for place in busy:
        assert requests[place + 1].start_at - requests[place].start_at >= 2.0  # it counts from when the answer came
    assert {request.path for request in requests if request.status == 200} == site.paths() | {"/robots.txt"}
