"""What is made when it is first used. Regular expressions: many are for pages that most crawls never meet, and
compiling them all took a tenth of a run's start. Modules: some are large, and needed by some pages only."""

import re
from importlib import import_module
from typing import Any, AnyStr, cast


class _Late:
    """Stands for a pattern until one of its methods is asked for, then has them as its own."""

    def __init__(self, expression: str | bytes, flags: int) -> None:
        self._expression, self._flags = expression, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(re.compile(self._expression, self._flags), name)
        setattr(self, name, found)
        return found


class _LateModule:
    """Stands for a module until something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found


def late(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    return cast("re.Pattern[AnyStr]", _Late(expression, flags))


def late_module(name: str) -> Any:
    return _LateModule(name)
