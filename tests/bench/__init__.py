"""Speed, measured beside others on the same machine: ratios that anyone can check with `make bench`.

`site` is a web as a pure function of its number of pages, `compiled_server` or `server` serves it from a process of its
own, `measure` runs one program and says what it cost, `rivals` knows the programs, `crawl` lets them take turns,
`report` prints.
"""
