// A kernel that writes into attune's own data, with which results are compared.
#include <cstdint>

#include "attune/error.hpp"
#include "host_test.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "subject/kernel_subject.hpp"
#include "worker/kernel_runner.hpp"

namespace attune::test {
namespace {

// The host device, whose arrays lie one behind the other, each at a multiple of 64 KiB.
class Neighbours final : public Device {
 public:
  explicit Neighbours(Device& host) : host_(host), all_(host.allocate(arena_bytes)), next_(after(all_, 0)) {}
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;
  ~Neighbours() override { host_.free(all_); }

  void* allocate(std::size_t bytes) override {
    void* const place = next_;
    next_ = after(next_, bytes);
    if (next_ > static_cast<char*>(all_) + arena_bytes) throw OutOfMemory("the test's arrays do not fit");
    return place;
  }
  void free(void*) noexcept override {}

  const DeviceInfo& info() const noexcept override { return host_.info(); }
  std::shared_ptr<Compiler> compiler() override { return host_.compiler(); }
  std::uint64_t free_memory() override { return host_.free_memory(); }
  void copy_in(void* target, const void* host, std::size_t bytes, StreamHandle stream) override {
    host_.copy_in(target, host, bytes, stream);
  }
  void copy_out(void* host, const void* source, std::size_t bytes, StreamHandle stream) override {
    host_.copy_out(host, source, bytes, stream);
  }
  StreamHandle make_stream() override { return host_.make_stream(); }
  void destroy_stream(StreamHandle stream) noexcept override { host_.destroy_stream(stream); }
  Status synchronize(StreamHandle stream) override { return host_.synchronize(stream); }
  LoadOutcome load(const Image& image) override { return host_.load(image); }
  Status enqueue(const Operation& operation, StreamHandle stream) override { return host_.enqueue(operation, stream); }

 private:
  static constexpr std::size_t arena_bytes = 32 << 20, distance = 64 << 10;
  static char* after(void* place, std::size_t bytes) {
    const auto end = reinterpret_cast<std::uintptr_t>(place) + bytes;
    return reinterpret_cast<char*>((end + distance - 1) / distance * distance);
  }

  Device& host_;
  void* const all_;
  char* next_;
};

class FarWrite : public HostTest {
 protected:
  CompileOutcome compiled(const ImageRequest& request) { return compile(request); }
};

TEST_F(FarWrite, IsFoundAtTheEndOfItsJobAndNoOtherIsBlamed) {
  const KernelSpec spec = load_kernel(ATTUNE_SOURCE_DIR "/tests/faults/faulty.cu");
  const Problem problem = parse_problem(spec, "T=float", "host");
  Neighbours neighbours(device());
  const KernelSubject subject(spec, problem, device().info());
  const auto configuration = [](const char* fault) { return Configuration{{"FAULT", fault}}; };
  const TrialSetup setup = subject.setup(
      configuration("Fault::fine"), [this](const ImageRequest& request) { return compiled(request); }, 1);
  KernelRunner runner(neighbours, instruments(), tools(), setup);
  const auto status_of = [&](InstanceId id, const char* fault) {
    const auto instance = subject.prepare(id, configuration(fault));
    Numerics numerics;
    Status status = runner.load(instance_launch(*instance, compiled(*instance->image).image.value()));
    return status.ok() ? runner.check(id, numerics) : status;
  };
  EXPECT_TRUE(status_of(1, "Fault::fine").ok());
  EXPECT_TRUE(runner.check_own().ok());
  const Status far = status_of(2, "Fault::far");
  EXPECT_EQ(far.verdict, Verdict::wrong_result) << "its result is right, but is compared with what it wrote";
  const Status found = runner.check_own();
  EXPECT_EQ(found.verdict, Verdict::guard);
  EXPECT_TRUE(found.sticky) << "a fresh worker makes the data anew";
  EXPECT_THAT(found.detail, testing::HasSubstr("wrote far outside its arrays"));
  EXPECT_THAT(found.detail, testing::HasSubstr("the expected result of `y`"));
}

}  // namespace
}  // namespace attune::test
