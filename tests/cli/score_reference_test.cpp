// The figures of the methodology's own program for recorded files (tests/data/recorded/README.md), to 1e-6. All
// recorded files are looked for in $ATTUNE_RECORDED, else in ../shared/data/recorded beside the repository; one is
// always there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double score_tolerance = 1e-6;  // relative, absolute below 1

struct Reference {
  const char* file;   // without .json.xz
  const char* space;  // in the reference values
};
constexpr Reference every_time = {"pnpoly_RTX_3090", "pnpoly/RTX_3090"};
constexpr Reference elsewhere[] = {
    every_time,
    {"convolution_milo_A100", "convolution_milo/A100"},
    {"convolution_milo_A4000", "convolution_milo/A4000"},
    {"convolution_milo_MI250X", "convolution_milo/MI250X"},
    {"dedispersion_milo_A100", "dedispersion_milo/A100"},
    {"dedispersion_milo_MI250X", "dedispersion_milo/MI250X"},
    {"gemm_RTX_2080_Ti", "gemm_clblast_kt/RTX_2080_Ti"},
};

json reference_values() {
  std::ifstream file(ATTUNE_TEST_DATA "/recorded/methodology_reference_values.json");
  return json::parse(file).at("spaces");
}

fs::path recorded_folder() {
  const char* const given = std::getenv("ATTUNE_RECORDED");
  return given != nullptr ? fs::path(given) : fs::path(ATTUNE_SOURCE_DIR) / ".." / "shared" / "data" / "recorded";
}

void expect_near(const json& actual, const json& expected, const std::string& where) {
  ASSERT_EQ(actual.is_array(), expected.is_array()) << where;
  if (!expected.is_structured()) {
    const double value = expected.get<double>();
    EXPECT_NEAR(actual.get<double>(), value, score_tolerance * std::max(1.0, std::abs(value))) << where;
    return;
  }
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (const auto& [name, value] : expected.items()) {
    const json& part = expected.is_array() ? actual.at(std::stoul(name)) : actual.at(name);
    expect_near(part, value, where + "/" + name);
  }
}

void compare(const fs::path& folder, const Reference& reference) {
  const std::string file = (folder / (std::string(reference.file) + ".json.xz")).string();
  const CommandResult result = run_command({ATTUNE_BUILD_DIR "/bin/attune-score", "--reference-trace", file});
  ASSERT_EQ(result.code, 0) << result.err;
  json actual = json::parse(result.out).at("spaces").at(reference.file);
  json expected = reference_values().at(reference.space);
  // Bags hang on random numbers: the means of ten differ by their standard errors. Their true deviation is not known,
  // so the larger of the two measured ones, and at least 0.001 (the reference is rounded to that).
  const double ours = actual.at("trace_score_bagged_std"), theirs = expected.at("trace_score_bagged_std");
  const double error = std::max({ours, theirs, 0.001}) * std::sqrt(2.0 / 10);
  EXPECT_NEAR(actual.at("trace_score_bagged_mean_of_10").get<double>(),
              expected.at("trace_score_bagged_mean_of_10").get<double>(), 4 * error)
      << reference.file;
  for (json* side : {&actual, &expected}) {
    side->erase("trace_score_bagged_mean_of_10");
    side->erase("trace_score_bagged_std");
  }
  expect_near(actual, expected, reference.file);
}

TEST(MethodologyReference, IsMetOnTheFileThatIsAlwaysHere) { compare(ATTUNE_TEST_DATA "/recorded", every_time); }

TEST(MethodologyReference, IsMetOnAllRecordedFiles) {
  const fs::path folder = recorded_folder();
  if (!fs::is_directory(folder))
    GTEST_SKIP() << "no folder of recorded files: " << folder << "; name it in ATTUNE_RECORDED";
  for (const Reference& reference : elsewhere) compare(folder, reference);
}

}  // namespace
}  // namespace attune::test
