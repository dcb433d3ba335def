// Arrays by value in kernel files: what is read, refused, limited and hashed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/search_space.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/legality.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"
#include "support/smooth_kernel.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

KernelSpec read_with(std::string_view before = "", std::string_view after = "") {
  return read_kernel_text(edited(test::smooth_file, before, after), "smooth.cu");
}

Problem problem_with(std::int64_t radius, const char* type = "float") {
  return Problem({{"n", 1000}, {"radius", radius}, {"T", type}});
}

TEST(ArraysByValue, AreReadAndResolved) {
  const KernelSpec spec = read_with();
  EXPECT_TRUE(spec.find_argument("weights")->by_value);
  EXPECT_FALSE(spec.find_argument("in")->by_value);
  const Configuration configuration{{"BLOCK", 64}};
  const auto arguments = resolve_arguments(spec, problem_with(2), &configuration, device_limits("sm_80"));
  EXPECT_TRUE(arguments[2].by_value);
  EXPECT_EQ(arguments[2].role, Role::in);
  EXPECT_EQ(arguments[2].count, 5u);
  EXPECT_EQ(arguments[2].bytes, 20u);
}

// Two pointers, the weights, and n at a multiple of 8: 24 bytes and 4 for each weight.
TEST(ArraysByValue, FitTogetherIntoTheParametersOfALaunch) {
  const KernelSpec spec = read_with();
  const DeviceInfo device = device_limits("sm_80");
  const Configuration configuration{{"BLOCK", 64}};
  for (const auto& [radius, fits] : {std::pair{508, true}, {509, false}}) {  // 1,017 and 1,019 weights
    const Problem problem = problem_with(radius);
    EXPECT_EQ(legal_configuration(spec, problem, device, configuration).has_value(), fits) << radius;
    EXPECT_EQ(make_space(spec, problem, device).size() == 2, fits) << radius;
    const std::string said =
        message_of<Error>([&] { resolve_steps(spec, spec.launch, problem, &configuration, device); });
    EXPECT_THAT(said, HasSubstr(fits ? "no error" : "its parameters have 4104 bytes; a launch takes 4096"));
  }
  // Sizes that are numbers do not fit whatever the problem.
  EXPECT_THAT(message_of<SpecError>([] {
                read_kernel_text(edited(edited(test::smooth_file, "size = \"2 * radius + 1\"", "size = 2000"),
                                        "weights = { type = \"T\"", "weights = { type = \"int16\""),
                                 "smooth.cu");
              }),
              HasSubstr("no error"));
  EXPECT_THAT(message_of<SpecError>([] {
                read_kernel_text(edited(edited(test::smooth_file, "size = \"2 * radius + 1\"", "size = 2037"),
                                        "weights = { type = \"T\"", "weights = { type = \"int16\""),
                                 "smooth.cu");
              }),
              AllOf(HasSubstr("the parameters of this step have 4104 bytes"), HasSubstr("takes 4096")));
}

TEST(ArraysByValue, ThatAreWrittenWronglyAreRefused) {
  const std::pair<const char*, std::pair<const char*, const char*>> table[] = {
      {"pass = \"value\"", {"pass = \"pointer\"", "`pass` is \"value\""}},
      {"role = \"out\"", {"role = \"out\", pass = \"value\"", "only an `in` array can be passed by value"}},
      {"n = { type = \"int64\" }", {"n = { type = \"int64\", pass = \"value\" }", "`n` is a scalar"}},
      {"[[reference]]", {"[[prepare]]\nmemset = \"weights\"\n[[reference]]", "`weights` is passed by value"}},
      {"n = { type = \"int64\" }",
       {"n = { type = \"int64\" }\nmap = { tensor = \"weights\", shape = [4], box = [4] }", "it lies in no memory"}},
  };
  for (const auto& [before, change] : table)
    EXPECT_THAT(message_of<SpecError>([&, before = before, after = change.first] { read_with(before, after); }),
                HasSubstr(change.second))
        << change.first;
}

TEST(ArraysByValue, AreInTheContract) {
  EXPECT_NE(read_with().fingerprints.contract, read_with(", pass = \"value\"", "").fingerprints.contract);
}

}  // namespace
}  // namespace attune::tests
