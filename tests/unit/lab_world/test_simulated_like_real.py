"""What is simulated is what is run: the real fetcher on loopback and the simulated one bring the same replies."""

import asyncio
from dataclasses import replace

import pytest

from recrawl.engine.clock import SystemClock
from recrawl.fetch.client import CurlFetcher, FetchSettings
from recrawl.lab.faults import CALM, FaultKind, FaultPlan, FaultRule
from recrawl.lab.serve import serve
from recrawl.lab.simulated import SimulatedFetcher
from recrawl.lab.varied import varied_world
from recrawl.lab.world import START_AT
from recrawl.model.visit import Ask, Evidence, Limits, Reply

WORLD = varied_world(8, 5, 34)
AGENT = "recrawl/test (+mailto:nobody@recrawl.test)"
LATER_AT = START_AT + 25 * 86_400


class At:
    """A clock that stands still and does not let anybody wait."""

    def now(self) -> float:
        return LATER_AT

    async def sleep(self, seconds: float) -> None:
        return None


def both(paths: list[str], faults: FaultPlan = CALM, again: bool = False) -> list[tuple[Reply, Reply]]:
    """Pairs of replies, real and simulated, to the same asks at the same moment of the world."""

    async def main() -> list[tuple[Reply, Reply]]:
        real = CurlFetcher(FetchSettings(AGENT, accept_language=""), SystemClock().now)
        pairs = []
        async with serve(WORLD, faults=faults, delay_factor=0.0, world_now=lambda: LATER_AT) as served:
            simulated = SimulatedFetcher(served.world, At(), faults, AGENT)
            for spec in served.world.servers:
                for path in paths:
                    ask = Ask(spec.origin + path, own=served.authorities, limits=Limits(connect_s=1, first_byte_s=0.2))
                    got = await real.fetch(ask)
                    if again and got.status == 200:
                        ask = replace(ask, etag=got.header("etag"), last_modified=got.header("last-modified"))
                        got = await real.fetch(ask)
                    pairs.append((got, await simulated.fetch(ask)))
        await real.close()
        return pairs

    return asyncio.run(main())


def essence(reply: Reply) -> Reply:
    """All but what belongs to the moment and the machine."""
    blank = Reply(reply.ask, 0.0, reply.evidence)
    return replace(reply, at=blank.at, peer=blank.peer, times=blank.times, detail=blank.detail)


PATHS = [page.path for page in WORLD.servers[0].pages]


@pytest.mark.parametrize("again", [False, True], ids=["first", "conditional"])
def test_every_page_of_a_world_brings_the_same_reply(again: bool) -> None:
    pairs = both([*PATHS, "/robots.txt", "/nowhere", "/shop/"], again=again)
    assert [essence(real) for real, _ in pairs] == [essence(simulated) for _, simulated in pairs]
    seen = {real.evidence for real, _ in pairs}
    assert seen >= {Evidence.NOT_MODIFIED if again else Evidence.DOCUMENT, Evidence.REDIRECT, Evidence.MISSING}


@pytest.mark.parametrize(
    "kind", [kind for kind in FaultKind if kind not in (FaultKind.NO_HOST, FaultKind.CONNECT_TIMEOUT)]
)
def test_every_fault_that_loopback_can_show_brings_the_same_reply(kind: FaultKind) -> None:
    pairs = both(["/still-0"], FaultPlan(1, (FaultRule(kind, retry_after_s=30),)))
    assert len(pairs) == len(WORLD.servers)
    for real, simulated in pairs:
        assert (real.evidence, real.failure) == (simulated.evidence, simulated.failure)
        assert (real.status, real.headers, real.body) == (simulated.status, simulated.headers, simulated.body)
