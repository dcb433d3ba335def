// A launch must not allocate: counted by this program's own operator new, which is why it is a program of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <unordered_map>

#include "device/step_binding.hpp"
#include "dispatch/argument_table.hpp"
#include "dispatch/plan_request.hpp"

namespace {
std::atomic<long> allocations = 0;
}

// Inlined, g++ takes them for a mismatch of malloc and delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace attune {
namespace {

TEST(LaunchPath, CheckingAndBindingArgumentsAllocatesNothing) {
  KernelSpec spec;
  std::vector<ResolvedArgument> resolved;
  const auto add = [&](const char* type, Role role, std::uint64_t bytes, std::optional<Value> value) {
    spec.arguments.push_back({"argument", type, role, {}, {}, true, {}});
    resolved.push_back({type, role, 100, bytes, value});
  };
  add("float", Role::out, 400, {});
  add("float", Role::in, 400, {});
  add("int64", Role::scalar, 8, 100);
  add("half", Role::scalar, 2, {});
  add("float", Role::scalar, 4, {});
  spec.launch.resize(1);
  spec.launch[0].arguments = {"argument"};
  const ArgumentTable table(spec, resolved);
  const auto steps = std::make_shared<LoadedSteps>(nullptr, step_arguments(spec, resolved));
  ResolvedStep clear;
  clear.kind = StepKind::memset;
  ASSERT_TRUE(steps->add(clear).ok());
  StepBinding binding(steps);
  float data[100];
  const long before = allocations;
  const std::array list{plan_argument(data + 0), plan_argument(data + 0), plan_argument(100), plan_argument(1.5),
                        plan_argument(2)};
  table.encode(list, binding.slots());
  const std::span<const Operation> operations = binding.operations();
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(operations[0].target, data);
}

TEST(LaunchPath, AllocationsAreCounted) {
  const long before = allocations;
  const Problem problem{{"n", 8}};
  EXPECT_GT(allocations, before);
}

TEST(LaunchPath, FindingAPlanAllocatesNothing) {
  std::unordered_map<PlanRequest, int, PlanRequestHash, PlanRequestEqual> plans;
  const Problem problem{{"a_name_longer_than_what_fits_inline", 8}, {"T", "a_type_longer_than_what_fits_inline"}};
  plans[{"kernel", problem}] = 1;
  const long before = allocations;
  const bool found = plans.find(PlanRequestView("kernel", problem)) != plans.end();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace attune
