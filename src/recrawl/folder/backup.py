"""A second folder that can take the place of the first: settings, site files, state, versions.

The order makes it whole while a crawl is running: the state of one moment first, then the archive, which only grows
and holds every version before the state knows of it. What can be made again (search index, log) stays behind.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from recrawl.folder.folder import Folder
from recrawl.model.failure import DiskFull, UsageError
from recrawl.model.values import dataclass
from recrawl.store.backup import copy_sqlite

PROOF_BYTES = 1 << 16  # of a file's end that must agree before only what follows is copied
PIECE_BYTES = 1 << 20
SITE_FILES = ("*.toml", "*.xml")
AGREEMENTS = ("robot.json", "websub.json", "webhook-tokens.json")  # with those who tell us of changes; secrets included


@dataclass(frozen=True, slots=True)
class Backup:
    state_bytes: int
    archive_files: int
    archive_bytes: int  # copied now; what the target had already is not copied again


def back_up(folder: Folder, target: Folder) -> Backup:
    """Safe beside a running crawl; a second backup into the same target copies only what is new."""
    _need_room(folder, target)
    try:
        target.path.mkdir(parents=True, exist_ok=True)
        state_bytes = copy_sqlite(folder.database, target.database)
        shutil.copy2(folder.settings_file, target.settings_file)
        _mirror(folder.sites_folder, target.sites_folder, SITE_FILES)
        _mirror(folder.path, target.path, AGREEMENTS)
        files = sorted(file for file in folder.archive.rglob("*") if file.is_file())
        copied = [_grown(file, target.archive / file.relative_to(folder.archive)) for file in files]
        _forget_finished(folder.archive, target.archive)
        if folder.documents.is_dir():
            shutil.copytree(folder.documents, target.documents, dirs_exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot copy to {target.path}: {error.strerror or error}") from error
    return Backup(state_bytes, len(files), sum(copied))


def _need_room(folder: Folder, target: Folder) -> None:
    here, there = folder.path.resolve(), target.path.resolve()
    if here == there or here in there.parents:
        raise UsageError(f"{target.path} lies in the folder itself: choose a place outside of {folder.path}")
    if target.path.exists() and not target.path.is_dir():
        raise UsageError(f"{target.path} is a file: choose an empty folder, or an older backup")
    if target.path.exists() and any(target.path.iterdir()) and not target.exists():
        raise UsageError(f"{target.path} holds other things: choose an empty folder, or an older backup")
    near = next(place for place in (there, *there.parents) if place.exists())
    wanted = folder.database.stat().st_size if folder.database.exists() else 0
    if shutil.disk_usage(near).free < wanted:
        raise DiskFull(f"no room for {wanted} bytes of state at {target.path}: make some, or choose another disk")


def _forget_finished(source: Path, target: Path) -> None:
    """The index of a file that was being written at the last backup has another name once the file is finished."""
    for file in target.rglob("*.open"):
        if not (source / file.relative_to(target)).exists():
            file.unlink()


def _mirror(source: Path, target: Path, patterns: Iterable[str]) -> None:
    """Small files: those that went are gone there, too."""
    target.mkdir(exist_ok=True)
    for pattern in patterns:
        for file in target.glob(pattern):
            if not (source / file.name).exists():
                file.unlink()
        for file in source.glob(pattern):
            shutil.copy2(file, target / file.name)


def _grown(source: Path, target: Path) -> int:
    """Copy what a growing file has more than its copy; all of it where the copy is not its beginning. Bytes copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with source.open("rb") as whole, target.open("r+b" if target.exists() else "w+b") as part:
            known = part.seek(0, 2)
            proof = min(known, PROOF_BYTES)
            part.seek(known - proof)
            whole.seek(known - proof)
            if part.read(proof) != whole.read(proof):
                known = 0
                part.truncate(0)
            whole.seek(known)
            part.seek(known)
            shutil.copyfileobj(whole, part, PIECE_BYTES)
            return part.tell() - known
    except FileNotFoundError:  # a sidecar that took its final name meanwhile
        target.unlink(missing_ok=True)
        return 0
