"""python -m cuattune: the command line of attune."""

import os
import sys

from ._programs import program


def main() -> None:
    """Runs `attune` with the arguments of this process, in its place."""
    os.execv(program("attune"), ["attune", *sys.argv[1:]])


if __name__ == "__main__":
    main()
