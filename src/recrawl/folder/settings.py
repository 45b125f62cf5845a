"""recrawl.toml of a folder, read once."""

import os
from dataclasses import replace

from recrawl.config import Settings, parse
from recrawl.folder.folder import Folder
from recrawl.model.failure import ConfigError

STORE_VARIABLE = "RECRAWL_STORE"  # keeps a password out of the file


def load(folder: Folder, store: str = "") -> Settings:
    """`store`, or else the environment, comes before the file's `state.store`."""
    settings = _parsed(folder)
    address = store or os.environ.get(STORE_VARIABLE, "")
    return replace(settings, state=replace(settings.state, store=address)) if address else settings


def _parsed(folder: Folder) -> Settings:
    try:
        text = folder.settings_file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{folder.settings_file} is not UTF-8 text: save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"cannot read {folder.settings_file}: {error.strerror}") from error
    return parse(text, str(folder.settings_file))
