"""Turns links that stand for others into the addresses they stand for, and says by which rule.

A rule's target is a template. A value that comes out of a script is spelt for the place it is put in; a value that
is the whole target (`{target}`) is a link of its own, relative to the page it was found on.
"""

from collections.abc import Mapping
from urllib.parse import quote

from recrawl.formats.templates import Capture, Piece, check, is_script, pieces
from recrawl.model.site import Rewrite
from recrawl.model.values import dataclass
from recrawl.scope.patterns import Patterns
from recrawl.scope.rewrite_calls import Calls

LONGEST_CHAIN = 5

_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_QUERY_SAFE = "/%:@!$'()*,;~-._?"


@dataclass(frozen=True, slots=True)
class Template:
    """An address to be filled in."""

    written: str
    parts: tuple[Piece, ...]

    def fill(self, values: Mapping[str, str]) -> str:
        if len(self.parts) == 1 and isinstance(self.parts[0], Capture):
            return values.get(self.parts[0].name, "")
        filled, safe = [], _PATH_SAFE
        for one in self.parts:
            if isinstance(one, str):
                filled.append(one)
                safe = _QUERY_SAFE if "?" in one else safe
            else:
                filled.append(quote(values.get(one.name, ""), safe=safe))
        return "".join(filled)


def read_template(written: str) -> Template:
    return Template(written, pieces(written))


class Rewriter:
    """The rules of one site. `address` and `script` give the rule's index and what the link stands for."""

    def __init__(self, rules: tuple[Rewrite, ...]) -> None:
        for rule in rules:
            check(rule.match, rule.target)
        self.rules = rules
        self._targets = [read_template(rule.target) for rule in rules]
        addresses = [(index, rule.match) for index, rule in enumerate(rules) if not is_script(rule.match)]
        self._indices = [index for index, _ in addresses]
        self._addresses = Patterns([match for _, match in addresses])
        self._calls = Calls([(index, rule.match) for index, rule in enumerate(rules) if is_script(rule.match)])

    @property
    def needs_scripts(self) -> bool:
        return bool(self._calls)

    def address(self, url: str) -> tuple[int, str] | None:
        if not self._indices:
            return None
        found = self._addresses.match(url)
        if found is None:
            return None
        index = self._indices[found.index]
        return index, self._targets[index].fill(found.values)

    def script(self, code: str) -> tuple[int, str] | None:
        found = self._calls.match(code)
        return None if found is None else (found[0], self._targets[found[0]].fill(found[1]))
