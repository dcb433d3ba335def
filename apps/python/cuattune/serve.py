"""Does the work of a Tunable for `attune tune --program "python -m cuattune.serve MODULE:NAME"`, or FILE.py:NAME."""

import sys

from ._serving import main

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m cuattune.serve MODULE:NAME|FILE.py:NAME")
    main(sys.argv[1])
