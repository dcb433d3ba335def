// The header never selects otherwise than attune's runtime: the same records, problems and devices go to both.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "bundle/kernel_pack.hpp"
#include "exported_program.hpp"
#include "exports/cpp_text.hpp"
#include "exports/header.hpp"
#include "exports/tables.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/ladder.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"
#include "odd_kernel.hpp"
#include "selection_printer.hpp"
#include "space/fallbacks.hpp"
#include "spec/kernel_file.hpp"
#include "support/smooth_kernel.hpp"
#include "support/tiles_kernel.hpp"

namespace attune::test {
namespace {

std::string three(const std::array<std::uint32_t, 3>& x) { return fmt::format("{},{},{}", x[0], x[1], x[2]); }

std::string value_text(const Value& value) {
  if (value.is_real()) {
    char text[64];
    std::snprintf(text, sizeof text, "%a", value.real());
    return text;
  }
  const double number = value.is_boolean() ? value.boolean() : static_cast<double>(value.integer());
  return fmt::format("{:.0f}", number);
}

struct Request {
  Problem problem;
  DeviceInfo device;
};

struct Situation {
  KernelSpec spec;
  std::vector<Record> records;
  std::vector<Request> requests;
  std::vector<Cover> covers = {};
};

std::string text_of(const Situation& situation, const Request& request, std::string_view rung,
                    const Configuration& configuration) {
  const auto steps =
      resolve_steps(situation.spec, situation.spec.launch, request.problem, &configuration, request.device);
  const auto arguments = resolve_arguments(situation.spec, request.problem, &configuration, request.device);
  launch_image_request(situation.spec, request.problem, configuration,
                       request.device);  // throws where it requires more
  std::string text = fmt::format("{} | {}", rung, configuration.text());
  for (const ResolvedStep& step : steps) {
    if (step.kind == StepKind::memset) {
      text += fmt::format(" | memset {} {} {}", step.memset_argument, step.memset_value,
                          arguments[step.memset_argument].bytes);
      continue;
    }
    text += fmt::format(" | {} {} {} {} {} {}{}", step.expression, three(step.shape.grid), three(step.shape.block),
                        three(step.shape.cluster), step.shape.shared_bytes, step.shape.overlaps ? 1 : 0,
                        step.shape.cooperative ? 1 : 0);
    for (const std::size_t argument : step.arguments) text += fmt::format(" {}", argument);
  }
  for (const ResolvedArgument& argument : arguments) {
    text += fmt::format(" | {} {} {} {} {}{} {}", argument.type, static_cast<int>(argument.role), argument.count,
                        argument.bytes, argument.is_mapped ? 1 : 0, argument.by_value ? 1 : 0,
                        argument.symbol.empty() ? "" : argument.symbol.substr(1));
    if (argument.value) text += " " + value_text(*argument.value);
    if (!argument.map) continue;
    const TensorLayout& layout = argument.map->layout;
    text += fmt::format(" map {} {} {}", argument.map->array, layout.element_bytes, layout.swizzle);
    for (std::size_t i = 0; i < layout.shape.size(); ++i)
      text += fmt::format(" {},{},{}", layout.shape[i], i == 0 ? 0 : layout.strides[i - 1], layout.box[i]);
  }
  return text;
}

// Returns what the runtime answers: Planner::plan() without images, of all records.
std::string runtime_answer(const Situation& situation, const Request& request,
                           const std::vector<Configuration>& fallbacks) {
  const KernelSpec& spec = situation.spec;
  const MatchRequest asked{spec, request.problem, request.device, spec.name, "cold", "time", fallbacks};
  auto ladder = match_ladder(asked, situation.records, situation.covers);
  add_last_rungs(ladder, asked, situation.records, "");
  for (const GradedMatch& graded : ladder) {
    try {
      return text_of(situation, request, to_text(graded.match.rung), graded.match.configuration);
    } catch (const Error&) {
      continue;
    }
  }
  return "none | ";
}

class Situations {
 public:
  explicit Situations(KernelSpec spec) { made_.spec = std::move(spec); }

