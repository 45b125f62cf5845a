"""The text of the first element that a CSS selector finds."""

from recrawl.extract.document import Parsed

CHARS = 200


def selected_text(parsed: Parsed, selector: str) -> str:
    """'' where nothing is found or the selector is broken."""
    tree = parsed.tree
    keys = tree.select(selector) if tree else set()
    if tree is None or not keys:
        return ""
    found = (step.element for step in tree.walk(()) if step.tag and tree.key(step.element) in keys)
    return next((tree.caption(element, CHARS) for element in found), "")
