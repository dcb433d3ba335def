"""python -m cuattune, and the script `cuattune`: the command line of attune."""

import os
import sys

from ._programs import program


def main() -> None:
    """Runs the program `attune` with this process's arguments, in its place."""
    os.execv(program("attune"), ["attune", *sys.argv[1:]])


if __name__ == "__main__":
    main()
