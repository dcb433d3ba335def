#include "kernel/instantiate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "attune/error.hpp"
#include "kernel/substitute.hpp"
#include "support/cases.hpp"
#include "support/sample_kernel.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const DeviceInfo sm_90 = device_limits("sm_90");

std::vector<ResolvedStep> steps_of(const KernelSpec& spec, Configuration configuration = sample_configuration(),
                                   Problem problem = sample_problem()) {
  return resolve_steps(spec, spec.launch, problem, &configuration, sm_90);
}

TEST(InstantiateEntry, PutsValuesInsideTheAngleBrackets) {
  const Bindings problem = {{"T", "int64"},           {"TILE", 32}, {"F", 0.5}, {"B", true},
                            {"ORDER", "Order::rows"}, {"f", 1},     {"M", -1},  {"x", 9}};
  const auto instantiated = [&](std::string_view entry) {
    return instantiate_entry(entry, {&problem, nullptr, nullptr});
  };
  for (const auto& item : cases(R"(
      f<T, TILE, F, B, ORDER> => f<long long, 32, 0.5, true, Order::rows> ;; f => f ;; T => T ;; x<f> => x<1>
      ns::f<Pack<T, 2>, (TILE>16), M> => ns::f<Pack<long long, 2>, (32>16), -1> ;; f<> => f<> ;; f<T => f<T
      f<Other::TILE, TILES, _TILE, TILE2, 0xTILE, 2u> => f<Other::TILE, TILES, _TILE, TILE2, 0xTILE, 2u>)"))
    EXPECT_EQ(instantiated(item.at(0)), item.at(1));
}

TEST(InstantiateEntry, TellsItsNames) {
  EXPECT_THAT(names_in_entry("f<T, TILE, Pack<T, 2>, Order::rows>"), ElementsAre("T", "TILE", "Pack", "Order"));
  EXPECT_THAT(names_in_entry("f"), ElementsAre());
}

TEST(ResolveSteps, EvaluatesEveryStepThatApplies) {
  const auto steps = steps_of(sample_kernel());
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].kind, StepKind::memset);
  EXPECT_EQ(steps[0].memset_argument, 0u);
  EXPECT_EQ(steps[0].memset_value, 7);
  EXPECT_EQ(steps[1].expression, "sample<float, 128, 2, Order::columns>");
  EXPECT_EQ(steps[1].shape, (LaunchShape{{4, 5, 1}, {64, 2, 1}, 512}));
  EXPECT_THAT(steps[1].arguments, ElementsAre(0, 1, 2, 3, 4));
  Configuration slow = sample_configuration();
  slow.set("FAST", false);
  EXPECT_EQ(steps_of(sample_kernel(), slow).size(), 1u);
}

TEST(ResolveSteps, CutsTheGridIntoClusters) {
  KernelSpec spec = sample_kernel();  // a grid of 4 x 5
  Step& step = *std::find_if(spec.launch.begin(), spec.launch.end(),
                             [](const Step& one) { return one.kind == StepKind::launch; });
  const auto shape_with = [&](std::vector<Expression> cluster, const DeviceInfo& device) {
    step.cluster = std::move(cluster);
    const Configuration configuration = sample_configuration();
    return resolve_steps(spec, spec.launch, sample_problem(), &configuration, device).back().shape.cluster;
  };
  EXPECT_THAT(shape_with({"2"}, sm_90), ElementsAre(2, 1, 1));
  EXPECT_THAT(shape_with({"1", "5"}, sm_90), ElementsAre(1, 5, 1));
  EXPECT_THAT(shape_with({"1", "1"}, device_limits("sm_80")), ElementsAre(1, 1, 1));
  EXPECT_THAT(message_of<Error>([&] { shape_with({"3"}, sm_90); }), HasSubstr("3 does not divide the grid of 4"));
  EXPECT_THAT(message_of<Error>([&] { shape_with({"4", "5"}, sm_90); }), HasSubstr("20 blocks; the device takes 8"));
  EXPECT_THAT(message_of<Error>([&] { shape_with({"2"}, device_limits("sm_80")); }), HasSubstr("takes 1 to 1"));
}

