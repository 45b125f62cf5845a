"""A stop waits for requests under way, but for no server for ever."""

import asyncio

from recrawl.lab.month import DAY_S, simulate
from recrawl.lab.tempers import Poisson
from recrawl.lab.world import World
from recrawl.lab.world_parts import PageSpec, ServerSpec
from recrawl.model.visit import Ask, Reply
from recrawl.ports import Fetcher


class Hanging:
    """Answers for robots.txt, and never for anything else."""

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner
        self.left_hanging = 0

    async def fetch(self, ask: Ask) -> Reply:
        if not ask.url.endswith("/robots.txt"):
            self.left_hanging += 1
            await asyncio.Event().wait()
        return await self._inner.fetch(ask)

    async def close(self) -> None:
        await self._inner.close()


def test_a_run_ends_within_ten_seconds_of_its_time_although_servers_never_answer() -> None:
    pages = tuple(PageSpec(f"/p{number}", Poisson(30 * DAY_S)) for number in range(3))
    servers = tuple(ServerSpec(name, authority=f"{name}.test", pages=pages) for name in ("one", "two", "three"))
    fetchers: list[Hanging] = []

    def hanging(inner: Fetcher) -> Fetcher:
        fetchers.append(Hanging(inner))
        return fetchers[0]

    month = simulate(World(5, servers), 1, days=600 / DAY_S, gap_s=1.0, wrap=hanging)
    assert fetchers[0].left_hanging == len(servers)
    assert 600.0 <= month.end_at - month.world.start_at <= 610.0
