// A launch must not allocate: counted by this program's own operator new, which is why it is a program of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <unordered_map>

#include "dispatch/argument_table.hpp"
#include "dispatch/plan_request.hpp"

namespace {
std::atomic<long> allocations = 0;
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes > 0 ? bytes : 1);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace attune {
namespace {

TEST(LaunchPath, CheckingAndEncodingArgumentsAllocatesNothing) {
  KernelSpec spec;
  std::vector<ResolvedArgument> resolved;
  const auto add = [&](const char* type, Role role, std::optional<Value> value) {
    spec.arguments.push_back({"argument", type, role, {}, {}, true, {}});
    resolved.push_back({type, role, 100, 400, value});
  };
  add("float", Role::out, {});
  add("float", Role::in, {});
  add("int64", Role::scalar, 100);
  add("half", Role::scalar, {});
  add("float", Role::scalar, {});
  const ArgumentTable table(spec, resolved);
  std::vector<Slot> slots = table.initial_slots();
  float data[100];
  const long before = allocations;
  const std::array list{plan_argument(data + 0), plan_argument(data + 0), plan_argument(100), plan_argument(1.5),
                        plan_argument(2)};
  table.encode(list, slots);
  EXPECT_EQ(allocations, before);
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
