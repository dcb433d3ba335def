// run_session(): asks the database for an answer, then runs the stages in order.
#include <unistd.h>

#include <algorithm>
#include <random>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "base/unix_ms.hpp"
#include "session/compiler_remarks.hpp"
#include "session/confirm.hpp"
#include "session/decide.hpp"
#include "session/explanations.hpp"
#include "session/other_regime.hpp"
#include "session/search.hpp"
#include "session/start_warm.hpp"

namespace attune {
namespace {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

SessionResult ended(Ending end, std::string explanation) {
  SessionResult result;
  result.end = end;
  result.explanation = std::move(explanation);
  return result;
}

// Returns what is quarantined, and what else this session left out.
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

// Returns what is known already, if it answers the request.
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

// Returns the session that goes on, or a new one. A session that finished with a record goes on if something has a
// second chance.
SessionRow open_session(const SessionTerms& terms, bool has_record, const std::string& toolchain, WisdomStore& store) {
  const SessionRequest& request = terms.request;
  const std::optional<SessionRow> former = request.fresh ? std::nullopt : store.find_session(terms.key);
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

std::string toolchain_of(const Subject& subject, Pool& pool) {
  return subject.toolchain().empty() ? pool.compiler().toolchain : std::string(subject.toolchain());
}

// One session: its parts, and the stages over them.
class SessionRun {
 public:
  SessionRun(const SessionTerms& terms, Pool& pool, WisdomStore& store, ImageCache* images, Observer& observer,
             const std::atomic<int>& stop, std::optional<Record> present)
      : store_(store),
        image_cache_(images),
        present_(std::move(present)),
        toolchain_(toolchain_of(terms.subject, pool)),
        row_(open_session(terms, present_.has_value(), toolchain_, store)),
        parts_(terms, pool, store, row_, observer, stop) {}

  SessionResult run() {
    try {
      return search_and_compare();
    } catch (const BenchFailure& unfinished) {
      store_.update_session(row_.id, SessionState::partial, parts_.progress.used_seconds(0));
      return ended(parts_.stop.load() > 0 ? Ending::interrupted : Ending::no_survivor, unfinished.what());
    } catch (const WaitInterrupted& interrupted) {
      store_.update_session(row_.id, SessionState::partial, parts_.progress.used_seconds(0));
      return ended(Ending::interrupted,
                   std::string(interrupted.what()) + "; the trials are kept, and the same command goes on");
    }
  }

 private:
  SessionResult search_and_compare() {
    const std::unique_ptr<Strategy> strategy = make_strategy(parts_.terms.key.strategy, parts_.terms.space, row_.seed);
    Proposals proposals(parts_.terms.space, *strategy, parts_.terms.key.strategy, parts_.log.candidates());
    Search search(parts_, proposals,
                  [this](double used) { store_.update_session(row_.id, SessionState::running, used); });
    const WarmStartCounts warm = start_warm(parts_.terms, store_, *strategy, proposals);
    search.ask_for_default();
    parts_.observer.data_started();
    if (std::string why = begin_bench(); !why.empty()) {
      store_.update_session(row_.id, SessionState::partial, row_.used_seconds);
      return ended(Ending::no_survivor, std::move(why));
    }
    parts_.observer.session_started(
        start_of(parts_.terms, row_, parts_.log, warm, toolchain_, parts_.bench().is_self_checked()));
    for (TrialBench& bench : parts_.benches)
      for (const std::string& user : bench.opened().users) bench.watch().see_user(user);
    const LaneFigures before = parts_.pool.figures();
    const Ending reason = search.run();
    if (const Trial* const tried = parts_.log.find(parts_.terms.anchors.front())) note_unfilled(tried->verdict);
    parts_.search_seconds = search.seconds();
    SessionResult result;
    result.reason = reason;
    result.seconds = search.seconds();
    result.device_busy_seconds = parts_.pool.figures().busy_seconds - before.busy_seconds;
    result.compile_wait_seconds = search.compile_wait_seconds();
    conclude(result);
    result.trials = parts_.log.size();
    result.run_trials = parts_.progress.run_trials();
    result.survivors = parts_.progress.survivors();  // without those that failed in a later stage
    result.verdicts = parts_.log.verdicts();
    explain_trials(result);
    result.left_out = left_out(parts_.terms.key.record, row_.id, store_);
    const LaneFigures after = parts_.pool.figures();
    result.workers_replaced = after.replaced - before.replaced;
    result.timed_seconds = after.timed_seconds - before.timed_seconds;
    return result;
  }

  // Makes data and expected results. Returns "" on success, or why there are none if the kernel is at fault.
  std::string begin_bench() {
    const bool has_reference = parts_.terms.subject.has_reference();
    std::string why;
    for (const Configuration& expected : parts_.terms.anchors) {
      try {
        parts_.bench().begin(expected, row_.seed, parts_.progress.run_seconds());
        begin_other_benches();
        if (!why.empty()) parts_.observer.note(why + "; results are compared with those of " + expected.text());
        return "";
      } catch (const ReferenceDoesNotCompile& failed) {
        if (has_reference) return why_nothing_compiles();
        why = without_expected(expected, failed.what());
      } catch (const StepsFailure& failed) {
        note_unfilled(failed.verdict);
        if (has_reference) throw;
        why = without_expected(expected, failed.what());
      }
    }
    return why;
  }

  // A bench where the data cannot be made has no part in the session.
  void begin_other_benches() {
    for (auto bench = std::next(parts_.benches.begin()); bench != parts_.benches.end();) {
      try {
        bench->begin_as(parts_.benches.front());
        ++bench;
      } catch (const Error& error) {
        if (bench->has_lost_device() || parts_.stop.load() > 0) throw;
        bench = parts_.leave_out(bench, error.what());
      }
    }
  }

  // Tells the observer of inputs without `fill` if the reference or the default failed in a way that its data may
  // cause.
  void note_unfilled(Verdict verdict) const {
    if (!is_of_data(verdict)) return;
    const std::string text = parts_.terms.subject.data_advice();
    if (!text.empty()) parts_.observer.note(text);
  }

  // Returns why the first anchor does not compile either: then the whole file is at fault. Otherwise rethrows the
  // error, because only the reference is at fault.
  std::string why_nothing_compiles() {
    const std::shared_ptr<const Instance> instance = parts_.terms.subject.prepare(0, parts_.terms.anchors.front());
    if (!instance->image) throw;
    const CompileOutcome outcome = parts_.pool.compile(*instance->image);
    if (outcome.image) throw;
    return "it does not compile:\n" + outcome.log;
  }

  std::string without_expected(const Configuration& expected, const std::string& why) const {
    return parts_.terms.is_default(expected) ? default_explanation(expected, why) : why;
  }

  void conclude(SessionResult& result);
  void explain_trials(SessionResult& result) const;
  void compare_and_decide(SessionResult& result, double used);
  Verdict default_verdict() const;

  WisdomStore& store_;
  ImageCache* const image_cache_;
  const std::optional<Record> present_;  // the record that stood when the session began
  const std::string toolchain_;
  const SessionRow row_;
  SessionParts parts_;
};

// Returns what became of the kernel's own default in this session.
Verdict SessionRun::default_verdict() const {
  if (!parts_.terms.default_configuration) return Verdict::restricted;
  const Trial* const tried = parts_.log.find(*parts_.terms.default_configuration);
  return tried == nullptr ? Verdict::ok : tried->verdict;
}

void SessionRun::conclude(SessionResult& result) {
  const Ending reason = *result.reason;
  const double used = parts_.progress.used_seconds(result.seconds);
  const bool complete = finishes(reason), is_hopeless = reason == Ending::hopeless;
  result.end = !complete && !is_hopeless && parts_.stop.load() > 0 ? Ending::interrupted : reason;
  if (parts_.waited_seconds() > 1)
    parts_.observer.note("waited " + std::to_string(static_cast<int>(parts_.waited_seconds())) +
                         " s for another tuner on this device");
  parts_.source.cancel();
  if (parts_.progress.survivors() == 0 || is_hopeless) {
    const bool was_too_slow = parts_.log.size() == 0 && parts_.stop.load() == 0;
    result.explanation = was_too_slow
                             ? out_of_time_explanation(parts_.terms.subject.name(), "the default configuration",
                                                       "was not compiled", parts_.bench().anchor_seconds())
                             : failures_explanation(parts_.log.trials(), parts_.progress.survivors());
    if (is_hopeless) result.explanation += stopped_explanation();
  }
  if (parts_.progress.survivors() == 0) {
    // A session that finishes without a record does not go on: what was at fault may be corrected, and the next session
    // tries everything anew.
    if (result.end != Ending::interrupted) result.end = Ending::no_survivor;
    const bool is_over = complete || is_hopeless;
    return store_.update_session(row_.id, is_over ? SessionState::finished : SessionState::partial, used);
  }
  // The session counts as finished only once its record is stored, so that it goes on after a kill in a later stage.
  store_.update_session(row_.id, SessionState::partial, used);
  compare_and_decide(result, used);
  parts_.bench().turn().end();
}

void SessionRun::explain_trials(SessionResult& result) const {
  Rejections rejections;
  for (const Trial* const trial : parts_.log.trials()) rejections.see(*trial);
  result.rejections = rejections.list();
  result.few_survived = rejections.few_survive();
  const auto remark = [&](const std::string& who, const Configuration& configuration) {
    const Trial* const trial = parts_.log.find(configuration);
    if (trial == nullptr) return;
    for (std::string& text : compiler_remarks(who, *trial)) result.remarks.push_back(std::move(text));
  };
  const Configuration& first = parts_.terms.anchors.front();
  remark("the default", first);
  if (result.record && !(result.record->configuration == first)) remark("the best", result.record->configuration);
}

void SessionRun::compare_and_decide(SessionResult& result, double used) {
  std::vector<Trial> ranked = Confirm(parts_).run();
  if (parts_.stop.load() > 0 && finishes(result.end)) result.end = Ending::interrupted;  // while confirming
  FinalStageResult compared = Compare(parts_, present_).run(std::move(ranked));
  std::optional<SessionDecision> decided =
      decide_between(compared, parts_.terms, parts_.values, parts_.bench().watch().throttled_readings(), present_);
  if (!decided) {
    result.end = Ending::interrupted;
    result.explanation = "interrupted before the energy of finalists was metered, by which `" +
                         parts_.terms.request.objectives.text() +
                         "` decides; the trials are kept, and the same command goes on";
    return;
  }
  parts_.observer.final_done(decided->decision);
  result.decision = decided->decision;
  const RecordFacts facts{row_.seed,
                          parts_.log.size(),
                          !finishes(result.end),
                          parts_.bench().watch().is_busy(),
                          parts_.bench().is_self_checked(),
                          parts_.bench().batch(),
                          parts_.bench().anchor().first_ns,
                          default_verdict(),
                          toolchain_};
  const std::vector<Contender*> stayed = staying(compared.contenders);
  const bool met_present = present_ && std::any_of(stayed.begin(), stayed.end(), [this](const Contender* contender) {
                             return contender->trial.configuration == present_->configuration;
                           });
  const Record record = make_record(*decided, compared, parts_.terms, facts);
  result.record_stands = keep_record(record, *decided, present_, met_present, store_);
  if (const std::optional<ReadyInstance>& kept = parts_.log.candidates().at(record.configuration).ready;
      kept && kept->instance->image && image_cache_ != nullptr) {
    image_cache_->put(kept->instance->image_key, kept->image);
    if (const std::string why = image_cache_->why(); !why.empty())
      parts_.observer.note("the best image is not kept: " + why);
  }
  if (finishes(result.end)) store_.update_session(row_.id, SessionState::finished, used);
  result.elsewhere = OtherRegime(parts_).run(record.configuration, record.median_ns);
  result.record = store_.find_record(parts_.terms.key.record);
  if (result.record) result.finalists = store_.finalists(result.record->uuid);
}

}  // namespace

std::optional<SessionResult> known_result(const SessionRequest& request, const Subject& subject,
                                          const DeviceInfo& device, WisdomStore& store) {
  const SessionKey key = session_key(request, subject, device);
  return answer_from_database(request, key, store.find_record(key.record), store);
}

SessionResult run_session(const SessionRequest& request, const Subject& subject, Pool& pool, WisdomStore& store,
                          ImageCache* images, Observer& observer, const std::atomic<int>& stop) {
  if (request.regime == Regime::stream && subject.restores_inputs())
    throw UsageError(no_stream_explanation(subject.name()));
  const SessionTerms terms(request, subject, pool.device());
  if (terms.anchors.empty()) return ended(Ending::no_survivor, empty_space_explanation(terms.space));
  std::optional<Record> present = store.find_record(terms.key.record);
  const ObjectiveValues checked(terms);  // an objective without a value is an error even if an answer is known
  const bool is_lifted = request.lift_quarantine && store.lift_quarantine(terms.key.record) > 0;
  if (!is_lifted)
    if (std::optional<SessionResult> known = answer_from_database(request, terms.key, present, store)) return *known;
  return SessionRun(terms, pool, store, images, observer, stop, std::move(present)).run();
}

}  // namespace attune
