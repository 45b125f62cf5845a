"""Recognises at a glance the common link that is canonical already, so that the parser need not be asked.

Every expression here is a promise: what it matches whole is left unchanged by `canonical` (a property test
holds it to that). What it does not match is not wrong, only looked at properly.
"""

import re

from recrawl.model.late import late

# An escape that stays one: capitals, and not of an unreserved character.
_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|[46]0|5[B-E]|7[B-DF])"
_FIRST = r"[A-Za-z0-9_~!$&'()*+,=:@-]"  # of a segment: no dot, so no dot segment
_REST = r"[A-Za-z0-9_~!$&'()*+,=:@.-]"
_SEGMENT_REST = rf"{_REST}*+(?:{_ESCAPE}{_REST}*+)*+"
_SEGMENT = rf"(?:{_FIRST}|{_ESCAPE}){_SEGMENT_REST}"
_PATH = rf"(?=/)(?:/{_SEGMENT})*+/?"
_PARAMETER = rf"(?:[A-Za-z0-9_~!$()*+,=:@./?;-]++|{_ESCAPE})++"
_QUERY = rf"(\?{_PARAMETER}(?:&{_PARAMETER})*+)?"

_NAME = r"(?:[a-z0-9_][a-z0-9_-]*\.)*[a-z][a-z0-9-]*"
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_HIGH_PORT = r"[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
_PORT = rf"(?::(?!80/|443/)(?:{_HIGH_PORT}|[1-9][0-9]{{0,3}}))?"
_AUTHORITY = rf"(?!\S*xn--)((?:{_NAME}|(?:{_OCTET}\.){{3}}{_OCTET}){_PORT})"

ABSOLUTE = late(rf"https?://{_AUTHORITY}{_PATH}{_QUERY}", re.ASCII)  # groups: authority, query
ROOTED = late(rf"{_PATH}{_QUERY}", re.ASCII)  # group: query
# A first segment with a colon could be a scheme.
BESIDE = late(rf"(?![^/?]*:)(?:{_SEGMENT})(?:/{_SEGMENT})*+/?{_QUERY}", re.ASCII)  # group: query
