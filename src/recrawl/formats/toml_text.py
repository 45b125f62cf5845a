"""A text as TOML has it."""

import json
import re

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')  # on one line, with its quotes


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