TEST(ResolveSteps, ALaunchIsCooperativeWhereItSaysSo) {
  KernelSpec spec = sample_kernel();
  const auto cooperative = [&](std::string_view condition) {
    spec.launch.back().cooperative = Expression(condition);
    const Configuration configuration = sample_configuration();
    return resolve_steps(spec, spec.launch, sample_problem(), &configuration, sm_90).back().shape.cooperative;
  };
  EXPECT_TRUE(cooperative("FAST"));
  EXPECT_FALSE(cooperative("!FAST"));
  EXPECT_THAT(message_of<Error>([&] { cooperative("1 / 0 > 0"); }), HasSubstr("cooperative: 1 / 0 > 0"));
}

// Else each image would have the variable, and each plan code of its own.
TEST(ImageRequests, NameTheVariableOfScratchMemoryWhereAStepUsesIt) {
  KernelSpec spec = sample_kernel();
  Argument held;
  held.name = "held";
  held.type = "float";
  held.role = Role::scratch;
  held.size = Expression("1");
  held.symbol = "held";
  spec.arguments.push_back(held);
  Step fill = spec.launch.back();
  fill.entry = "fill";
  fill.arguments = {"held"};
  fill.when = Expression("FAST");
  spec.launch.push_back(fill);
  const Configuration configuration = sample_configuration();
  const auto expressions = [&] {
    return image_request(spec, spec.launch, sample_problem(), &configuration, sm_90).expressions;
  };
  EXPECT_THAT(expressions(), testing::Contains("&held"));
  spec.launch.back().when = Expression("!FAST");
  EXPECT_THAT(expressions(), testing::Not(testing::Contains("&held")));
}

// The step before it is a launch that runs, and the device is an sm_90 at least.
TEST(ResolveSteps, OverlapFollowsALaunch) {
  KernelSpec spec = sample_kernel();
  spec.launch.push_back(spec.launch.back());
  spec.launch.back().entry = "second";
  spec.launch.back().overlap = Expression("FAST");
  const Configuration configuration = sample_configuration();
  const auto overlaps = [&](const DeviceInfo& device) {
    std::vector<bool> each;
    for (const auto& step : resolve_steps(spec, spec.launch, sample_problem(), &configuration, device))
      each.push_back(step.shape.overlaps);
    return each;
  };
  const auto waiting = [&](const DeviceInfo& device) {
    return image_request(spec, spec.launch, sample_problem(), &configuration, device).waiting;
  };
  const DeviceInfo sm_80 = device_limits("sm_80");
  EXPECT_THAT(overlaps(sm_90), ElementsAre(false, false, true));
  EXPECT_THAT(waiting(sm_90), ElementsAre("second"));
  EXPECT_THAT(overlaps(sm_80), ElementsAre(false, false, false));
  EXPECT_THAT(waiting(sm_80), ElementsAre());
  const std::string key = image_request(spec, spec.launch, sample_problem(), &configuration, sm_90).key("");
  spec.launch[1].when = Expression("false");
  EXPECT_THAT(overlaps(sm_90), ElementsAre(false, false));
  EXPECT_THAT(waiting(sm_90), ElementsAre());
  spec.launch[1].when.reset();
  spec.launch.insert(spec.launch.begin() + 2, spec.launch[1]);
  spec.launch[2].when = Expression("false");
  EXPECT_THAT(overlaps(sm_90), ElementsAre(false, false, false)) << "the step directly before is left out";
  EXPECT_THAT(waiting(sm_90), ElementsAre());
  spec.launch.erase(spec.launch.begin() + 2);
  spec.launch.back().overlap = Expression("!FAST");
  EXPECT_THAT(waiting(sm_90), ElementsAre());
  EXPECT_NE(image_request(spec, spec.launch, sample_problem(), &configuration, sm_90).key(""), key);
}

