"""recrawl.toml → one small settings value per stage. Unknown keys are refused with the nearest valid one."""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any, get_type_hints

from recrawl.archive.settings import ArchiveSettings
from recrawl.extract.settings import ExtractSettings, SignalLimits
from recrawl.fetch.browser import RenderSettings
from recrawl.formats import webhook
from recrawl.formats.settings_table import read, schema, unknown
from recrawl.formats.toml_places import line_of
from recrawl.formats.toml_text import quoted
from recrawl.frontier.manners import Manners
from recrawl.model.failure import ConfigError, FormatError
from recrawl.model.site import Site
from recrawl.model.values import dataclass, fields_of
from recrawl.model.visit import Limits
from recrawl.schedule.settings import Settings as ScheduleSettings
from recrawl.schedule.windows import complaint_of, hours_of, never_opens
from recrawl.scope.canonical_rules import CanonicalRules
from recrawl.scope.traps import TrapLimits

SHORTEST_GAP_S = 0.5  # on servers of others
Sound = tuple[Callable[[float], bool], str]
SOME: Sound = (lambda value: value >= 1, "at least 1, or nothing would ever be asked for")
MORE: Sound = (lambda value: value > 0, "more than 0, or no answer would ever do; a large number for hardly any limit")
SOUND: dict[tuple[str, str], Sound] = {
    ("schedule", "target"): (lambda value: 0 < value < 1, "a share between 0 and 1, as 0.95 for 95 % of the pages"),
    ("schedule", "max_delay_s"): (lambda value: value > 0, "a number of seconds, more than 0"),
    ("fetch", "connections"): SOME,
    ("state", "partitions"): (lambda value: 1 <= value <= 65536, "between 1 and 65536"),
    ("state", "batch_visits"): SOME,
    ("limits", "connect_s"): MORE,
    ("limits", "first_byte_s"): MORE,
    ("limits", "total_s"): MORE,
    ("limits", "header_bytes"): MORE,
    ("limits", "header_count"): MORE,
    ("limits", "body_bytes"): MORE,
    ("limits", "decoded_bytes"): MORE,
    ("render", "seconds"): MORE,
    ("render", "requests"): SOME,
    ("intervals", "requests_per_page_day"): (lambda value: value > 0, "more than 0"),
    ("intervals", "classes"): SOME,
    ("archive", "compress_level"): (lambda value: value <= 3, "between 0 (least) and 3 (most)"),
}
BOUNDS = (("floor_s", "ceiling_s"), ("first_from_s", "first_to_s"), ("least_s", "most_s"))  # of [intervals]


@dataclass(frozen=True, slots=True)
class Operator:
    """Who crawls. The contact goes into the user agent of every request."""

    contact: str = ""


@dataclass(frozen=True, slots=True)
class Fetch:
    resolver: str = ""  # DNS server to ask, host or host:port; empty: the machine's own
    redirects: int = 5  # in a row
    connections: int = 128  # servers asked at the same moment by one worker
    large_bytes: int = 32 * 1024 * 1024  # what bodies of more than 256 KiB may hold together, until they are written


@dataclass(frozen=True, slots=True)
class Detect:
    ignore: tuple[str, ...] = ()  # CSS selectors of parts whose changes do not count, for all sites
    second_looks: bool = True  # ask again at once when a small change may be noise
    probe_missing: bool = False  # ask every server once for an address that cannot exist: what it shows then is no page


@dataclass(frozen=True, slots=True)
class Schedule:
    policy: str = "value"  # see docs/explain/scheduler.md for all of them
    requests_per_day: float | None = None  # the budget of all sites together, never exceeded
    bytes_per_day: float | None = None  # the same in bytes; a page larger than any before may exceed it
    target: float | None = None  # share of the pages to keep fresh, as 0.95: spend what that takes, within the budget
    max_delay_s: float | None = None  # or: find changes so soon after they happen, in the mean
    windows: tuple[str, ...] = ()  # when anything may be visited, in UTC: "not monday 9-12", "only 22-6"


@dataclass(frozen=True, slots=True)
class Keep:
    unchanged: bool = True  # write a revisit record for every visit that found the page unchanged
    versions: int = 10_000  # of one page; the oldest are forgotten, in the archive they stay. 0: all are known
    disk_floor_bytes: int = 256 * 1024 * 1024  # less free on any disk (5 % of a small one) stops fetching


@dataclass(frozen=True, slots=True)
class Search:
    beside: bool = True  # index beside the crawl; False: when somebody searches


@dataclass(frozen=True, slots=True)
class Webhooks:
    """Who is told of changes as they are found: signed, in order, at least once."""

    urls: tuple[str, ...] = ()
    secret: str = ""  # signs every delivery (Standard Webhooks); whsec_… or any text
    text: bool = False  # with title, language and main text


@dataclass(frozen=True, slots=True)
class Receive:
    """Bounds for those who push notices to us (IndexNow, WebSub, webhooks)."""

    per_sender_hour: int = 1200  # requests of one address
    per_network_hour: int = 6000  # of its network (/24, /64)
    body_bytes: int = 20_000_000


@dataclass(frozen=True, slots=True)
class State:
    partitions: int = 256  # fixed when the store is made
    store: str = ""  # postgresql://user@host/database shared by many machines; empty: a file in the folder
    batch_visits: int = 512  # visits a commit gathers; in a cluster those of the lanes that wait for it


