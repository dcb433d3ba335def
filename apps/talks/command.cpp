#include "command.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "attune/error.hpp"

namespace talks {

Command::Command(int argc, char** argv, const std::set<std::string>& words, std::map<std::string, std::int64_t> numbers,
                 const char* usage)
    : numbers_(std::move(numbers)) {
  for (int i = 1; i < argc; ++i) {
    const std::string given = argv[i];
    if (given == "--help") {
      std::fputs(usage, stdout);
      is_help_ = true;
    } else if (words.contains(given) && word_.empty()) {
      word_ = given;
    } else if (const auto option = numbers_.find(given.substr(0, 2) == "--" ? given.substr(2) : "");
               option != numbers_.end()) {
      const std::string_view text = i + 1 < argc ? argv[++i] : "";
      const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), option->second);
      if (failed != std::errc() || end != text.data() + text.size() || option->second < 1)
        throw attune::UsageError(given + " takes an integer above 0\n" + usage);
    } else {
      throw attune::UsageError("unknown argument `" + given + "`\n" + usage);
    }
  }
}

std::optional<int> skipped(const char* program, const std::function<void()>& open) {
  try {
    open();
    return std::nullopt;
  } catch (const attune::UsageError&) {
    throw;
  } catch (const attune::Error& error) {
    const char* const required = std::getenv("ATTUNE_REQUIRE_GPU");
    const bool must = required != nullptr && std::string_view(required) == "1";
    std::fprintf(stderr, "%s: %s: %s\n", program, must ? "ATTUNE_REQUIRE_GPU=1, but" : "skipped", error.what());
    return must ? 1 : 77;
  }
}

void tune(const attune::Tunable& tunable, const attune::Problem& problem, double seconds) {
  attune::TuneCallableOptions options;
  options.seconds = seconds;
  options.on_trial = [](const attune::TuneTrial& trial) {
    if (trial.verdict != "ok")
      std::printf("%5lld  %s: %s: %.200s\n", static_cast<long long>(trial.trials), trial.configuration.text().c_str(),
                  trial.verdict.c_str(), trial.detail.c_str());
    else if (trial.is_new_best)
      std::printf("%5lld  %9.3f ms  %s\n", static_cast<long long>(trial.trials), trial.median_ns / 1e6,
                  trial.configuration.text().c_str());
    std::fflush(stdout);
  };
  const attune::TuneResult tuned = attune::tune(tunable, problem, attune::Effort::measure, options);
  if (!tuned.configuration) throw attune::Error(tuned.explanation);
  std::printf("%lld trials; %s: %.3f ms, %.3fx over the default\n", static_cast<long long>(tuned.trials),
              tuned.configuration->text().c_str(), tuned.median_ns / 1e6, tuned.speedup);
}

attune::Configuration part_of(const attune::Configuration& configuration, std::initializer_list<const char*> names) {
  attune::Configuration part;
  for (const char* const name : names) part.set(name, configuration.at(name));
  return part;
}

int status_of(const char* program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const attune::UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace talks
