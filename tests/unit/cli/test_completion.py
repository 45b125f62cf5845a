"""The shell completes commands and options, of commands that are loaded only when they are called, too."""

import pytest
from click.shell_completion import BashComplete

from recrawl.cli.root import recrawl as command_line


@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [
        ([], "sta", "status"),
        (["export"], "--for", "--format"),
        (["scope"], "le", "learn"),
        (["export", "--format"], "w", "warc"),
    ],
)
def test_what_is_begun_is_completed(words: list[str], begun: str, offered: str) -> None:
    completer = BashComplete(command_line, {}, "recrawl", "_RECRAWL_COMPLETE")
    assert offered in [one.value for one in completer.get_completions(words, begun)]
