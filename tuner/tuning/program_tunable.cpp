#include "tuning/program_tunable.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/steady_seconds.hpp"
#include "core/bindings_json.hpp"
#include "device/device.hpp"

namespace attune {
namespace {

using Json = nlohmann::ordered_json;

Value value_of(const Json& json, const std::string& name) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= INT64_MAX))
    return json.get<std::int64_t>();
  throw UsageError(fmt::format("`{}`: {} is no boolean, integer of 64 bits, number or text", name, json.dump()));
}

// Throws UsageError for a member of another type than `is_right` says.
void expect(bool is_right, const std::string& member, const Json& value, const char* expected) {
  if (!is_right) throw UsageError(fmt::format("`{}`: {} is no {}", member, value.dump(), expected));
}

std::string text_of(const std::string& member, const Json& value) {
  expect(value.is_string(), member, value, "text");
  return value;
}

// Fills in a member other than `device`.
void set_member(Tunable& tunable, const std::string& member, const Json& value) {
  if (member == "name") {
    tunable.name = text_of(member, value);
  } else if (member == "version") {
    tunable.version = text_of(member, value);
  } else if (member == "problem") {
    expect(value.is_object(), member, value, "object");
    for (const auto& [name, usual] : value.items()) tunable.problem.set(name, value_of(usual, name));
  } else if (member == "parameters") {
    expect(value.is_object(), member, value, "object");
    for (const auto& [name, values] : value.items()) {
      expect(values.is_array(), name, values, "list of values");
      Parameter& parameter = tunable.parameters.emplace_back(Parameter{name, {}});
      for (const Json& one : values) parameter.values.push_back(value_of(one, name));
    }
  } else if (member == "rules") {
    expect(value.is_array(), member, value, "list of texts");
    for (const Json& rule : value) tunable.rules.push_back(text_of(member, rule));
  } else {
    throw UsageError(fmt::format("`{}` is no member of a tunable", member));
  }
}

Tunable tunable_from(const Json& json) {
  if (!json.is_object()) throw UsageError("it is no object of JSON");
  Tunable tunable;
  for (const auto& [member, value] : json.items()) {
    if (member == "device")
      tunable.device = [device = text_of(member, value)] { return open_device(device)->info(); };
    else
      set_member(tunable, member, value);
  }
  return tunable;
}

