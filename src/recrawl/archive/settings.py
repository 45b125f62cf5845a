"""What a user may choose about the archive."""

from recrawl.model.values import dataclass

SECRETS = ("authorization", "proxy-authorization", "cookie", "cookie2", "x-api-key", "x-auth-token")


@dataclass(frozen=True, slots=True)
class ArchiveSettings:
    """`sync`: what is acknowledged survives a power loss, not only a kill. `secrets`: request headers that are never
    written, lower-case."""

    file_bytes: int = 1 << 30  # a file that has reached this size is finished and a new one begun
    compress_level: int = 2  # 1 to 3
    sync: bool = True  # a flush to the disk with every commit of new versions; without: a power cut takes some back
    requests: bool = True  # write request records
    metadata: bool = True  # write metadata records
    secrets: tuple[str, ...] = SECRETS
    read_bytes: int = 256 << 20  # a body larger than this when decoded is not read back
    object_store: str = ""  # s3://bucket/prefix: finished files are copied there, and read from there if not here
    keep_local: bool = True  # false: what has arrived in the object store is deleted here, but for its index lines
    software: str = "recrawl"  # named in each file's first record
    operator: str = ""  # contact of whoever crawls, for the first record
