"""Files that are there whole or not at all."""

import os
from pathlib import Path


def write_whole(file: Path, data: bytes, private: bool = False) -> None:
    """All of it or nothing: a kill in between leaves the old file. A device or a pipe stays what it is."""
    if file.exists() and not file.is_file():
        file.write_bytes(data)
        return
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(file.name + ".new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600 if private else 0o644)
    with os.fdopen(handle, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)
