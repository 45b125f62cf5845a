"""Writes the reference pages that follow from the code: commands, settings, events, ports, metrics, exit codes.

python docs/make_reference.py          writes docs/reference/*.md
python docs/make_reference.py --check  says which page is not what the code says, exit code 1
"""

import ast
import dataclasses
import inspect
import io
import re
import sys
import textwrap
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import click

from recrawl import ports
from recrawl.cli.root import COMMANDS, recrawl
from recrawl.config import Settings
from recrawl.model import event, failure
from recrawl.web import metrics

HERE = Path(__file__).parent / "reference"
NOTE = "<!-- Written by docs/make_reference.py from the code: change it there. -->\n\n"
SAVED = "state saved; where a database was away, the message says how many visits it has not taken"


def commands() -> str:
    common = "Every command has `--help`; most have `--json`, one object a line."
    parts = [NOTE, f"# Commands\n\n{common} `NO_COLOR` in the environment leaves colours out.\n"]
    for name in COMMANDS:
        root = click.Context(recrawl, info_name="recrawl")
        command = recrawl.get_command(root, name)  # type: ignore[attr-defined]
        parts += _command(command, click.Context(command, info_name=name, parent=root))
    return "".join(parts)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"\n## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _command(inner, click.Context(inner, info_name=name, parent=context))


def settings() -> str:
    parts = [
        NOTE,
        "# Settings: recrawl.toml\n\nEvery key is optional. Durations (`…_s`) may be written `90s`, `10m`, `2d`; sizes "
        "(`…_bytes`) `16MiB`. An unknown key is refused with its line and the nearest valid key.\n",
    ]
    kinds = get_type_hints(Settings)
    for table in dataclasses.fields(Settings):
        if table.name == "aliases":
            parts.append('\n## [aliases]\n\nServers with several names: `"www.example.com" = "example.com"`.\n')
            continue
        kind = kinds[table.name]
        parts.append(f"\n## [{table.name}]\n\n{_story(kind)}")
        for one in dataclasses.fields(kind):
            says = _comments(kind).get(one.name, "")
            parts.append(f"\n### {table.name}.{one.name}\n\nDefault `{_default(one)}`. {says}".rstrip() + "\n")
    return "".join(parts)


def _story(kind: type) -> str:
    text = inspect.getdoc(kind) or ""
    return "" if text.startswith(f"{kind.__name__}(") else text + "\n"


def _default(one: "dataclasses.Field[object]") -> str:
    value = one.default if one.default is not dataclasses.MISSING else "required"
    text = str(list(value)) if isinstance(value, tuple) else str(value)
    return text if len(text) < 80 else text[:77] + "…"


def _comments(kind: type) -> dict[str, str]:
    """The comment behind each field, which says what it means."""
    source = inspect.getsource(kind)
    lines = {token.start[0]: token.string for token in tokenize.generate_tokens(io.StringIO(source).readline)
             if token.type == tokenize.COMMENT}  # fmt: skip
    tree = ast.parse(textwrap.dedent(source))
    found = {}
    for node in ast.walk(tree):
        target = (
            node.target
            if isinstance(node, ast.AnnAssign)
            else node.targets[0]
            if isinstance(node, ast.Assign)
            else None
        )
        if isinstance(target, ast.Name) and node.end_lineno in lines:
            says = lines[node.end_lineno].lstrip("# ").strip()
            found[target.id] = says[:1].upper() + says[1:] + ("" if says.endswith(".") else ".")
    return found


def events() -> str:
    parts = [
        NOTE,
        "# Events\n\nOne stream of facts for the log, the change feed and everything that watches. Each has `kind`, "
        "`at` (epoch seconds) and, where they apply, `cursor`, `url`, `site`, `digest`, `previous_digest`, "
        "`share_changed` and `facts`. Those of `recrawl changes` are added, updated, moved and removed.\n",
    ]
    meanings = _comments(event.EventKind)
    for kind in event.EventKind:
        parts.append(f"\n## {kind.value}\n\n{meanings[kind.name]}\n")
    return "".join(parts)


