"""Plans and launches a kernel from Python, by ctypes: main.py LIBRARY BUNDLE

LIBRARY is libattune.so, wherever it was installed. BUNDLE is a file made by `attune-embed smooth.cu --output smooth.bundle`.
ATTUNE_DEVICE=host runs it without a GPU."""

import array
import ctypes
import sys

INT64, FLOAT = 5, 10  # attune_type
ARRAY, CONST_ARRAY, SCALAR = 0, 1, 2  # attune_argument_kind
POLICY_WAIT = 0
handle = ctypes.c_void_p


class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("type", ctypes.c_int), ("value", ctypes.c_void_p), ("count", ctypes.c_uint64)]


class ProblemValue(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("integer", ctypes.c_int64)]


class Problem(ctypes.Structure):
    _fields_ = [("values", ctypes.POINTER(ProblemValue)), ("count", ctypes.c_size_t)]


class Match(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("rung", ctypes.c_int), ("configuration", ctypes.c_char_p),
                ("why", ctypes.c_char_p), ("problem", ctypes.c_char_p), ("record_problem", ctypes.c_char_p),
                ("speedup", ctypes.c_double)]


class Attune:
    """The library; a call that fails raises RuntimeError with the message of attune."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.attune_last_error.restype = ctypes.c_char_p

    def __getattr__(self, name):
        function = getattr(self.library, "attune_" + name)

        def call(*arguments):
            if function(*arguments) != 0:
                raise RuntimeError(self.library.attune_last_error().decode())

        return call

    def make(self, name, *arguments):
        made = handle()
        getattr(self, name)(*arguments, ctypes.byref(made))
        return made


def main(library, bundle):
    attune = Attune(library)
    n = 100000
    host = array.array("f", ((i * i) % 1000 for i in range(n)))
    size = ctypes.c_size_t(4 * n)

    gpu = attune.make("dispatcher_make", None)
    attune.dispatcher_add_path(gpu, bundle.encode())
    source, target = attune.make("buffer_make", gpu, size), attune.make("buffer_make", gpu, size)
    attune.buffer_copy_in(source, (ctypes.c_float * n).from_buffer(host), size, None)

    values = (ProblemValue * 2)(ProblemValue(b"n", None, n), ProblemValue(b"T", b"float", 0))
    plan = attune.make("plan_make", gpu, b"smooth", ctypes.byref(Problem(values, 2)), POLICY_WAIT)
    count = ctypes.c_int64(n)
    arguments = (Argument * 3)(Argument(ARRAY, FLOAT, attune.make("buffer_data", target), n),
                               Argument(CONST_ARRAY, FLOAT, attune.make("buffer_data", source), n),
                               Argument(SCALAR, INT64, ctypes.addressof(count), 1))
    attune.plan_launch(plan, None, arguments, ctypes.c_size_t(3))
    attune.dispatcher_synchronize(gpu, None)
    match = Match(size=ctypes.sizeof(Match))
    attune.plan_match(plan, ctypes.byref(match))
    print(match.why.decode(), match.configuration.decode(), sep="\n")

    result = (ctypes.c_float * n)()
    attune.buffer_copy_out(target, result, size, None)
    try:
        attune.plan_launch(plan, None, arguments, ctypes.c_size_t(2))
    except RuntimeError as error:
        print(error)
    for name, made in (("plan", plan), ("buffer", source), ("buffer", target), ("dispatcher", gpu)):
        getattr(attune.library, f"attune_{name}_destroy")(made)

    for i in range(n):
        expected = (host[max(i - 1, 0)] + 2 * host[i] + host[min(i + 1, n - 1)]) / 4
        if result[i] != expected:
            sys.exit(f"WRONG: out[{i}] is {result[i]}, not {expected}")
    print(f"{n} floats: correct")


if __name__ == "__main__":
    main(*sys.argv[1:])
