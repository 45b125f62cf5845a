"""`search`: find in what is kept."""

import sys

import click

from recrawl.answers.reading import Reading, reading
from recrawl.answers.searching import Answer, Answers, Search, open_search
from recrawl.cli.kinds import Moment
from recrawl.cli.options import folder_option, json_option, refuse_idle, the_folder
from recrawl.cli.paint import iso, line, when
from recrawl.index.query import parse
from recrawl.index.snippet import Snippet
from recrawl.model.failure import FormatError, UsageError
from recrawl.model.search import Filter

CHOOSING = ("words", "limit", "offset", "as_of_at")
SLOW = 500  # changes to take up before it is worth saying so


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1)
@folder_option
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most this many answers.")
@click.option("--offset", type=click.IntRange(0, 100_000), default=0, help="Leave out the first ones.")
@click.option(
    "--as-of", "as_of_at", type=Moment(), metavar="TIME", help="Search what was current then: 2026-11-01, 2h (ago)."
)
@click.option("--categories", is_flag=True, help="List sites and categories with their numbers of documents.")
@json_option
def search(
    words: tuple[str, ...],
    folder: str | None,
    limit: int,
    offset: int,
    as_of_at: float | None,
    categories: bool,
    as_json: bool,
) -> None:
    """Find pages by their words: harbour fog, "old bridge", ferry OR boat, harb*, -storm, title:bridge.

    What a page is: site:NAME kind:detail category:NAME lang:ko url:TEXT. When it changed: since:2d before:2026-11-01.
    Words of Korean, Japanese and Chinese are found in the middle of others.
    """
    if categories:
        refuse_idle("--categories lists everything there is; ask for one of the two", *CHOOSING)
    with reading(the_folder(folder)) as found, open_search(found, history=as_of_at is not None) as asked:
        _catch_up(asked)
        if categories:
            _list_shelves(asked, as_json)
            return
        question = _question(words)
        _check(question, found)
        answers = asked.ask(question, limit, offset, as_of_at)
    if as_json:
        for one in answers.answers:
            line(as_object(one))
    else:
        _show(answers, offset)


def _question(words: tuple[str, ...]) -> str:
    """A word with a space in it came in quotes from the shell: it is meant as one question, not as a phrase. One that
    begins with two dashes was meant as an option."""
    if unknown := next((word for word in words if word.startswith("--")), ""):
        raise UsageError(f"search has no option {unknown}; site:NAME, kind:, category:, lang:, url: go among the words")
    return " ".join(words)


def _check(text: str, found: Reading) -> None:
    """A filter that can match nothing is a slip; so is, likely, a quotation mark that stands alone."""
    try:
        question = parse(text, 0.0)
    except FormatError as error:
        raise UsageError(f"{error.message} (column {error.column} of the question)") from error
    for sieve in question.sieves:
        if sieve.filter is Filter.SITE:
            found.site(sieve.value)
    if text.count('"') % 2:
        column = text.rindex('"') + 1
        click.echo(f"the quotation mark at column {column} is not closed: taken to the end as one phrase", err=True)


def _catch_up(asked: Search) -> None:
    shown = 0

    def tell(taken: int) -> None:
        nonlocal shown
        if taken - shown >= SLOW and sys.stderr.isatty():
            shown = taken
            click.echo(f"\rindexing: {taken} changes taken up", nl=False, err=True)

    asked.catch_up(progress=tell)
    if shown:
        click.echo(err=True)


def _list_shelves(asked: Search, as_json: bool) -> None:
    for shelf in asked.shelves():
        if as_json:
            line({"site": shelf.site, "category": shelf.category, "documents": shelf.documents})
        else:
            click.echo(f"{shelf.documents:>8}  {shelf.site}  {shelf.category}".rstrip())


def _show(answers: Answers, offset: int) -> None:
    for number, one in enumerate(answers.answers, offset + 1):
        click.echo(f"{number:>3}. {_painted(one.title)}")
        click.secho(f"     {one.url}", fg="green")
        if one.snippet.text:
            click.echo(f"     {_painted(one.snippet)}")
        facts = [one.site, one.category, f"changed {when(one.changed_at)}", f"checked {when(one.checked_at)}"]
        click.secho("     " + " · ".join(fact for fact in facts if fact), dim=True)
    click.echo(f"{answers.total} found" if answers.total else "nothing found")


def _painted(shown: Snippet) -> str:
    """Control characters of a page do not reach the terminal."""
    pieces = (("".join(c if c.isprintable() else " " for c in text), hit) for text, hit in shown.pieces())
    return "".join(click.style(text, bold=True, fg="yellow") if hit else text for text, hit in pieces)


def as_object(one: Answer) -> dict[str, object]:
    """The documented form of an answer; marks are (start, end) of the hits."""
    return {
        "url": one.url,
        "title": one.title.text,
        "title_marks": one.title.marks,
        "snippet": one.snippet.text,
        "snippet_marks": one.snippet.marks,
        "site": one.site,
        "kind": one.kind,
        "category": one.category,
        "language": one.language,
        "version_at": iso(one.at),
        "checked_at": iso(one.checked_at),
        "changed_at": iso(one.changed_at),
        "score": round(one.score, 4),
    }
