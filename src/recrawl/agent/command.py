"""The agent's own command line, by the standard library alone: `python -m recrawl.agent`, or `recrawl agent`."""

import argparse
import json
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from recrawl.agent import counts, history, registry, snapshot
from recrawl.agent.notify import kinds_of, notify
from recrawl.agent.place import Place
from recrawl.agent.service import Desk, Server, serve
from recrawl.agent.settings import fault_of_base, starting_text
from recrawl.agent.watch import Look, keep_looking, look
from recrawl.agent.whole import write_whole
from recrawl.formats import duration, notice_agent
from recrawl.model.failure import FormatError, RecrawlError, UsageError

Words = argparse.Namespace


def main(arguments: Sequence[str], program: str = "recrawl agent") -> int:
    words = _parser(program).parse_args(arguments)
    try:
        return COMMANDS[words.command](Place(Path(words.state)), words)
    except RecrawlError as error:
        sys.stderr.write(f"recrawl: {error}\n")
        return error.exit_code


def _init(place: Place, words: Words) -> int:
    base = words.base if words.base.endswith("/") else words.base + "/"
    if fault_of_base(base):
        raise UsageError(f"--base {words.base!r} is not a web address: write for example https://www.example.com/")
    if not Path(words.root).is_dir():
        raise UsageError(f"--root {words.root} is not a folder")
    if place.path.resolve().is_relative_to(Path(words.root).resolve()):
        told = "its files would be documents that everybody can read; choose another place"
        raise UsageError(f"--state {words.state} lies inside --root: {told}")
    if place.settings_file.exists():
        raise UsageError(f"{place.settings_file} is there already: edit it, or choose another --state")
    text = starting_text(str(Path(words.root).resolve()), base)
    for name, value in (("smtp", words.smtp), ("listen", words.listen)):
        lines = text.splitlines(keepends=True)
        text = "".join(f'{name} = "{value}"\n' if value and one.startswith(f"{name} =") else one for one in lines)
    write_whole(place.settings_file, text.encode(), private=True)
    place.settings()
    told = f"{place.settings_file} written. Next: recrawl agent watch --state {words.state}"
    _say(words, {"settings": str(place.settings_file)}, told)
    return 0


def _watch(place: Place, words: Words) -> int:
    settings = place.settings()

    def tell(found: Look) -> None:
        value = {"documents": found.documents, **kinds_of(found.entries), "cpu_s": round(found.cpu_s, 4)}
        counted = ", ".join(f"{number} {name}" for name, number in kinds_of(found.entries).items())
        first = " (first look: nothing to compare with)" if found.first else ""
        _say(words, value, f"{found.documents} documents: {counted}{first}; {found.cpu_s:.2f} s of CPU")

    if not words.continuous:
        tell(look(place, settings, time.time(), words.announce_all))
        return 0
    keep_looking(place, settings, time.time, _seconds(words.every), _until_stopped(), tell, words.announce_all)
    return 0


def _seconds(text: str) -> float:
    try:
        return duration.parse(text)
    except FormatError as error:
        raise UsageError(f"--every: {error.message}") from error


def _serve(place: Place, words: Words) -> int:
    settings = place.settings()
    server = serve(Desk(place, settings), words.listen or settings.serve.listen)
    stop = _until_stopped()
    threading.Thread(target=_shut_down, args=(server, stop), daemon=True).start()
    host, port = server.server_address[:2]
    _say(words, {"listening": f"http://{host!s}:{port}/"}, f"listening on http://{host!s}:{port}/")
    server.serve_forever()
    return 0


def _shut_down(server: Server, stop: threading.Event) -> None:
    stop.wait()
    server.shutdown()


def _notify(place: Place, words: Words) -> int:
    told = notify(place, place.settings(), time.time(), lambda: secrets.token_hex(16), words.now)
    value = {"robots": told.robots, "notices": told.notices, "pings": told.pings, "pinged": told.pinged}
    pinged = f"{told.pings} pings with {told.pinged} addresses"
    sentence = f"{told.robots} robots told of {told.notices} changes, {pinged}"
    _say(words, {**value, "failures": told.failures}, sentence)
    for failure in told.failures:
        sys.stderr.write(f"recrawl: not sent: {failure}; it will be sent with the next notice\n")
    return 4 if told.failures else 0


def _status(place: Place, words: Words) -> int:
    settings = place.settings()
    robots = registry.read(place).values()
    value = {
        "base": settings.documents.base,
        "documents": len(snapshot.read(place.snapshot)),
        "history": history.end(place.history),
        "robots_txt": notice_agent.render(settings.endpoint),  # the line that tells robots of this agent
        "robots": {
            "told": sum(robot.told for robot in robots),
            "suspended": sum(robot.suspended for robot in robots),
            "unconfirmed": sum(robot.confirmed_at is None for robot in robots),
        },
        "counts": dict(counts.read(place)),
    }
    lines = [f"{name}: {one}" for name, one in value.items() if not isinstance(one, dict)]
    lines += [f"{name}: {number}" for group in ("robots", "counts") for name, number in dict(value[group]).items()]  # type: ignore[call-overload]
    _say(words, value, "\n".join(lines))
    return 0


COMMANDS: dict[str, Callable[[Place, Words], int]] = {
    "init": _init,
    "watch": _watch,
    "serve": _serve,
    "notify": _notify,
    "status": _status,
}


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        program, description="Tell registered robots what changed on this web server (S4)."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--state", default=".", metavar="DIR", help="the agent's folder (default: the current one)")
    shared.add_argument("--json", action="store_true", help="machine-readable: one JSON object a line")
    init = commands.add_parser("init", parents=[shared], help="write a first agent.toml")
    init.add_argument("--root", required=True, metavar="DIR", help="the document tree")
    init.add_argument("--base", required=True, metavar="URL", help="the address of the tree")
    init.add_argument("--smtp", metavar="HOST:PORT", help="the mail server (default 127.0.0.1:25)")
    init.add_argument("--listen", metavar="HOST:PORT", help="where registrations come in (default 127.0.0.1:8790)")
    watch = commands.add_parser("watch", parents=[shared], help="look at the documents, write the history")
    watch.add_argument("--continuous", action="store_true", help="go on looking until stopped")
    watch.add_argument("--every", default="1m", help="time between looks where no file events can be had")
    watch.add_argument("--announce-all", action="store_true", help="at the first look, announce every document as new")
    served = commands.add_parser("serve", parents=[shared], help="take registrations by HTTP POST")
    served.add_argument("--listen", metavar="HOST:PORT", help="instead of serve.listen")
    told = commands.add_parser("notify", parents=[shared], help="tell the robots whose latency is over")
    told.add_argument("--now", action="store_true", help="whatever their latency")
    commands.add_parser("status", parents=[shared], help="documents, robots, counts")
    return parser


def _say(words: Words, value: Mapping[str, object], sentence: str) -> None:
    sys.stdout.write((json.dumps(value) if words.json else sentence) + "\n")
    sys.stdout.flush()


def _until_stopped() -> threading.Event:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop
