"""Renews a worker's lease, from a thread of its own: a busy loop or a slow commit must not cost it.

The lease counts by a clock that counts suspended time too, from before the store was asked: a worker that was stopped
and woke up late sees at once that its time is over, before it sends another request.
"""

from collections.abc import Callable
from threading import Event, Lock, Thread

from recrawl.engine.clock import steady_s
from recrawl.frontier.leases import Lease
from recrawl.model.cluster import Report, Seat
from recrawl.model.failure import LeaseLost, RecrawlError
from recrawl.store.shared.leases import Leases

RETRY = 0.1  # of a lease: how soon a renewal that failed is tried again
LEAST_S = 0.01


class Heart:
    """Beats from `start` to `stop`, or until the lease is lost. It never takes up a lease that ran out."""

    def __init__(
        self, leases: Leases, worker: str, weight: float, lease_s: float, steady: Callable[[], float] = steady_s
    ) -> None:
        self._leases, self._worker, self._lease_s, self._steady = leases, worker, lease_s, steady
        self.report: Callable[[], Report] = Report
        self.when_over: Callable[[], None] = lambda: None  # called once the lease has run out, from a thread
        granted_at = steady()
        self.seat: Seat = leases.join(worker, weight, lease_s)
        self.lease = Lease(granted_at, lease_s)
        self._ended, self._woken, self._speaking = Event(), Event(), Lock()

    def start(self) -> None:
        for name, work in (("heart", self._beat), ("watch", self._watch)):
            Thread(target=work, name=name, daemon=True).start()

    def stop(self) -> None:
        """Does not wait: a renewal may be under way to a store that does not answer."""
        self._ended.set()
        self._woken.set()

    def speak(self) -> None:
        """Renew now: what the worker reports has changed, and others wait to hear it."""
        self._woken.set()

    def have_spoken(self) -> None:
        """Wait until what is being said of the worker, and may not hold any more, has arrived."""
        with self._speaking:
            pass

    def need(self) -> None:
        """Before every request: LeaseLost once the lease has run out."""
        if not self.lease.runs(self._steady()):
            raise LeaseLost(f"the lease of worker {self._worker} ran out: it asks no more and joins anew")

    def _beat(self) -> None:
        wait_s = self.lease.renew_at - self._steady()
        while not self._over_after(wait_s):
            asked_at = self._steady()
            if not self.lease.runs(asked_at):
                return
            try:
                with self._speaking:
                    self._leases.renew(self._worker, self._lease_s, self.report())
            except LeaseLost:
                self.lease = Lease(asked_at, 0.0)
                return
            except RecrawlError:  # the store is away: it may come back in time
                wait_s = RETRY * self._lease_s
            else:
                self.lease = Lease(asked_at, self._lease_s)
                wait_s = self.lease.renew_at - self._steady()

    def _watch(self) -> None:
        """A store may keep silent without hanging up: a renewal, and the worker's loop, would wait for ever."""
        while not self._ended.wait(max(LEAST_S, self.lease.ends_at - self._steady())):
            if not self.lease.runs(self._steady()):
                self.when_over()
                return

    def _over_after(self, wait_s: float) -> bool:
        self._woken.wait(max(0.0, wait_s))
        self._woken.clear()
        return self._ended.is_set()