// Prints a line. Standard error of a worker is a pipe that may be full: what does not fit is lost.
void say(std::string line) {
  line += '\n';
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

// Ends this process as `child` ended.
[[noreturn]] void end_as(ChildProcess& child, const std::string& how) {
  say(how);
  std::fflush(nullptr);
  if (const int signal_number = child.signal()) {
    std::signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  _exit(child.exit_code().value_or(1));
}

struct Question {
  const char* name;
  const char* member;  // that an answer may have; null: any
  const char* expected;
};
constexpr Question describe{"describe", nullptr, "an object of JSON"};
constexpr Question begin_work{"begin", "", "{}"};
constexpr Question run_once{"run", "ns", R"({} or {"ns":NUMBER})"};
constexpr Question check_last{"check", "wrong", R"({} or {"wrong":"TEXT"})"};

enum class AtEnd { say, end_too };

// A program that runs, and the lines to it and from it. One thread.
class Conversation {
 public:
  Conversation(std::string command, AtEnd at_end)
      : command_(std::move(command)),
        at_end_(at_end),
        process_(
            {.arguments = {"/bin/sh", "-c", command_}, .input = requests_.read.get(), .output = answers_.write.get()}) {
    requests_.read.close();
    answers_.write.close();
  }
  ~Conversation() {
    requests_.write.close();  // the program then ends by itself
    process_.ends_within(patience_seconds);
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Asks with one line, and waits for the answer. Throws what the answer says went wrong, and BrokenProcess for what is
  // no answer to this question: who knows which one the next answer is of.
  Json ask(const Question& question, const std::string& further = {}) {
    refuse_what_is_there(question);
    send(fmt::format("{{\"ask\":\"{}\"{}}}\n", question.name, further));
    const std::string text = line();
    Json answer = Json::parse(text, nullptr, false);
    if (!answer.is_object()) refuse(text, question, question.expected);
    for (const auto& [name, value] : answer.items()) {
      const bool is_failure = name == "error" || name == "out_of_memory";
      if (!is_failure && question.member == nullptr) continue;
      const bool fits = name == "ns" ? value.is_number() : value.is_string();
      if (!fits || (!is_failure && name != question.member)) refuse(text, question, question.expected);
      if (name == "out_of_memory") throw OutOfMemory(value.get<std::string>());
      if (is_failure) throw Error(value.get<std::string>());
    }
    return answer;
  }

  // Throws Error where an answer takes longer from here on.
  void expect_within(double seconds) { deadline_ = steady_seconds() + seconds; }

 private:
  static constexpr double patience_seconds = 1;
  static constexpr std::size_t most_shown = 200;  // characters of what is no answer
  static constexpr int between_looks_ms = 50;     // what the program started may keep its output open

  void send(const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = write(requests_.write.get(), text.data() + sent, text.size() - sent);
      if (count < 0 && errno != EINTR) ended();
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
  }

  [[noreturn]] void refuse(const std::string& answer, const Question& to, const char* expected) const {
    throw BrokenProcess(
        fmt::format("`{}` answered `{}` to \"{}\": expected {}; what it prints belongs on standard error"
                    " (docs/callables.md)",
                    command_, answer.substr(0, most_shown), to.name, expected));
  }

  void refuse_what_is_there(const Question& next) {
    for (bool is_more = true; is_more; is_more = is_readable(0) && take_piece()) {
      const std::optional<std::string> text = next_line();
      if (text || read_.starts_with('{'))
        refuse(text.value_or(read_), next, "nothing yet, because it answered more than was asked");
    }
  }

  // Returns the next line that begins an object, if all of it has come. Others are what the program prints.
  std::optional<std::string> next_line() {
    for (std::size_t end = read_.find('\n'); end != std::string::npos; end = read_.find('\n')) {
      std::string text = read_.substr(0, end);
      read_.erase(0, end + 1);
      if (text.starts_with('{')) return text;
      say(std::move(text));
    }
    return std::nullopt;
  }

  std::string line() {
    for (;;) {
      if (auto text = next_line()) return *std::move(text);
      receive();
    }
  }

  bool is_readable(int within_ms) {
    pollfd waiting{answers_.read.get(), POLLIN, 0};
    return poll(&waiting, 1, within_ms) > 0;
  }

  // Reads what is there. Returns whether it was something.
  bool take_piece() {
    char piece[65536];
    const ssize_t count = read(answers_.read.get(), piece, sizeof piece);
    if (count > 0) read_.append(piece, static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }

  void receive() {
    if (steady_seconds() > deadline_)
      throw Error(
          fmt::format("`{}` did not answer in time: an answer is one line, flushed (docs/callables.md)", command_));
    if (is_readable(between_looks_ms)) {
      if (!take_piece()) ended();
    } else if (process_.ends_within(0)) {
      if (!is_readable(0) || !take_piece()) ended();  // its last words came after the first look
    }
  }

  [[noreturn]] void ended() {
    std::string how = "closed its standard output and went on";
    if (process_.ends_within(patience_seconds))
      how = process_.signal() != 0
                ? fmt::format("was ended by signal {} ({})", process_.signal(), strsignal(process_.signal()))
                : fmt::format("ended with exit code {}", process_.exit_code().value_or(0));
    how = fmt::format("`{}` {}", command_, how);
    if (at_end_ == AtEnd::end_too) end_as(process_, how);
    throw Error(how + " where it was to answer a line of JSON (docs/callables.md)");
  }

  const std::string command_;
  const AtEnd at_end_;
  Pipe requests_ = make_pipe(), answers_ = make_pipe();
  ChildProcess process_;
  std::string read_;
  double deadline_ = std::numeric_limits<double>::infinity();
};

Tunable described_by(Conversation& program, const std::string& command) try {
  return tunable_from(program.ask(describe));
} catch (const UsageError& error) {
  throw UsageError(
      fmt::format("`{}`: the description of a tunable has a mistake: {} (docs/callables.md)", command, error.what()));
}

Work work_of(const std::shared_ptr<Conversation>& program, const Problem& problem) {
  program->ask(begin_work, fmt::format(",\"problem\":{}", bindings_json(problem)));
  const auto run = [program](const Configuration& configuration) {
    const auto begin = std::chrono::steady_clock::now();
    const Json answer = program->ask(run_once, fmt::format(",\"configuration\":{}", bindings_json(configuration)));
    const Work::Time taken = std::chrono::steady_clock::now() - begin;
    return answer.empty() ? taken : Work::Time(answer["ns"].get<double>());
  };
  const auto check = [program](const Configuration& configuration) {
    return program->ask(check_last, fmt::format(",\"configuration\":{}", bindings_json(configuration)))
        .value("wrong", std::string());
  };
  return {run, check};
}

}  // namespace

Tunable ask_for_tunable(const std::string& command, double seconds) {
  Conversation program(command, AtEnd::say);
  program.expect_within(seconds);
  Tunable tunable = described_by(program, command);
  tunable.make = [](const Problem&) -> Work { throw Error("a description does no work"); };
  return tunable;
}

Tunable tunable_of_program(const std::string& command) {
  const auto program = std::make_shared<Conversation>(command, AtEnd::end_too);
  Tunable tunable = described_by(*program, command);
  tunable.make = [program](const Problem& problem) { return work_of(program, problem); };
  return tunable;
}

}  // namespace attune
