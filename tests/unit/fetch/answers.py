"""Answers of servers good and bad, put together of pieces."""

from hypothesis import strategies as st

USUAL = b"HTTP/1.1 200 OK\r\n"
STARTS = (
    USUAL, USUAL, USUAL, b"HTTP/1.1 304 Not Modified\r\n", b"HTTP/1.0 200 OK\r\n", b"HTTP/1.1 404 Not Found\r\n",
    b"HTTP/1.1 204 No\r\n", b"HTTP/1.1 206 P\r\n", b"HTTP/1.1 302 F\r\n", b"HTTP/1.1 200\r\n", b"HTTP/1.1 200\n",
    b"HTTP/1.1  200 OK\r\n", b"HTTP/1.1 2000 OK\r\n", b"HTTP/2 200 OK\r\n", b"HTTP/1.2 200 OK\r\n",
    b"HTTP/1.1 20 OK\r\n", b"http/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" + USUAL,
    b"HTTP/1.1 103 E\r\nLink: <a>\r\n\r\n" + USUAL,
    b"HTTP/1.1 199 X\r\n\r\n", b"HTTP/1.1 600 X\r\n", b"\r\n" + USUAL, b" " + USUAL, b"HTTP/1.1\t200 OK\r\n",
    b"HTTP/1.1 200\tOK\r\n", b"ICY 200 OK\r\n", b"",
)  # fmt: skip
LENGTH, CHUNKED = b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n"
FIELDS = (
    LENGTH, LENGTH, LENGTH, b"content-length:5\r\n", b"Content-Length: 5, 5\r\n", b"Content-Length: 7\r\n",
    b"Content-Length: +5\r\n", b"Content-Length: -5\r\n", b"Content-Length: 0x5\r\n", b"Content-Length: 5 \r\n",
    b"Content-Length:\r\n", b"Content-Length: 5a\r\n", b"Content-Length: 0\r\n", b"Content-Length : 5\r\n",
    b"Content-Length: 99999999999999999999999\r\n", CHUNKED, CHUNKED, b"transfer-encoding: Chunked\r\n",
    b"Transfer-Encoding: identity\r\n", b"Transfer-Encoding: gzip\r\n", b"Transfer-Encoding: chunked, chunked\r\n",
    b"Transfer-Encoding: foo\r\n", b"Transfer-Encoding:\r\n", b"Transfer-Encoding: chunked, gzip\r\n",
    b"Transfer-Encoding : chunked\r\n", b"Connection: close\r\n", b"Connection: keep-alive\r\n",
    b"Connection: Keep-Alive, close\r\n", b"Connection: upgrade\r\n", b"X: y\r\n", b"X: y\n", b" folded\r\n",
    b"\tfolded: 1\r\n", b"no colon\r\n", b": noname\r\n", b"X\x00: y\r\n", b"X: a\rb\r\n",
    b"Content-Type: text/html\r\n", b"Content-Encoding: gzip\r\n", b"Location: /x\r\n", b"X: \xff\xfe\r\n",
    b"Upgrade: h2c\r\n", b"X Y: z\r\n",
)  # fmt: skip
ENDS = (b"\r\n", b"\r\n", b"\r\n", b"\n", b"", b"\r")
BODIES = (
    b"hello", b"hello", b"", b"hell", b"hello!", b"5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\nX: y\r\n\r\n",
    b"5;a=b\r\nhello\r\n0\r\n\r\n", b"5\nhello\n0\n\n", b"05\r\nhello\r\n0\r\n\r\n", b"5 \r\nhello\r\n0\r\n\r\n",
    b" 5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\n", b"5\r\nhello\r\n", b"5\r\nhel", b"5\r\nhelloX\r\n0\r\n\r\n",
    b"x\r\n", b"\r\n", b"ffffffffffffffffff\r\nhello", b"-5\r\nhello", b"5\r\nhello\r\n0\r\n\r\nmore",
    b"5\r\nhello\r\n00\r\n\r\n", b"5\r\nhello\r\n0\r\nbroken\r\n\r\n", b"3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
)  # fmt: skip

answers = st.builds(
    lambda start, fields, end, body: start + b"".join(fields) + end + body,
    st.sampled_from(STARTS),
    st.lists(st.sampled_from(FIELDS), max_size=4),
    st.sampled_from(ENDS),
    st.sampled_from(BODIES),
)
