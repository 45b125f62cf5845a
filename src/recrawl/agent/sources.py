"""Where the documents are found: by walking a folder, by a list, or by a command (a database, a CMS export)."""

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from recrawl.agent.settings import Settings
from recrawl.formats import w3c_moment
from recrawl.formats.his import path_fault
from recrawl.model.failure import FormatError, UsageError

COMMAND_WITHIN_S = 3600
ROBOTS = "/robots.txt"  # how to behave, not what there is: every robot asks for it unbidden
PUBLISHED = re.compile(r"(?:^|/)(?:sitemap(?:-[0-9]+)?\.xml|changes\.atom)$")
_SAFE = "/~!$&'()*+,;=@-._"


class Found(NamedTuple):
    """One document. `file` '': it is no file, and `content` is the hash its source gave ('' if none).
    A named tuple, not a dataclass: a look makes one for each of perhaps a million documents."""

    path: str  # of its address
    size_bytes: int
    modified_ns: int
    file: str = ""
    content: str = ""


def find(settings: Settings, root: Path) -> Iterator[Found]:
    """Every document, each once."""
    ways: dict[str, Callable[[], Iterable[Found]]] = {
        "walk": lambda: walk(settings, root),
        "list": lambda: from_lines(settings, root, _lines_of(root / settings.documents.list)),
        "command": lambda: from_lines(settings, root, _printed_by(settings.documents.command, root)),
    }
    seen, published = {ROBOTS}, _published(settings)
    for found in ways[settings.documents.source]():
        if found.path not in seen and not published(found.file):
            seen.add(found.path)
            yield found


def _published(settings: Settings) -> Callable[[str], bool]:
    """Whether a file is one that the agent writes itself: each would call for the next."""
    if not settings.publish.folder:
        return lambda file: False
    folder = os.path.realpath(settings.publish.folder)
    return lambda file: bool(PUBLISHED.search(file)) and os.path.realpath(file).rpartition(os.sep)[0] == folder


def walk(settings: Settings, root: Path) -> Iterator[Found]:
    """Files below the root, folder by folder. What vanishes while we look is not there."""
    if not root.is_dir():
        raise UsageError(f"documents.root: {root} is not a folder (an unmounted disk is no reason to report deletions)")
    wanted = _wanted(settings)
    inside = os.path.realpath(root)
    waiting = [(str(root), "")]
    while waiting:
        folder, below = waiting.pop()
        for entry in _entries(folder):
            if entry.name.startswith(".") and not settings.documents.hidden:
                continue
            if entry.is_symlink() and not (settings.documents.symlinks and _within(entry.path, inside)):
                continue
            relative = below + entry.name
            if entry.is_dir():
                waiting.append((entry.path, relative + "/"))
            elif wanted(relative) and (found := _file(settings, entry.path, relative)):
                yield found


def look_at(settings: Settings, root: Path, file: str) -> tuple[str, Found | None]:
    """One file by name: the path of its address ('' if it is none of ours), and what is there now."""
    relative = os.path.relpath(file, root)
    hidden = any(part.startswith(".") for part in Path(relative).parts)
    if relative.startswith("..") or (hidden and not settings.documents.hidden):
        return "", None
    if not _wanted(settings)(relative):
        return "", None
    path = address_path(settings, relative)
    if path == ROBOTS or _published(settings)(file):
        return "", None
    usable = Path(file).is_file() and (not Path(file).is_symlink() or settings.documents.symlinks)
    return path, _file(settings, file, relative) if usable else None


def address_path(settings: Settings, relative: str) -> str:
    """The path of a file's address: escaped as in a URL; an index file is its folder."""
    folder, _, name = relative.rpartition("/")
    if name in settings.documents.index_names:
        relative = f"{folder}/" if folder else ""
    quoted = quote(relative.encode("utf-8", "surrogateescape"), safe=_SAFE)
    return (settings.base_path.rpartition("/")[0] or "") + "/" + quoted


def from_lines(settings: Settings, root: Path, lines: Iterable[str]) -> Iterator[Found]:
    """`address` alone names a file below the root; with size and moment (and perhaps a hash), tab-separated, it need
    not be a file at all."""
    for number, line in enumerate(lines, 1):
        words = line.rstrip("\r\n").split("\t")
        if not words[0].strip() or words[0].startswith("#"):
            continue
        path = _own_path(settings, words[0].strip(), number, a_file=len(words) == 1)
        if len(words) == 1:
            if found := _file(settings, str(root / words[0].strip().removeprefix("/")), words[0].strip(), path):
                yield found
        elif len(words) in (3, 4) and words[1].isdecimal() and (at := w3c_moment.parse(words[2])) is not None:
            yield Found(path, int(words[1]), int(at) * 10**9, "", words[3] if len(words) == 4 else "")
        else:
            raise FormatError("a line is: address, or address TAB size TAB last-modified [TAB hash]", number)


def _own_path(settings: Settings, word: str, line: int, a_file: bool) -> str:
    if "://" in word:
        parts = urlsplit(word)
        if f"{parts.scheme}://{parts.netloc}" != settings.origin:
            raise FormatError(f"{word!r} is not on {settings.origin}", line)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
    else:
        path = address_path(settings, word.removeprefix("/")) if a_file else "/" + word.removeprefix("/")
    fault = path_fault(path or "/") or ("a path that climbs" if ".." in path.split("/") else "")
    if fault:
        raise FormatError(fault, line)
    return path or "/"


def _file(settings: Settings, file: str, relative: str, path: str = "") -> Found | None:
    try:
        stat = os.stat(file)  # noqa: PTH116 — a Path a document doubles the cost of a look
    except OSError:
        return None
    return Found(path or address_path(settings, relative), stat.st_size, stat.st_mtime_ns, file)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _within(path: str, inside: str) -> bool:
    return os.path.realpath(path).startswith(inside + os.sep)


def _wanted(settings: Settings) -> Callable[[str], bool]:
    documents = settings.documents
    include, exclude = documents.include, documents.exclude
    if settings.indexnow.key:  # its file is no document
        exclude = (*exclude, f"{settings.indexnow.key}.txt")
    if not include and not exclude:
        return lambda _: True
    return lambda relative: (not include or _fits(relative, include)) and not _fits(relative, exclude)


def _fits(relative: str, patterns: tuple[str, ...]) -> bool:
    """By the whole path below the root, or by the name alone."""
    name = relative.rpartition("/")[2]
    return any(fnmatchcase(relative, one) or fnmatchcase(name, one) for one in patterns)


def _lines_of(file: Path) -> Iterator[str]:
    try:
        with file.open(encoding="utf-8") as lines:
            yield from lines
    except OSError as error:
        raise UsageError(f"documents.list: cannot read {file}: {error.strerror}") from error


def _printed_by(command: str, root: Path) -> list[str]:
    """What the owner's own command prints; a command that fails reports nothing rather than deletions."""
    try:
        done = subprocess.run(
            shlex.split(command), cwd=root, capture_output=True, text=True, timeout=COMMAND_WITHIN_S, check=False
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"documents.command did not run: {error}") from error
    if done.returncode:
        raise UsageError(f"documents.command ended with {done.returncode}: {done.stderr.strip()[:300]}")
    return done.stdout.splitlines()
