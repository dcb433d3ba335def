"""load_library.py LIBRARY VERSION: the shared library of attune serves ctypes; what it lacks is a message."""

import ctypes
import sys


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("others", ctypes.c_void_p * 7)]


attune = ctypes.CDLL(sys.argv[1])
attune.attune_library_version.restype = attune.attune_last_error.restype = ctypes.c_char_p
assert attune.attune_library_version().decode() == sys.argv[2]
assert attune.attune_interface_version() >= 2
handle = ctypes.c_void_p()
status = attune.attune_dispatcher_make(ctypes.byref(Options(ctypes.sizeof(Options), b"host")), ctypes.byref(handle))
assert status == 1 and handle.value is None
assert b"the device `host` is not in this program" in attune.attune_last_error(), attune.attune_last_error()