@dataclass(frozen=True, slots=True)
class Cluster:
    """Workers on many machines that share one PostgreSQL store."""

    lease_s: float = 10.0  # a worker that is silent for so long has lost its partitions to others
    weight: float = 1.0  # its share of the partitions, against the weights of the others


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole of recrawl.toml, a value for each table."""

    operator: Operator = field(default_factory=Operator)
    fetch: Fetch = field(default_factory=Fetch)
    limits: Limits = field(default_factory=Limits)
    politeness: Manners = field(default_factory=Manners)
    addresses: CanonicalRules = field(default_factory=CanonicalRules)
    traps: TrapLimits = field(default_factory=TrapLimits)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    render: RenderSettings = field(default_factory=RenderSettings)
    signals: SignalLimits = field(default_factory=SignalLimits)
    detect: Detect = field(default_factory=Detect)
    schedule: Schedule = field(default_factory=Schedule)
    intervals: ScheduleSettings = field(default_factory=ScheduleSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    keep: Keep = field(default_factory=Keep)
    state: State = field(default_factory=State)
    cluster: Cluster = field(default_factory=Cluster)
    search: Search = field(default_factory=Search)
    webhooks: Webhooks = field(default_factory=Webhooks)
    receive: Receive = field(default_factory=Receive)
    aliases: dict[str, str] = field(default_factory=dict)  # "www.example.com" = "example.com"

    def check_sites(self, sites: Sequence[Site]) -> None:
        """Whether they can be crawled with these settings."""
        self.check_operator(sites)
        for site in sites:
            if never_opens(hours_of(self.schedule.windows, site.windows)):
                raise ConfigError(
                    f"{site.name} could never be visited: its windows ({', '.join(site.windows)}) and schedule.windows "
                    f"of recrawl.toml ({', '.join(self.schedule.windows)}) leave no hour of the week open (in UTC)"
                )

    def check_operator(self, sites: Iterable[Site]) -> None:
        """Whoever asks servers of others says who they are."""
        foreign = [site.name for site in sites if not site.own]
        if foreign and not self.operator.contact:
            raise ConfigError(
                f"who is crawling {foreign[0]}? Say how its owner can reach you: "
                '[operator] contact = "you@example.org" in recrawl.toml, or `recrawl add … --contact you@example.org`'
            )


def parse(text: str, source: str = "recrawl.toml") -> Settings:
    """Read recrawl.toml; an empty text gives the defaults."""
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of TOML, a number of thousands of digits, brackets without end
        raise FormatError(f"{error}; mend the line, or start anew with `recrawl init`", source=source) from error
    kinds = get_type_hints(Settings)
    names = [one.name for one in fields_of(Settings)]
    values: dict[str, Any] = {}
    for name, table in tables.items():
        if name not in names:
            raise unknown(name, names, "", line_of(text, (name,)), source)
        if not isinstance(table, dict):
            raise FormatError(f"{name} is a table: write [{name}]", line=line_of(text, (name,)), source=source)
        values[name] = (
            _aliases(table, text, source) if name == "aliases" else read(kinds[name], table, name, text, source)
        )
    settings = Settings(**values)
    _check(settings, text, source)
    if settings.politeness.gap_s < SHORTEST_GAP_S:
        raise FormatError(
            f"politeness.gap_s = {settings.politeness.gap_s:g}: servers of others get a pause of at least "
            f"{SHORTEST_GAP_S:g} s; your own, listed under `own` in their site file, need none",
            line=line_of(text, ("politeness", "gap_s")),
            source=source,
        )
    return settings


def _check(settings: Settings, text: str, source: str) -> None:
    """What cannot be meant, before a crawl goes by it."""
    for (table, name), (is_sound, sentence) in SOUND.items():
        value = getattr(getattr(settings, table), name)
        if value is not None and not is_sound(value):
            place = line_of(text, (table, name))
            raise FormatError(f"{table}.{name} = {value:g}: {sentence}", line=place, source=source)
    for lower, upper in BOUNDS:
        least, most = getattr(settings.intervals, lower), getattr(settings.intervals, upper)
        if not 0 < most >= least:
            place = line_of(text, ("intervals", upper)) or line_of(text, ("intervals", lower))
            message = f"intervals.{upper} = {most:g}: more than 0, and no less than {lower}, which is {least:g}"
            raise FormatError(message, line=place, source=source)
    if complaint := complaint_of(settings.schedule.windows):
        raise FormatError(f"schedule.windows{complaint}", line=line_of(text, ("schedule", "windows")), source=source)
    for url in settings.webhooks.urls:
        if complaint := webhook.complaint(url):
            place = line_of(text, ("webhooks", "urls"))
            raise FormatError(f"webhooks.urls: {complaint}", line=place, source=source)


def _aliases(table: dict[str, object], text: str, source: str) -> dict[str, str]:
    for name, main in table.items():
        if not isinstance(main, str):
            raise FormatError(f"aliases.{name} must be a string", line=line_of(text, ("aliases", name)), source=source)
    return {name: str(main) for name, main in table.items()}


def json_schema() -> dict[str, object]:
    """JSON Schema of recrawl.toml, for editors."""
    kinds = get_type_hints(Settings)
    tables: dict[str, object] = {name: schema(kind) for name, kind in kinds.items() if name != "aliases"}
    tables["aliases"] = {"type": "object", "additionalProperties": {"type": "string"}}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "recrawl.toml"}
    return {**head, "type": "object", "additionalProperties": False, "properties": tables}


def starting_text(contact: str) -> str:
    """A first recrawl.toml, with what people change most."""
    return f"""# recrawl: settings of this folder. Every key: docs/reference/settings.md
# The sites themselves are in sites/, one file each.

[operator]
contact = {quoted(contact)}  # e-mail or web address; sent with every request so that site owners can reach you

[politeness]
gap_s = 1.0  # seconds between two requests to a server that is not yours

[schedule]
policy = "value"
# requests_per_day = 1000

[aliases]
# "www.example.com" = "example.com"  # two names of one server
"""
