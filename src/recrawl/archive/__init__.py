"""Keeps every version of every page as WARC 1.1, which any web archive tool can read.

Captures come in, in batches; each goes out as a response record (or a revisit record, where the payload is already
kept) with its request and its metadata beside it, and its place comes back. A place reads back byte for byte.

What always holds: an acknowledged record survives a kill (with `sync`, a power loss); a write that fails leaves
nothing behind; only the tail of a file that nobody writes any more can be torn, and the next opening cuts it and says
so; a file with a sorted sidecar is finished and never touched again. Secrets of a request are not written.

`folder` is the archive on disk, `memory` its twin, `repair` the mending, `cdxj_index` the index for replay tools;
the rest makes records (`warc`, `http_head`, `record`, `member`, `tray`) and reads them (`reading`, `coding`).
"""
