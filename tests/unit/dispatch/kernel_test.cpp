// Kernel: launches that look their plan up, on the host device.
#include "attune/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "dispatch_fixture.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Sums or takes the maximum, with a choice in its problem.
constexpr EmbeddedFile combine_kernel{"combine.cu", R"cu(/*attune
[kernel]
name = "combine"
[problem]
n = "size"
shift = { integer = 0 }
T = ["int32", "int64", "float"]
OP = { choice = ["Op::sum", "Op::max"] }
[parameters]
BLOCK = [64, 32]
[[launch]]
entry = "combine<T, OP, BLOCK>"
grid = ["1"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "shift"]
[arguments]
out = { type = "T", size = "1", role = "out" }
in = { type = "T", size = "n", role = "in" }
n = { type = "int64" }
shift = { type = "int64" }
*/
enum class Op { sum, max };
template <typename T, Op OP, int BLOCK>
__global__ void combine(T* out, const T* in, long long n, long long shift) {
  if (threadIdx.x != 0) return;
  T total = in[0];
  for (long long i = 1; i < n; ++i) total = OP == Op::sum ? total + in[i] : (in[i] > total ? in[i] : total);
  out[0] = total + static_cast<T>(shift);
}
)cu"};

class KernelTest : public DispatchTest {
 protected:
  KernelTest() : gpu_(options()) {
    gpu_.add(kernel_of(combine_kernel));
    gpu_.add(kernel_of(offset_kernel));
  }
  Dispatcher gpu_;
};

