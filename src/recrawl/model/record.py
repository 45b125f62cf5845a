"""What a page says, field by field: a record belongs to the version of the page that it was read from."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from recrawl.model.values import dataclass


class RecordSource(StrEnum):
    """Who knew where to look."""

    FIELDS = "fields"  # the site file
    JSON_LD = "json-ld"  # the page itself
    MICRODATA = "microdata"
    OPENGRAPH = "opengraph"


@dataclass(frozen=True, slots=True)
class Record:
    """`data` is JSON: texts, numbers, lists, objects, null where a field that is not required was not found.
    With `missing` it is no record but the fact that there was none: these required fields could not be read."""

    page: int
    at: float  # of the version
    place: int = 0  # of several on one page
    kind: str = ""  # what it tells of: "Product", or the class or name that the site file gives
    source: RecordSource = RecordSource.FIELDS
    data: Mapping[str, object] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    wrapper: str = ""  # digest of the fields it was read by

    @property
    def broken(self) -> bool:
        return bool(self.missing)

    @property
    def digest(self) -> str:
        """Equal data, equal digest, whatever the order of the fields."""
        return "sha256:" + hashlib.sha256(canonical_json(self.data).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of a page's record that differs between two versions. None: not there."""

    page: int
    at: float
    previous_at: float
    kind: str
    field: str  # `price`, `offers.price`, `reviews[]` for one item more or less of a list
    before: object
    after: object


def canonical_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
