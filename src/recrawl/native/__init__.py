"""The compiled part: what every page of a crawl passes through, in C, where a compiler was at hand when recrawl was
installed. `compiled` is its module, None where there is none: then the Python beside each call does the same, slower.

What always holds: a function here gives what its Python gives, or None where it leaves the answer to it; tests hold the
two together. Nothing here keeps state of a crawl, and nothing imports anything of recrawl.
"""

from importlib import import_module
from typing import Any


def _built() -> Any:
    try:
        return import_module("recrawl.native._native")
    except ImportError:
        return None


compiled: Any = _built()
