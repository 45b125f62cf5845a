"""kill -9 at random moments, power cuts, wrong clocks, a folder that cannot be written: nothing lost, nothing twice.

The checker is the program of `tests/chaos`; `make chaos KILLS=200` does the same for longer.
"""

import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copytree

from recrawl.config import Settings
from recrawl.engine.clock import SystemClock
from recrawl.fetch.journal import Journal
from recrawl.fetch.memory import Canned, reply_from
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.batch import Batch
from recrawl.model.visit import Ask
from tests.chaos.check import broken
from tests.chaos.clocks import jump_often
from tests.chaos.ground import ground
from tests.chaos.kills import kill_often
from tests.chaos.power import cut_often
from tests.flow.conftest import RECRAWL, Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]
KILLS, CUTS, JUMPS = 8, 3, 1
LANES = 4


def test_workers_and_whole_trees_are_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    with ground(tmp_path, seed=7, sites=2, pages=40) as field:
        assert kill_often(field, KILLS, lambda text: None) == []


def test_a_kill_at_full_speed_repeats_what_was_under_way(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    """On a server of one's own, without a gap: what was answered and not yet written is not asked for again."""
    site = start_site(600)
    recrawl("add", site.url, "--own", "--parallel", str(LANES), "--folder", "D")
    for kills, stop_at in enumerate((90, 240, 410)):
        worker = subprocess.Popen([*RECRAWL, "run", "D", "--once", "--quiet"], cwd=tmp_path, start_new_session=True)
        while len(asked := site.pages_asked()) < stop_at:
            assert worker.poll() is None
            time.sleep(0.005)  # to leave it the core that it needs
        assert len(asked) - len(set(asked)) <= LANES * kills  # what an earlier kill broke off may come late
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
    recrawl("run", "D", "--once")
    asked = site.pages_asked()
    assert len(asked) - len(set(asked)) <= LANES * (kills + 1)
    assert set(asked) >= site.paths()


def test_a_kill_of_a_revisit_at_full_speed_repeats_what_was_under_way(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    site = start_site(400)
    recrawl("add", site.url, "--own", "--parallel", str(LANES), "--folder", "D")
    recrawl("run", "D", "--once")
    first = len(site.pages_asked())
    words = [*RECRAWL, "run", "D", "--once", "--quiet", "--all"]
    worker = subprocess.Popen(words, cwd=tmp_path, start_new_session=True)
    while len(site.pages_asked()) < first + 150:
        assert worker.poll() is None
        time.sleep(0.005)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    before = site.pages_asked()[first:]
    recrawl("run", "D", "--once")
    again = site.pages_asked()[first + len(before) :]
    assert len(set(again) & set(before)) <= LANES
    assert set(again) | set(before) >= site.paths()


def test_who_wants_everything_is_not_answered_by_what_a_kill_left(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    """Pages that are due already stay as they are when everything is made due."""
    site = start_site(6)
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    folder, now = Folder(tmp_path / "D"), SystemClock().now()
    with closing(open_store(folder, Settings())) as store:
        store.make_due(now - 120.0)
        pages = store.scan()
        store.save(Batch(pages=tuple(replace(page, checked_at=now - 240.0) for page in pages)))
        journal = Journal(folder.journal, "0", store.pages, now - 60.0)
        for page in pages:
            ask = Ask(page.url, page.etag, page.last_modified)
            journal.note(page.id, reply_from(ask, Canned(status=304), now - 60.0))
        journal.close()
    copy = tmp_path / "E"
    copytree(folder.path, copy)
    before = len(site.pages_asked())
    recrawl("run", "E", "--once")
    assert len(site.pages_asked()) == before
    recrawl("run", "D", "--once", "--all")
    assert len(site.pages_asked()) == before + 6


def test_after_a_power_cut_the_folder_opens_and_the_crawl_goes_on(tmp_path: Path) -> None:
    with ground(tmp_path, seed=3, sites=1, pages=40) as field:
        assert cut_often(field, CUTS, lambda text: None) == []


def test_the_clock_jumps_by_hours_and_back_and_everything_is_visited_politely_and_once(tmp_path: Path) -> None:
    with ground(tmp_path, seed=5, sites=1, pages=20) as field:
        assert jump_often(field, JUMPS, lambda text: None, real=False) == []


def test_the_checker_sees_what_is_wrong(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    """A version that points into the void, and an announcement of something that is not kept."""
    recrawl("add", start_site(6).url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    folder = tmp_path / "D"
    assert broken(folder) == []
    with (folder / "recrawl.log").open("a") as log:
        log.write('{"kind": "added", "at": 1.0, "url": "http://a.example/", "cursor": 999999}\n')
    [warc] = (folder / "warc").glob("*.warc.gz")
    whole = warc.read_bytes()
    warc.write_bytes(whole[: len(whole) // 2])
    told = broken(folder)
    assert any(what.startswith("dangling") for what in told)
    assert any(what.startswith("acknowledged and lost") for what in told)


def test_a_folder_that_cannot_be_written_is_said_so_and_can_be_read(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    recrawl("add", start_site(6).url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    folder = tmp_path / "D"
    script = 'mount --bind -o ro "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    own_mounts = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]

    def on_read_only(*words: str) -> subprocess.CompletedProcess[str]:
        inside = [*own_mounts, "sh", "-c", script, "sh", str(folder), *RECRAWL, *words]
        return subprocess.run(inside, capture_output=True, text=True, check=False)

    status = on_read_only("status", str(folder), "--json")
    assert status.returncode == 0, status.stderr
    assert '"pages": 6' in status.stdout
    run = on_read_only("run", str(folder), "--once")
    assert run.returncode in (3, 10), run.stderr
    assert "Traceback" not in run.stderr
    assert len([line for line in run.stderr.splitlines() if line]) == 1
    assert stat.S_ISDIR(folder.stat().st_mode)


def test_a_name_that_does_not_resolve_ends_with_4_and_takes_nothing_away(recrawl: Run, tmp_path: Path) -> None:
    recrawl("init", "D", "--contact", "me@example.org")
    settings = (tmp_path / "D" / "recrawl.toml").read_text()
    dead = '[fetch]\nresolver = "127.0.0.1:9"\n\n[limits]\nconnect_s = 1.0\n\n'
    (tmp_path / "D" / "recrawl.toml").write_text(dead + settings)
    recrawl("add", "http://nowhere.invalid/", "--folder", "D")
    ran = recrawl("run", "D", "--once", expect=4)
    assert "failed" in ran.err
    [why] = recrawl("why", "http://nowhere.invalid/", "--folder", "D", "--json").lines
    assert why["status"] == "new"
