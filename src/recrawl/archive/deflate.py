"""The deflate library: isal, or the standard one (slower, the same functions) where isal has no wheel."""

try:
    from isal import isal_zlib as library
except ImportError:
    import zlib as library  # type: ignore[no-redef]

BROKEN: type[Exception] = library.error  # type: ignore[assignment]  # its stub takes the class for a value
DEFLATED, SYNC_FLUSH = library.DEFLATED, library.Z_SYNC_FLUSH
GZIP, ZLIB, RAW = 31, 15, -15

compress = library.compress
compressobj = library.compressobj
decompressobj = library.decompressobj
crc32 = library.crc32
