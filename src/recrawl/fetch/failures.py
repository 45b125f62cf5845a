"""libcurl's error numbers, translated by one table."""

from collections.abc import Mapping

from recrawl.model.failure import Failure
from recrawl.model.late import late

WRITE_ERROR = 23
TIMED_OUT = 28
RECEIVE_ERROR = 56

BY_CODE: Mapping[int, Failure] = {
    1: Failure.PROTOCOL,  # HTTP/0.9, or a scheme we do not speak
    3: Failure.BAD_ADDRESS,
    4: Failure.PROTOCOL,  # not built in
    5: Failure.NO_HOST,
    6: Failure.NO_HOST,
    7: Failure.CONNECT,
    8: Failure.PROTOCOL,  # weird server reply
    16: Failure.PROTOCOL,  # HTTP/2 framing
    18: Failure.TRUNCATED,
    WRITE_ERROR: Failure.BODY_TOO_LARGE,  # only our write callback refuses
    TIMED_OUT: Failure.TOTAL_TIMEOUT,
    35: Failure.TLS,
    42: Failure.FORBIDDEN_ADDRESS,  # only our guard aborts
    45: Failure.CONNECT,  # local interface
    51: Failure.TLS,
    52: Failure.RESET,  # closed without a word
    53: Failure.TLS,
    54: Failure.TLS,
    55: Failure.RESET,
    RECEIVE_ERROR: Failure.RESET,
    58: Failure.TLS,
    59: Failure.TLS,
    60: Failure.TLS,
    61: Failure.UNDECODABLE,  # an unasked transfer coding
    63: Failure.BODY_TOO_LARGE,
    64: Failure.TLS,
    66: Failure.TLS,
    77: Failure.TLS,
    80: Failure.TLS,
    82: Failure.TLS,
    83: Failure.TLS,
    89: Failure.CONNECT,
    90: Failure.TLS,
    91: Failure.TLS,
    92: Failure.PROTOCOL,  # HTTP/2 stream
    95: Failure.PROTOCOL,  # HTTP/3
    96: Failure.CONNECT,  # QUIC
    98: Failure.TLS,
    99: Failure.RESET,
    100: Failure.HEADERS_TOO_LARGE,  # libcurl's own bounds on heads
    101: Failure.TLS,
}


OPENSSL = late(r"error:[0-9A-F]{8}:[^:]*:[^:]*:(?P<reason>[^,:]+)")
ENDED = "unexpected eof"  # without a goodbye: somebody may have cut it


def failure_of(code: int, connected: bool, system_error: int, message: str = "") -> Failure:
    """What a libcurl error means. A receive error without a system error behind it is a broken message, such as
    a chunk without a length, or TLS that broke off, unless libcurl has nothing to say of it: then it ended. A timeout
    before the connection stood is a connect timeout."""
    if code == TIMED_OUT and not connected:
        return Failure.CONNECT_TIMEOUT
    if code == RECEIVE_ERROR and not system_error:
        return _broken(message)
    return BY_CODE.get(code, Failure.PROTOCOL)


def sentence(message: str) -> str:
    """What libcurl says, without what OpenSSL says of itself."""
    found = OPENSSL.search(message)
    return message if found is None else f"TLS: {found['reason']}"


def _broken(message: str) -> Failure:
    if not message:
        return Failure.RESET
    if OPENSSL.search(message) is None:
        return Failure.PROTOCOL
    return Failure.RESET if ENDED in message else Failure.TLS
