"""What a run says at its end."""

import pytest

from recrawl.cli.rest import Rest
from recrawl.cli.run import tell_end
from recrawl.engine.tally import Board
from recrawl.launch.run import Ended


def test_faults_of_recrawl_itself_are_shown_and_not_only_counted(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Board(1).as_dict()
    tell_end(Ended(0, counts), False, Rest())
    assert not capsys.readouterr().err
    tell_end(Ended(0, {**counts, "errors": 2}), False, Rest())
    assert "recrawl.log" in (said := capsys.readouterr().err) and "2 in all" in said
