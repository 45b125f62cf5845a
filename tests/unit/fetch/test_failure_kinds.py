"""What libcurl's errors mean."""

import pytest

from recrawl.fetch.failures import failure_of, sentence
from recrawl.model.failure import Failure

SAID_BY_OPENSSL = "OpenSSL SSL_read: OpenSSL/3.6.5: error:0A000126:SSL routines::unexpected eof while reading, errno 0"
MEANINGS = (
    (56, SAID_BY_OPENSSL, Failure.RESET, "TLS: unexpected eof while reading"),
    (56, "error:0A0003FC:SSL routines::ssl/tls alert bad record mac", Failure.TLS, "TLS: ssl/tls alert bad record mac"),
    (
        35,
        "TLS connect error: error:0A00042E:SSL routines::tlsv1 alert protocol version",
        Failure.TLS,
        "TLS: tlsv1 alert protocol version",
    ),
    (
        56,
        "chunk hex-length char not a hex digit: 0x7a",
        Failure.PROTOCOL,
        "chunk hex-length char not a hex digit: 0x7a",
    ),
    (56, "", Failure.RESET, ""),
    (16, "nghttp2 recv error -905: Too many", Failure.PROTOCOL, "nghttp2 recv error -905: Too many"),
)


@pytest.mark.parametrize(("code", "message", "failure", "said"), MEANINGS, ids=range(len(MEANINGS)))
def test_tls_that_breaks_off_is_told_from_http_that_is_broken(
    code: int, message: str, failure: Failure, said: str
) -> None:
    assert (failure_of(code, True, 0, message), sentence(message)) == (failure, said)
