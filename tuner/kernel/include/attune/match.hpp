// Match: how well a record fits a request, and why. docs/dispatch.md explains the rungs. A plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attune/bindings.hpp"

namespace attune {

enum class Rung { pinned, exact, stale, other_regime, cover, near_problem, sibling_device, none, other_problem };
// "pinned", "exact", "stale", "other regime", "cover", "near problem", "sibling device", "none", "other problem"
std::string_view to_text(Rung rung) noexcept;

struct Match {
  Rung rung = Rung::none;
  Configuration configuration;  // what will be launched; the default on rung none
  std::string why;              // one sentence that names kernel and device, and on rung none the next step
  double speedup = 1;           // over the default, as recorded; 1 on rung none, and without a default
  std::string record_problem;   // the problem of the record that was used, as text; "" on rung none
  // The verdict on the default configuration in the session that made the record, such as "resources". "" if it ran, or
  // was not tried because it is not deterministic. The text is zero-terminated.
  std::string_view default_failure = "";
  // Where the record comes from: "the database /home/me/.local/share/attune/wisdom.db", "the site /etc/attune"; "" on
  // the rungs cover and none.
  std::string source = {};
};

}  // namespace attune
