"""Refuses regular expressions that a hostile address could keep busy for ever.

Backtracking explodes where a part that can match in several ways (a choice, or a repetition) is repeated without
end, and where an expression refers back to what it found. Both are refused; so are more endless repetitions than
any honest pattern needs.
"""

import re
from dataclasses import dataclass

from recrawl.model.failure import ConfigError

MAX_ENDLESS = 6
MAX_CHARACTERS = 1000

_TOKEN = re.compile(
    r"""(?P<escape>\\(?:[1-9]|g<|.))          # an escape, or a reference back
      | (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])   # a set of characters
      | (?P<named>\(\?P[=>])                  # a reference back by name
      | (?P<open>\((?:\?(?:[:=!>]|<[=!]|P<\w+>|[aiLmsux-]*[:)]))?)
      | (?P<close>\))
      | (?P<repeat>(?:[*+?]|\{\d*,?\d*\})[?+]?)
      | (?P<choice>\|)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_MANY = 50  # as good as endless


@dataclass(slots=True)
class _Part:
    """What stands in a group: how many endless repetitions, and whether it can match in several ways."""

    endless: int = 0
    several: bool = False


def check_expression(written: str) -> re.Pattern[str]:
    try:
        expression = re.compile(written)
    except re.error as error:
        raise ConfigError(f"re:{written} is not a regular expression: {error}.") from error
    complaint = _complaint(written)
    if complaint:
        raise ConfigError(f"re:{written} {complaint} Write it without, or as a glob.")
    return expression


def _complaint(written: str) -> str:
    if len(written) > MAX_CHARACTERS:
        return f"is longer than {MAX_CHARACTERS} characters."
    open_groups = [_Part()]
    before = _Part()  # what a repetition would repeat
    for token in _TOKEN.finditer(written):
        kind, text = token.lastgroup, token[0]
        here, repeated = open_groups[-1], before
        before = _Part()
        if kind == "named" or (kind == "escape" and (text[1].isdigit() or text[1:] == "g<")):
            return "refers back to what it found, which can take for ever."
        if kind == "open" and not text.endswith(")"):
            open_groups.append(_Part())
        elif kind == "close" and len(open_groups) > 1:
            before = open_groups.pop()
            open_groups[-1].endless += before.endless
            open_groups[-1].several |= before.several
        elif kind == "choice":
            here.several = True
        elif kind == "repeat":
            lowest, highest = _times(text)
            if highest > _MANY and repeated.several:
                return "repeats a choice or a repetition without end, which can take for ever."
            here.endless += 1 if highest > _MANY else (highest - 1) * repeated.endless if highest else 0
            here.several |= lowest != highest
    endless = open_groups[0].endless
    return f"has more than {MAX_ENDLESS} endless repetitions." if endless > MAX_ENDLESS else ""


def _times(text: str) -> tuple[int, int]:
    """The fewest and the most times that a repetition stands for."""
    count = _COUNT.match(text)
    if count is None:
        return _SIGNS[text[0]]
    lowest, comma, highest = count.groups()
    if not comma:
        return int(lowest or 0), int(lowest or 0)
    return int(lowest or 0), int(highest or _MANY + 1)


_SIGNS = {"*": (0, _MANY + 1), "+": (1, _MANY + 1), "?": (0, 1)}
