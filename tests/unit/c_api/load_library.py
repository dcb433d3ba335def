"""load_library.py LIBRARY VERSION FOLDER: the shared library of attune serves ctypes. Alone in FOLDER it says what it
lacks. Where it was built it finds the host device beside it, whatever LD_LIBRARY_PATH leads to."""

import ctypes
import os
import shutil
import subprocess
import sys


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("others", ctypes.c_void_p * 7)]


def open_host(attune):
    handle = ctypes.c_void_p()
    return attune.attune_dispatcher_make(ctypes.byref(Options(ctypes.sizeof(Options), b"host")), ctypes.byref(handle))


def loaded(path):
    attune = ctypes.CDLL(path)
    attune.attune_library_version.restype = attune.attune_last_error.restype = ctypes.c_char_p
    return attune


library, version, folder = sys.argv[1:4]
if sys.argv[4:] == ["open"]:
    attune = loaded(library)
    sys.exit(attune.attune_last_error().decode() if open_host(attune) else 0)
os.makedirs(folder, exist_ok=True)
alone = loaded(shutil.copy(os.path.realpath(library), os.path.join(folder, "libattune_alone.so")))
assert open_host(alone) == 1
assert b"the device `host` needs libattune_host.so.0.1 beside libattune.so" in alone.attune_last_error(), (
    alone.attune_last_error())

attune = loaded(library)
assert attune.attune_library_version().decode() == version
assert attune.attune_interface_version() >= 2
assert open_host(attune) == 0, attune.attune_last_error()

others = os.path.join(folder, "others")
os.makedirs(others, exist_ok=True)
shutil.copy(os.path.realpath(library), os.path.join(others, "libattune_host.so.0.1"))
subprocess.run([sys.executable, __file__, library, version, folder, "open"], check=True,
               env=os.environ | {"LD_LIBRARY_PATH": others})
