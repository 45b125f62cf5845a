"""Work stays on the loop while it does not wait there, and leaves it while it does."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from time import monotonic, sleep

import pytest

from recrawl.engine import offload
from recrawl.engine.offload import MOST_S, SHARE, OffTheLoop, Spent, Standstill, spent, waited_s


def _place() -> int:
    return threading.get_ident()


def test_work_is_done_on_the_loop_while_nobody_is_in_its_way() -> None:
    async def asked() -> bool:
        return await OffTheLoop("test", lambda: True)(_place) == threading.get_ident()

    assert asyncio.run(asked())


def test_work_leaves_the_loop_while_somebody_else_is_in_its_way() -> None:
    async def asked() -> bool:
        return await OffTheLoop("test", lambda: False)(_place) == threading.get_ident()

    assert not asyncio.run(asked())


def test_work_leaves_the_loop_after_it_made_the_loop_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(offload, "monotonic", lambda: now)
    monkeypatch.setattr(offload, "spent", lambda: Spent(0.0, int(now)))

    def slow_disk() -> int:
        nonlocal now
        now += 1.0
        return _place()

    async def asked() -> list[bool]:
        nonlocal now
        do = OffTheLoop("test", lambda: True)
        here = [await do(slow_disk) == threading.get_ident(), await do(_place) == threading.get_ident()]
        now += 1.0 / SHARE
        return [*here, await do(_place) == threading.get_ident()]

    assert asyncio.run(asked()) == [True, False, True]


def test_what_is_given_first_is_done_first_though_the_way_becomes_free_in_between() -> None:
    done: list[str] = []
    free, may_go_on = False, threading.Event()

    def held_up() -> None:
        may_go_on.wait()
        done.append("first")

    async def asked() -> None:
        nonlocal free
        do = OffTheLoop("test", lambda: free)
        first = asyncio.create_task(do(held_up))
        await asyncio.sleep(0)
        free = True
        second = asyncio.create_task(do(done.append, "second"))
        await asyncio.sleep(0)
        may_go_on.set()
        await asyncio.gather(first, second)

    asyncio.run(asked())
    assert done == ["first", "second"]


def test_work_waits_a_moment_for_another_writer_before_it_leaves_the_loop_which_goes_on() -> None:
    turns = iter([False, False, True])
    went_on: list[bool] = []

    async def asked() -> bool:
        given = asyncio.create_task(OffTheLoop("test", lambda: next(turns), patient_s=60.0)(_place))
        await asyncio.sleep(0)
        went_on.append(not given.done())
        return await given == threading.get_ident()

    assert asyncio.run(asked())
    assert went_on == [True]


def test_work_waits_for_another_writer_no_longer_than_it_may() -> None:
    async def asked() -> bool:
        return await OffTheLoop("test", lambda: False, patient_s=0.01)(_place) == threading.get_ident()

    assert not asyncio.run(asked())


def test_nothing_overtakes_what_waits_for_another_writer() -> None:
    done: list[str] = []
    free = False

    async def asked() -> None:
        nonlocal free
        do = OffTheLoop("test", lambda: free, patient_s=60.0)
        first = asyncio.create_task(do(done.append, "first"))
        await asyncio.sleep(0)
        free = True
        await do(done.append, "second")
        await first

    asyncio.run(asked())
    assert done == ["first", "second"]


@pytest.mark.parametrize("may_wait", [lambda: True, lambda: False])
def test_an_error_reaches_whoever_gave_the_work(may_wait: Callable[[], bool]) -> None:
    def broken() -> None:
        raise ValueError("told")

    with pytest.raises(ValueError, match="told"):
        asyncio.run(_asked(OffTheLoop("test", may_wait), broken))


async def _asked(do: OffTheLoop, work: Callable[[], None]) -> None:
    await do(work)


def test_the_loop_may_wait_a_small_share_of_its_time_for_ever() -> None:
    standstill = Standstill()
    for second in range(1000):
        assert not standstill.too_much(float(second))
        standstill.add(0.9 * SHARE)


def test_more_than_that_is_made_good_before_the_loop_waits_again() -> None:
    standstill = Standstill()
    standstill.too_much(0.0)
    standstill.add(2 * MOST_S)
    over = [second for second in range(100) if standstill.too_much(second * MOST_S / SHARE)]
    assert over == [0, 1]


def test_time_spent_computing_is_no_waiting_however_short() -> None:
    began_at, waiting_s = monotonic(), 0.0
    for _ in range(200):
        stretch_at, before = monotonic(), spent()
        sum(range(20_000))
        waiting_s += waited_s(monotonic() - stretch_at, before, spent())
    assert waiting_s < (monotonic() - began_at) / 2


def test_time_spent_asleep_is_waiting() -> None:
    began_at, before = monotonic(), spent()
    sleep(0.05)
    assert waited_s(monotonic() - began_at, before, spent()) > 0.04


def test_time_in_line_for_a_processor_is_no_waiting_though_there_was_a_sleep_too() -> None:
    before, after = Spent(1.0, 5, 2.0), Spent(1.25, 6, 2.5)
    assert waited_s(1.0, before, after) == 0.25
    assert waited_s(1.0, before, after._replace(queued_s=4.0)) == 0.0


@pytest.mark.skipif(not Path("/proc/thread-self/schedstat").exists(), reason="Linux alone tells it")
def test_time_in_line_is_what_others_on_the_same_processor_took() -> None:
    allowed = os.sched_getaffinity(0)
    other = subprocess.Popen([sys.executable, "-c", "import sys\nprint(flush=True)\nwhile True: pass"], stdout=PIPE)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        os.sched_setaffinity(other.pid, {min(allowed)})
        assert other.stdout is not None
        other.stdout.readline()
        before, until_at = spent(), monotonic() + 30.0
        while spent().queued_s < before.queued_s + 0.01:
            assert monotonic() < until_at
    finally:
        os.sched_setaffinity(0, allowed)
        other.kill()
        other.communicate()
