"""Which parts of an address do not name the page: the table behind `canonical`, which the user can change."""

import re
from collections.abc import Iterable
from enum import Enum

from recrawl.model.late import late
from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.model.values import dataclass

TRACKING_PARAMETERS = (
    "utm_*", "mtm_*", "matomo_*", "pk_*", "piwik_*", "hsa_*", "ns_mchannel", "ns_source", "ns_campaign",
    "gclid", "gclsrc", "dclid", "wbraid", "gbraid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl",
    "fbclid", "fb_action_ids", "fb_action_types", "fb_source", "igshid", "igsh", "twclid", "ttclid", "msclkid",
    "yclid", "ysclid", "_openstat", "li_fat_id", "epik", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "vero_conv",
    "_hsenc", "_hsmi", "__hstc", "__hssc", "__hsfp", "hsctatracking", "oly_anon_id", "oly_enc_id", "wickedid",
    "rb_clickid", "s_cid", "ml_subscriber", "ml_subscriber_hash", "irclickid", "_branch_match_id",
)  # fmt: skip

SESSION_PARAMETERS = (
    "jsessionid", "phpsessid", "sessionid", "session_id", "sessid", "aspsessionid*", "asp.net_sessionid",
    "cfid", "cftoken", "oscsid", "zenid", "xtcsid",
)  # fmt: skip

# Names that often hold a session and often something else (`sid` is the story in many news systems):
# dropped only when the value looks like a token.
LIKELY_SESSION_PARAMETERS = ("sid", "s_id", "session", "sess")
TOKEN = late(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[0-9A-Za-z]{16,}")

REMEMBERED_NAMES = 4096

PATH_PARAMETERS = ("jsessionid", "phpsessid", "sessionid", "sid")


@dataclass(frozen=True, slots=True)
class CanonicalRules:
    """Names are compared without regard to case; `*` in a name stands for any characters.
    `keep_parameters` wins over every other table."""

    drop_parameters: tuple[str, ...] = TRACKING_PARAMETERS + SESSION_PARAMETERS
    likely_session_parameters: tuple[str, ...] = LIKELY_SESSION_PARAMETERS
    drop_path_parameters: tuple[str, ...] = PATH_PARAMETERS
    keep_parameters: tuple[str, ...] = ()
    sort_query: bool = False
    collapse_slashes: bool = True
    keep_hashbang: bool = False  # `#!/page` names a page of its own; only a browser can fetch it
    url_characters: int = 8192

    @classmethod
    def from_site(cls, site: Site, table: "CanonicalRules | None" = None) -> "CanonicalRules":
        """The table (by default ours) with the site's changes: `name` drops one more, `!name` keeps one, `!*` all."""
        table = table or cls()
        kept = tuple(name[1:] for name in site.drop_parameters if name.startswith("!"))
        dropped = tuple(name for name in site.drop_parameters if not name.startswith("!"))
        sort_query = table.sort_query or site.sort_query
        if "*" in kept:
            named = tuple(name for name in kept if name != "*")
            return replace(
                table,
                drop_parameters=dropped,
                likely_session_parameters=(),
                drop_path_parameters=(),
                keep_parameters=named,
                sort_query=sort_query,
            )
        return replace(
            table,
            drop_parameters=table.drop_parameters + dropped,
            keep_parameters=table.keep_parameters + kept,
            sort_query=sort_query,
        )

    def parameter_fates(self) -> "ParameterFates":
        return ParameterFates(self)

    def dropped_path_parameter(self) -> re.Pattern[str]:
        return late(rf";{_any_of(self.drop_path_parameters)}=[^;/]*", re.IGNORECASE)


class Fate(Enum):
    KEEP = 0
    DROP = 1
    DROP_TOKENS = 2


class ParameterFates(dict[str, Fate]):
    """What becomes of a query parameter, by name: asks the table once a name, remembers the recent ones."""

    __slots__ = ("_tables",)

    def __init__(self, rules: CanonicalRules) -> None:
        super().__init__()
        self._tables = tuple(
            (late(_any_of(names), re.IGNORECASE), fate)
            for names, fate in (
                (rules.keep_parameters, Fate.KEEP),
                (rules.drop_parameters, Fate.DROP),
                (rules.likely_session_parameters, Fate.DROP_TOKENS),
            )
        )

    def __missing__(self, name: str) -> Fate:
        if len(self) >= REMEMBERED_NAMES:
            self.clear()
        fate = next((fate for table, fate in self._tables if table.fullmatch(name)), Fate.KEEP)
        self[name] = fate
        return fate

    def drops(self, parameter: str) -> bool:
        name, _, value = parameter.partition("=")
        fate = self[name]
        return fate is Fate.DROP or (fate is Fate.DROP_TOKENS and TOKEN.fullmatch(value) is not None)


def _any_of(names: Iterable[str]) -> str:
    """A group that matches any of the names, or nothing at all if there are none."""
    patterns = [re.escape(name).replace(r"\*", "[^=&;/]*") for name in names]
    return f"(?:{'|'.join(patterns)})" if patterns else r"(?:(?!))"
