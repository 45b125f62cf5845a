"""What the operator knows and others must not: not in logs, not in the store, not in WARCs, not in exports."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from recrawl.config import Settings, Webhooks
from recrawl.folder.folder import Folder
from recrawl.messages.webhooks import couriers
from recrawl.model.failure import ConfigError
from recrawl.store.memory import MemoryStore
from tests.flow.conftest import Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]
SECRETS = (b"geheim", b"verschwiegen", b"vertraulich")


def files_with_a_secret(place: Path) -> list[str]:
    files = [file for file in place.rglob("*") if file.is_file() and file.name != "recrawl.toml"]
    return [str(file.relative_to(place)) for file in files if any(secret in file.read_bytes() for secret in SECRETS)]


def test_neither_credentials_in_addresses_nor_secrets_of_the_settings_leave_the_settings(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    site = start_site(4)
    recrawl("add", site.url.replace("http://", "http://user:geheim@"), "--own", "--folder", "D")
    with (tmp_path / "D" / "recrawl.toml").open("a") as settings:
        hook = "http://127.0.0.1:9/hook?key=vertraulich"
        settings.write(f'\n[webhooks]\nurls = ["{hook}"]\nsecret = "verschwiegen"\n')
    ran = recrawl("run", "D", "--once", expect=None)
    assert site.pages_asked()
    recrawl("export", "D", "out.jsonl", expect=None)
    told = ran.out + ran.err + recrawl("status", "D", "--json").out + recrawl("sites", "D", expect=None).out
    assert not [secret for secret in SECRETS if secret.decode() in told]
    outside_the_store = [file for file in files_with_a_secret(tmp_path) if not file.startswith("D/recrawl.db")]
    assert outside_the_store == []  # the store knows receivers by their address, its query included


def test_a_receiver_with_a_password_in_its_address_is_refused_without_naming_it() -> None:
    hooks = Webhooks(urls=("https://user:geheim@example.org/hook",))
    with (
        pytest.raises(ConfigError, match=r"webhooks\.urls") as refused,
        couriers(Folder(Path("nowhere")), replace(Settings(), webhooks=hooks), MemoryStore(), print),
    ):
        raise AssertionError("unreachable")
    assert "geheim" not in str(refused.value)
