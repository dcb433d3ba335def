"""Where NVIDIA's wheels and conda put NVRTC."""

import os
from functools import cache
from pathlib import Path


@cache
def announce() -> None:
    """Sets $ATTUNE_NVRTC to the folder of the NVRTC among NVIDIA's wheels or in the conda environment.

    It serves this process and the programs that it starts. Leaves it to attune's own search to find another NVRTC, and
    to its message to say that there is none. Changes nothing where $ATTUNE_NVRTC is set. Loads no library. Any thread.
    """
    if os.environ.get("ATTUNE_NVRTC"):
        return
    from cuda.pathfinder import locate_nvidia_header_directory  # at first need: it takes 0.1 s

    found = locate_nvidia_header_directory("nvrtc")
    if found is None or found.found_via not in ("site-packages", "conda") or found.abs_path is None:
        return
    folder = Path(found.abs_path).parent / "lib"  # the library lies beside its header's folder
    if any(folder.glob("libnvrtc.so.*")):
        os.environ["ATTUNE_NVRTC"] = str(folder)
