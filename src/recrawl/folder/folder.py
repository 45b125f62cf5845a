"""The folder that holds everything: settings, site files, state, archive, log, and the lock between two runs."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recrawl.agent.whole import write_whole
from recrawl.folder.lock import hold
from recrawl.folder.site_reading import read_sites, with_start
from recrawl.formats import site_toml
from recrawl.formats.toml_places import line_of
from recrawl.formats.toml_text import STRING, quoted
from recrawl.model.failure import ConfigError, FormatError, UsageError
from recrawl.model.late import late
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.schedule.windows import complaint_of

SETTINGS_FILE = "recrawl.toml"
CONTACT = late(rf"^contact\s*=\s*(?:{STRING})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Folder:
    path: Path

    @property
    def settings_file(self) -> Path:
        return self.path / SETTINGS_FILE

    @property
    def sites_folder(self) -> Path:
        return self.path / "sites"

    @property
    def database(self) -> Path:
        return self.path / "recrawl.db"

    @property
    def archive(self) -> Path:
        return self.path / "warc"

    @property
    def documents(self) -> Path:
        return self.path / "documents"

    @property
    def log(self) -> Path:
        return self.path / "recrawl.log"

    @property
    def journal(self) -> Path:
        return self.path / "journal"

    @property
    def lock(self) -> Path:
        return self.path / "recrawl.lock"

    def exists(self) -> bool:
        return self.settings_file.exists()

    def need(self) -> "Folder":
        """Itself, or an error that says how to make one."""
        if not self.exists():
            raise UsageError(
                f"{self.path} is not a recrawl folder (no {SETTINGS_FILE}): start one with "
                f"`recrawl add URL --folder {self.path}` or `recrawl init {self.path}`"
            )
        return self

    def create(self, settings_text: str) -> None:
        """Make what is missing; what is there stays."""
        try:
            for folder in (self.path, self.sites_folder, self.archive):
                folder.mkdir(parents=True, exist_ok=True)
            if not self.settings_file.exists():
                write_whole(self.settings_file, settings_text.encode("utf-8"))
        except OSError as error:
            raise ConfigError(f"cannot write to {self.path}: {error.strerror}; choose another --folder") from error

    def sites(self) -> list[Site]:
        """Every site file and crawl script, by name. A site file goes before a script's site of the same name: what is
        said of a site later (`put_site`) is written there."""
        found = {site.name: site for _, site in self._written_sites()}
        for file in self._site_files("*.xml"):
            for site in read_sites(file):
                found.setdefault(site.name, with_start(site))
        return [found[name] for name in sorted(found)]

    def _written_sites(self) -> Iterator[tuple[Path, Site]]:
        """Site files with what they say; two of one name would be one site with two wishes."""
        places: dict[str, Path] = {}
        for file in self._site_files("*.toml"):
            text = read_text(file)
            site = site_toml.parse(text, name=file.stem, source=str(file))
            if complaint := complaint_of(site.windows):
                raise FormatError(f"windows{complaint}", line=line_of(text, ("windows",)), source=str(file))
            if (other := places.setdefault(site.name, file)) != file:
                raise ConfigError(
                    f"{file}: {other.name} describes a site called {site.name!r}, too: rename one of them"
                )
            yield file, site

    def sites_stamp(self) -> tuple[tuple[str, int, int], ...]:
        """Changes whenever a site file does."""
        files = [*self._site_files("*.toml"), *self._site_files("*.xml")]
        return tuple((file.name, stat.st_mtime_ns, stat.st_ino) for file in files if (stat := _stat(file)) is not None)

    def _site_files(self, pattern: str) -> list[Path]:
        if not self.sites_folder.is_dir():
            return []
        if not os.access(self.sites_folder, os.R_OK | os.X_OK):
            raise ConfigError(f"cannot read {self.sites_folder}: see to its owner and its permissions")
        return sorted(self.sites_folder.glob(pattern))

    def put_site(self, site: Site) -> Path:
        """Nothing is written that could not be read again."""
        places = {known.name: file for file, known in self._written_sites()}
        file = places.get(site.name, self.sites_folder / f"{site.name}.toml")
        if file.parent.resolve() != self.sites_folder.resolve():
            raise UsageError(f"{site.name!r} is no name for a site: it would lie elsewhere")
        text = site_toml.render(site)
        site_toml.parse(text, name=site.name, source=str(file))
        write_text(file, text)
        return file

    def disk_is_low(self, floor_bytes: int) -> bool:
        """Less free than the floor, which on a small disk is a twentieth of it; on whichever of its disks."""
        found = map(os.statvfs, self.disks())
        return any(
            disk.f_bavail * disk.f_frsize < min(floor_bytes, disk.f_blocks * disk.f_frsize // 20) for disk in found
        )

    def disks(self) -> list[Path]:
        """One place on each that is written to: parts of the folder may be links, or mounted from elsewhere."""
        places = (self.path, self.database, self.archive, self.documents, self.journal)
        known = {stat.st_dev: place for place in reversed(places) if (stat := _stat(place)) is not None}
        return list(known.values())[::-1]

    def set_contact(self, contact: str) -> None:
        """Write the operator's contact into recrawl.toml, leaving everything else as it stands."""
        text = self.settings_file.read_text("utf-8")
        line = f"contact = {quoted(contact)}"
        fresh, found = CONTACT.subn(lambda _: line, text, count=1)
        if not found:
            fresh = f"[operator]\n{line}\n\n" + text
        write_text(self.settings_file, fresh)

    @contextmanager
    def locked(self) -> Iterator[int]:
        """Hold the folder for one run; the lock goes with the last process that inherited it."""
        try:
            handle = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o644)
            self._leave_to_owner(handle)
        except OSError as error:
            raise ConfigError(f"cannot write {self.lock}: {error.strerror}; see to its permissions") from error
        try:
            hold(handle, self.path)
            yield handle
        finally:
            os.close(handle)

    def _leave_to_owner(self, handle: int) -> None:
        """What root makes in somebody's folder would keep its owner out of it."""
        owner, made = self.path.stat(), os.fstat(handle)
        if os.geteuid() == 0 and made.st_uid != owner.st_uid:
            os.fchown(handle, owner.st_uid, owner.st_gid)

    def foreign_files(self) -> list[Path]:
        """Those that belong to somebody else than the folder does."""
        owner = self.path.stat().st_uid
        files = (
            self.settings_file, self.lock, self.database, self.log, self.sites_folder, self.archive, self.journal,
        )  # fmt: skip
        return [file for file in files if (stat := _stat(file)) is not None and stat.st_uid != owner]


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:  # gone between two looks
        return None


def write_text(file: Path, text: str) -> None:
    """All of it or nothing."""
    try:
        write_whole(file, text.encode("utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot write to {file.parent}: {error.strerror}; see to its permissions") from error


def read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text: save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error
