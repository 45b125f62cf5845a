"""kill -9, torn writes and long load against the real command line; programs, not tests, each with its own checker.

python -m tests.chaos sqlite --kills 200 --seed 1     workers and whole trees killed at random moments
python -m tests.chaos postgres --kills 200 --seed 1   workers of a cluster killed, stopped, replaced; the database too
python -m tests.chaos power --cuts 100 --seed 1       copies of a folder as a power cut would leave it
python -m tests.chaos clocks --jumps 40 --seed 1      the clock jumps by hours, forwards and backwards, in a live crawl
python -m tests.chaos load --minutes 10               full speed on loopback: slopes of memory and descriptors
python -m tests.chaos hour                            an hour of simulated load: what Python holds, minute by minute
python -m tests.chaos.check FOLDER [LOG …]            what any of them asks of a folder afterwards
"""