TEST_F(KernelTest, FindsItsProblemInTheLaunch) {
  const Kernel combine = gpu_.kernel("combine");
  EXPECT_EQ(combine.name(), "combine");
  const Buffer<int> in(gpu_, std::vector<int>{3, 1, 2}), out(gpu_, 1);
  const auto result = [&] { return out.to_vector().at(0); };
  combine.launch(nullptr, {3, 0, "Op::sum"}, out, in, 3, 0);
  EXPECT_EQ(result(), 6);
  combine.launch(nullptr, {"Op::max"}, out, in, 3, 10);  // n and shift: the arguments of these names
  EXPECT_EQ(result(), 13);
  combine.launch(nullptr, {{"OP", "Op::sum"}, {"n", 2}}, out, in, 2, 0);
  EXPECT_EQ(result(), 4);
  const Buffer<float> reals(gpu_, std::vector<float>{1.5f, 2.5f}), real(gpu_, 1);
  combine.launch(nullptr, {"Op::sum"}, real, reals, 2, 0);
  EXPECT_EQ(real.to_vector().at(0), 4.0f);
  void* const untyped = out.data();
  const void* const of = in.data();
  combine.launch(nullptr, {"Op::sum", "int32"}, untyped, of, 3, 1);
  EXPECT_EQ(result(), 7);
  EXPECT_EQ(gpu_.statistics().entries, 5u);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(KernelTest, RefusesWhatIsMissingUnknownOrContradicts) {
  const Kernel combine = gpu_.kernel("combine");
  const Buffer<int> in(gpu_, std::vector<int>{3, 1, 2}), out(gpu_, std::vector<int>{-1});
  const Buffer<long long> wide(gpu_, 3);
  void* const untyped = out.data();
  const auto refused = [&](auto launch, const char* why) {
    EXPECT_THAT(message_of<UsageError>(launch), HasSubstr(why));
  };
  refused([&] { combine.launch(nullptr, {}, out, in, 3, 0); }, "`OP` is missing");
  refused([&] { combine.launch(nullptr, {"Op::sum"}, untyped, untyped, 3, 0); }, "`T` is missing");
  refused([&] { combine.launch(nullptr, {4}, out, in, 3, 0); }, "`n` is 4 in one place");  // and `OP` is missing
  refused([&] { combine.launch(nullptr, {4, "Op::sum"}, out, in, 3, 0); }, "`n` is 4 in one place and 3 in another");
  refused(
      [&] {
        combine.launch(nullptr, {"Op::sum", "float"}, out, in, 3, 0);
      },
      "`T` is float in one place and int32 in another");
  refused([&] { combine.launch(nullptr, {"Op::sum"}, out, wide, 3, 0); }, "int32 in one place and int64 in another");
  refused([&] { combine.launch(nullptr, {"Op::min"}, out, in, 3, 0); }, "`OP` is not \"Op::min\"; did you mean");
  refused([&] { combine.launch(nullptr, {{"op", "Op::sum"}}, out, in, 3, 0); }, "there is no `op`");
  refused([&] { combine.launch(nullptr, {1, 2, 3, "Op::sum"}, out, in, 3, 0); }, "too many integers");
  refused([&] { combine.launch(nullptr, {{"OP", 1}}, out, in, 3, 0); }, "`OP` is a name, but 1 was passed");
  refused([&] { combine.launch(nullptr, {{"n", "three"}, {"OP", "Op::sum"}}, out, in, 3, 0); }, "`n` is an integer");
  refused([&] { combine.launch(nullptr, {"Op::sum"}, out, in, 0, 0); }, "n");
  refused([&] { combine.launch(nullptr, {"Op::sum"}, out, in, 3); }, "`shift` is missing");
  refused(
      [&] {
        combine.launch(nullptr, {{"shift", 0}, "Op::sum"}, out, in, 3);
      },
      "3 arguments were passed, 4 expected");
  refused([&] { gpu_.kernel("combin"); }, "did you mean `combine`?");
  EXPECT_EQ(out.to_vector().at(0), -1) << "something was launched";
}

TEST_F(KernelTest, UsesNoDefaults) {
  gpu_.add(kernel_of({"defaulted.cu", [] {
                        static std::string text(combine_kernel.text);
                        text.replace(text.find("\"combine\""), 9, "\"defaulted\"");
                        text.replace(text.find("n = \"size\""), 10, "n = { size = 3 }");
                        text.replace(text.find("n = { type = \"int64\" }"), 22,
                                     "m = { type = \"int64\", value = \"n\" }");
                        text.replace(text.find("\"in\", \"n\", "), 11, "\"in\", \"m\", ");
                        return std::string_view(text);
                      }()}));
  const Buffer<int> in(gpu_, std::vector<int>{3, 1, 2}), out(gpu_, 1);
  const Kernel kernel = gpu_.kernel("defaulted");
  EXPECT_THAT(message_of<UsageError>([&] { kernel.launch(nullptr, {"Op::sum"}, out, in, 0); }),
              HasSubstr("`n` is missing: pass it in braces"));
  kernel.launch(nullptr, {3, "Op::sum"}, out, in, 0);
  EXPECT_EQ(out.to_vector().at(0), 6);
}

TEST_F(KernelTest, ThousandsOfProblemsAreFoundByAllThreads) {
  const Kernel offset = gpu_.kernel("offset", Policy::wait);
  constexpr std::size_t sizes = 600, threads = 4;
  std::vector<int> wrong(threads, 0);
  {
    std::vector<std::jthread> pool;
    for (std::size_t t = 0; t < threads; ++t)
      pool.emplace_back([&, t] {
        const Buffer<int> count(gpu_, 2);
        Buffer<int> data(gpu_, sizes);
        for (std::size_t n = 1; n <= sizes; ++n) {
          const std::size_t size = 1 + (n * 7 + t * 131) % sizes;
          data.copy_from(std::vector<int>(sizes, 0));
          offset.launch(nullptr, {}, data, count, size);
          const std::vector<int> found = data.to_vector();
          wrong[t] += found[size - 1] == 1 && (size == sizes || found[size] == 0) ? 0 : 1;
        }
      });
  }
  EXPECT_EQ(wrong, std::vector<int>(threads, 0));
  EXPECT_EQ(gpu_.statistics().entries, sizes);
}

// A plan of the best configuration is prepared while the default serves.
class PolicyTest : public KernelTest {
 protected:
  PolicyTest() {
    DeviceInfo info = gpu_.device_info();
    store(record(info, problem, {{"OFFSET", 2}, {"BLOCK", 32}}));
  }
  int launch(const Kernel& kernel) {
    const Buffer<int> data(gpu_, std::vector<int>(1000, 0)), count(gpu_, 2);
    kernel.launch(nullptr, {}, data, count, 1000);
    return data.to_vector().at(999);
  }
  const Problem problem{{"n", 1000}, {"T", "int32"}};
};

TEST_F(PolicyTest, WaitLaunchesTheBest) {
  EXPECT_EQ(launch(gpu_.kernel("offset", Policy::wait)), 2);
  EXPECT_EQ(gpu_.statistics().plans[static_cast<std::size_t>(Rung::exact)] +
                gpu_.statistics().plans[static_cast<std::size_t>(Rung::stale)],
            1u);
}

TEST_F(PolicyTest, BackgroundLaunchesWhatIsThereAndTheBestLater) {
  const Kernel offset = gpu_.kernel("offset");
  EXPECT_EQ(launch(offset), 1) << "nothing is there: the default is compiled, and waited for";
  EXPECT_EQ(gpu_.statistics().waited, 1u);
  gpu_.wait_for_background();
  EXPECT_EQ(launch(offset), 2);
  EXPECT_EQ(gpu_.statistics().swaps, 1u);
  EXPECT_EQ(gpu_.statistics().entries, 1u);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(PolicyTest, BackgroundTakesTheBestAtOnceWhereItIsCached) {
  launch(gpu_.kernel("offset", Policy::wait));
  Dispatcher second(options());
  second.add(kernel_of(offset_kernel));
  const Buffer<int> data(second, std::vector<int>(1000, 0)), count(second, 2);
  second.kernel("offset").launch(nullptr, {}, data, count, 1000);
  EXPECT_EQ(data.to_vector().at(999), 2);
  EXPECT_EQ(second.statistics().compiled, 0u);
  EXPECT_EQ(second.statistics().from_cache, 1u);
  EXPECT_EQ(second.statistics().waited, 0u);
}

// Of the problem itself only the record's image is missing. A near problem's is cached, and so is the default's.
TEST_F(PolicyTest, BackgroundLooksForNearProblemsOnlyWhereNothingElseIsReady) {
  const Problem near{{"n", 1500}, {"T", "int32"}};
  store(record(gpu_.device_info(), near, {{"OFFSET", 3}, {"BLOCK", 32}}));
  gpu_.plan("offset", near);
  const auto launched_first = [&] {
    Dispatcher second(options());
    second.add(kernel_of(offset_kernel));
    const Buffer<int> data(second, std::vector<int>(1000, 0)), count(second, 2);
    const Kernel offset = second.kernel("offset");
    offset.launch(nullptr, {}, data, count, 1000);
    const int first = data.to_vector().at(999);
    EXPECT_EQ(second.statistics().waited, 0u);
    second.wait_for_background();
    offset.launch(nullptr, {}, data, count, 1000);
    EXPECT_EQ(data.to_vector().at(999), first + 2);
    return first;
  };
  const std::filesystem::path images = folder_ / "cache" / "images", kept = folder_ / "kept";
  std::filesystem::copy(images, kept);
  EXPECT_EQ(launched_first(), 3) << "the near one alone is cached";
  std::filesystem::remove_all(images);
  std::filesystem::rename(kept, images);
  gpu_.plan("offset", {{"n", 100'000}, {"T", "int32"}});  // by default: no record is near
  EXPECT_EQ(launched_first(), 1);
}

// No fall-back is legal there, and none is needed.
TEST_F(PolicyTest, NeedsNoFallbackWhereTheBestIsCached) {
  constexpr EmbeddedFile steps_kernel{"steps.cu", R"cu(/*attune
[kernel]
name = "steps"
[problem]
n = "size"
[parameters]
STEP = [64, 83]
[restrictions]
rules = ["n % STEP == 0"]
[[launch]]
entry = "steps<STEP>"
grid = ["1"]
block = ["1"]
arguments = ["out", "n"]
[arguments]
out = { type = "int32", size = "1", role = "out" }
n = { type = "int64" }
*/
template <int STEP>
__global__ void steps(int* out, long long n) { out[0] = static_cast<int>(n / STEP); }
)cu"};
  store(record(gpu_.device_info(), {{"n", 498}}, {{"STEP", 83}}, steps_kernel));
  for (int run = 0; run < 2; ++run) {
    Dispatcher gpu(options());
    gpu.add(kernel_of(steps_kernel));
    const Buffer<int> out(gpu, 1);
    gpu.kernel("steps").launch(nullptr, {}, out, 498);
    EXPECT_EQ(out.to_vector().at(0), 6);
    EXPECT_EQ(gpu.statistics().compiled, run == 0 ? 1u : 0u);
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(PolicyTest, CachedOnlyCompilesNothing) {
  const Kernel offset = gpu_.kernel("offset", Policy::cached_only);
  EXPECT_THAT(message_of<NotPrepared>([&] { launch(offset); }),
              AllOf(HasSubstr("no image of offset for n=1000 T=int32"), HasSubstr("gpu.prepare(\"offset\", ...)")));
  EXPECT_THROW(gpu_.plan("offset", problem, Policy::cached_only), NotPrepared);
  gpu_.prepare("offset", std::array{problem});
  EXPECT_EQ(launch(offset), 2);
  EXPECT_EQ(gpu_.plan("offset", problem, Policy::cached_only).configuration().text(), "OFFSET=2 BLOCK=32");
  EXPECT_EQ(gpu_.statistics().compiled, 1u);
}

TEST_F(PolicyTest, RefreshTakesUpWhatWasTunedSince) {
  const Problem other{{"n", 5000}, {"T", "int32"}};
  const Kernel offset = gpu_.kernel("offset", Policy::wait);
  Buffer<int> data(gpu_, std::vector<int>(5000, 0)), count(gpu_, 2);
  const auto added = [&] {
    data.copy_from(std::vector<int>(5000, 0));
    offset.launch(nullptr, {}, data, count, 5000);
    return data.to_vector().at(4999);
  };
  EXPECT_EQ(added(), 1);
  const Plan before = gpu_.plan("offset", other);
  store(record(gpu_.device_info(), other, {{"OFFSET", 3}, {"BLOCK", 32}}));
  EXPECT_EQ(added(), 1);
  gpu_.refresh();
  EXPECT_EQ(added(), 3);
  EXPECT_EQ(before.configuration().text(), "OFFSET=1 BLOCK=64") << "a plan stays as it is";
  EXPECT_EQ(gpu_.plan("offset", other).configuration().text(), "OFFSET=3 BLOCK=32");
}

TEST_F(PolicyTest, EndingWhileSomethingIsPreparedIsSafe) {
  for (int i = 0; i < 3; ++i) {
    Dispatcher gpu({"host", database(), folder_ / ("cache" + std::to_string(i)), [](const std::string&) {}});
    gpu.add(kernel_of(offset_kernel));
    const Buffer<int> data(gpu, std::vector<int>(1000, 0)), count(gpu, 2);
    gpu.kernel("offset").launch(nullptr, {}, data, count, 1000);
  }
}

}  // namespace
}  // namespace attune
