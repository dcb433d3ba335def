#include "session/session_opening.hpp"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "attune/version.hpp"
#include "base/unix_ms.hpp"

namespace attune {
namespace {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::vector<QuarantineEntry> left_out(const RecordKey& key, std::optional<std::int64_t> session, WisdomStore& store) {
  std::vector<QuarantineEntry> entries = store.quarantined(key);
  if (!session) return entries;
  for (QuarantineEntry& suspected : store.suspected(*session)) {
    const bool is_there = std::any_of(entries.begin(), entries.end(), [&](const QuarantineEntry& entry) {
      return entry.configuration == suspected.configuration;
    });
    if (!is_there) entries.push_back(std::move(suspected));
  }
  return entries;
}

std::optional<SessionResult> answer_from_database(const SessionRequest& request, const SessionKey& key,
                                                  const std::optional<Record>& present, WisdomStore& store) {
  if (request.fresh || !present) return std::nullopt;
  const std::optional<SessionRow> session = store.find_session(key);
  const bool same_seed = !request.seed || (session && session->seed == *request.seed);
  const bool same_finished = session && session->state == SessionState::finished && same_seed;
  // What was found with more effort answers a request for less, and so does what another strategy found with equal
  // effort.
  const bool covered = request.strategy.empty() && !request.seed && !present->partial &&
                       present->effort >= request.effort && present->space == key.space;
  // With a target, the user says which result is enough and which is not.
  const std::optional<Target>& target = request.limits.target;
  const bool good_enough = !target || target->met(present->median_ns, present->default_ns / present->median_ns);
  const bool any_will_do = target && request.strategy.empty() && !request.seed && present->space == key.space;
  if (!good_enough || (!same_finished && !covered && !any_will_do)) return std::nullopt;
  if (session && same_seed && !store.second_chances(session->id).empty()) return std::nullopt;
  SessionResult result;
  result.end = Ending::known;
  result.record = present;
  result.finalists = store.finalists(present->uuid);
  result.trials = session ? session->trials : present->trials;
  result.left_out = left_out(key.record, session ? std::optional(session->id) : std::nullopt, store);
  return result;
}

SessionRow open_session(const SessionTerms& terms, bool has_record, const std::string& toolchain, WisdomStore& store) {
  const SessionRequest& request = terms.request;
  const std::optional<SessionRow> newest = store.find_session(terms.key);
  if (newest && request.part && newest->id == request.part->session) return *newest;
  const std::optional<SessionRow> former = request.fresh ? std::nullopt : newest;
  const bool same_seed = former && (!request.seed || former->seed == *request.seed);
  if (former && former->state != SessionState::finished && same_seed) return *former;
  if (same_seed && has_record && !store.second_chances(former->id).empty()) return *former;
  SessionRow row;
  row.key = terms.key;
  row.seed = request.seed.value_or(std::random_device{}());
  row.toolchain = toolchain;
  row.driver = terms.device.driver;
  row.device_uuid = terms.device.uuid;
  row.host = host_name();
  row.attune_version = library_version;
  row.protocol = Protocol::version;
  row.constants = to_json(terms.protocol);
  row.started_ms = unix_ms();
  row.id = store.begin_session(row, terms.device);
  return row;
}

SessionStart start_of(const SessionTerms& terms, const SessionRow& row, const TrialLog& log,
                      const WarmStartCounts& warm, const std::string& toolchain, bool self_checked) {
  SessionStart start;
  start.kernel = terms.subject.name();
  start.problem = terms.key.record.problem;
  start.device = terms.device;
  start.effort = terms.request.effort;
  start.strategy = terms.key.strategy;
  start.seed = row.seed;
  start.legal = terms.space.size();
  start.cartesian = terms.space.cartesian_size();
  for (const std::size_t i : terms.space.left_out())
    start.uncounted.push_back(terms.space.rules()[i].expression.text());
  start.default_configuration = terms.anchors.front();
  start.narrowed = terms.subject.identity().is_narrowed;
  start.trials_before = log.size();
  start.ladder_steps = warm.ladder_steps;
  start.warm_start = warm.configurations;
  start.learnt_from = warm.sources;
  start.toolchain = toolchain;
  start.self_checked = self_checked;
  return start;
}

}  // namespace attune
