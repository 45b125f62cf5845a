"""robots.txt by RFC 9309: may this agent ask for this path, and which line decides?

See `docs/reference/robots.md` for every choice. There is no off switch.
"""

from recrawl.model.directives import AGENT
from recrawl.model.late import late
from recrawl.model.values import dataclass
from recrawl.scope.robots_match import PLAIN_PATH, Candidate, candidates, matcher, path_spellings
from recrawl.scope.robots_parse import EVERYBODY, Group, Parsed, Rule, parse

_PRODUCTS = late(r"([^\s/();,]+)/")
_SCHEME_AND_AUTHORITY = late(r"(?:(?:[^/?;#]*:)?//)?[^/?;#]*")


@dataclass(frozen=True, slots=True)
class Explanation:
    """`line_number` 0: no line decided. `group` is the agent name that was obeyed."""

    allowed: bool
    line_number: int = 0
    line: str = ""
    rule: str = ""
    group: str = ""

    @property
    def sentence(self) -> str:
        if not self.line_number:
            return "No line of robots.txt speaks of it, so it is allowed." if self.allowed else self.line
        verb = "allows" if self.allowed else "forbids"
        return f"Line {self.line_number} of robots.txt, for {self.group}, {verb} it: {self.line}"


SILENCE = Explanation(True)


class Judge:
    """The rules of one group, ready to decide."""

    __slots__ = ("_beginnings", "_candidates", "first", "permits", "silent")

    def __init__(self, group: Group) -> None:
        self._candidates: list[Candidate] = candidates(group.rules)
        self.first = matcher([one.pattern for one in self._candidates]).first
        self.permits = [one.rule.allow for one in self._candidates]
        self.silent = not self._candidates  # a file that says nothing, or none at all
        self._beginnings = frozenset(one.pattern.texts[0][:2] for one in self._candidates)

    def may_speak_of(self, url_or_path: str) -> bool:
        """False: no line does, so it is allowed."""
        if self.silent:
            return False
        plain = PLAIN_PATH.fullmatch(url_or_path)
        return plain is None or self.first(plain[1]) is not None

    def is_deaf_to(self, beginning: str) -> bool:
        """No line speaks of any path with these two characters at its beginning. False: they do not tell."""
        letter, beginnings = beginning[1:], self._beginnings
        if not letter.isalnum() or not letter.isascii():
            return False  # it may be spelt in another way
        return beginning not in beginnings and "/" not in beginnings and "" not in beginnings

    def rule(self, path: str) -> Rule | None:
        places = [self.first(spelling) for spelling in path_spellings(path)]
        place = min((one for one in places if one is not None), default=None)
        return None if place is None else self._candidates[place].rule


class RobotsRules:
    """A parsed robots.txt. Ready-made judges are kept by agent: parse once, ask often."""

    __slots__ = ("_delays_s", "_judges", "_parsed", "sitemaps")

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self._judges: dict[str, Judge] = {}
        self._delays_s: dict[str, float | None] = {}
        self.sitemaps: tuple[str, ...] = tuple(dict.fromkeys(parsed.sitemaps))

    @classmethod
    def parse(cls, body: bytes) -> "RobotsRules":
        """Never fails: what cannot be understood is ignored."""
        return cls(parse(body))

    def allowed(self, agent: str, url_or_path: str) -> bool:
        plain = PLAIN_PATH.fullmatch(url_or_path)
        if plain is None:
            return self.explain(url_or_path, agent).allowed
        judge = self._judges.get(agent) or self.judge(agent)
        place = judge.first(plain[1])
        return place is None or judge.permits[place] or plain[1] == "/robots.txt"

    def explain(self, url_or_path: str, agent: str = AGENT) -> Explanation:
        judge = self.judge(agent)
        if not judge.may_speak_of(url_or_path):
            return SILENCE
        path = path_of(url_or_path)
        rule = None if path == "/robots.txt" else judge.rule(path)
        if rule is None:
            return SILENCE
        return Explanation(rule.allow, rule.line.number, rule.line.text, rule.path, self._group_name(agent))

    def crawl_delay_s(self, agent: str = AGENT) -> float | None:
        """The longest that is asked of this agent."""
        if agent not in self._delays_s:
            self._delays_s[agent] = max(self._group(agent).delays_s, default=None)
        return self._delays_s[agent]

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(self._parsed.groups)

    def judge(self, agent: str) -> Judge:
        judge = self._judges.get(agent)
        if judge is None:
            judge = self._judges[agent] = Judge(self._group(agent))
        return judge

    def _group(self, agent: str) -> Group:
        return self._parsed.groups.get(self._group_name(agent)) or Group()

    def _group_name(self, agent: str) -> str:
        """Exactly its own name (a version left aside; of a whole User-Agent header any product); else everybody's."""
        names = [agent.strip().lower(), *(product.lower() for product in _PRODUCTS.findall(agent))]
        return next((name for name in names if name and name in self._parsed.groups), EVERYBODY)


def path_of(url_or_path: str) -> str:
    """Path, parameters and query, with a slash in front; the fragment is never sent."""
    if url_or_path.startswith("http"):
        at = url_or_path.find("/", 8)
        if at > 0 and url_or_path.find("?", 0, at) < 0 and "#" not in url_or_path:
            return url_or_path[at:]
    elif url_or_path.startswith("/") and not url_or_path.startswith("//") and "#" not in url_or_path:
        return url_or_path
    found = _SCHEME_AND_AUTHORITY.match(url_or_path)
    path = url_or_path[found.end() if found else 0 :].partition("#")[0]
    return path if path.startswith("/") else "/" + path
