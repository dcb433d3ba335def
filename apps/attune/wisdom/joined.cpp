#include "wisdom/joined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "core/device_class.hpp"
#include "put_text.hpp"
#include "stop_requests.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

// Returns "2 records, of which 1 serves now; 1 session with 300 trials; 3 known before".
std::string count_text(const JoinCount& count) {
  std::vector<std::string> parts;
  if (count.records > 0) {
    const std::string which = count.serving == count.records ? "which"
                              : count.serving == 0           ? "none of which"
                                                             : fmt::format("of which {}", count.serving);
    parts.push_back(
        fmt::format("{}, {} {} now", counted(count.records, "record"), which, count.serving > 1 ? "serve" : "serves"));
  }
  if (count.sessions > 0)
    parts.push_back(fmt::format("{} with {}", counted(count.sessions, "session"), counted(count.trials, "trial")));
  else if (count.trials > 0)
    parts.push_back(fmt::format("{} more", counted(count.trials, "trial")));
  if (count.known > 0) parts.push_back(fmt::format("{} known before", count.known));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

DeviceInfo device_by_class(const std::string& class_key) {
  const std::string architecture = architecture_of_class(class_key);
  const std::vector<std::string> known = known_architectures();
  const bool has_limits = std::ranges::find(known, architecture) != known.end();
  const std::optional<DeviceInfo> device =
      device_of_class(class_key, has_limits ? device_limits(architecture) : DeviceInfo());
  if (device && visible_text(class_key) == class_key) return *device;
  throw UsageError(
      fmt::format("`{}` is no class of devices; a class is written as `attune devices --json` and records "
                  "have it, such as \"cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-\"",
                  class_key));
}

JoinTerms join_terms(std::string into, bool only_looks) {
  catch_signals();  // the first one ends the joining, which takes its copy away
  return {.into = std::move(into), .only_looks = only_looks, .waiting = {note_on_stderr, &stop_requests}};
}

void put_joined(const JoinResult& joined, const std::vector<std::string>& notes, const JoinTerms& terms) {
  for (const auto& [key, count] : joined.counts)
    put_text("{}\n  {}\n", in_lines(key.first + " on " + key.second, 2), in_lines(count_text(count), 4));
  if (joined.ceilings > 0) put_text("{}\n", counted(joined.ceilings, "ceiling"));
  if (joined.covers > 0) put_text("{}\n", counted(joined.covers, "cover"));
  for (const std::string& note : notes) put_text("  {}\n", in_lines(note, 4));
  if (joined.left_out > 0)
    put_text("  {}\n", in_lines(fmt::format("{} left out: of other kernels, or with names or numbers that are out of "
                                            "bounds",
                                            counted(joined.left_out, "row")),
                                4));
  if (joined.damaged > 0) put_text("  {} left out, which are damaged\n", counted(joined.damaged, "row"));
  if (joined.counts.empty() && joined.ceilings == 0 && joined.covers == 0) put_text("nothing\n");
  if (joined.has_backup) put_text("the database as it was: {}.bak-1\n", terms.into.string());
}

}  // namespace attune::cli