  Situation take() {
    const std::vector<DeviceInfo> devices = {h100(), h200(), a100(), host_cpu()};
    std::vector<Problem> tuned;
    for (int i = 0; i < 8; ++i) tuned.push_back(any_problem());
    for (const Problem& problem : tuned)
      for (const DeviceInfo& device : devices) {
        for (int i = 0; i < 3; ++i)
          if (chance(0.5)) add_record(problem, device);
        made_.requests.push_back({problem, device});
        for (int i = 0; i < 4; ++i) made_.requests.push_back({near(problem), device});
      }
    for (int i = 0; i < 60; ++i) made_.requests.push_back({any_problem(), devices[below(devices.size())]});
    for (Request& request : made_.requests)
      if (chance(0.2)) request.device.driver = "another driver";
    return std::move(made_);
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(uniform_below(limit, random_)); }
  bool chance(double share) { return static_cast<double>(below(1000)) < 1000 * share; }

  Value any_value(const ProblemParameter& parameter) {
    if (parameter.kind == ProblemKind::type) return parameter.types[below(parameter.types.size())];
    if (parameter.kind == ProblemKind::choice) return parameter.choices[below(parameter.choices.size())];
    if (parameter.kind == ProblemKind::integer) return static_cast<std::int64_t>(below(3)) - 1;
    if (chance(0.03)) return std::int64_t{1} << below(63);  // products overflow
    return static_cast<std::int64_t>(1 + below(std::size_t{1} << (1 + below(13))));
  }
  Problem any_problem() {
    Problem problem;
    for (const ProblemParameter& parameter : made_.spec.problem) problem.set(parameter.name, any_value(parameter));
    return problem;
  }
  // Another size, up to twice or half and beyond; rarely another type.
  Problem near(Problem problem) {
    for (const ProblemParameter& parameter : made_.spec.problem) {
      if (parameter.kind != ProblemKind::size) {
        if (chance(0.05)) problem.set(parameter.name, any_value(parameter));
        continue;
      }
      const std::int64_t size = problem.at(parameter.name).integer();
      const std::int64_t sizes[] = {size, size / 2, size < (1 << 30) ? size * 2 : size, size - size / 3, size + 1};
      problem.set(parameter.name, std::max<std::int64_t>(1, sizes[below(std::size(sizes))]));
    }
    return problem;
  }

  Configuration any_configuration(const Problem& problem, const DeviceInfo& device) {
    const SearchSpace space = make_space(made_.spec, problem, device);
    if (!space.empty() && chance(0.9)) return space.sample(random_);
    Configuration configuration;
    for (const Parameter& parameter : made_.spec.parameters)
      configuration.set(parameter.name, parameter.values[below(parameter.values.size())]);
    return configuration;
  }

  void add_record(const Problem& problem, const DeviceInfo& device) {
    constexpr const char* regimes[] = {"cold", "cold", "cold", "stream", "warm"};
    Record record;
    record.uuid = fmt::format("{:08x}-{}", random_() & 0xffffffff, made_.records.size());
    record.key = {chance(0.2) ? "renamed" : made_.spec.name,
                  chance(0.05) ? "other code" : made_.spec.fingerprints.code,
                  made_.spec.fingerprints.contract,
                  device.class_key(),
                  problem,
                  regimes[below(std::size(regimes))],
                  chance(0.05) ? "energy" : "time"};
    record.device_name = device.name;
    record.compute_capability = device.compute_capability;
    record.multiprocessors = device.multiprocessors;
    record.driver = chance(0.3) ? "another driver" : device.driver;
    record.configuration = any_configuration(problem, device);
    record.effort = static_cast<Effort>(below(4));
    record.partial = chance(0.2), record.narrowed = chance(0.2);
    record.origin = static_cast<Origin>(chance(0.2) ? 1 : chance(0.1) ? 3 : 0), record.superseded = chance(0.2);
    record.protocol = first_present_protocol - (chance(0.2) ? 1 : 0);
    record.made_ms = static_cast<std::int64_t>(below(3));
    record.speedup = chance(0.2) ? 0.99 : 1.25;
    record.median_ns = 1000;
    record.default_ns = chance(0.1) ? 999 : chance(0.1) ? 0 : 1250;
    if (chance(0.3)) {
      record.default_verdict = chance(0.8) ? Verdict::resources : Verdict::restricted;
      record.default_ns = 0, record.speedup = 1;
    }
    record.toolchain = "NVRTC 13.0";
    made_.records.push_back(std::move(record));
  }

