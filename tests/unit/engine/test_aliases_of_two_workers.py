"""What one worker learnt of a server's names is not written over by another."""

from recrawl.engine.finding.alias_watch import MEMO, AliasWatch
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.scope.aliases import AliasTable
from recrawl.store.memory import MemoryStore


def learns(watch: AliasWatch, store: MemoryStore, name: str) -> None:
    """That all of www.name is sent to name."""
    for number in range(60):
        url = f"http://www.{name}/p{number}"
        page = Page(fingerprint(url), url, f"www.{name}", "site")
        watch.redirected(page, f"http://{name}/p{number}", 1.0)
    store.save(Batch(memos=tuple(watch.news()[1].items())))


def test_both_are_remembered() -> None:
    store = MemoryStore()
    one, other = AliasWatch(store, AliasTable()), AliasWatch(store, AliasTable())
    learns(one, store, "one.example")
    learns(other, store, "two.example")
    assert store.memo(MEMO) == b"www.one.example one.example\nwww.two.example two.example"
