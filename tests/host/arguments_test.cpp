// What [[launch]] passes against the parameters of the entry, found by the compiler: messages name entry, argument and
// both types.
#include "host/host_test.hpp"
#include "kernel/argument_checks.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* source = R"(
struct Own { float a, b; };
enum class Order { rows, columns };
template <typename T, int N> __global__ void saxpy(T* y, const T* x, T a, int n) {}
extern "C" __global__ void plain(float4* y, const unsigned* x, long long n) {}
__device__ int not_void(int n) { return n; }
struct alignas(64) Map { unsigned long long words[16]; };
struct Bytes { char bytes[128]; };
__global__ void mapped(int* out, const __grid_constant__ Map map) {}
__global__ void unaligned(int* out, const Bytes map) {}
__global__ void loose(void* any, const unsigned char* bytes, Own* own, Order order, bool flag) {}
)";

class HostArguments : public test::HostTest {
 protected:
  CompileOutcome compiled(const std::string& entry, const std::vector<PassedArgument>& passed) const {
    ImageRequest made = request(source, {entry});
    made.checks = argument_checks(entry, passed);
    return compile(made);
  }
  std::string log(const std::string& entry, const std::vector<PassedArgument>& passed) const {
    const CompileOutcome outcome = compiled(entry, passed);
    EXPECT_EQ(outcome.verdict, Verdict::compile_error);
    return outcome.log;
  }
};

TEST_F(HostArguments, ThatFitCompile) {
  const PassedArgument y{"y", "float", Passing::array}, x{"x", "float", Passing::array}, a{"a", "float"},
      n{"n", "int32"};
  EXPECT_EQ(compiled("saxpy<float, 3>", {y, x, a, n}).verdict, Verdict::ok);
  EXPECT_EQ(compiled("saxpy<float, 3>", {y, x, a, {"n", "uint32"}}).log, "");
  EXPECT_EQ(compiled("plain", {y, {"x", "int32", Passing::array}, {"n", "uint64"}}).log, "");
  EXPECT_EQ(compiled("plain", {{"y", "uint8", Passing::array}, {"x", "uint32", Passing::array}, {"n", "int64"}}).log,
            "");
  EXPECT_EQ(compiled("loose", {y, {"b", "double", Passing::array}, x, {"o", "int32"}, {"f", "bool"}}).log, "");
}

TEST_F(HostArguments, OfAnotherTypeAreErrors) {
  const PassedArgument y{"y", "float", Passing::array}, x{"x", "float", Passing::array}, a{"a", "float"},
      n{"n", "int32"};
  EXPECT_THAT(log("saxpy<float, 3>", {y, x, {"a", "double"}, n}),
              AllOf(HasSubstr("argument 'a' (double) of 'saxpy<float, 3>' does not fit parameter 3"),
                    HasSubstr("double, float"), HasSubstr("kernel.cu")));
  EXPECT_THAT(log("saxpy<float, 3>", {y, {"x", "double", Passing::array}, a, n}),
              HasSubstr("argument 'x' (array of double)"));
  EXPECT_THAT(log("saxpy<float, 3>", {y, x, a, {"n", "int64"}}), HasSubstr("argument 'n' (long long)"));
  EXPECT_THAT(log("saxpy<float, 3>", {y, x, a, {"n", "float"}}), HasSubstr("argument 'n' (float)"));
  EXPECT_THAT(log("saxpy<float, 3>", {y, a, a, n}), HasSubstr("argument 'a' (float) of 'saxpy<float, 3>' does not fit "
                                                              "parameter 2"));
  EXPECT_THAT(log("saxpy<float, 3>", {y, x, x, n}), HasSubstr("does not fit parameter 3"));
  EXPECT_THAT(log("plain", {{"y", "double", Passing::array}, {"x", "int32", Passing::array}, {"n", "int64"}}),
              HasSubstr("argument 'y'"));
  EXPECT_THAT(log("plain", {y, {"x", "int64", Passing::array}, {"n", "int64"}}), HasSubstr("argument 'x'"));
}

