"""What every libcurl handle is told once, and what it is told for one attempt."""

from collections.abc import Iterator
from contextlib import contextmanager

import pycurl

RECEIVE_BYTES = 64 * 1024
HTTP_2 = pycurl.CURL_HTTP_VERSION_2TLS  # where it is offered over TLS

# Set once: a request is one GET (to a WebSub hub a POST) over HTTP, never through a proxy, never with a cookie or a
# password, never followed anywhere; the body comes as it was coded.
STANDING = (
    (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
    (pycurl.REDIR_PROTOCOLS, 0),
    (pycurl.FOLLOWLOCATION, 0),
    (pycurl.PROXY, ""),
    (pycurl.NOPROXY, "*"),
    (pycurl.NETRC, pycurl.NETRC_IGNORED),
    (pycurl.HTTP09_ALLOWED, 0),
    (pycurl.HTTP_VERSION, HTTP_2),
    (pycurl.HTTP_CONTENT_DECODING, 0),
    (pycurl.HTTP_TRANSFER_DECODING, 1),
    (pycurl.PATH_AS_IS, 1),
    (pycurl.NOSIGNAL, 1),
    (pycurl.NOPROGRESS, 1),
    (pycurl.SSL_VERIFYPEER, 1),
    (pycurl.SSL_VERIFYHOST, 2),
    (pycurl.BUFFERSIZE, RECEIVE_BYTES),
    (pycurl.TCP_KEEPALIVE, 1),
)

Passing = tuple[int, int, int]  # an option, its value for now and its value otherwise

NEW: Passing = (pycurl.FRESH_CONNECT, 1, 0)  # no kept connection will do
IN_HTTP_1: Passing = (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1, HTTP_2)


@contextmanager
def for_once(curl: pycurl.Curl, *passing: Passing) -> Iterator[None]:
    for option, now, _ in passing:
        curl.setopt(option, now)
    try:
        yield
    finally:
        for option, _, otherwise in passing:
            curl.setopt(option, otherwise)
