"""An option that would be ignored beside another is refused before anything is done: silence looks like consent."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from recrawl.cli.root import recrawl
from recrawl.model.failure import UsageError

CONTRADICTIONS = [
    ("export --format csv --json", "--json"),
    ("export --format warc --json", "--json"),
    ("export --format warc --table visits --output out.warc", "--table"),
    ("export --format mirror --table pages --output out", "--table"),
    ("export --table visits --text", "--text"),
    ("records --format csv --json", "--json"),
    ("records --format parquet --json --output out", "--json"),
    ("records --field price", "--field"),
    ("changes --deliver --text", "--text"),
    ("changes --deliver --since 2h --limit 3", "--limit and --since"),
    ("changes --deliver --kind updated", "--kind"),
    ("search harbour --categories", "words"),
    ("search --categories --limit 3", "--limit"),
    ("search --categories --as-of 2h", "--as-of"),
    ("schedule --by groups", "--by"),
    ("schedule --week --limit 3", "--limit"),
    ("notices --json trust", "--json"),
    ("notices --limit 3 --source feed subscriptions", "--limit and --source"),
]


@pytest.mark.parametrize(("words", "named"), CONTRADICTIONS)
def test_an_option_that_would_be_ignored_is_refused(tmp_path: Path, words: str, named: str) -> None:
    told = CliRunner().invoke(recrawl, words.split(), env={"RECRAWL_FOLDER": str(tmp_path)})
    assert isinstance(told.exception, UsageError), told.output
    assert str(told.exception).startswith(named)


@pytest.mark.parametrize(
    "words",
    [
        "export --json",
        "export --format jsonl --json",
        "export --table visits --no-text",
        "records --format jsonl --json",
        "schedule --week --by groups",
        "notices --json",
    ],
)
def test_options_that_agree_are_not(tmp_path: Path, words: str) -> None:
    told = CliRunner().invoke(recrawl, words.split(), env={"RECRAWL_FOLDER": str(tmp_path)})
    assert "is not a recrawl folder" in str(told.exception)
