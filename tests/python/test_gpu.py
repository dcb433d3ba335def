"""Kernels on a GPU with PyTorch and CuPy: streams, graphs, several devices, memory."""

import os
import resource
import threading

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    if os.environ.get("ATTUNE_REQUIRE_GPU") == "1":
        raise RuntimeError("ATTUNE_REQUIRE_GPU=1, but PyTorch sees no GPU")
    pytest.skip("no GPU", allow_module_level=True)

import cuattune as at  # noqa: E402


@pytest.fixture
def softmax():
    return at.kernel("softmax")


def test_the_current_stream_is_used(softmax):
    x = torch.zeros(512, 4096, device="cuda")
    out = torch.empty_like(x)
    softmax(out, x)
    assert not (out == 7).all() and x.clone().normal_().isfinite().all()  # loads these kernels, which waits
    stream = torch.cuda.Stream()
    for handle in (None, stream, stream.cuda_stream):
        x.zero_()
        out.fill_(7)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(300_000_000)
            x.normal_()
            if handle is None:
                softmax(out, x)
        if handle is not None:
            softmax(out, x, stream=handle)
        assert (out == 7).all()  # on the default stream: the kernel waits behind the sleep
        stream.synchronize()
        torch.testing.assert_close(out, torch.softmax(x, -1))


def test_a_graph_captures_operator_and_kernel(softmax):
    op = softmax.torch_op("tested::graph_softmax")
    x = torch.randn(64, 256, device="cuda")
    op(x)
    softmax.prepare(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = op(x)
        z = torch.empty_like(y)
        softmax(z, y)
    for _ in range(3):
        x.normal_()
        graph.replay()
        torch.testing.assert_close(y, torch.softmax(x, -1))
        torch.testing.assert_close(z, torch.softmax(y, -1))


def test_a_capture_without_preparation_says_so():
    kernel = at.kernel("softmax")
    x = torch.randn(64, 257, device="cuda", dtype=torch.float16)
    out = torch.empty_like(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        with pytest.raises(at.NotPrepared, match="prepare"):
            kernel(out, x)


def test_each_device_has_its_own(softmax):
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    one, other = torch.randn(8, 64, device="cuda:0"), torch.randn(8, 64, device="cuda:1")
    for x in (one, other, one):
        y = softmax(x)
        assert y.device == x.device
        torch.testing.assert_close(y, torch.softmax(x, -1))
    text = r"`out`: expected an array on cuda:0, where `in` is, got float\[8, 64\] on cuda:1"
    with pytest.raises(at.UsageError, match=text):
        softmax(torch.empty_like(other), one)
    op = softmax.torch_op("tested::devices_softmax")
    torch.testing.assert_close(op(other), torch.softmax(other, -1))


def test_many_launches_do_not_grow_memory(softmax):
    op = softmax.torch_op("tested::many_softmax")
    x = torch.randn(8, 64, device="cuda")

    def launch(count):
        for _ in range(count):
            op(x)
            softmax(x)
        torch.cuda.synchronize()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, torch.cuda.memory_allocated()

    before = launch(5_000)
    after = launch(50_000)
    assert after[0] - before[0] < 2_000, f"{after[0] - before[0]} KB more"
    assert after[1] == before[1]


def test_threads_launch_on_streams_of_their_own(softmax):
    wrong = []

    def launch(seed):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x = torch.randn(64, 1000 + seed, device="cuda")
            expected = torch.softmax(x, -1)
            for _ in range(200):
                if not torch.allclose(softmax(x), expected, atol=1e-6):
                    wrong.append(seed)

    threads = [threading.Thread(target=launch, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_host_array_among_them_is_named(softmax):
    x = torch.randn(8, 64, device="cuda")
    with pytest.raises(at.UsageError, match="`out`: expected an array on cuda:0, where `in` is, got .* on the host"):
        softmax(torch.empty(8, 64), x)


def test_tuning_keeps_to_what_pytorch_leaves(softmax):
    free, _ = torch.cuda.mem_get_info()
    held = torch.empty(int(free * 0.97), dtype=torch.uint8, device="cuda")
    del held  # PyTorch's allocator keeps it
    with pytest.raises(at.Error, match="torch.cuda.empty_cache"):
        at.tune(softmax, device="cuda:0", rows=65536, columns=65536, T="float", trials=3, progress=False)
    torch.cuda.empty_cache()


def test_tensors_give_the_problem_and_the_result_serves_at_once(softmax):
    x = torch.randn(2048, 3000, device="cuda")
    found = at.tune(softmax, x, trials=8, progress=False)
    assert found.record is not None
    assert softmax.match(x).rung == "exact"
    torch.testing.assert_close(softmax(x), torch.softmax(x, -1))


def test_comparing_with_pytorch(softmax):
    x = torch.randn(8192, 8192, device="cuda")
    compared = at.compare(softmax, lambda t: torch.softmax(t, -1), x)
    print(compared)
    assert compared.difference < 1e-5
    assert 5e4 < compared.rows[0].median_ns < 5e6
    itself = at.compare(softmax, {"itself": lambda t: softmax(t)}, x)
    assert itself.difference == 0


def test_cupy_arrays_and_streams(softmax):
    cupy = pytest.importorskip("cupy")
    x = cupy.random.standard_normal((64, 256), dtype="f4")
    expected = cupy.exp(x) / cupy.exp(x).sum(1, keepdims=True)
    y = softmax(x)
    assert isinstance(y, cupy.ndarray)
    cupy.testing.assert_allclose(y, expected, rtol=1e-4)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        y = softmax(x)
        stream.synchronize()
    cupy.testing.assert_allclose(y, expected, rtol=1e-4)
    cupy.testing.assert_allclose(softmax(x.astype("f2")), expected, rtol=2e-2, atol=1e-3)
    with pytest.raises(at.UsageError, match="contiguous"):
        softmax(x[:, ::2])


def test_a_stream_of_cuda_core(softmax):
    core = pytest.importorskip("cuda.core", reason="no cuda.core")
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    x = torch.randn(64, 256, device="cuda")
    out = torch.empty_like(x)
    torch.cuda.synchronize()
    softmax(out, x, stream=stream)
    stream.sync()
    torch.testing.assert_close(out, torch.softmax(x, -1))


def test_a_child_of_fork_is_told(softmax):
    softmax(torch.randn(8, 64, device="cuda"))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            at.kernel("rowsum").match(device="cuda:0", rows=8, columns=64)
        except at.UsageError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    assert b"spawn" in os.read(read, 1000)


class Interface:
    """Has __cuda_array_interface__ alone, as libraries without DLPack have."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__


def test_arrays_of_other_libraries(softmax):
    x = torch.randn(8, 64, device="cuda")
    out = torch.empty_like(x)
    softmax(Interface(out), Interface(x))
    torch.cuda.synchronize()
    torch.testing.assert_close(out, torch.softmax(x, -1))
    with pytest.raises(at.UsageError, match="give the output array"):
        softmax(Interface(x))
    with pytest.raises(at.UsageError, match="`in`: expected a contiguous array"):
        softmax(Interface(out.t()), Interface(x.t()))


def test_other_threads_run_while_a_call_compiles(softmax):
    counted = [0]
    ends = threading.Event()

    def count():
        while not ends.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    softmax(torch.randn(16, 333, device="cuda", dtype=torch.bfloat16))  # an empty cache: it compiles
    ends.set()
    thread.join()
    assert counted[0] > 10_000
