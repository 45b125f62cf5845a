"""Several workers in processes of their own: what they say at their end, and how they are stopped."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.chaos.clocks import wrong_clock
from tests.unit.towns import serving

from recrawl.config import Settings
from recrawl.engine.tally import Board, Count, Tally
from recrawl.engine.worker import Order
from recrawl.folder.folder import Folder
from recrawl.launch.process import Child, Crew
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


def test_a_worker_is_told_once_that_all_is_done() -> None:
    """Its loop hears it; when that is closed the next such signal would end the process."""

    def work(number: int, tally: Tally) -> int:
        heard: list[int] = []
        signal.signal(signal.SIGUSR1, lambda signal_number, frame: heard.append(signal_number))
        while not heard:
            tally.set(Count.IDLE, 1)
            tally.add(Count.CHECKS)
            time.sleep(0.002)
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        time.sleep(0.1)
        return 0

    said: list[str] = []
    crew = Crew(work, Board(2), once=True, on_tick=lambda board: None, complain=said.append)
    assert (crew.run(), said) == (0, [])


def test_the_end_is_seen_when_the_last_has_nothing_to_do_whenever_the_next_look_would_be() -> None:
    def work(number: int, tally: Tally) -> int:
        heard: list[int] = []
        signal.signal(signal.SIGUSR1, lambda signal_number, frame: heard.append(signal_number))
        time.sleep(0.1 * number)
        while not heard:
            tally.set_idle(True)
            tally.add(Count.CHECKS)
            time.sleep(0.002)
        return 0

    crew = Crew(work, Board(2), once=True, on_tick=lambda board: None, complain=lambda text: None, tick_s=3600.0)
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


def test_a_clock_set_back_while_workers_are_started_again_leaves_no_page_behind(tmp_path: Path) -> None:
    """What the dead found was found by the run's clock: by another one it would not be due for an hour."""
    clock, folder, last = wrong_clock(tmp_path / "clock", real=False), Folder(tmp_path / "copy"), 12
    killed: list[int] = []

    def page(path: str) -> str:
        number = int(path.removeprefix("/") or 0)
        if number == last // 2 and not killed:
            clock.set(-1.0)
            killed.extend(map(int, Path(f"/proc/{crew.pid}/task/{crew.pid}/children").read_text().split()))
            for worker in killed:
                os.kill(worker, signal.SIGKILL)
        return f"<p>{number}</p><a href='{towns[number % 2].url}{number + 1}'>on</a>" if number < last else "the end"

    with serving(page) as one, serving(page) as other:
        towns = (other, one)
        folder.create("")
        folder.put_site(Site("chain", (one.url,), own=(one.name, other.name), hosts=(one.name, other.name)))
        words = [sys.executable, "-m", "recrawl", "run", str(folder.path), "--once", "--quiet", "--workers", "2"]
        crew = subprocess.Popen(words, env=clock.environment())
        assert crew.wait(60) == 0
        asked = {*one.asked, *other.asked} - {"/robots.txt"}
    assert killed
    assert asked == {"/", *(f"/{number}" for number in range(1, last + 1))}


class Toiling:
    """Workers that find pages for each other, one step at a time: one of some steps whenever somebody reads a count."""

    def __init__(self, seed: int, workers: int) -> None:
        self.dice, self.found = random.Random(seed), [0] * workers
        self.board = Board(workers)
        self.board.rows = [Watched(self) for _ in range(workers)]
        self.to_find, self.found[0] = 6, 1
        self._lives = [self._life(number) for number in range(workers)]
        self._still = [1] * workers  # steps for which each stands still

    @property
    def is_done(self) -> bool:
        return not any(self.found) and not self.to_find

    def pass_time(self) -> None:
        for _ in range(self.dice.choice((0, 0, 0, 1, 2, 40))):
            number = self.dice.randrange(len(self._lives))
            self._still[number] -= 1
            if self._still[number] <= 0:
                self._still[number] = self.dice.choice((1, 1, 1, 30))
                next(self._lives[number])

    def _life(self, number: int) -> Iterator[None]:
        tally = self.board.rows[number]
        while True:
            looked = self.found[number]
            yield
            tally.set(Count.IDLE, int(not looked))
            if not looked:
                tally.add(Count.CHECKS)
                continue
            yield
            if self.to_find:  # a link to a page of another
                self.to_find -= 1
                self.found[self.dice.randrange(len(self.found))] += 1
            self.found[number] -= 1
            yield
            tally.add(Count.COMMITS)


class Watched(Tally):
    def __init__(self, world: Toiling) -> None:
        super().__init__()
        self._world = world

    def __getitem__(self, count: Count) -> int:
        self._world.pass_time()
        return super().__getitem__(count)


class Told(Crew):
    """Its workers are told that all is done."""

    def _tell_all(self) -> None:
        self.stopped_by = signal.SIGUSR1


def test_a_crew_is_told_to_end_when_nothing_is_left_however_its_parent_and_workers_are_held_up() -> None:
    for seed in range(2000):
        world = Toiling(seed, 2 + seed % 3)
        crew = Told(lambda number, tally: 0, world.board, True, lambda board: None, lambda text: None)
        crew.children = {number: Child(number, number, 0) for number in range(len(world.found))}
        quiet = None
        for _ in range(10_000):
            quiet = crew._quiet(quiet)
            if crew.stopped_by:
                break
        assert crew.stopped_by, f"never told (seed {seed})"
        assert world.is_done, f"told too early (seed {seed})"
