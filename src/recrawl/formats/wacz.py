"""WACZ 1.1.1, a web archive in one ZIP file: the texts beside the WARC (data package, list of pages, index)."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from gzip import compress

from recrawl.model.values import dataclass

VERSION = "1.1.1"
INDEX, BLOCKS, PAGES = "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl"
PACKAGE, SEAL = "datapackage.json", "datapackage-digest.json"
LINES_A_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Resource:
    """One file of the package."""

    path: str
    digest: str  # "sha256:…"
    bytes: int


@dataclass(frozen=True, slots=True)
class ListedPage:
    url: str
    timestamp: str  # ISO 8601
    title: str = ""


def package(resources: Iterable[Resource], created: str, software: str, title: str) -> bytes:
    listed = [
        {"name": one.path.rpartition("/")[2].lower(), "path": one.path, "hash": one.digest, "bytes": one.bytes}
        for one in resources
    ]
    told = {
        "profile": "data-package",
        "wacz_version": VERSION,
        "title": title,
        "software": software,
        "created": created,
        "resources": listed,
    }
    return json.dumps(told, ensure_ascii=False, indent=2).encode()


def seal(data_package: bytes) -> bytes:
    """The digest that says whether the package is as it was made."""
    return json.dumps({"path": PACKAGE, "hash": sha256(data_package)}, indent=2).encode()


def page_lines(pages: Iterable[ListedPage]) -> Iterator[bytes]:
    yield b'{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}\n'
    for page in pages:
        told = {"id": sha256(page.url.encode())[7:27], "url": page.url, "ts": page.timestamp, "title": page.title}
        yield json.dumps({name: value for name, value in told.items() if value}, ensure_ascii=False).encode() + b"\n"


def index_blocks(lines: Iterable[str]) -> tuple[bytes, bytes]:
    """Sorted CDXJ lines in gzip blocks, and the index of these blocks."""
    every = list(lines)
    blocks, offsets, end = list[bytes](), [f'!meta 0 {{"format": "cdxj-gzip-1.0", "filename": "{_name(INDEX)}"}}\n'], 0
    for start in range(0, len(every), LINES_A_BLOCK):
        chunk = every[start : start + LINES_A_BLOCK]
        block = compress("".join(line + "\n" for line in chunk).encode(), mtime=0)
        key = " ".join(chunk[0].split(" ", 2)[:2])
        place = json.dumps({"offset": end, "length": len(block), "digest": sha256(block), "filename": _name(INDEX)})
        offsets.append(f"{key} {place}\n")
        blocks.append(block)
        end += len(block)
    return b"".join(blocks), "".join(offsets).encode()


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _name(path: str) -> str:
    return path.rpartition("/")[2]
