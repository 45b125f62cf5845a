"""Regular expressions of the user, run by RE2: no hostile address can keep one busy, whatever it looks like."""

from typing import Any

from recrawl.model.failure import ConfigError
from recrawl.model.late import late_module

MAX_CHARACTERS = 1000
MOST_MEMORY = 1 << 24

_RE2 = late_module("re2")


def expression(written: str) -> Any:
    """A linear-time expression; ConfigError if it is none (RE2 knows no references back and no looking around)."""
    if len(written) > MAX_CHARACTERS:
        raise ConfigError(f"re:{written[:40]}… is longer than {MAX_CHARACTERS} characters; write several.")
    options = _RE2.Options()
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    try:
        return _RE2.compile(written, options)
    except _RE2.error as error:
        said = error.args[0].decode("utf-8", "replace") if error.args and isinstance(error.args[0], bytes) else error
        raise ConfigError(
            f"re:{written} cannot be used: {said}. Expressions run in linear time, so there is no looking ahead "
            "or behind and no reference back."
        ) from error
