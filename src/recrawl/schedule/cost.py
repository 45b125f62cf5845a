"""What a visit costs beside one request: bytes (only if the page changed, else a 304) and the server's time (S3)."""

import numpy as np

from recrawl.model.belief import Floats, States
from recrawl.schedule.settings import Settings


def cost(states: States, settings: Settings) -> Floats:
    """1 for a request alone; the settings say what a mean page's bytes and a mean server's second add."""
    if settings.bytes_weight == 0.0 and settings.response_weight == 0.0:
        return np.ones(len(states))
    share = (states["changes"] + 0.5) / (states["gaps"] + 1.0)
    size = states["size_bytes"] / settings.mean_size_bytes
    return np.asarray(
        1.0 + settings.bytes_weight * size * share + settings.response_weight * size * states["response_s"]
    )
