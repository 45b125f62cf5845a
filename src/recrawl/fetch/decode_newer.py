"""Content codings that came after gzip: brotli and zstd. Loaded with the first body that has one of them."""

import sys
from collections.abc import Mapping

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTD_OPTIONS: Mapping[int, int] = {zstd.DecompressionParameter.window_log_max: 23}  # RFC 9659: at most 8 MiB
BROKEN: tuple[type[Exception], ...] = (brotli.error, zstd.ZstdError, EOFError)


class BrotliInflater:
    """brotli's decompressor in the manners of the others; a brotli stream has no members."""

    unused_data = b""

    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    def decompress(self, data: bytes, /, max_length: int) -> bytes:
        piece: bytes = self._inner.process(data, output_buffer_limit=max_length)
        return piece

    @property
    def eof(self) -> bool:
        return bool(self._inner.is_finished())

    @property
    def needs_input(self) -> bool:
        return bool(self._inner.can_accept_more_data())


def zstd_frame() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options=ZSTD_OPTIONS)
