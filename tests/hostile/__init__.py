"""recrawl and its peers among servers that misbehave (`recrawl.lab.hostile`): what became of each case.

`trial` starts the servers and crawls them through the real command line; `judge` holds what is kept, what `why` says
and what the servers saw against what a good crawler does; `scrapy_row` asks the same of Scrapy. `make hostile` prints
the table, a case at a time; the test suite crawls all of them at once.
"""
