"""The addresses of a `srcset`: the HTML Standard's splitting, without the judgement of sizes."""

from recrawl.model.late import late

_CANDIDATE = late(r"[\t\n\f\r ,]*([^\t\n\f\r ]+)")


def addresses(srcset: str) -> list[str]:
    found = []
    position = 0
    while (candidate := _CANDIDATE.match(srcset, position)) is not None:
        url = candidate[1]
        position = candidate.end()
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            position = _after_descriptors(srcset, position)
        found.append(url)
    return [url for url in found if url]


def _after_descriptors(srcset: str, position: int) -> int:
    """Behind the next comma that does not stand in brackets."""
    depth = 0
    for at in range(position, len(srcset)):
        match srcset[at]:
            case "(":
                depth += 1
            case ")":
                depth = max(0, depth - 1)
            case "," if not depth:
                return at + 1
    return len(srcset)
