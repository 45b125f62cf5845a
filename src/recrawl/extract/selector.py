"""CSS selectors that people write: can they be meant?"""

import turbohtml


def fault_of(selector: str) -> str:
    """What is wrong with it; '' if nothing is."""
    try:
        turbohtml.parse("").select(selector)
    except ValueError as error:
        return str(error)
    return ""
