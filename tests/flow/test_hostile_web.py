"""Every way to misbehave that the lab knows, through the real command line: no crash, no hang, no harm to others."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recrawl.lab.hostile.case import Kind
from recrawl.lab.hostile.table import cases
from tests.hostile.namespace import run_alone

PEAK_MB = 400
LONGEST_REQUEST_S = 90.0  # limits.total_s of the trials is 8 and 30; the machine may be busy
GROUPS = (
    (Kind.HTML,),
    (Kind.BODY, Kind.HEAD, Kind.CONNECTION, Kind.CODING),
    (Kind.REDIRECT, Kind.LINK, Kind.CHARSET, Kind.TRAP),
    (Kind.BUSY, Kind.ROBOTS, Kind.SIGNAL),
    (Kind.TLS, Kind.HTTP2),
)


@dataclass(frozen=True, slots=True)
class Found:
    outcomes: dict[str, dict[str, Any]]
    costs: list[dict[str, Any]]


def found_by(place: Path, *words: str) -> Found:
    done = run_alone([sys.executable, "-m", "tests.hostile.check", str(place), *words], 285)
    assert done.returncode == 0, done.stderr[-4000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return Found({one["name"]: one for one in lines if "name" in one}, [one for one in lines if "name" not in one])


def _check_costs(found: Found) -> None:
    for cost in found.costs:
        assert cost["code"] in (0, 4), cost["output"]  # 4: most requests failed, as they should
        assert cost["peak_mb"] < PEAK_MB
    assert max(one["seconds"] for one in found.outcomes.values()) < LONGEST_REQUEST_S


@pytest.mark.parametrize("kinds", GROUPS, ids="-".join)
def test_a_crawl_of_many_hostile_servers_at_once_ends_as_a_good_crawler_would(
    kinds: tuple[Kind, ...], tmp_path: Path
) -> None:
    found = found_by(tmp_path, *(word for kind in kinds for word in ("--kind", kind)))
    assert not {name: one["faults"] for name, one in found.outcomes.items() if one["faults"]}
    _check_costs(found)


def test_slow_servers_cost_their_limit_and_no_more(tmp_path: Path) -> None:
    found = found_by(tmp_path, "--hasty", "--kind", Kind.TIME)
    assert not {name: one["faults"] for name, one in found.outcomes.items() if one["faults"]}
    _check_costs(found)


def test_lying_servers_do_not_replace_a_good_copy(tmp_path: Path) -> None:
    found = found_by(tmp_path, "--again", "--kind", Kind.TRUTH)
    assert not {name: one["faults"] for name, one in found.outcomes.items() if one["faults"]}
    assert all(cost["code"] == 0 for cost in found.costs), found.costs


def test_every_case_says_what_a_good_crawler_does_under_a_name_of_its_own() -> None:
    known = cases()
    assert len({case.name for case in known}) == len(known) >= 300
    assert all(case.good and case.routes for case in known)
    assert {case.kind for case in known} == set(Kind)
