"""The command line: one module a group of commands, loaded only when called."""

import atexit
import errno
import gc
import os
import sys

FULL = (errno.ENOSPC, errno.EDQUOT)
CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
YOUNG = 50_000  # new objects between two looks for cycles


def main() -> None:
    """Entry point. Ctrl-C while it is still being loaded is no error either."""
    try:
        _main()
    except KeyboardInterrupt:
        sys.exit(130)
    except SystemExit as end:
        _leave(end.code or 0)
        raise
    finally:
        gc.freeze()  # the end looks for cycles among all that goes with the process anyway: a tenth of a short command


def _leave(code: object) -> None:
    """At once, where all is done: taking every module and value apart would cost as much as a twentieth of a start.
    Whoever still works is waited for by the interpreter, and what cannot be written it says."""
    threads = sys.modules.get("threading")
    if not isinstance(code, int) or (threads is not None and threads.active_count() > 1) or sys.getprofile():
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


def _main() -> None:
    """A RecrawlError becomes one sentence on stderr and its exit code; so does a file of somebody else, and a full disk
    where the output goes."""
    _need_streams()
    gc.set_threshold(YOUNG)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's would stand by, spinning, for sums of a few numbers
    from recrawl.cli.loading import loading

    with loading():
        from recrawl.cli.root import recrawl
        from recrawl.model.failure import ConfigError, DiskFull, RecrawlError

    try:
        sys.exit(recrawl(standalone_mode=True))
    except RecrawlError as error:
        print(f"recrawl: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno in CLOSED:
            print(f"recrawl: {error.filename}: {error.strerror}; see to its owner and its permissions", file=sys.stderr)
            sys.exit(ConfigError.exit_code)
        if error.errno not in FULL:
            raise
        print("recrawl: no space is left where the output goes: free some and run it again", file=sys.stderr)
        sys.exit(DiskFull.exit_code)


def _need_streams() -> None:
    """What is printed would else go into the next file that is opened: it gets the number of a closed stream."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
