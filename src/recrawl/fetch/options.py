"""What every libcurl handle is told once."""

import pycurl

RECEIVE_BYTES = 64 * 1024

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
    (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
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
