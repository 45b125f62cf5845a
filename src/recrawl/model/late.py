"""Regular expressions that are compiled when first used: many are for pages that most crawls never meet, and compiling
them all took a tenth of a run's start."""

import re
from typing import Any, cast


class _Late:
    """Stands for a pattern until one of its methods is asked for, then has them as its own."""

    def __init__(self, expression: str, flags: int) -> None:
        self._expression, self._flags = expression, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(re.compile(self._expression, self._flags), name)
        setattr(self, name, found)
        return found


def late(expression: str, flags: int = 0) -> re.Pattern[str]:
    return cast("re.Pattern[str]", _Late(expression, flags))
