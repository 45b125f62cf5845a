"""A text as TOML has it."""

import json

STRING = r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''  # a pattern: on one line, with its quotes


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
