#include "faults/fault_script.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "base/enum_texts.hpp"
#include "worker/process/serve.hpp"

namespace attune::test {
namespace {

constexpr EnumTexts<Phase> phases("compile", "load", "launch", "synchronize", "sample", "state");

// The same number for the same rule, text and attempt, in every process: 0 <= number < 1.
double lot(std::size_t rule, const std::string& text, int attempt) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text + "#" + std::to_string(attempt) + "#" + std::to_string(rule))
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdu;
  hash ^= hash >> 33;
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

bool has_word(const std::string& text, const std::string& word) {
  return (" " + text + " ").find(" " + word + " ") != std::string::npos;
}

bool matches(const std::string& pattern, Phase phase, const std::string& text) {
  if (pattern == "*") return true;
  if (phase == Phase::compile) return text.find(pattern) != std::string::npos;
  std::istringstream words(pattern);
  for (std::string word; std::getline(words, word, '&');)
    if (!has_word(text, word)) return false;
  return true;
}

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

[[noreturn]] void send_and_end(const std::string& bytes, bool ends) {
  if (write(channel().replies, bytes.data(), bytes.size()) < 0) _exit(9);
  if (ends) _exit(0);
  wait_for_ever();
}

}  // namespace

FaultScript::FaultScript(const std::filesystem::path& file) {
  std::ifstream lines(file);
  if (!lines) throw std::runtime_error("cannot read " + file.string());
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) rules_.push_back(parse(line));
}

FaultScript::Rule FaultScript::parse(const std::string& line) {
  std::istringstream words(line);
  Rule rule;
  std::string phase, when, argument = "0";
  words >> rule.pattern >> phase >> when >> rule.fault.kind >> argument;
  const std::optional<Phase> found = phases.find(phase);
  if (!found || rule.fault.kind.empty()) throw std::runtime_error("cannot read the rule " + line);
  rule.phase = *found;
  if (when.starts_with("w>"))
    rule.after_worker = std::stoi(when.substr(2));
  else if (when.starts_with("n>"))
    rule.least_samples = std::stoi(when.substr(2)) + 1;
  else if (when.starts_with('n')) {
    rule.least_samples = std::stoi(when.substr(1));
    rule.most_samples = std::stoi(when.substr(when.find('-') + 1));
  } else if (when != "*")
    rule.attempt = std::stoi(when);
  if (rule.pattern.ends_with('%')) {
    rule.share = std::stod(rule.pattern) / 100;
    rule.pattern = "*";
  }
  rule.fault.argument = std::stod(argument);
  return rule;
}

bool FaultScript::applies(const Rule& rule, std::size_t number, const std::string& text, int attempt) const {
  if (rule.attempt && *rule.attempt != attempt) return false;
  if (!matches(rule.pattern, rule.phase, text)) return false;
  const bool spared = text.find("reference") != std::string::npos;
  return rule.share >= 1 || (!spared && lot(number, text, attempt) < rule.share);
}

std::optional<Fault> FaultScript::find(Phase phase, const std::string& text, int attempt, int worker,
                                       int samples) const {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const Rule& rule = rules_[i];
    const bool is_now = samples >= rule.least_samples && samples <= rule.most_samples;
    if (rule.phase == phase && is_now && worker > rule.after_worker && applies(rule, i, text, attempt))
      return rule.fault;
  }
  return std::nullopt;
}

bool FaultScript::has(std::string_view kind) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) { return rule.fault.kind == kind; });
}

void strike(const Fault& fault) {
  if (fault.kind == "sleep") usleep(static_cast<useconds_t>(fault.argument * 1000));
  if (fault.kind == "hang") wait_for_ever();
  if (fault.kind == "stubborn") {
    signal(SIGTERM, SIG_IGN);
    wait_for_ever();
  }
  if (fault.kind == "spin")
    for (volatile std::uint64_t turns = 0;;) turns = turns + 1;
  if (fault.kind == "exit") _exit(fault.number());
  if (fault.kind == "signal") raise(fault.number());
  if (fault.kind == "half") send_and_end(std::string("atwk\x40\0\0\0\x01\0\0\0", 12), true);
  if (fault.kind == "garbage") send_and_end(std::string(4096, 'x'), false);
  if (fault.kind == "eat") {
    std::vector<std::unique_ptr<char[]>> eaten;
    for (;;) eaten.push_back(std::make_unique<char[]>(std::size_t{16} << 20));
  }
}

}  // namespace attune::test