TEST(ResolveSteps, ErrorsNameStepAndProblem) {
  struct BadStep {
    const char* field;
    std::vector<Expression> values;
    const char* message;
  };
  const BadStep table[] = {{"grid", {"n / 2000"}, "n / 2000 is 0; the device takes 1 to 2147483647"},
                           {"grid", {"1", "65536"}, "65536 is 65536; the device takes 1 to 65535"},
                           {"grid", {"n / 0"}, "division by zero"},
                           {"grid", {"n / 2.0"}, "is not an integer"},
                           {"grid", {"m"}, "`m` is not bound"},
                           {"grid", {"1", "1", "1", "1"}, "more than 3 dimensions"},
                           {"block", {"1", "1", "65"}, "ORDER=Order::columns: 65 is 65; the device takes 1 to 64"},
                           {"block", {"1", "1", "65"}, "` block.z, problem n=1000"},
                           {"block", {"-1"}, "the device takes 1 to 1024"},
                           {"block", {"64", "32"}, "2048 threads in a block; the device takes 1024"},
                           {"shared", {"227 * 1024 + 1"}, "the device takes 0 to 232448"},
                           {"shared", {"shift"}, "shift is -3 bytes"},
                           {"when", {"m"}, "when: m: `m` is not bound"}};
  for (const auto& [field, values, message] : table) {
    EXPECT_THAT(
        message_of<Error>([&] { steps_of(sample_with(field, values)); }),
        AllOf(HasSubstr(message), HasSubstr("kernel `sample`, step "),
              HasSubstr("problem n=1000 shift=-3 T=float rows=5"), HasSubstr("configuration BLOCK=128 VECTOR=2")));
  }
  KernelSpec spec = sample_kernel();
  spec.launch[1].arguments = {"uot"};
  EXPECT_THAT(message_of<Error>([&] { steps_of(spec); }), HasSubstr("no argument `uot`; did you mean `out`?"));
  spec.launch[0].memset_argument = "on";
  EXPECT_THAT(message_of<Error>([&] { steps_of(spec); }), HasSubstr("no argument `on`"));
}

TEST(ResolveSteps, OfAReferenceNeedNoConfiguration) {
  const KernelSpec spec = sample_kernel();
  const auto steps = resolve_steps(spec, spec.reference, sample_problem(), nullptr, sm_90);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].expression, "sample_reference<float>");
}

std::vector<ResolvedArgument> arguments_of(const KernelSpec& spec, Problem problem = sample_problem()) {
  return resolve_arguments(spec, problem, &sample_configuration(), sm_90);
}

TEST(ResolveArguments, GivesTypesSizesAndValues) {
  const auto arguments = arguments_of(sample_kernel());
  ASSERT_EQ(arguments.size(), 5u);
  EXPECT_EQ(arguments[0].type, "float");
  EXPECT_EQ(arguments[0].count, 5000u);
  EXPECT_EQ(arguments[0].bytes, 20000u);
  EXPECT_EQ(arguments[1].value, Value(1000));  // named after a problem value
  EXPECT_EQ(arguments[1].bytes, 8u);
  EXPECT_EQ(arguments[2].value, Value(8));  // computed
  EXPECT_EQ(arguments[3].count, 256u);
  EXPECT_EQ(arguments[3].role, Role::scratch);
  EXPECT_EQ(arguments[4].value, std::nullopt);  // the application passes it
  EXPECT_EQ(arguments[4].type, "float");
}

TEST(ResolveArguments, WithoutAConfigurationLeavesOutWhatItWouldDecide) {
  const auto arguments = resolve_arguments(sample_kernel(), sample_problem(), nullptr, sm_90);
  EXPECT_EQ(arguments[0].count, 5000u);
  EXPECT_EQ(arguments[2].value, std::nullopt);
  EXPECT_EQ(arguments[3].count, 0u);
  EXPECT_EQ(arguments[3].bytes, 0u);
}