TEST_F(HostArguments, ThatDoNotFitAreErrorsAtTheLineOfTheEntry) {
  const PassedArgument y{"y", "float", Passing::array}, x{"x", "float", Passing::array}, a{"a", "float"},
      n{"n", "int32"};
  const auto at_line_7 = [&](const std::string& entry, const std::vector<PassedArgument>& passed) {
    ImageRequest made = request(source, {entry});
    made.checks = argument_checks(entry, passed, 7);
    const CompileOutcome outcome = compile(made);
    EXPECT_EQ(outcome.verdict, Verdict::compile_error);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("kernel.cu:7:"), testing::Not(HasSubstr("entries:"))));
    return outcome.log;
  };
  EXPECT_THAT(at_line_7("saxpy<float, 3>", {y, x, a, {"n", "int64"}}), HasSubstr("argument 'n' (long long)"));
  EXPECT_THAT(at_line_7("saxpy<float, 3>", {y, x, a}), HasSubstr("gets 3 arguments"));
  const std::string missing = at_line_7("saxpi<float, 3>", {y, x, a, n});
  EXPECT_EQ(missing.find("saxpi"), missing.rfind("saxpi")) << "one message, not one for each argument\n" << missing;
  EXPECT_THAT(at_line_7("not_void", {n}), HasSubstr("an entry is a function that returns void"));
}

TEST_F(HostArguments, TooManyOrTooFewAreErrors) {
  const PassedArgument y{"y", "float", Passing::array}, x{"x", "uint32", Passing::array}, n{"n", "int64"};
  EXPECT_THAT(log("plain", {y, x}), HasSubstr("'plain' gets 2 arguments"));
  EXPECT_THAT(log("plain", {y, x, n, n}), HasSubstr("'plain' gets 4 arguments"));
}

TEST_F(HostArguments, OfATensorMapAreAStructureLikeIt) {
  const PassedArgument out{"out", "int32", Passing::array}, map{"tiles", "", Passing::map}, n{"n", "int32"};
  EXPECT_EQ(compiled("mapped", {out, map}).log, "");
  EXPECT_THAT(log("unaligned", {out, map}),
              HasSubstr("argument 'tiles' (tensor map) of 'unaligned' does not fit parameter 2"));
  EXPECT_THAT(log("mapped", {map, map}), HasSubstr("'tiles' (tensor map) of 'mapped' does not fit parameter 1"));
  EXPECT_THAT(log("saxpy<float, 3>", {out, out, map, n}), HasSubstr("does not fit parameter 3"));
  EXPECT_THAT(log("mapped", {out, n}), HasSubstr("argument 'n' (int) of 'mapped' does not fit parameter 2"));
  EXPECT_THAT(log("mapped", {out, out}), HasSubstr("argument 'out' (array of int) of 'mapped' does not fit"));
}

// One mistake among requests that are compiled together is no other's.
TEST_F(HostArguments, OfOneInstantiationHarmNoOther) {
  ImageRequest right = request(source, {"saxpy<float, 1>"}), wrong = request(source, {"saxpy<double, 1>"});
  const std::vector<PassedArgument> passed = {
      {"y", "float", Passing::array}, {"x", "float", Passing::array}, {"a", "float"}, {"n", "int32"}};
  right.checks = argument_checks("saxpy<float, 1>", passed);
  wrong.checks = argument_checks("saxpy<double, 1>", passed);
  const std::vector<ImageRequest> both = {right, wrong};
  const std::vector<CompileOutcome> outcomes = device().compiler()->compile(both);
  EXPECT_EQ(outcomes[0].verdict, Verdict::ok) << outcomes[0].log;
  EXPECT_EQ(outcomes[1].verdict, Verdict::compile_error);
  EXPECT_NE(right.key(""), wrong.key(""));
}

}  // namespace
}  // namespace attune
