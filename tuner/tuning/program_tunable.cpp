#include "tuning/program_tunable.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "base/descriptor.hpp"
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

Tunable tunable_from(const Json& json) {
  Tunable tunable;
  for (const auto& [member, value] : json.items()) {
    if (member == "name")
      tunable.name = value;
    else if (member == "version")
      tunable.version = value;
    else if (member == "problem")
      for (const auto& [name, usual] : value.items()) tunable.problem.set(name, value_of(usual, name));
    else if (member == "parameters")
      for (const auto& [name, values] : value.items()) {
        Parameter& parameter = tunable.parameters.emplace_back(Parameter{name, {}});
        for (const Json& one : values) parameter.values.push_back(value_of(one, name));
      }
    else if (member == "rules")
      tunable.rules = value.get<std::vector<std::string>>();
    else if (member == "device")
      tunable.device = [device = value.get<std::string>()] { return open_device(device)->info(); };
    else
      throw UsageError(fmt::format("`{}` is no member of a tunable", member));
  }
  return tunable;
}

// Ends this process as `child` ended.
[[noreturn]] void end_as(ChildProcess& child, const std::string& how) {
  fmt::print(stderr, "{}\n", how);
  std::fflush(nullptr);
  if (const int signal_number = child.signal()) {
    std::signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  _exit(child.exit_code().value_or(1));
}

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

  // Asks with one line, and waits for the answer. Throws what the answer says went wrong.
  Json ask(const std::string& what, const std::string& further = {}) {
    send(fmt::format("{{\"ask\":\"{}\"{}}}\n", what, further));
    const std::string text = line();
    Json answer = Json::parse(text, nullptr, false);
    if (!answer.is_object())
      throw Error(fmt::format("`{}` answered `{}` to \"{}\": expected an object of JSON", command_, text, what));
    if (answer.contains("out_of_memory")) throw OutOfMemory(answer["out_of_memory"].get<std::string>());
    if (answer.contains("error")) throw Error(answer["error"].get<std::string>());
    return answer;
  }

 private:
  static constexpr double patience_seconds = 1;
  static constexpr int between_looks_ms = 50;  // what the program started may keep its output open

  void send(const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = write(requests_.write.get(), text.data() + sent, text.size() - sent);
      if (count < 0 && errno != EINTR) ended();
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
  }

  // Returns the next line that begins an object. Others are what the program prints.
  std::string line() {
    for (;;) {
      const std::size_t end = read_.find('\n');
      if (end == std::string::npos) {
        receive();
        continue;
      }
      std::string text = read_.substr(0, end);
      read_.erase(0, end + 1);
      if (text.starts_with('{')) return text;
      fmt::print(stderr, "{}\n", text);
    }
  }

  void receive() {
    pollfd waiting{answers_.read.get(), POLLIN, 0};
    const int ready = poll(&waiting, 1, between_looks_ms);
    if (ready == 0 && process_.ends_within(0)) ended();
    if (ready <= 0) return;
    char piece[65536];
    const ssize_t count = read(answers_.read.get(), piece, sizeof piece);
    if (count == 0 || (count < 0 && errno != EINTR)) ended();
    if (count > 0) read_.append(piece, static_cast<std::size_t>(count));
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
};

Tunable described_by(Conversation& program) { return described_tunable(program.ask("describe").dump()); }

Work work_of(const std::shared_ptr<Conversation>& program, const Problem& problem) {
  program->ask("begin", fmt::format(",\"problem\":{}", bindings_json(problem)));
  const auto run = [program](const Configuration& configuration) {
    const auto begin = std::chrono::steady_clock::now();
    const Json answer = program->ask("run", fmt::format(",\"configuration\":{}", bindings_json(configuration)));
    const Work::Time taken = std::chrono::steady_clock::now() - begin;
    return answer.contains("ns") ? Work::Time(answer["ns"].get<double>()) : taken;
  };
  const auto check = [program](const Configuration& configuration) {
    return program->ask("check", fmt::format(",\"configuration\":{}", bindings_json(configuration)))
        .value("wrong", std::string());
  };
  return {run, check};
}

}  // namespace

Tunable described_tunable(const std::string& description) try {
  Tunable tunable = tunable_from(Json::parse(description));
  tunable.make = [](const Problem&) -> Work { throw Error("a description does no work"); };
  return tunable;
} catch (const nlohmann::json::exception& error) {
  throw UsageError(fmt::format("the description of a tunable has a mistake: {} (docs/callables.md)", error.what()));
}

Tunable ask_for_tunable(const std::string& command) {
  Conversation program(command, AtEnd::say);
  return described_by(program);
}

Tunable tunable_of_program(const std::string& command) {
  const auto program = std::make_shared<Conversation>(command, AtEnd::end_too);
  Tunable tunable = described_by(*program);
  tunable.make = [program](const Problem& problem) { return work_of(program, problem); };
  return tunable;
}

}  // namespace attune
