// JsonLines: shows a session to a program: one object per line. Format: docs/command_line.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "core/ceiling.hpp"
#include "core/verdict_counts.hpp"
#include "session/kernel_session.hpp"
#include "session/observer.hpp"

namespace attune::cli {

// Prints an object on one line. Bytes that are not UTF-8 become U+FFFD.
void print_line(const nlohmann::ordered_json& line);
// Prints a line of this type, with these fields behind the type.
void print_line(std::string_view type, const nlohmann::ordered_json& fields);
// Adds the rates by [metrics] for a time.
void add_rates(nlohmann::ordered_json& line, const KernelSpec& spec, const Problem& problem,
               const Configuration& configuration, double nanoseconds);

// Prints the lines "record" and "finalist". The record has the field of_other_code where that is known.
void print_record(const Record& record, std::span<const FinalistResult> finalists,
                  std::optional<bool> of_other_code = std::nullopt);

nlohmann::ordered_json to_json(const Value& value);
nlohmann::ordered_json to_json(const Bindings& bindings);
nlohmann::ordered_json to_json(const DeviceInfo& device);
nlohmann::ordered_json to_json(const VerdictCounts& counts);

class JsonLines final : public Observer {
 public:
  // With a `problem`, each line names it: lines of several problems then stand in one output.
  explicit JsonLines(const KernelSpec& spec, std::optional<Problem> problem = std::nullopt)
      : spec_(spec), problem_(std::move(problem)) {}
  void session_started(const SessionStart& start) override;
  void note(const std::string& text) override;
  void trial_done(const Trial& trial, const Progress& progress) override;

  // Prints "best" (when this run had a final stage) and "record".
  void show_result(const KernelRequest& request, const SessionResult& result, std::span<const Ceiling> ceilings = {});

 private:
  nlohmann::ordered_json line_of(const char* type) const;

  const KernelSpec& spec_;
  const std::optional<Problem> problem_;
};

}  // namespace attune::cli
