"""Several workers in processes of their own: what they say at their end, and how they are stopped."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.unit.towns import serving

from recrawl.config import Settings
from recrawl.engine.tally import Board, Count, Tally
from recrawl.engine.worker import Order
from recrawl.folder.folder import Folder
from recrawl.launch.process import Crew
from recrawl.launch.run import run
from recrawl.model.failure import ConfigError
from recrawl.model.site import Site

Work = Callable[[int, Tally], int]


def _crew(work: Work, on_tick: Callable[[Board], None] = lambda board: None) -> Crew:
    return Crew(work, Board(2), once=False, on_tick=on_tick, complain=lambda text: None)


def test_the_reason_why_a_worker_gave_up_reaches_its_parent() -> None:
    def work(number: int, tally: Tally) -> int:
        raise ConfigError("the site file is not as it should be")

    crew = _crew(work)
    assert (crew.run(), crew.last_words) == (ConfigError.exit_code, "the site file is not as it should be")


def test_workers_that_end_well_say_nothing() -> None:
    crew = _crew(lambda number, tally: 0)
    assert (crew.run(), crew.last_words) == (0, "")


def test_workers_that_do_not_listen_yet_are_stopped_all_the_same() -> None:
    def work(number: int, tally: Tally) -> int:
        while True:
            signal.pause()

    def interrupt(board: Board) -> None:
        if not crew.stopped_by:
            os.kill(os.getpid(), signal.SIGINT)

    crew = _crew(work, interrupt)
    assert crew.run() == 128 + signal.SIGINT


class Interrupted(Crew):
    """By Ctrl-C, when the first of its workers has been started."""

    def _written(self, number: int) -> int:
        if not self.children:
            os.kill(os.getpid(), signal.SIGINT)
        return super()._written(number)


def test_a_crew_interrupted_while_it_starts_has_no_worker_that_did_not_hear_of_it() -> None:
    def work(number: int, tally: Tally) -> int:
        while True:
            signal.pause()

    crew = Interrupted(work, Board(3), once=True, on_tick=lambda board: None, complain=lambda text: None)
    waited = threading.Event()
    stopper = threading.Timer(10.0, lambda: (waited.set(), os.kill(os.getpid(), signal.SIGTERM)))
    stopper.start()
    assert crew.run() == 128 + signal.SIGINT
    stopper.cancel()
    assert not waited.is_set()


def test_a_worker_killed_when_all_is_done_does_not_keep_the_others_from_ending(tmp_path: Path) -> None:
    def work(number: int, tally: Tally) -> int:
        heard: list[int] = []
        signal.signal(signal.SIGUSR1, lambda signal_number, frame: heard.append(signal_number))
        while not heard:
            tally.set(Count.IDLE, 1)
            tally.add(Count.CHECKS)
            time.sleep(0.01)
        if number == 0 and not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    crew = Crew(work, Board(2), once=True, on_tick=lambda board: None, complain=lambda text: None)
    stopper = threading.Timer(30.0, os.kill, (os.getpid(), signal.SIGTERM))
    stopper.start()
    assert crew.run() == 0
    stopper.cancel()


def test_a_run_whose_workers_are_killed_again_and_again_says_so(tmp_path: Path) -> None:
    """And does not say that somebody interrupted it."""
    folder = Folder(tmp_path)
    folder.create("")

    def kill_workers(board: Board) -> None:
        children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
        for child in map(int, children):
            os.kill(child, signal.SIGKILL)

    with serving(str, (200, "")) as town:
        folder.put_site(Site("town", (town.url,), own=(town.name,)))
        ended = run(folder, Settings(), Order(), 2, kill_workers, make_all_due=False)
    assert ended.code == 128 + signal.SIGKILL
    assert ended.sentence.startswith("a worker died by signal 9 again and again")
