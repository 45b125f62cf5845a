"""White space folded to single blanks, as a browser shows it."""


def folded(text: str) -> str:
    """Most texts are folded already, which is cheaper to see than to do."""
    if text.isprintable() and "  " not in text and text.strip() == text:
        return text
    return " ".join(text.split())
