// Steps bound to arguments, launched for real: arguments of any size, other arrays, scratch memory.
#include "device/step_binding.hpp"

#include <cstring>

#include "host_test.hpp"

namespace attune::test {
namespace {

// As large as a tensor map, and aligned as one.
struct alignas(64) Map {
  std::int32_t values[32];
};

// out[i] = map.values[i] + plus + calls[0]++, where `calls` is scratch.
constexpr const char* source = R"cu(
struct alignas(64) Map { int values[32]; };
__global__ void run(int* out, Map map, int* calls, int plus) {
  const int i = threadIdx.x;
  out[i] = map.values[i] + plus + calls[0];
  __syncthreads();
  if (i == 0) calls[0] += 1;
  if (i == 0 && plus < 0) calls[plus] = 1;  // outside
})cu";

template <typename T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class StepBindings : public HostTest {
 protected:
  StepBindings() {
    for (int i = 0; i < 32; ++i) map_.values[i] = 100 * i;
  }
  std::shared_ptr<LoadedSteps> steps() const {
    return std::make_shared<LoadedSteps>(load(source, {"run"}),
                                         std::vector<StepArgument>{{"out", Role::out, sizeof(Map), {}},
                                                                   {"map", Role::scalar, sizeof(Map), bytes_of(map_)},
                                                                   {"calls", Role::scratch, sizeof(int), {}},
                                                                   {"plus", Role::scalar, sizeof(int), bytes_of(7)}});
  }
  static ResolvedStep launch_of(std::vector<std::size_t> arguments) {
    return {StepKind::launch, "run", shape(1, 32), std::move(arguments), 0, 0};
  }
  static ResolvedStep memset_of(std::size_t argument) { return {StepKind::memset, "", {}, {}, argument, 0x11}; }
  std::shared_ptr<const LoadedSteps> loaded() const {
    const auto made = steps();
    EXPECT_TRUE(made->add(launch_of({0, 1, 2, 3})).ok());
    return made;
  }
  Status check_scratch(const StepBinding& binding) const {
    Checks checks;
    binding.add_scratch(checks);
    return checks.run(tools());
  }
  void run(StepBinding& binding) const {
    for (const Operation& operation : binding.operations()) ASSERT_TRUE(device().enqueue(operation, nullptr).ok());
  }
  std::vector<int> expected(int more) const {
    std::vector<int> values(std::begin(map_.values), std::end(map_.values));
    for (int& value : values) value += more;
    return values;
  }
  Map map_;
  Array<int> out_{device(), 32};
};

TEST_F(StepBindings, PassArgumentsLargerThanAPointer) {
  StepBinding binding(loaded());
  binding.set_array(0, out_.data());
  ASSERT_TRUE(binding.make_scratch(device(), tools()).ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(binding.slots()[1]) % alignof(Map), 0u);
  run(binding);
  EXPECT_EQ(out_.values(), expected(7));

  const int plus = 1000;
  map_.values[31] = -5;
  std::memcpy(binding.slots()[1], &map_, sizeof map_);
  std::memcpy(binding.slots()[3], &plus, sizeof plus);
  run(binding);
  EXPECT_EQ(out_.values(), expected(1001));  // and scratch is kept between launches
}

TEST_F(StepBindings, ArgumentsDoNotOverlap) {
  std::vector<StepArgument> arguments;
  for (const std::size_t size : {1, 128, 16, 24, 4, 100, 256, 8, 64})
    arguments.push_back({"", Role::scalar, size, std::vector<std::byte>(size, std::byte{0x5A})});
  const StepBinding binding(std::make_shared<LoadedSteps>(nullptr, arguments));
  std::uintptr_t end = 0;  // of the slot before
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t size = arguments[i].value.size();
    EXPECT_EQ(std::memcmp(binding.slots()[i], arguments[i].value.data(), size), 0);
    const auto at = reinterpret_cast<std::uintptr_t>(binding.slots()[i]);
    const std::size_t alignment = size > 64 ? 128 : size > 32 ? 64 : size > 16 ? 32 : 16;
    EXPECT_EQ(at % alignment, 0u) << size;
    EXPECT_GE(at, end);
    end = at + std::max<std::size_t>(size, 16);
  }
}

