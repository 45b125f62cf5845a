"""Where no journal keeps answers, few are gathered before they are written: a kill has them asked for again."""

from recrawl.engine.arrival import Arrival
from recrawl.engine.at_stake import ENOUGH, MOST, AtStake
from recrawl.model.page import Page
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply, Why


def visit(server: str, evidence: Evidence = Evidence.NOT_MODIFIED) -> Arrival:
    url = f"http://{server}/"
    return Arrival(Page(1, url, server, "town"), Why.DUE, Reply(Ask(url), 1.0, evidence, 200), Verdict(Change.SAME))


def test_visits_count_by_server_and_documents_together() -> None:
    visits, documents = AtStake(), AtStake()
    for number in range(2 * ENOUGH - 2):
        visits.add(visit(f"{number % 2}.test"))
    for number in range(ENOUGH - 1):
        documents.add(visit(f"{number}.test", Evidence.DOCUMENT))
    assert not visits.is_enough and not documents.is_enough
    visits.add(visit("0.test"))
    documents.add(visit("another.test", Evidence.DOCUMENT))
    assert visits.is_enough and documents.is_enough


def test_what_is_being_written_is_still_at_stake_until_it_is() -> None:
    stake = AtStake()
    gathered = [visit("a.test") for _ in range(ENOUGH)]
    for one in gathered:
        stake.add(one)
    stake.begin_anew()
    assert not stake.is_enough and not stake.is_too_much("a.test")
    for _ in range(MOST - ENOUGH):
        stake.add(visit("a.test"))
    assert stake.is_too_much("a.test") and not stake.is_too_much("b.test") and not stake.is_enough
    stake.let_go(gathered)
    assert not stake.is_too_much("a.test")