TEST(ResolveArguments, RefusesWhatDoesNotFit) {
  for (const auto& item : cases(R"(
      n => type => int8 => argument `n` ;; n => type => int8 => 1000 does not fit int8
      out => size => shift => size shift is -3; expected at least 1 ;; out => size => 2 ** 62 => more than 2^62 bytes
      out => size => 2 ** 60 + 1 => more than 2^62 bytes ;; out => size => 2 ** 60 => no error
      out => size => n ** n => overflow ;; blocks => value => n / 3.0 => does not fit int32
      blocks => value => n / 0 => division by zero ;; out => type => flaot => did you mean `float`?)")) {
    KernelSpec spec = sample_kernel();
    Argument& argument = *std::ranges::find(spec.arguments, item.at(0), &Argument::name);
    if (item.at(1) == "type") argument.type = item.at(2);
    if (item.at(1) == "size") argument.size = Expression(item.at(2));
    if (item.at(1) == "value") argument.value = Expression(item.at(2));
    EXPECT_THAT(message_of<Error>([&] { arguments_of(spec); }), HasSubstr(item.at(3)));
  }
  KernelSpec spec = sample_kernel();
  spec.arguments[0].size.reset();
  EXPECT_THAT(message_of<Error>([&] { arguments_of(spec); }), HasSubstr("needs a size"));
}

ImageRequest request_of(const KernelSpec& spec, Problem problem = sample_problem(), const DeviceInfo& device = sm_90) {
  return image_request(spec, spec.launch, problem, &sample_configuration(), device);
}

TEST(ImageRequest, HoldsEachEntryOnceSorted) {
  KernelSpec spec = sample_kernel();
  spec.launch.push_back(spec.launch[1]);
  spec.launch.push_back(spec.launch[1]);
  spec.launch.back().entry = "another<T>";
  spec.launch.push_back(spec.launch[1]);
  spec.launch.back().entry = "skipped";
  spec.launch.back().when = Expression("VECTOR == 4");
  const ImageRequest request = request_of(spec);
  EXPECT_THAT(request.expressions, ElementsAre("another<float>", "sample<float, 128, 2, Order::columns>"));
  EXPECT_THAT(request.options, ElementsAre());
  EXPECT_EQ(request.architecture, "sm_90");
  EXPECT_EQ(request.source.text, spec.source.text);
}

TEST(ImageRequest, ResolvesOptions) {
  KernelSpec spec = sample_kernel();
  spec.compile.options = {"--maxrregcount={BLOCK}", "--use_fast_math if FAST", "-DV={VECTOR}x{VECTOR} if VECTOR > 2",
                          "-DT={T} if n > 1 && VECTOR == 2", "--fmad=false"};
  EXPECT_THAT(request_of(spec).options,
              ElementsAre("--maxrregcount=128", "--use_fast_math", "-DT=float", "--fmad=false"));
  const auto reference = image_request(spec, spec.reference, sample_problem(), nullptr, sm_90);
  EXPECT_THAT(reference.options, ElementsAre("--fmad=false"));
}

TEST(ImageRequest, PassesDefinesAndAsksForHalfOnlyWhereItIsUsed) {
  KernelSpec spec = sample_kernel();
  Problem problem = sample_problem();
  EXPECT_THAT(request_of(spec, problem).options, ElementsAre());
  problem.set("T", "half");
  EXPECT_THAT(request_of(spec, problem).options, ElementsAre("-DATTUNE_HALF=1"));
  spec.arguments[0].type = "bfloat162";
  EXPECT_THAT(request_of(spec, problem).options, ElementsAre("-DATTUNE_HALF=1", "-DATTUNE_BFLOAT16=1"));
}

std::string macros_text(const ImageRequest& request) {
  std::string text;
  for (const Macro& macro : request.macros) text += macro.name + "=" + macro.value + " ";
  return text;
}

