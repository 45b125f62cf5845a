"""Documentation cannot rot: what follows from the code is written from the code."""

import re
import subprocess
import sys
from pathlib import Path

import recrawl

ROOT = Path(__file__).parents[2]


def test_the_reference_pages_say_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "docs/make_reference.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_relative_link_in_the_documentation_resolves() -> None:
    broken = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert not broken


def test_public_names_are_documented_and_importable() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    for name in recrawl.__all__:
        assert getattr(recrawl, name) is not None
        assert re.search(rf"^##+ .*`{name}\b", page, re.MULTILINE), f"python.md has no heading for {name}"
