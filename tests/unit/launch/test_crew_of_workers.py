"""Several workers in processes of their own: what they say at their end, and how they are stopped."""

import os
import signal
from collections.abc import Callable

from recrawl.engine.tally import Board, Tally
from recrawl.launch.process import Crew
from recrawl.model.failure import ConfigError

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
