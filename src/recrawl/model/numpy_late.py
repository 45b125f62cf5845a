"""NumPy, loaded when something of it is first asked for: a fifth of a run's start and 14 MB, and where there is the
compiled part a crawl needs it only for what is done every few hours. And names for its arrays, which load nothing."""

from typing import TYPE_CHECKING, Any

from recrawl.model.late import late_module

__all__ = ["Bools", "Floats", "Ints", "States", "Unsigned", "np"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    States = npt.NDArray[np.void]
    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int64]
    Unsigned = npt.NDArray[np.uint64]
else:
    np = late_module("numpy")
    States = Floats = Bools = Ints = Unsigned = Any
