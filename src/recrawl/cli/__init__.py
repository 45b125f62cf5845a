"""The command line: one module a group of commands, loaded only when called."""

import gc
import os
import sys

YOUNG = 50_000  # new objects between two looks for cycles: imports make many, and none of them goes


def main() -> None:
    """Entry point. A RecrawlError becomes one sentence on stderr and its exit code; so does a file of somebody else."""
    gc.set_threshold(YOUNG)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's would stand by, spinning, for sums of a few numbers
    from recrawl.cli.root import recrawl
    from recrawl.model.failure import ConfigError, RecrawlError

    try:
        sys.exit(recrawl(standalone_mode=True))
    except RecrawlError as error:
        print(f"recrawl: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except PermissionError as error:
        print(f"recrawl: {error.filename}: {error.strerror}; see to its owner and its permissions", file=sys.stderr)
        sys.exit(ConfigError.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
