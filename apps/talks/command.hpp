// What the programs of the talks share: their command line, what they do without a GPU, and tuning with a line per
// trial.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "attune/tune_callable.hpp"

namespace talks {

// PROGRAM [WORD] [--NAME INTEGER]...
class Command {
 public:
  // `numbers`: the options with their defaults. Prints `usage` for --help. Throws attune::UsageError for what is not
  // known, and for numbers below 1.
  Command(int argc, char** argv, const std::set<std::string>& words, std::map<std::string, std::int64_t> numbers,
          const char* usage);
  bool is_help() const noexcept { return is_help_; }
  const std::string& word() const noexcept { return word_; }
  std::int64_t operator[](const std::string& number) const { return numbers_.at(number); }

 private:
  bool is_help_ = false;
  std::string word_;
  std::map<std::string, std::int64_t> numbers_;
};

// Calls `open`. Where that throws attune::Error, because there is no device, says that the program is skipped and
// returns 77, or under ATTUNE_REQUIRE_GPU=1 fails and returns 1.
std::optional<int> skipped(const char* program, const std::function<void()>& open);

// Tunes, and prints each trial that is the best so far. Throws attune::Error where nothing was found.
void tune(const attune::Tunable& tunable, const attune::Problem& problem, double seconds);

// Returns the values of a configuration that are parameters of a kernel, by their names.
attune::Configuration part_of(const attune::Configuration& configuration, std::initializer_list<const char*> names);

// Returns the exit status of a program whose `body` does all; prints what it throws. 2: a wrong command line.
int status_of(const char* program, const std::function<int()>& body);

}  // namespace talks
