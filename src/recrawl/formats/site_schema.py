"""JSON Schema of the site file, so that editors complete it and mark what is wrong."""

from typing import Any

from recrawl.formats.site_keys import SCHEMAS, SITE, TABLES, Table

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    site = _table(SITE)
    site["anyOf"] = [{"required": ["seeds"]}, {"required": ["patterns"]}]
    definitions = {name: _table(table) for name, table in TABLES.items()}
    return {"$schema": DIALECT, "title": "recrawl site file", **site, "$defs": definitions}


def _table(table: Table) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, key in table.items():
        shape: dict[str, Any] = {**SCHEMAS[key.fit], "description": key.meaning}
        if name in TABLES:
            shape["items"] = {"$ref": f"#/$defs/{name}"}
        if key.choices:
            shape["enum"] = list(key.choices)
        if key.needed:
            shape["minLength"] = 1
        properties[name] = shape
    needed = [name for name, key in table.items() if key.needed]
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**schema, "required": needed} if needed else schema
