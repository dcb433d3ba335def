#include "session/revalidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attune/error.hpp"
#include "base/first_line.hpp"

namespace attune {
namespace {

// Enough to tell that a record is off, and to find a default that is faster by a tie.
constexpr double settled_log_ratio = 0.01;
constexpr double final_seconds = 5;

bool is_legal_in(const SearchSpace& space, const Configuration& configuration) {
  const std::optional<Row> row = space.row_of(configuration);
  return row && space.contains(*row);
}

// Returns why a configuration cannot be launched.
std::string illegal_text(const SearchSpace& space, const Configuration& configuration) {
  const std::vector<std::string> broken = space.broken_rules(configuration);
  return "it is not legal here: " + (broken.empty() ? "the kernel does not list its values" : broken.front());
}

// Returns why the session found the record's configuration unfit, or "".
std::string failure_text(const Record& record, std::int64_t session, WisdomStore& store) {
  for (const Trial& trial : store.trials(session))
    if (trial.configuration == record.configuration && trial.verdict != Verdict::ok)
      return fmt::format("{}: {}", to_text(trial.verdict), first_line(trial.detail));
  return "";
}

// Returns whether a record is as good as one that a busy or unstable device makes now.
bool stays_unless_quiet(const Record& former, const Record& now) {
  const bool is_present = former.origin == Origin::measured && is_of_present_meaning(former.protocol) &&
                          former.driver == now.driver && former.toolchain == now.toolchain;
  return is_present && !former.busy && !former.unstable && (now.busy || now.unstable);
}

SessionRequest request_for(const Record& record, bool is_legal, SessionRequest request) {
  request.regime = regime_of(record.key.regime).value_or(Regime::cold);
  request.objectives = Objectives(record.key.objective);
  request.effort = std::max(record.effort, Effort::measure);
  request.fresh = true;
  Protocol protocol;
  protocol.settled_log_ratio = settled_log_ratio;
  protocol.final_seconds = final_seconds;
  request.protocol = protocol;
  request.part = SessionPart{.asks_strategy = false, .revalidates = record};
  if (is_legal) request.part->first.push_back(record.configuration);
  return request;
}

RecordStanding standing_of(const Record& former, const Record& now) {
  if (!(now.configuration == former.configuration)) return RecordStanding::replaced;
  const bool is_comparable = is_of_present_meaning(former.protocol) && former.median_ns > 0;
  const bool has_moved = is_comparable && std::abs(std::log(now.median_ns / former.median_ns)) > std::log(moved_ratio);
  return has_moved ? RecordStanding::moved : RecordStanding::confirmed;
}

}  // namespace

std::string_view to_text(RecordStanding standing) noexcept {
  constexpr std::string_view texts[] = {"confirmed", "moved", "replaced", "dropped", "unsure", "pinned", "failed"};
  return texts[static_cast<int>(standing)];
}

std::string why_revalidate(const Record& record, const Present& present) {
  const std::string from = record.source.empty() ? "" : " from " + record.source;
  if (record.origin == Origin::imported) return "imported" + from;
  if (record.origin == Origin::adopted) return "adopted" + from;
  if (record.median_ns <= 0) return "it was never measured";
  if (!is_of_present_meaning(record.protocol)) return "its times have an earlier meaning";
  if (record.driver != present.driver) return fmt::format("driver {}, now {}", record.driver, present.driver);
  if (record.toolchain != present.toolchain) return fmt::format("{}, now {}", record.toolchain, present.toolchain);
  return present.has_session ? "" : "no session of this database measured it";
}

Record revalidated(Record measured, const Record& former) {
  measured.effort = former.effort;
  const bool holds = former.origin == Origin::measured && measured.configuration == former.configuration;
  measured.partial = former.partial || !holds;
  measured.narrowed = former.narrowed;
  measured.space = former.space;
  measured.trials = former.trials;
  return measured;
}

Revalidation revalidate(const Record& record, const SessionRequest& given, const Subject& subject, Pool& pool,
                        WisdomStore& store, ImageCache* images, Observer& observer, const std::atomic<int>& stop) {
  const bool is_legal = is_legal_in(subject.space(), record.configuration);
  const SessionRequest request = request_for(record, is_legal, given);
  const SessionResult run = run_session(request, subject, pool, store, images, observer, stop);
  Revalidation result;
  result.why =
      is_legal ? failure_text(record, run.session, store) : illegal_text(subject.space(), record.configuration);
  result.interrupted = stop.load() > 0;
  if (!run.record) {
    result.standing = result.interrupted ? RecordStanding::unsure : RecordStanding::failed;
    if (result.interrupted)
      result.why = "interrupted";
    else if (result.why.empty() || !run.explanation.empty())
      result.why = run.explanation;
    return result;
  }
  result.record = revalidated(*run.record, record);
  for (const FinalistResult& one : run.finalists)
    if (one.configuration == record.configuration) result.record_ns = one.measurement.median_ns;
  const bool is_doubtful = stays_unless_quiet(record, *result.record);
  result.standing = !result.why.empty() ? RecordStanding::dropped : standing_of(record, *result.record);
  if ((result.interrupted || is_doubtful) && result.standing != RecordStanding::dropped) {
    result.standing = RecordStanding::unsure;
    result.why = result.interrupted ? "interrupted" : "the device was busy or unstable";
  }
  if (record.origin == Origin::pinned) result.standing = RecordStanding::pinned;
  if (result.standing != RecordStanding::pinned && result.standing != RecordStanding::unsure)
    store.put_record(*result.record, record.uuid, run.finalists);
  return result;
}

}  // namespace attune
