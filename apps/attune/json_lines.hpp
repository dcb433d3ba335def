// JsonLines: shows a session to a program: one object per line. Format: docs/command_line.md.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "core/ceiling.hpp"
#include "session/observer.hpp"
#include "session/session.hpp"

namespace attune::cli {

nlohmann::ordered_json to_json(const Value& value);
nlohmann::ordered_json to_json(const Bindings& bindings);
nlohmann::ordered_json to_json(const FinalistResult& finalist);
nlohmann::ordered_json to_json(const DeviceInfo& device);

class JsonLines final : public Observer {
 public:
  explicit JsonLines(const KernelSpec& spec) : spec_(spec) {}
  void session_started(const SessionStart& start) override;
  void note(const std::string& text) override;
  void trial_done(const Trial& trial, const Progress& progress) override;

  // Prints "best" (when this run had a final stage) and "record".
  void show_result(const SessionRequest& request, const SessionResult& result, std::span<const Ceiling> ceilings = {});

 private:
  const KernelSpec& spec_;
};

}  // namespace attune::cli
