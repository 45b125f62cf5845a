"""A worker of a cluster that is not let in any more tries for a while, then says what to do."""

import asyncio
from pathlib import Path

import pytest
from tests.postgres import PostgresServer, database_of

from recrawl.cluster import terms
from recrawl.config import Settings, State
from recrawl.engine.tally import Tally
from recrawl.engine.worker import Order
from recrawl.folder.folder import Folder
from recrawl.model.failure import StoreDamaged, StoreShut


def test_it_gives_up_with_the_reason(
    tmp_path: Path, postgres_victim: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "SHUT_PATIENCE_S", 0.3)
    dsn = postgres_victim.named(database_of(postgres_victim.with_tables()), "guarded:another")
    said: list[str] = []
    worker = terms.Terms(Folder(tmp_path), Settings(state=State(store=dsn)), Order(), Tally(), said.append)
    with pytest.raises(StoreShut, match="see to user and password") as shut:
        asyncio.run(worker.run())
    assert said and all("joining anew" in one and "another" not in one for one in said)
    assert shut.value.exit_code == StoreDamaged.exit_code
