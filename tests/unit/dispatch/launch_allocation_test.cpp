// A launch must not allocate: counted by this program's own operator new, which is why it is a program of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "dispatch/plan_parts.hpp"
#include "dispatch/problem_key.hpp"
#include "support/idle_device.hpp"

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

TEST(LaunchPath, ALaunchAllocatesNothing) {
  KernelSpec spec;
  ResolvedPlan resolved;
  const auto add = [&](const char* type, Role role, std::uint64_t bytes, std::optional<Value> value) {
    spec.arguments.push_back({"argument", type, role, {}, {}, true, {}});
    resolved.arguments.push_back({type, role, 100, bytes, value});
  };
  add("float", Role::out, 400, {});
  add("float", Role::in, 400, {});
  add("int64", Role::scalar, 8, 100);
  add("half", Role::scalar, 2, {});
  add("float", Role::scalar, 4, {});
  add("uint32", Role::scratch, 400, {});
  spec.launch.resize(1);
  spec.launch[0].arguments = {"argument"};
  ResolvedStep clear, launch;
  clear.kind = StepKind::memset;
  launch.arguments = {0, 1, 2, 3, 4, 5};
  resolved.steps = {clear, launch};
  Status status;
  const auto parts = make_plan_parts(std::make_shared<PlanContext>(std::make_shared<test::IdleDevice>()),
                                     std::make_shared<KernelSpec>(spec), {std::make_shared<test::IdleModule>()}, {}, {},
                                     resolved, status);
  ASSERT_NE(parts, nullptr);
  float data[100];
  const auto launch_it = [&] {
    const std::array list{plan_argument(data + 0), plan_argument(data + 0), plan_argument(100), plan_argument(1.5),
                          plan_argument(2)};
    launch_plan(parts, nullptr, list);
  };
  const long first = allocations;
  launch_it();
  EXPECT_GT(allocations, first) << "scratch memory is made at the first launch";
  const long before = allocations;
  for (int launches = 0; launches < 3; ++launches) launch_it();
  EXPECT_EQ(allocations, before);
}

TEST(LaunchPath, AllocationsAreCounted) {
  const long before = allocations;
  const Problem problem{{"n", 8}};
  EXPECT_GT(allocations, before);
}

TEST(LaunchPath, ReadingTheKeyOfARequestAllocatesNothing) {
  KernelSpec spec;
  spec.problem.resize(2);
  spec.problem[0].name = "a_name_longer_than_what_fits_inline";
  spec.problem[0].kind = ProblemKind::size;
  spec.problem[1].name = "T";
  spec.problem[1].kind = ProblemKind::type;
  spec.problem[1].types = {"float", "a_type_longer_than_what_fits_inline"};
  const KeyRecipe recipe(spec, "host");
  const Problem problem{{"a_name_longer_than_what_fits_inline", 8}, {"T", "a_type_longer_than_what_fits_inline"}};
  const long before = allocations;
  const auto key = recipe.find_key(problem);
  EXPECT_EQ(allocations, before);
  ASSERT_TRUE(key);
  EXPECT_EQ(*key, recipe.key_of(problem));
}

}  // namespace
}  // namespace attune
