"""Refuses regular expressions that a hostile address could keep busy for ever.

Backtracking explodes where something repeated without end is itself repeated without end, and where an expression
refers back to what it found. Both are refused; so are more endless repetitions than any honest pattern needs.
"""

import re

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
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_LONG_COUNT = 50


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
    endless = 0
    inside = [False]  # by open group: whether it holds an endless repetition
    closed = False  # whether the group that has just been closed does
    for token in _TOKEN.finditer(written):
        kind, text = token.lastgroup, token[0]
        if kind == "named" or (kind == "escape" and (text[1].isdigit() or text[1:] == "g<")):
            return "refers back to what it found, which can take for ever."
        if kind == "open" and not text.endswith(")"):
            inside.append(False)
        elif kind == "close" and len(inside) > 1:
            closed = inside.pop()
            inside[-1] = inside[-1] or closed
            continue
        elif kind == "repeat" and _is_endless(text):
            if closed:
                return "repeats a repetition, which can take for ever."
            endless += 1
            inside[-1] = True
        closed = False
    return f"has more than {MAX_ENDLESS} endless repetitions." if endless > MAX_ENDLESS else ""


def _is_endless(text: str) -> bool:
    count = _COUNT.match(text)
    if count is None:
        return text[0] in "*+"
    lowest, comma, highest = count.groups()
    return int(highest or (0 if comma else lowest or 0)) > _LONG_COUNT or bool(comma and not highest)
