// run_session(): asks the database for an answer, then runs the stages in order.
#include <algorithm>

#include "attune/error.hpp"
#include "session/compiler_remarks.hpp"
#include "session/confirm.hpp"
#include "session/decide.hpp"
#include "session/explanations.hpp"
#include "session/other_regime.hpp"
#include "session/search.hpp"
#include "session/session_opening.hpp"
#include "session/start_warm.hpp"

namespace attune {
namespace {

SessionResult ended(Ending end, std::string explanation) {
  SessionResult result;
  result.end = end;
  result.explanation = std::move(explanation);
  return result;
}

std::string toolchain_of(const Subject& subject, Pool& pool) {
  return subject.toolchain().empty() ? pool.compiler().toolchain : std::string(subject.toolchain());
}

// What only tries configurations chosen before.
class NoProposals final : public Strategy {
 public:
  std::optional<Row> ask() override { return std::nullopt; }
  void tell(RowView, const Outcome&) override {}
};

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
      store_.update_session(row_.id, state_unless(SessionState::partial), parts_.progress.used_seconds(0));
      return ended(parts_.stop.load() > 0 ? Ending::interrupted : Ending::no_survivor, unfinished.what());
    } catch (const WaitInterrupted& interrupted) {
      store_.update_session(row_.id, state_unless(SessionState::partial), parts_.progress.used_seconds(0));
      return ended(Ending::interrupted,
                   std::string(interrupted.what()) + "; the trials are kept, and the same command goes on");
    }
  }

 private:
  SessionResult search_and_compare() {
    const std::unique_ptr<Strategy> strategy = strategy_of_run();
    Proposals proposals(parts_.terms.space, *strategy, parts_.terms.key.strategy, parts_.log.candidates());
    Search search(parts_, proposals, [this](double used) {
      parts_.log.write([id = row_.id, state = state_unless(SessionState::running), used](WisdomStore& store) {
        store.update_session(id, state, used);
      });
    });
    const WarmStartCounts warm = start_warm(parts_.terms, store_, *strategy, proposals);
    search.ask_for_default();
    parts_.observer.data_started();
    if (std::string why = begin_bench(); !why.empty()) {
      store_.update_session(row_.id, state_unless(SessionState::partial), row_.used_seconds);
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
    result.reason = part().reason.value_or(reason);
    result.seconds = search.seconds();
    result.device_busy_seconds = parts_.pool.figures().busy_seconds - before.busy_seconds;
    result.compile_wait_seconds = search.compile_wait_seconds();
    describe_search(result);
    if (part().concludes || (result.survivors == 0 && (finishes(reason) || reason == Ending::hopeless)))
      conclude(result);
    else
      leave(result);
    count_trials(result);
    const LaneFigures after = parts_.pool.figures();
    result.workers_replaced = after.replaced - before.replaced;
    result.timed_seconds = after.timed_seconds - before.timed_seconds;
    return result;
  }

  const SessionPart& part() const {
    static const SessionPart whole;
    return parts_.terms.request.part ? *parts_.terms.request.part : whole;
  }

  // A finished session of which one more part is run stays finished.
  SessionState state_unless(SessionState state) const {
    return row_.state == SessionState::finished && !part().concludes ? SessionState::finished : state;
  }

  std::unique_ptr<Strategy> strategy_of_run() const {
    if (!part().asks_strategy) return std::make_unique<NoProposals>();
    return make_strategy(parts_.terms.key.strategy, parts_.terms.space, row_.seed);
  }

  void count_trials(SessionResult& result) {
    result.trials = parts_.log.size();
    result.run_trials = parts_.progress.run_trials();
    result.survivors = parts_.progress.survivors();  // without those that failed in a later stage
    result.verdicts = parts_.log.verdicts();
    explain_trials(result);
    result.left_out = left_out(parts_.terms.key.record, row_.id, store_);
  }

  void describe_search(SessionResult& result) const {
    result.session = row_.id;
    result.used_seconds = parts_.progress.used_seconds(result.seconds);
    result.survivors = parts_.progress.survivors();
    if (result.survivors == 0) return;
    result.leads = parts_.progress.best();
    result.lead = parts_.progress.best_score();
  }

  // Ends a run without the stages after the search.
  void leave(SessionResult& result) {
    result.end = *result.reason;
    parts_.source.cancel();
    store_.update_session(row_.id, state_unless(SessionState::partial), result.used_seconds);
  }

  // Makes data and expected results. Returns "" on success, or why there are none if the kernel is at fault.
  std::string begin_bench() {
    const bool has_reference = parts_.terms.subject.has_reference();
    std::string why;
    for (const Configuration& expected : parts_.terms.anchors) {
      try {
        begin_benches(expected);
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
  void begin_benches(const Configuration& expected) {
    for (bool has_begun = false; !has_begun;) {
      TrialBench& first = parts_.bench();
      try {
        first.begin(expected, row_.seed, parts_.progress.run_seconds());
        has_begun = true;
      } catch (const StepsFailure&) {
        throw;
      } catch (const Error& error) {
        if (parts_.stop.load() > 0 || !first.has_failed() || !parts_.leaves(first, error.what())) throw;
      }
    }
    if (parts_.benches.size() == 1) return;
    parts_.take_turns();  // a strand that waits for a turn would keep the others
    parts_.on_each(std::next(parts_.benches.begin()), [this](TrialBench& bench) { bench.begin_as(parts_.bench()); });
    parts_.end_turns();
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

  // Returns what a revalidation compares, with the turns at the devices taken.
  std::vector<Trial> chosen_before() {
    parts_.take_turns(parts_.stop.load() + 1);
    return parts_.progress.ranked_survivors();
  }

  // Ends a revalidation, whose caller decides about the record.
  void give(const Record& record, SessionDecision& decided, double used, SessionResult& result) {
    result.record = record;
    result.finalists = std::move(decided.results);
    store_.update_session(row_.id, SessionState::finished, used);
  }

  void conclude(SessionResult& result);
  void explain_trials(SessionResult& result) const;
  void compare_and_decide(SessionResult& result, double used);
  void keep_image(const Configuration& best);
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
  parts_.end_turns();
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

void SessionRun::keep_image(const Configuration& best) {
  const std::optional<ReadyInstance>& kept = parts_.log.candidates().at(best).ready;
  if (!kept || !kept->instance->image || image_cache_ == nullptr) return;
  image_cache_->put(kept->instance->image_key, kept->image);
  if (const std::string why = image_cache_->why(); !why.empty())
    parts_.observer.note("the best image is not kept: " + why);
}

void SessionRun::compare_and_decide(SessionResult& result, double used) {
  std::vector<Trial> ranked = part().revalidates ? chosen_before() : Confirm(parts_).run();
  if (parts_.stop.load() > 0 && finishes(result.end)) result.end = Ending::interrupted;  // while confirming
  FinalStageResult compared = Compare(parts_, present_).run(std::move(ranked));
  std::optional<SessionDecision> decided = decide_between(compared, parts_.terms, parts_.values, present_);
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
                          parts_.is_busy(),
                          parts_.bench().is_self_checked(),
                          parts_.bench().batch(),
                          default_verdict(),
                          toolchain_};
  const std::vector<Contender*> stayed = staying(compared.contenders);
  const bool met_present = present_ && std::any_of(stayed.begin(), stayed.end(), [this](const Contender* contender) {
                             return contender->trial.configuration == present_->configuration;
                           });
  const Record record = make_record(*decided, compared, parts_.terms, facts);
  if (part().revalidates) return give(record, *decided, used, result);
  result.record_stands = keep_record(record, *decided, present_, met_present, store_);
  keep_image(record.configuration);
  if (finishes(result.end)) store_.update_session(row_.id, SessionState::finished, used);
  result.elsewhere = OtherRegime(parts_).run(record.configuration, record.median_ns);
  result.record = store_.find_record(parts_.terms.key.record);
  if (result.record) result.finalists = store_.finalists(result.record->uuid);
}

// Returns the record that stands. A revalidation compares its own, if that is legal.
std::optional<Record> present_record(const SessionRequest& request, const SessionTerms& terms, WisdomStore& store) {
  if (!request.part || !request.part->revalidates) return store.find_record(terms.key.record);
  return request.part->first.empty() ? std::nullopt : request.part->revalidates;
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
  pool.set_aliases(store.aliases());
  const SessionTerms terms(request, subject, pool.device());
  if (terms.anchors.empty()) return ended(Ending::no_survivor, empty_space_explanation(terms.space));
  std::optional<Record> present = present_record(request, terms, store);
  const ObjectiveValues checked(terms);  // an objective without a value is an error even if an answer is known
  const bool is_lifted = request.lift_quarantine && store.lift_quarantine(terms.key.record) > 0;
  if (!is_lifted)
    if (std::optional<SessionResult> known;
        !request.part && (known = answer_from_database(request, terms.key, present, store)))
      return *std::move(known);
  return SessionRun(terms, pool, store, images, observer, stop, std::move(present)).run();
}

}  // namespace attune
