#include "request.hpp"

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <charconv>
#include <iostream>
#include <thread>

#include "apps/terminal/help_text.hpp"
#include "attune/error.hpp"
#include "attune/strategy.hpp"
#include "base/near_name.hpp"

namespace attune::cli {
namespace {

namespace po = boost::program_options;
using Texts = std::vector<std::string>;

constexpr const char* usage =
    "attune-score --strategy NAME[:options] [--strategy ...] [options] FILE...\n"
    "       attune-score --traces FILE.jsonl [options] FILE...\n"
    "       attune-score --reference-trace FILE...";
constexpr const char* examples =
    "\nFILE: recorded measurements (Kernel Tuner cache, T4 results, attune's database), plain, .xz or .gz\n\nexamples\n"
    "  attune-score --strategy random recorded/*.json.xz\n"
    "  attune-score --strategy random --strategy exhaustive --repeats 100 --group kernel recorded/*.json.xz\n"
    "  attune-score --traces peers.jsonl --strategy random --json recorded/*.json.xz\n";

po::options_description description() {
  po::options_description shown;
  auto add = shown.add_options();
  add("strategy", po::value<Texts>()->value_name("STRATEGY"), "a strategy to score, with its options; may be repeated");
  add("traces", po::value<Texts>()->value_name("FILE"),
      "score searches of other programs too: a file of lines (docs/score.md)");
  add("repeats", po::value<std::string>()->value_name("N"), "searches per strategy and file [25]");
  add("budget-evaluations", po::value<std::string>()->value_name("N"),
      "end each search after so many evaluations [none: 1.1 times the span, and 400 evaluations]");
  add("seed", po::value<std::string>()->value_name("N"), "of all random numbers [1]");
  add("threads", po::value<std::string>()->value_name("N"), "threads [one per processor]");
  add("warm", "try first what is best in the other files of the same kernel");
  add("group", po::value<std::string>()->value_name("kernel"), "kernel: means per kernel as well");
  add("json", "for programs: one object");
  add("reference-trace", "the methodology's figures for a search without random numbers, as JSON");
  add("help,h", "this text");
  return shown;
}

po::variables_map parse(int count, char** values, const po::options_description& shown) {
  po::options_description all;
  all.add(shown).add_options()("file", po::value<Texts>());
  po::positional_options_description places;
  places.add("file", -1);
  po::variables_map map;
  try {
    po::store(po::command_line_parser(count, values)
                  .options(all)
                  .positional(places)
                  .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
                  .run(),
              map);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> names;
    for (const auto& option : shown.options()) names.push_back("--" + option->long_name());
    throw UsageError("unknown option `" + error.get_option_name() + "`" + suggestion(error.get_option_name(), names) +
                     "; see: attune-score --help");
  } catch (const po::error& error) {
    throw UsageError(std::string(error.what()) + "; see: attune-score --help");
  }
  return map;
}

Texts texts(const po::variables_map& map, const char* name) {
  return map.count(name) ? map[name].as<Texts>() : Texts();
}

std::optional<std::uint64_t> number(const po::variables_map& map, const char* name, std::uint64_t least,
                                    std::uint64_t most) {
  if (map.count(name) == 0) return std::nullopt;
  const auto text = map[name].as<std::string>();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw UsageError(fmt::format("--{} takes a whole number from {} to {}, not `{}`", name, least, most, text));
  return value;
}

}  // namespace

std::optional<ScoreRequest> read_request(int count, char** values) {
  const po::options_description shown = description();
  const po::variables_map map = parse(count, values, shown);
  if (map.count("help") > 0) {
    std::cout << "attune-score: how well strategies search, on recorded measurements\n\nusage: " << usage << "\n\n"
              << "options\n"
              << options_text(shown, output_columns()) << examples_text(examples, output_columns());
    return std::nullopt;
  }
  ScoreRequest request;
  request.files = texts(map, "file");
  request.strategies = texts(map, "strategy");
  request.traces = texts(map, "traces");
  request.repeats = number(map, "repeats", 1, 10'000).value_or(request.repeats);
  request.seed = number(map, "seed", 0, UINT32_MAX).value_or(request.seed);
  request.threads = number(map, "threads", 1, 1024).value_or(std::max(std::thread::hardware_concurrency(), 1u));
  request.most_evaluations = number(map, "budget-evaluations", 1, UINT32_MAX);
  if (map.count("group") > 0) {
    const auto group = map["group"].as<std::string>();
    if (group != "kernel") throw UsageError("--group takes kernel, not `" + group + "`");
    request.group_by_kernel = true;
  }
  request.warm = map.count("warm") > 0;
  request.json = map.count("json") > 0;
  request.reference_trace = map.count("reference-trace") > 0;
  const bool has_searches = !request.strategies.empty() || !request.traces.empty();
  if (request.files.empty() || has_searches == request.reference_trace)
    throw UsageError(std::string("usage: ") + usage + "\nsee: attune-score --help");
  for (const std::string& strategy : request.strategies) check_strategy(strategy);
  return request;
}

}  // namespace attune::cli
