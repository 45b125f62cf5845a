"""recrawl.toml of a folder, read once."""

import os

from recrawl.config import Settings, parse
from recrawl.folder.folder import Folder, read_text
from recrawl.model.swift import replace

STORE_VARIABLE = "RECRAWL_STORE"  # keeps a password out of the file


def load(folder: Folder, store: str = "") -> Settings:
    """`store`, or else the environment, comes before the file's `state.store`."""
    settings = parse(read_text(folder.settings_file), str(folder.settings_file))
    address = store or os.environ.get(STORE_VARIABLE, "")
    return replace(settings, state=replace(settings.state, store=address)) if address else settings
