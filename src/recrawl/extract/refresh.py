"""The target of `<meta http-equiv=refresh>`: the HTML Standard's "shared declarative refresh steps"."""

import re

from recrawl.model.late import late

_DELAY = late(r"[\t\n\f\r ]*(?:[0-9]+|(?=\.))[0-9.]*(?:(?=[;,\t\n\f\r ])[\t\n\f\r ]*[;,]?[\t\n\f\r ]*|$)")
_NAME = late(r"u(?:rl[\t\n\f\r ]*=[\t\n\f\r ]*)?", re.IGNORECASE)


def refresh_target(content: str) -> str | None:
    """The address as written; '' for a page that reloads itself; None where the content makes no sense."""
    delay = _DELAY.match(content)
    if delay is None:
        return None
    rest = content[delay.end() :]
    name = _NAME.match(rest)
    if name and len(name[0]) == 1:
        return rest  # begins with a u that is not that of "url="
    return _unquoted(rest[name.end() :] if name else rest)


def _unquoted(target: str) -> str:
    if target[:1] in ('"', "'"):
        return target[1:].partition(target[0])[0]
    return target