  std::mt19937_64 random_{20260131};
  Situation made_;
};

std::string program_for(const Situation& situation) {
  HeaderTerms terms{.spec = situation.spec, .records = situation.records, .covers = situation.covers};
  terms.name_space = "attune_export";
  std::string text = exported_header(terms) + selection_printer + "int main() {\n";
  std::map<std::string, std::size_t> devices;
  std::string calls;
  for (const Request& request : situation.requests) {
    const auto [entry, is_new] = devices.try_emplace(device_code(request.device), devices.size());
    if (is_new) text += fmt::format("  const Device d{} = {};\n", entry->second, entry->first);
    calls += fmt::format("  print(select(Problem{}, d{}));\n", cpp_braces(request.problem), entry->second);
  }
  return text + calls + "}\n";
}

struct Counts {
  std::map<std::string, int> rungs;
  int same = 0;
};

Counts compare(const Situation& situation) {
  Counts counts;
  const std::vector<Configuration> fallbacks = fallback_configurations(situation.spec, most_fallbacks);
  std::istringstream lines(output_of_program(program_for(situation)));
  for (const Request& request : situation.requests) {
    std::string answer;
    std::getline(lines, answer);
    const std::string expected = runtime_answer(situation, request, fallbacks);
    ++counts.rungs[expected == "none | " ? "nothing" : expected.substr(0, expected.find(" |"))];
    EXPECT_EQ(answer, expected) << request.problem.text() << " on " << request.device.name;
    counts.same += answer == expected ? 1 : 0;
  }
  return counts;
}

KernelSpec kernel_named(const std::string& name) {
  if (name == "odd") return read_kernel_text(odd_file, "odd.cu");
  if (name == "smooth") return read_kernel_text(smooth_file, "smooth.cu");
  if (name == "tiles") return read_kernel_text(tiles_file(), "tiles.cu");
  if (name == "everything") return load_kernel(ATTUNE_TEST_DATA "/kernels/everything.cu");
  return load_kernel(name);
}

class Selection : public testing::TestWithParam<const char*> {};

TEST_P(Selection, IsThatOfTheRuntime) {
  const Situation situation = Situations(kernel_named(GetParam())).take();
  ASSERT_GT(situation.records.size(), 5u);
  const Counts counts = compare(situation);
  std::string shown;
  for (const auto& [rung, count] : counts.rungs) shown += fmt::format("{} {}, ", rung, count);
  std::printf("%s: %s%d the same\n", GetParam(), shown.c_str(), counts.same);
  EXPECT_GT(counts.rungs.size(), 3u) << shown;
}

// A record of reduce for a problem of n floats, whose BLOCK tells which it is.
Record reduce_record(const KernelSpec& spec, std::int64_t n, std::int64_t block, const DeviceInfo& device,
                     const std::string& uuid) {
  Record record;
  record.uuid = uuid;
  record.key = {"reduce",
                spec.fingerprints.code,
                spec.fingerprints.contract,
                device.class_key(),
                {{"n", n}, {"T", "float"}, {"OP", "Op::sum"}},
                "cold",
                "time"};
  record.device_name = device.name;
  record.compute_capability = device.compute_capability;
  record.multiprocessors = device.multiprocessors;
  record.driver = device.driver;
  for (const Parameter& parameter : spec.parameters) record.configuration.set(parameter.name, parameter.values.front());
  record.configuration.set("BLOCK", block);
  return record;
}

TEST(SelectionTies, AreDecidedAsTheRuntimeDecides) {
  Situation situation{load_kernel("reduce"), {}, {}};
  const auto add = [&](std::int64_t n, std::int64_t block, const DeviceInfo& device, const std::string& uuid) {
    situation.records.push_back(reduce_record(situation.spec, n, block, device, uuid));
  };
  // Half and double the size, exactly equally far, in both orders of uuid.
  add(2048, 128, h200(), "a");
  add(8192, 256, h200(), "b");
  add(2048, 256, h100(), "d");
  add(8192, 128, h100(), "c");
  // Siblings of a device without records.
  DeviceInfo few = h200(), many = h200(), present = h200();
  few.name = "few", few.multiprocessors = 60;
  many.name = "many", many.multiprocessors = 150;
  present.name = "present", present.multiprocessors = 140;
  add(100000, 128, few, "e");
  add(100000, 256, many, "f");
  const auto ask = [&](std::int64_t n, const DeviceInfo& device) {
    situation.requests.push_back({{{"n", n}, {"T", "float"}, {"OP", "Op::sum"}}, device});
  };
  for (const std::int64_t n : {1024, 1023, 2047, 4095, 4096, 4097, 5000, 16384, 16385}) {
    ask(n, h200());
    ask(n, h100());
  }
  ask(100000, present);
  present.multiprocessors = 70;
  ask(100000, present);
  // The default was faster at the nearest of two.
  add(40000, 512, h200(), "g");
  add(50000, 1024, h200(), "h");
  situation.records[situation.records.size() - 2].speedup = 0.9;
  ask(40001, h200());
  ask(50001, h200());
  const Counts counts = compare(situation);
  EXPECT_EQ(counts.rungs.at("sibling device"), 2);
  EXPECT_GE(counts.rungs.at("near problem"), 12);
}

TEST(SelectionByCovers, IsThatOfTheRuntime) {
  Situation situation{load_kernel("reduce"), {}, {}};
  const KernelSpec& spec = situation.spec;
  const auto configuration = [&](std::int64_t block) {
    return reduce_record(spec, 1, block, h200(), "").configuration;
  };
  const auto cover = [&](const DeviceInfo& device, const std::string& tree) {
    Cover made;
    made.key = reduce_record(spec, 1, 128, device, "").key;
    made.device_name = device.name;
    made.configurations = {configuration(128), configuration(1024), configuration(7)};  // the last one is not listed
    made.tree = tree;
    made.measured = "n >= 1024 && n <= 2 ** 26";
    made.problems = 8;
    made.mean_loss = 0.012;
    made.made_ms = static_cast<std::int64_t>(situation.covers.size());
    return made;
  };
  // Every kind of answer: a configuration, one that is not legal, the default, none, and what has no value.
  situation.covers.push_back(
      cover(h200(),
            "T in ['float', 'double'] ? (n <= 65536 ? (n % 2 == 0 ? 1 : -1) : n * n <= 10 ** 12 ? 0 : n < 2 ** "
            "25 ? 2 : 1) : -2"));
  situation.covers.push_back(cover(h100(), "n <= 4096 ? 0 : 1"));
  situation.covers.push_back(cover(a100(), "n <="));       // no expression
  situation.covers.push_back(cover(a100(), "0 * n - 2"));  // no constant
  situation.covers.push_back(cover(h200(), "1"));
  situation.covers.back().key.kernel = "renamed";
  situation.covers.push_back(cover(h100(), "1"));
  situation.covers.back().key.regime = "warm";
  situation.records.push_back(reduce_record(spec, 1 << 20, 256, h200(), "a"));
  situation.records.push_back(reduce_record(spec, 1 << 12, 256, h100(), "b"));
  for (const DeviceInfo& device : {h200(), h100(), a100()})
    for (const std::int64_t n : {1L, 100L, 101L, 4096L, 65536L, 100'000L, 1L << 20, (1L << 20) + 1, 1L << 24, 1L << 26,
                                 1L << 30, 1L << 40, 1L << 62})
      for (const char* const type : {"float", "double", "half"})
        situation.requests.push_back({{{"n", n}, {"T", type}, {"OP", "Op::sum"}}, device});
  const Counts counts = compare(situation);
  EXPECT_GE(counts.rungs.at("cover"), 45);
  EXPECT_EQ(counts.rungs.at("exact"), 2);
  EXPECT_THAT(program_for(situation), testing::HasSubstr("// n % 2 == 0\n"));
}

// Some defaults are known to fail, and some are known to run nearer by.
TEST(SelectionOfOtherProblems, IsThatOfTheRuntime) {
  Situation situation{load_kernel("reduce"), {}, {}};
  const auto add = [&](std::int64_t n, std::int64_t block, const DeviceInfo& device, Verdict of_default) {
    situation.records.push_back(
        reduce_record(situation.spec, n, block, device, std::to_string(situation.records.size())));
    situation.records.back().default_verdict = of_default;
  };
  add(1 << 12, 128, h200(), Verdict::resources);
  add(1 << 20, 256, h200(), Verdict::ok);
  add(1 << 24, 512, h200(), Verdict::fault);
  add(1 << 20, 256, h100(), Verdict::restricted);
  add(1 << 28, 1024, h100(), Verdict::load_error);
  for (const DeviceInfo& device : {h200(), h100(), a100()})
    for (const std::int64_t n : {1, 100, 10'000, 1 << 15, 1 << 17, 1 << 22, 1 << 23, 1 << 30})
      for (const char* const type : {"float", "double"})
        situation.requests.push_back({{{"n", n}, {"T", type}, {"OP", "Op::sum"}}, device});
  const Counts counts = compare(situation);
  EXPECT_GE(counts.rungs.at("other problem"), 7);
  EXPECT_GE(counts.rungs.at("none"), 10);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Selection,
                         testing::Values("reduce", "transpose", "scan", "histogram", "stencil3d", "add", "smooth",
                                         "tiles", "everything", "odd"),
                         [](const auto& kernel) { return std::string(kernel.param); });

}  // namespace
}  // namespace attune::test
