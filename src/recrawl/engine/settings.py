"""recrawl.toml of a folder, read once."""

from recrawl.config import Settings, parse
from recrawl.engine.folder import Folder
from recrawl.model.failure import ConfigError


def load(folder: Folder) -> Settings:
    try:
        text = folder.settings_file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{folder.settings_file} is not UTF-8 text: save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"cannot read {folder.settings_file}: {error.strerror}") from error
    return parse(text, str(folder.settings_file))
