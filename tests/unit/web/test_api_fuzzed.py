"""Schemathesis asks the API everything its description allows, and much that it does not: never a 5xx."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import response_schema_conformance
from tests.unit.web.conftest import NOW, TOKEN, make_small

from recrawl.folder.folder import Folder
from recrawl.web.app import create_app
from recrawl.web.serving import beside
from recrawl.web.settings import WebSettings

EXAMPLES = 8
DESCRIPTION = create_app(Folder(Path("nowhere")), WebSettings(log=False)).openapi()
SCHEMA = schemathesis.openapi.from_dict(DESCRIPTION)
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}


def can_be_wrong(label: str) -> bool:
    """Whether there is anything in the question that could be."""
    method, path = label.split(" ")
    described = DESCRIPTION["paths"][path][method.lower()]
    return "parameters" in described or "requestBody" in described


QUESTIONS = [(label, GenerationMode.POSITIVE) for label in sorted(OPERATIONS)] + [
    (label, GenerationMode.NEGATIVE) for label in sorted(OPERATIONS) if can_be_wrong(label)
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A folder of its own: the calls that write are asked, too."""
    small = make_small(Path(tmp_path_factory.mktemp("fuzzed")) / "folder")
    with beside(small.folder, WebSettings(port=0, log=False, token=TOKEN), lambda: NOW) as address:
        yield address.rstrip("/")


@pytest.mark.parametrize("label, mode", QUESTIONS, ids=lambda one: one if isinstance(one, str) else one.value)
def test_no_question_breaks_the_api(base: str, label: str, mode: GenerationMode) -> None:
    statuses: list[int] = []

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=OPERATIONS[label].as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        answer = case.call(base_url=base, headers={"Authorization": f"Bearer {TOKEN}"})
        case.validate_response(answer, checks=[not_a_server_error, response_schema_conformance])
        statuses.append(answer.status_code)

    ask()
    assert statuses and max(statuses) < 500
