"""Who waits until the settler has caught up finds everything written that was there before."""

import asyncio

from recrawl.engine.settling.ledger import Ledger
from recrawl.engine.settling.settle import Settler
from recrawl.model.batch import Saved
from recrawl.model.page import Page

PAGE = Page(7, "http://a.example/", "a.example", "site", found_at=1.0)


def test_what_was_noted_without_a_visit_is_waited_for_too() -> None:
    written: list[int] = []

    async def carry_out(ledger: Ledger) -> Saved:
        noted = list(ledger.pages)
        await asyncio.sleep(0.01)
        written.extend(noted)
        return Saved(frozenset(), ())

    async def story() -> None:
        settler = Settler(lambda arrivals, ledger: None, carry_out, lambda ledger, saved: None, most=8)
        await settler.caught_up()
        assert written == []
        settler.ledger.pages[7] = PAGE
        settler.stir()
        await settler.caught_up()
        assert written == [7]
        settler.ledger.pages[8] = PAGE
        settler.stir()
        await asyncio.sleep(0)
        settler.hurry()
        await asyncio.sleep(0.005)  # it is being written now
        settler.ledger.pages[9] = PAGE
        await settler.caught_up()
        assert written == [7, 8, 9]
        settler.ledger.pages[10] = PAGE
        await settler.caught_up()  # though nobody said that it is to be written
        assert written == [7, 8, 9, 10]
        settler.ledger.pages[11] = PAGE
        settler.hurry()
        settler.stir()
        await asyncio.sleep(0.005)  # it is being written, and nothing else is noted
        await settler.caught_up()
        assert written == [7, 8, 9, 10, 11]

    asyncio.run(asyncio.wait_for(story(), 10))
