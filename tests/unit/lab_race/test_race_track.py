"""The race's bookkeeping, on histories small enough to reckon by hand."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from recrawl.cli.race import race as race_command
from recrawl.lab.race.history import APPEARED, CHANGED, DAY_S, GONE, History, ledger, rates_per_day
from recrawl.lab.race.race import RACED, one, run
from recrawl.lab.race.scaled import OwnTime, factor_for, part_of
from recrawl.lab.race.scores import json_line, summarised, table
from recrawl.lab.race.traces import pattern_of, read, sampled
from recrawl.lab.race.track import politely, race
from recrawl.lab.race.worlds import WORLDS, Size, lognormal
from recrawl.model.belief import Bools, Ints
from recrawl.model.failure import FormatError, RecrawlError
from recrawl.schedule import policy
from recrawl.schedule.settings import Settings

SMALL = Size(120, 40)


def history(events: list[tuple[int, float, int]], here: list[bool], days: int = 10) -> History:
    pages = len(here)
    zeros = np.zeros(pages, dtype=np.int64)
    return History(
        "by hand", days, ("site",), ("site|",), zeros, zeros, zeros, np.array(here), np.ones(pages), np.ones(pages),
        np.array([e[0] for e in events], dtype=np.int64), np.array([e[1] * DAY_S for e in events]),
        np.array([e[2] for e in events], dtype=np.int64), np.array([np.inf]),
    )  # fmt: skip


class AtHours:
    """Visits given pages at given hours."""

    def __init__(self, plan: dict[int, list[int]]) -> None:
        self.plan = plan
        self.seen: list[tuple[int, float, bool]] = []

    def hold(self, pages: Ints, at_s: float) -> None: ...

    def hear(self, pages: Ints) -> None: ...

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        return np.array([page for page in self.plan.get(round(at_s / 3600), []) if held[page]], dtype=np.int64)

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None:
        self.seen += [(int(p), at_s / DAY_S, bool(c)) for p, c in zip(pages, changed, strict=True)]


def test_a_copy_is_stale_from_the_first_change_after_the_visit_to_the_next_visit() -> None:
    track = race(history([(0, 2.0, CHANGED), (0, 3.0, CHANGED)], [True]), AtHours({24 * 5: [0]}), 1.0)
    assert track.tally.stale_s[0] == pytest.approx(3 * DAY_S)
    assert (track.tally.missed, track.tally.wasted, track.tally.requests) == (1, 0, 1)


def test_what_is_not_visited_is_stale_to_the_end() -> None:
    track = race(history([(0, 4.0, CHANGED)], [True]), AtHours({}), 1.0)
    assert track.tally.stale_s[0] == pytest.approx(6 * DAY_S)


def test_a_page_counts_only_while_it_exists() -> None:
    book = ledger(history([(0, 2.0, APPEARED), (0, 5.0, GONE), (0, 7.0, APPEARED)], [False]))
    lived = book.existed_s(np.zeros(4, dtype=np.int64), np.array([1.0, 4.0, 6.0, 10.0]) * DAY_S)
    assert list(lived / DAY_S) == [0.0, 2.0, 3.0, 6.0]


def test_a_dead_page_is_not_stale_but_costs_requests_until_it_is_noticed() -> None:
    runner = AtHours({24 * 6: [0], 24 * 8: [0]})
    track = race(history([(0, 5.0, GONE)], [True]), runner, 1.0)
    assert track.tally.stale_s[0] == 0.0
    assert track.tally.requests == 1  # let go after the first
    assert runner.seen == [(0, 6.0, True)]


def test_a_page_that_appears_is_found_within_the_hour_and_paid_for() -> None:
    track = race(history([(0, 2.01, APPEARED), (0, 4.0, CHANGED)], [False]), AtHours({24 * 5: [0]}), 1.0)
    assert track.tally.requests == 2
    assert track.tally.stale_s[0] == pytest.approx(DAY_S)


def test_an_oracles_rate_is_changes_per_day_of_existence() -> None:
    rates = rates_per_day(history([(0, 2.0, CHANGED), (0, 3.0, CHANGED), (1, 5.0, APPEARED)], [True, False]))
    assert list(rates) == [0.2, 0.0]


def test_a_server_is_asked_no_more_often_than_it_allows() -> None:
    polite = replace(
        history([], [True] * 6), server=np.array([0, 0, 0, 1, 1, 1]), allowed_per_hour=np.array([1.0, np.inf])
    )
    assert list(politely(np.array([2, 0, 3, 1, 4, 5]), polite, 7)) == [2, 3, 4, 5]


@pytest.mark.parametrize("name", RACED)
def test_every_policy_spends_the_budget_and_no_more(name: str) -> None:
    score = one(lognormal(1, SMALL), name, 0.2, 0)
    assert score.requests <= 0.2 * SMALL.pages * (SMALL.days + 1)
    if name != "likelihood":
        assert score.requests >= 0.9 * 0.2 * SMALL.pages * (SMALL.days - 2)
    assert 0.0 < score.stale < 1.0


def test_the_same_seed_runs_the_same_race() -> None:
    first, second = (one(lognormal(1, Size(60, 14)), "value", 0.2, 0) for _ in range(2))
    assert replace(first, cpu_s=0.0) == replace(second, cpu_s=0.0)


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_every_world_is_sorted_and_the_same_by_seed(name: str) -> None:
    one_world, again = (WORLDS[name](3) for _ in range(2))
    assert (one_world.event_s == again.event_s).all()
    order = np.lexsort((one_world.event_s, one_world.event_page))
    assert (order == np.arange(order.size)).all()
    assert one_world.event_s.max() <= one_world.end_s
    assert (np.diff(one_world.notice_s) >= 0).all()


def test_scores_are_summarised_and_printed_best_first() -> None:
    scores = list(run([lambda seed: lognormal(seed, Size(60, 30))], ["static", "oracle-cho"], [0.2], seeds=2))
    rows = summarised(scores)
    assert [row.stale for row in rows] == sorted(row.stale for row in rows)
    assert rows[0].seeds == 2 and rows[0].stale_spread > 0
    assert '"policy":"static"' in json_line(scores[0])
    assert "oracle-cho" in table(scores)


def _trace(folder: Path, events: str, pages: str = "page_id,path,size0\n0,docs/a/x.md,10\n1,docs/b/y.md,\n") -> Path:
    (folder / "site.pages.csv").write_text(pages)
    path = folder / "site.csv"
    path.write_text(events)
    return path


def test_a_trace_is_cut_to_whole_weeks_that_begin_on_a_monday(tmp_path: Path) -> None:
    monday = 1_704_067_200
    rows = [(0, monday + day * 86400 + 3600, "U") for day in range(30)] + [(1, monday + 20 * 86400, "A")]
    lines = "".join(f"{page},{at},{kind},5\n" for page, at, kind in sorted(rows, key=lambda row: row[1]))
    found = sampled([read(_trace(tmp_path, "page_id,timestamp,kind,size\n" + lines))], seed=0)
    assert found.days % 7 == 0 and found.pages == 2
    hours = (found.event_s[found.event_page == 0] / 3600) % 24
    assert (hours == 1).all()
    assert found.group_names == ("site|a/*.md", "site|b/*.md")


def test_a_trace_with_a_stranger_or_other_columns_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="2:1"):
        read(_trace(tmp_path, "page_id,timestamp,kind,size\n9,1704067200,U,5\n"))
    with pytest.raises(FormatError, match="columns"):
        read(_trace(tmp_path, "page,when\n"))


@pytest.mark.parametrize(
    ("events", "says"),
    [
        ("0,yesterday,U,5\n", "2:2: 'yesterday' is no number"),
        ("0,1704067200,U,5\n0,nan,U,5\n", "3:2: 'nan' is no number"),
        ("0,1704067200,U\n", "2:1: 3 columns instead of 4"),
        ("0,1704067200,X,5\n", "2:1: unknown page 0 or kind 'X'"),
    ],
)
def test_a_trace_that_cannot_be_meant_is_refused_with_line_and_column(tmp_path: Path, events: str, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        read(_trace(tmp_path, "page_id,timestamp,kind,size\n" + events))


@pytest.mark.parametrize("data", [b"x", gzip.compress(b"page_id", mtime=0)[:12]])
def test_a_trace_that_is_not_whole_gzip_is_refused(tmp_path: Path, data: bytes) -> None:
    _trace(tmp_path, "")
    (tmp_path / "site.csv.gz").write_bytes(data)
    with pytest.raises(FormatError, match="gzip"):
        read(tmp_path / "site.csv.gz")


def test_events_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    found = read(_trace(tmp_path, "page_id,timestamp,kind,size\n0,1704153600,U,5\n0,1704067200,U,5\n"))
    assert [at for _, at, _, _ in found.events] == [1704067200.0, 1704153600.0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--world", "weekly", "--budget", "nan"], "no budget"),
        (["--world", "weekly", "--budget", "1/0"], "no budget"),
        (["--world", "weekly", "--budget", "inf"], "no budget"),
        (["--world", "weekly", "--policies", "guess"], "no policy 'guess'"),
        (["--trace", "nowhere.csv.gz"], "no trace nowhere.csv.gz"),
        ([], "race on what"),
    ],
)
def test_a_race_that_cannot_be_run_says_why(words: list[str], says: str) -> None:
    told = CliRunner().invoke(race_command, words)
    assert isinstance(told.exception, RecrawlError) and says in str(told.exception)


def test_the_plot_is_written_into_a_folder_that_was_not_there_and_traces_may_follow_the_options(tmp_path: Path) -> None:
    lines = "".join(f"0,{1_704_067_200 + day * 86400},U,5\n" for day in range(30))
    path = _trace(tmp_path, "page_id,timestamp,kind,size\n" + lines)
    plot = tmp_path / "out" / "race.html"
    few = ["--policies", "static,oracle-cho", "--budget", "1", "--seeds", "1", "--json", "--plot", str(plot)]
    told = CliRunner().invoke(race_command, [*few, str(path)])
    assert told.exit_code == 0, told.output
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert [row["policy"] for row in rows] == ["static", "oracle-cho"]
    named = "policy budget seed trace stale stale_weighted age_days wasted missed delay_days requests cpu_s"
    assert all(set(named.split()) <= set(row) for row in rows)
    assert "static" in plot.read_text()


def test_patterns_are_the_first_folder_and_the_ending() -> None:
    assert pattern_of("docs/guide/a/b.md", 1) == "guide/*.md"
    assert pattern_of("index.html", 0) == "/*.html"


def test_part_of_a_history_keeps_every_page_it_has_with_its_own_events() -> None:
    whole = lognormal(2, SMALL)
    part = part_of(whole, 30)
    assert part.pages == 30
    for number, page in enumerate(range(0, whole.pages, 4)):
        assert (part.event_s[part.event_page == number] == whole.event_s[whole.event_page == page]).all()


def test_a_schedule_in_its_own_time_asks_for_what_the_budget_allows_without_being_held_back() -> None:
    history = lognormal(1, SMALL)
    chosen = policy("nutch", Settings())
    alone = OwnTime(history, chosen, np.random.default_rng(0), factor=factor_for(history, chosen, 0.2, 0), spends=False)
    asked = race(history, alone, 24.0).tally.requests / history.pages / history.days
    assert asked == pytest.approx(0.2, rel=0.15)
