"""`python -m recrawl.agent`: the agent where nothing else of recrawl is installed."""

import sys

from recrawl.agent.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "python -m recrawl.agent"))
