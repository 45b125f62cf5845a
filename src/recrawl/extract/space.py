"""White space folded to single blanks, as a browser shows it."""

from recrawl.native import compiled


def folded(text: str) -> str:
    """Most texts are folded already, which is cheaper to see than to do."""
    if compiled is not None and compiled.is_folded(text):
        return text
    if text.isprintable() and "  " not in text and text.strip() == text:
        return text
    return " ".join(text.split())