TEST(ImageRequest, HasMacrosOrTheOptionsThatDefineThemBeforeAllHeaders) {
  KernelSpec spec = sample_kernel();
  spec.compile.defines = Defines::all;
  Problem problem = sample_problem();
  problem.set("T", "int32");
  EXPECT_EQ(macros_text(request_of(spec, problem)),
            "n=1000 shift=-3 T=int rows=5 BLOCK=128 VECTOR=2 RATIO=0.5 FAST=true ORDER=Order::columns ");
  EXPECT_THAT(request_of(spec, problem).options, ElementsAre());
  const std::string lines = macros_text(request_of(spec, problem));
  spec.compile.defines_before = true;
  EXPECT_EQ(macros_text(request_of(spec, problem)), lines);
  EXPECT_THAT(request_of(spec, problem).options,
              ElementsAre("-Dn=1000", "-Dshift=-3", "-DT=int", "-Drows=5", "-DBLOCK=128", "-DVECTOR=2", "-DRATIO=0.5",
                          "-DFAST=true", "-DORDER=Order::columns"));
}

TEST(ImageRequest, PassesParametersAloneAndTheirFirstValuesToTheReference) {
  KernelSpec spec = sample_kernel();
  spec.compile.defines = Defines::parameters;
  EXPECT_EQ(macros_text(request_of(spec)), "BLOCK=128 VECTOR=2 RATIO=0.5 FAST=true ORDER=Order::columns ");
  std::string first;
  for (const Parameter& parameter : spec.parameters)
    first += parameter.name + "=" + parameter.values.front().text() + " ";
  EXPECT_EQ(macros_text(image_request(spec, spec.reference, sample_problem(), nullptr, sm_90)), first);
}

TEST(ImageRequest, TakesTheRequiredArchitectureWhereItsConditionHolds) {
  KernelSpec spec = sample_kernel();
  spec.compile.requires_architecture = "sm_90a";
  spec.compile.requires_where.emplace("BLOCK == 128");
  EXPECT_EQ(request_of(spec).architecture, "sm_90a");
  EXPECT_EQ(image_request(spec, spec.reference, sample_problem(), nullptr, sm_90).architecture, "sm_90");
  spec.compile.requires_where.emplace("BLOCK != 128");
  EXPECT_EQ(request_of(spec).architecture, "sm_90");
  EXPECT_EQ(request_of(spec, sample_problem(), device_limits("sm_80")).architecture, "sm_80");
}

TEST(ImageRequest, OfALaunchHasTheEntriesOfVerifyToo) {
  KernelSpec spec = sample_kernel();
  const Configuration configuration = sample_configuration();
  const ImageRequest without = launch_image_request(spec, sample_problem(), configuration, sm_90);
  spec.verify = spec.launch;
  for (Step& step : spec.verify) step.entry = "verify_" + step.entry;
  const ImageRequest with = launch_image_request(spec, sample_problem(), configuration, sm_90);
  EXPECT_GT(with.expressions.size(), without.expressions.size());
}

TEST(ImageRequest, RefusesOptionsThatCannotBeResolved) {
  for (const auto& item : cases(R"(
      -D={FOO} => `FOO` is not bound ;; -D={FOO} => kernel `sample`, [compile] ;; -D={BLOCK => never closed
      -D={} => expected a name in {} ;; -D if FOO => `FOO` is not bound ;; -D if 1 + => expected a value, found the end)")) {
    KernelSpec spec = sample_kernel();
    spec.compile.options = {item.at(0)};
    EXPECT_THAT(message_of<Error>([&] { request_of(spec); }), HasSubstr(item.at(1)));
  }
}

TEST(ImageRequest, TakesTheRequiredVariantOfTheDevicesArchitecture) {
  KernelSpec spec = sample_kernel();
  spec.compile.requires_architecture = "sm_90a";
  EXPECT_EQ(request_of(spec).architecture, "sm_90a");
  EXPECT_THAT(message_of<Error>([&] { request_of(spec, sample_problem(), device_limits("sm_80")); }),
              HasSubstr("requires sm_90a; sm_80 is sm_80"));
  DeviceInfo host;
  host.kind = host.name = "host";
  EXPECT_THROW(request_of(spec, sample_problem(), host), Error);
  spec.compile.requires_architecture = "sm_9";
  EXPECT_THROW(request_of(spec), Error);
}

}  // namespace
}  // namespace attune
