"""Everything that reads bytes of strangers, under a coverage-guided fuzzer (atheris, which `make fuzz` installs).

    python -m tests.fuzz --minutes 10                 every target in turn
    python -m tests.fuzz robots feed --minutes 1      these alone
    python -m tests.fuzz robots --replay FILE         one input again, with its traceback

`targets.py` is the table, `corpus/NAME/` holds a few seeds and every input that once crashed its target: the suite runs
them all.
"""
