"""The agent's folder: agent.toml, the snapshot, the history, the robots, and a lock for those who change them."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recrawl.agent.settings import Settings, parse
from recrawl.model.failure import UsageError
from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    path: Path

    @property
    def settings_file(self) -> Path:
        return self.path / "agent.toml"

    @property
    def snapshot(self) -> Path:
        return self.path / "snapshot.tsv"

    @property
    def history(self) -> Path:
        return self.path / "history"

    @property
    def uod(self) -> Path:
        return self.path / "robots.uod"

    @property
    def robots(self) -> Path:
        return self.path / "robots.json"

    @property
    def counts(self) -> Path:
        return self.path / "counts.json"

    @property
    def public(self) -> Path:
        return self.path / "public"

    @property
    def log(self) -> Path:
        return self.path / "agent.log"

    def settings(self) -> Settings:
        if not self.settings_file.exists():
            raise UsageError(
                f"{self.path} is no agent folder (no agent.toml): "
                f"`recrawl agent init --root DIR --base URL --state {self.path}`"
            )
        return parse(self.settings_file.read_text("utf-8"), str(self.settings_file))

    @contextmanager
    def held(self, what: str) -> Iterator[None]:
        """One process at a time; the others wait."""
        handle = os.open(self.path / f"{what}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
