"""A property that is found out once. The standard library's takes a lock for that (until Python 3.12), which costs more
than what most of them find out; what is asked by one thread needs none."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = ["once"]

if TYPE_CHECKING:
    from functools import cached_property as once
else:

    class once:  # noqa: N801 — used as a decorator
        def __init__(self, find: Callable[[Any], Any]) -> None:
            self._find, self.__doc__ = find, find.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, value: Any, owner: type | None = None) -> Any:
            if value is None:
                return self
            found = value.__dict__[self._name] = self._find(value)
            return found
