#include "exports/session_log.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/unix_ms.hpp"
#include "core/device_class.hpp"

namespace attune {

using nlohmann::ordered_json;

std::string device_name_of(const std::string& device_class) {
  const std::optional<DeviceInfo> device = device_of_class(device_class, {});
  return device ? device->name : device_class;
}

ordered_json json_of(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return value.boolean();
    case Value::Kind::integer:
      return value.integer();
    case Value::Kind::real:
      return value.real();
    case Value::Kind::name:
      break;
  }
  return value.name();
}

std::int64_t completed_ms(const SessionLog& session, const Trial& trial) {
  return trial.made_ms > 0 ? trial.made_ms : session.started_ms;
}

std::string one_line(const ordered_json& document) {
  return document.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

std::string iso_time(std::int64_t unix_ms, char between) {
  const std::string day = utc_text(unix_ms, "%Y-%m-%d"), time = utc_text(unix_ms, "%H:%M:%S");
  return fmt::format("{}{}{}.{:03}000+00:00", day, between, time, (unix_ms % 1000 + 1000) % 1000);
}

}  // namespace attune