def port_pages() -> str:
    parts = [
        NOTE,
        "# Ports\n\nThe extension points. Each has a contract suite in `tests/contract` and an in-memory twin.\n",
    ]
    for name, kind in inspect.getmembers(ports, inspect.isclass):
        if kind.__module__ == "recrawl.ports":
            methods = [key for key in vars(kind) if not key.startswith("_")]
            parts.append(
                f"\n## {name}\n\n{inspect.getdoc(kind)}\n\nMethods: {', '.join(f'`{one}`' for one in methods)}.\n"
            )
    return "".join(parts)


def exit_codes() -> str:
    """The tree in the docstring of `model/failure.py` says what each means; the classes say which there are."""
    drawn = dict(re.findall(r"[├└]── (\w+)\s+\d+\s+(.+)", failure.__doc__ or ""))
    rows: dict[int, list[str]] = {
        0: ["done"],
        1: ["an error of recrawl itself, or a check of `recrawl doctor` that failed"],
    }
    for kind in vars(failure).values():
        if inspect.isclass(kind) and issubclass(kind, failure.RecrawlError) and kind is not failure.RecrawlError:
            rows.setdefault(kind.exit_code, []).append(drawn[kind.__name__])
    rows |= {130: [f"interrupted by Ctrl-C, {SAVED}"], 143: [f"terminated, {SAVED}"]}
    lines = [f"\n## {code}\n\n{_sentence('; '.join(dict.fromkeys(means)))}\n" for code, means in sorted(rows.items())]
    return NOTE + "# Exit codes\n" + "".join(lines)


def _sentence(text: str) -> str:
    return (text if "." in text.split()[0] else text[:1].upper() + text[1:]) + "."


METRICS = {
    "CounterMetricFamily": "counter",
    "Counter": "counter",
    "GaugeMetricFamily": "gauge",
    "Histogram": "histogram",
}


def metric_pages() -> str:
    """Every metric family that `web/metrics.py` makes under a name of its own, and its table of counters."""
    parts = [
        NOTE,
        "# Metrics\n\n`recrawl serve` answers `/metrics` in the text format of Prometheus. What concerns the crawl is "
        "read from the store at every scrape, so the numbers are right whichever process made them and survive a "
        "restart. "
        "Labels are sites, states and routes: their number does not grow with the crawl, and no address or error text "
        "ever becomes one. How to watch and alert: [monitoring](monitoring.md).\n",
    ]
    for name, kind, labels, about in [*_counter_table(), *_families()]:
        told = f"{kind[:1].upper()}{kind[1:]}" + (f" by {', '.join(labels)}" if labels else "")
        parts.append(f"\n## `{name}{'_total' if kind == 'counter' else ''}`\n\n{told}. {about}\n")
    return "".join(parts)


def _counter_table() -> Iterator[tuple[str, str, list[str], str]]:
    for name, about, _ in metrics.COUNTERS:
        yield name, "counter", ["site"], about


def _families() -> Iterator[tuple[str, str, list[str], str]]:
    for node in ast.walk(ast.parse(inspect.getsource(metrics))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in METRICS:
            words = [one.value for one in node.args[:2] if isinstance(one, ast.Constant)]
            lists = [
                one for one in [*node.args[2:], *(key.value for key in node.keywords)] if isinstance(one, ast.List)
            ]
            labels = [str(one.value) for found in lists for one in found.elts if isinstance(one, ast.Constant)]
            if len(words) == 2:
                yield str(words[0]), METRICS[node.func.id], labels, str(words[1])


PAGES = {
    "commands.md": commands,
    "settings.md": settings,
    "events.md": events,
    "ports.md": port_pages,
    "metrics.md": metric_pages,
    "exit-codes.md": exit_codes,
}


def main() -> int:
    stale = []
    for name, write in PAGES.items():
        file, text = HERE / name, write()
        if "--check" in sys.argv:
            if not file.exists() or file.read_text("utf-8") != text:
                stale.append(name)
        else:
            HERE.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
    if stale:
        sys.stderr.write(f"not what the code says: {', '.join(stale)}; run python docs/make_reference.py\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
