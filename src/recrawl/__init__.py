"""recrawl keeps a local copy of the web sites you choose fresh, with as few requests as possible."""

__version__ = "0.1.0"
