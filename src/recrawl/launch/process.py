"""From one worker to one a core: forks them, restarts those that die, tells when all are done.

Every worker owns its share of the partitions and meets the others only in the store. The parent never touches store,
archive or network. If the parent dies, the workers die with it; the folder's lock goes with the last of them.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import field
from time import monotonic

from recrawl.engine.tally import Board, Count, Tally
from recrawl.model.failure import RecrawlError
from recrawl.model.values import dataclass

TICK_S = 0.1
SOON_S = 0.01  # when some seem to be done
AT_ONCE_S = 0.003  # when all do
RESTARTS = 5  # a worker that dies more often than this, and has written nothing, is not brought back
PR_SET_PDEATHSIG = 1
ENDING = (signal.SIGINT, signal.SIGTERM)
STOPPED = (128 + signal.SIGTERM, -signal.SIGTERM)  # as asked, or before it could listen
LAST_WORDS_BYTES = 4096  # a pipe takes as much at once

Work = Callable[[int, Tally], int]


@dataclass(slots=True)
class Child:
    number: int
    pid: int
    pipe: int  # readable when the child ends; what it holds then is why
    restarts: int = 0  # since pages were last written
    written: int = 0  # pages, by those before it
    told: bool = False  # that all is done


@dataclass(frozen=True, slots=True)
class Collected:
    """A count a worker."""

    commits: list[int]
    checks: list[int]


@dataclass(slots=True)
class Crew:
    """The parent's view. `work(number, tally)` runs in the child and returns its exit code."""

    work: Work
    board: Board
    once: bool
    on_tick: Callable[[Board], None]
    complain: Callable[[str], None]
    tick_s: float = TICK_S
    children: dict[int, Child] = field(default_factory=dict)
    stopped_by: int = 0
    worst: int = 0
    last_words: str = ""  # of the first worker that failed
    _bell: tuple[int, int] = (-1, -1)  # a pipe: workers that have nothing to do any more ring, so that the end is seen

    def run(self) -> int:
        """The exit code: 0, that of the first worker that failed, or 128 + the signal that stopped us."""
        before = {number: signal.signal(number, self._stop) for number in ENDING}
        self._bell = os.pipe()
        os.set_blocking(self._bell[1], False)
        try:
            for number in range(len(self.board.rows)):
                if not self.stopped_by:
                    self._fork(number, 0)
            self._watch()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            for end in self._bell:
                os.close(end)
        return self.worst or (128 + self.stopped_by if self.stopped_by else 0)

    def _watch(self) -> None:
        quiet: Collected | None = None
        tick_at = 0.0
        while self.children:
            ears = [self._bell[0], *(child.pipe for child in self.children.values())]
            ended, _, _ = select.select(ears, [], [], self._patience_s())
            if self._bell[0] in ended:
                os.read(self._bell[0], LAST_WORDS_BYTES)
            for child in [one for one in self.children.values() if one.pipe in ended]:
                self._ended(child)
            if (now := monotonic()) >= tick_at:
                tick_at = now + self.tick_s
                self.on_tick(self.board)
            if self.once and not self.stopped_by:
                quiet = self._quiet(quiet)

    def _patience_s(self) -> float:
        if not self.once or not self._is_idle(any):
            return self.tick_s
        return AT_ONCE_S if self._is_idle(all) else SOON_S

    def _quiet(self, before: Collected | None) -> Collected | None:
        """Double collect: all idle, nothing committed, and each has looked into the store since: then all is done.
        A look counts if it began after all commits were read, and was counted before they are read again."""
        if not self._is_idle(all):
            return None
        checks, commits = self._counts(Count.CHECKS), self._counts(Count.COMMITS)
        if before is None or commits != before.commits:
            return Collected(commits, self._counts(Count.CHECKS))
        alive = [child.number for child in self.children.values()]  # the others have heard it already
        if all(checks[number] >= before.checks[number] + 2 for number in alive):
            self._tell_all()
        return before

    def _tell_all(self) -> None:
        """That all is done. Each once: its loop hears it, and when that is closed the signal would end the process."""
        for child in [one for one in self.children.values() if not one.told]:
            os.kill(child.pid, signal.SIGUSR1)
            child.told = True

    def _counts(self, count: Count) -> list[int]:
        return [row[count] for row in self.board.rows]

    def _is_idle(self, which: Callable[[Iterable[bool]], bool]) -> bool:
        return which(bool(row[Count.IDLE]) for row in self.board.rows)

    def _fork(self, number: int, restarts: int) -> None:
        reading, writing = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # a child must not answer them as its parent does
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            self._be_child(number, writing)
        os.close(writing)
        self.children[pid] = Child(number, pid, reading, restarts, self._written(number))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        if self.stopped_by:  # heard just before the fork, and passed on to the others alone
            os.kill(pid, signal.SIGTERM)

    def _be_child(self, number: int, pipe: int) -> None:
        """Never returns. The writing end of the pipe stays open until the process ends."""
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent speaks for it
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # until the worker listens itself
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
            die_with_parent()
            tally = self.board.rows[number]
            tally.when_idle = self._ring if self.once else None
            code = self.work(number, tally)
        except RecrawlError as error:
            self.complain(f"recrawl: {error}")
            os.write(pipe, str(error).encode("utf-8", "replace")[:LAST_WORDS_BYTES])
            code = error.exit_code
        finally:
            if code == 1 and sys.exc_info()[0]:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _ring(self) -> None:
        with contextlib.suppress(BlockingIOError, BrokenPipeError):  # full: it is heard anyway
            os.write(self._bell[1], b"!")

    def _ended(self, child: Child) -> None:
        _, status = os.waitpid(child.pid, 0)
        self.last_words = self.last_words or os.read(child.pipe, LAST_WORDS_BYTES).decode("utf-8", "replace")
        os.close(child.pipe)
        del self.children[child.pid]
        code = os.waitstatus_to_exitcode(status)
        restarts = child.restarts if self._written(child.number) == child.written else 0
        if code < 0 and not self.stopped_by and restarts < RESTARTS:
            self.complain(f"worker {child.number} died by signal {-code}; started again")
            self.board.rows[child.number].set(Count.IDLE, 0)
            self._fork(child.number, restarts + 1)
        elif code != 0 and not (self.stopped_by and code in STOPPED):
            self.worst = self.worst or (code if code > 0 else 128 - code)
            self.stopped_by = self.stopped_by or signal.SIGTERM
            self._signal_all(signal.SIGTERM)

    def _written(self, number: int) -> int:
        return self.board.rows[number][Count.WRITTEN]

    def _stop(self, number: int, _frame: object) -> None:
        self.stopped_by = number
        self._signal_all(signal.SIGTERM)

    def _signal_all(self, number: int) -> None:
        for child in self.children.values():
            os.kill(child.pid, number)


def die_with_parent() -> None:
    """Linux tells a child of its parent's death by a signal of our choice; elsewhere the lock alone protects."""
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