// On this device a map begins with the address of its array.
TEST_F(StepBindings, AMapFollowsItsArray) {
  TensorLayout layout;
  layout.shape = {32};
  layout.box = {32};
  layout.element_bytes = sizeof(int);
  StepBinding binding(std::make_shared<LoadedSteps>(
      nullptr, std::vector<StepArgument>{
                   {"in", Role::in, 32 * sizeof(int), {}},
                   {"tiles", Role::scalar, 0, std::vector<std::byte>(tensor_map_bytes), "", ResolvedMap{0, layout}}}));
  const Array<int> one(device(), 32), two(device(), 32);
  for (const Array<int>* const array : {&one, &two, &one}) {
    binding.set_array(0, array->data());
    const std::string* misaligned = nullptr;
    ASSERT_TRUE(binding.aim_maps(device(), misaligned).ok());
    void* address = nullptr;
    std::memcpy(&address, binding.slots()[1], sizeof address);
    EXPECT_EQ(address, array->data());
  }
}

TEST_F(StepBindings, ACopyHasValuesOfItsOwnAndTheSameScratch) {
  StepBinding first(loaded());
  first.set_array(0, out_.data());
  ASSERT_TRUE(first.make_scratch(device(), tools()).ok());
  std::vector<StepBinding> bound;
  bound.push_back(std::move(first));
  Array<int> other(device(), 32);
  bound.emplace_back(bound.front()).set_array(0, other.data());
  run(bound[0]);
  run(bound[1]);
  EXPECT_EQ(out_.values(), expected(7));
  EXPECT_EQ(other.values(), expected(8));
  EXPECT_TRUE(bound[0].has_scratch());
  EXPECT_TRUE(check_scratch(bound[0]).ok());
}

TEST_F(StepBindings, FindWritesOutsideScratch) {
  StepBinding binding(loaded());
  binding.set_array(0, out_.data());
  ASSERT_TRUE(binding.make_scratch(device(), tools()).ok());
  const int plus = -2;
  std::memcpy(binding.slots()[3], &plus, sizeof plus);
  run(binding);
  const Status status = check_scratch(binding);
  EXPECT_EQ(status.verdict, Verdict::guard);
  EXPECT_EQ(status.detail, "wrote outside scratch `calls`: the byte at offset -8 of its 4 bytes changed");
}

TEST_F(StepBindings, MemsetsFollowTheirArray) {
  const auto made = steps();
  ASSERT_TRUE(made->add(memset_of(0)).ok());
  StepBinding binding(made);
  for (const int round : {0, 1}) {
    const Array<int> out(device(), 32, round);
    binding.set_array(0, out.data());
    run(binding);
    EXPECT_EQ(out.values(), std::vector<int>(32, 0x11111111));
  }
  EXPECT_EQ(made->name(0), "memset of `out`");
}

TEST_F(StepBindings, AMemsetOfNothingIsNoOperation) {
  LoadedSteps made(nullptr, {{"out", Role::out, 0, {}}});
  ASSERT_TRUE(made.add(memset_of(0)).ok());
  EXPECT_TRUE(StepBinding(std::make_shared<LoadedSteps>(made)).operations().empty());
}

TEST_F(StepBindings, HaveTheScratchThatStepsUse) {
  const auto made = std::make_shared<LoadedSteps>(
      load(source, {"run"}), std::vector<StepArgument>{{"out", Role::out, sizeof(Map), {}},
                                                       {"map", Role::scalar, sizeof(Map), bytes_of(map_)},
                                                       {"calls", Role::scratch, 4, {}},
                                                       {"plus", Role::scalar, 4, bytes_of(7)},
                                                       {"of_another", Role::scratch, 1 << 20, {}},
                                                       {"cleared", Role::scratch, 64, {}}});
  ASSERT_TRUE(made->add(memset_of(5)).ok());
  ASSERT_TRUE(made->add(launch_of({0, 1, 2, 3})).ok());
  EXPECT_THAT(made->scratch(), testing::ElementsAre(2, 5));
  StepBinding binding(made);
  ASSERT_TRUE(binding.make_scratch(device(), tools()).ok());
  EXPECT_NE(LoadedSteps::array_in(binding.slots()[5]), nullptr);
  EXPECT_EQ(LoadedSteps::array_in(binding.slots()[4]), nullptr);
}

TEST_F(StepBindings, SayWhatHasNoRoom) {
  const auto made = std::make_shared<LoadedSteps>(
      nullptr, std::vector<StepArgument>{{"huge", Role::scratch, std::uint64_t{1} << 62, {}}});
  ASSERT_TRUE(made->add(memset_of(0)).ok());
  StepBinding binding(made);
  EXPECT_THAT(
      [&] { (void)binding.make_scratch(device(), tools()); },
      testing::Throws<OutOfMemory>(testing::Property(&OutOfMemory::what, testing::HasSubstr("scratch `huge`: "))));
}

}  // namespace
}  // namespace attune::test
