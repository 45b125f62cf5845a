"""Rules of accessibility, checked in the browser on the page as it is shown. Each finding is one sentence."""

from pathlib import Path

from playwright.sync_api import Page

RULES = (Path(__file__).parent / "accessibility_rules.js").read_text("utf-8")
FOCUS = (Path(__file__).parent / "accessibility_focus.js").read_text("utf-8")


def findings(page: Page) -> list[str]:
    return list(page.evaluate(RULES))


def unseen_focus(page: Page) -> list[str]:
    """Controls that look the same with and without the keyboard's focus."""
    return list(page.evaluate(FOCUS))
