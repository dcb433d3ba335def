#include "session/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attune/error.hpp"
#include "base/usable_processors.hpp"
#include "session/explanations.hpp"
#include "session/image_source.hpp"
#include "session/interleaved_rounds.hpp"

namespace attune {
namespace {

constexpr std::uint64_t data_seed = 1;

// A configuration or a peer. Its position in the list is its number as an instance.
struct Entrant {
  std::shared_ptr<const Instance> instance;  // for a peer: the instance whose arguments it has
  std::optional<Image> image;
  Status status;  // the first failure
  std::optional<PeerSetup> peer;
};

std::vector<std::vector<double>> times_of(std::span<const RoundColumn> columns) {
  std::vector<std::vector<double>> times;
  for (const RoundColumn& column : columns) times.push_back(column.times_ns);
  return times;
}

// The columns of one row are adjacent.
std::vector<std::span<const RoundColumn>> by_row(const std::vector<RoundColumn>& columns) {
  std::vector<std::span<const RoundColumn>> rows;
  for (std::size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
    while (end < columns.size() && columns[end].row == columns[begin].row) ++end;
    rows.emplace_back(&columns[begin], end - begin);
  }
  return rows;
}

// Returns the names of the steps that are operations on the device: a memset of no bytes is none.
std::vector<std::string> step_names(const Instance& instance) {
  std::vector<std::string> names;
  const StepsSetup& setup = instance.steps;
  for (const ResolvedStep& step : std::span(setup.steps).first(setup.steps.size() - setup.untimed)) {
    if (step.kind == StepKind::launch)
      names.push_back(step.expression);
    else if (setup.arguments[step.memset_argument].bytes > 0)
      names.push_back("memset " + setup.arguments[step.memset_argument].name);
  }
  return names;
}

class SideBySideRun {
 public:
  SideBySideRun(const SideBySideRequest& request, const KernelSubject& kernel, Pool& pool, Observer& observer,
                const std::atomic<int>& stop)
      : request_(request),
        kernel_(kernel),
        pool_(pool),
        observer_(observer),
        stop_(stop),
        bench_(
            pool, 0, request.lock_folder, [&observer](const std::string& text) { observer.note(text); }, observer,
            stop),
        copy_bytes_(bytes_to_copy()) {}

  // Returns what was compared by the time that `stop` ended it.
  std::vector<SideBySide> run() {
    std::vector<SideBySide> all;
    try {
      compare_all(all);
    } catch (const StopSignal&) {
    }
    return all;
  }

 private:
  struct StopSignal {};

  void compare_all(std::vector<SideBySide>& all) {
    for (const std::string& user : bench_.opened().users) bench_.watch().see_user(user);
    if (!compile_all()) return;
    const DeviceLock::Turn turn = bench_.take_turn();
    const auto compile = [this](const ImageRequest& request) { return pool_.compile(request); };
    run(Begin{kernel_.setup(request_.default_configuration, compile, data_seed)});
    load_all();
    for (const SideBySideTask& task : request_.tasks) {
      if (stopped()) break;
      try {
        all.push_back(compare(task));
      } catch (const OutOfMemory& error) {
        if (request_.tasks.size() == 1) throw;
        observer_.note(fmt::format("{} is left out: {}", to_text(task.regime), error.what()));
        continue;
      }
      request_.compared(all.back());
    }
  }

  bool stopped() const { return stop_.load() > 0; }

  // Returns the bytes that the copy reads + writes; 0 if there is no copy.
  std::uint64_t bytes_to_copy() const {
    if (!request_.copy) return 0;
    const double bytes = kernel_.bytes(request_.default_configuration).value_or(0);
    if (bytes >= 2) return static_cast<std::uint64_t>(bytes);
    observer_.note("no copy to compare with: [metrics] of " + kernel_.name() + " has no bytes for this problem");
    return 0;
  }

  // Does a job. Throws StopSignal when `stop` is set, and ends the job then, because it may hang.
  Result run(DeviceJob job) {
    std::optional<Result> result = bench_.run_within(std::move(job), Pool::forever);
    if (!result) throw StopSignal();
    return *std::move(result);
  }

  Status& status_at(InstanceId id) { return id == device_copy ? copy_status_ : entrants_[id].status; }

  InstanceId id_of(const Configuration& configuration) const {
    const auto found = std::find_if(entrants_.begin(), entrants_.end(), [&](const Entrant& subject) {
      return !subject.peer && subject.instance->configuration == configuration;
    });
    return static_cast<InstanceId>(found - entrants_.begin());
  }

  // Compiles each configuration once, before anything is timed. Returns false if `stop` ended it.
  bool compile_all() {
    for (const SideBySideTask& task : request_.tasks)
      for (const NamedConfiguration& one : task.configurations)
        if (const InstanceId id = id_of(one.configuration); id == entrants_.size())
          entrants_.push_back({kernel_.prepare(id, one.configuration), {}, {}, {}});
    pool_.set_compilers(static_cast<unsigned>(usable_processors()));
    ImageSource source(pool_);
    for (const Entrant& subject : entrants_) source.ask(subject.instance);
    const bool are_compiled = source.take_all(stop_, [this](CompiledInstance compiled) {
      Entrant& entrant = entrants_[compiled.instance->id];
      entrant.image = std::move(compiled.outcome.image);
      if (!entrant.image) entrant.status = {compiled.outcome.verdict, compiled.outcome.log, false};
    });
    if (are_compiled) add_peers();
    return are_compiled;
  }

  // Prepares the peers. Each has the arguments of the first configuration that compiles, and the same steps bring its
  // result into a form that can be compared.
  void add_peers() {
    first_peer_ = entrants_.size();
    const auto compiled =
        std::find_if(entrants_.begin(), entrants_.end(), [](const Entrant& one) { return one.image.has_value(); });
    if (compiled == entrants_.end()) return;
    const Entrant like = *compiled;
    for (const NamedPeer& peer : request_.peers) {
      PeerSetup setup{peer.library.native(), kernel_.name(), peer.name, {}};
      for (const Binding& value : kernel_.problem()) setup.values.push_back({value.name, value.value.text()});
      entrants_.push_back({like.instance, like.image, {}, std::move(setup)});
    }
  }

  InstanceLaunch launch_at(InstanceId id) const {
    const Entrant& entrant = entrants_[id];
    if (entrant.peer) return peer_launch(*entrant.instance, *entrant.image, *entrant.peer, id);
    return instance_launch(*entrant.instance, *entrant.image);
  }

  // The first subject that works warms the device up, and its time makes the deadlines of the others short.
  void load_all() {
    const Protocol& protocol = request_.protocol;
    bool is_warm = false;
    for (InstanceId id = 0; id < entrants_.size() && !stopped(); ++id) {
      Status& status = status_at(id);
      if (!status.ok()) continue;
      const WarmUpPlan warm_up{protocol.warm_up_ms, protocol.warm_up_most_ms, protocol.settled_clock_ratio};
      status = std::get<TryAnswer>(run(Load{launch_at(id), is_warm ? WarmUpPlan{} : warm_up}).answer).status;
      TimingPlan plan;
      if (status.ok() && !is_warm) is_warm = time_alone(id, plan);
    }
  }

  // Finds the batch of a stream. From here on, fresh workers are judged by this instance. Returns false if it fails.
  bool time_alone(InstanceId id, TimingPlan& plan) {
    const RunJob run = [this](DeviceJob job) { return this->run(std::move(job)); };
    std::optional<Result> result = find_batch(run, id, bench_.opened(), request_.protocol, plan);
    if (!result) result = run(rounds_of(id, request_.protocol.anchor_samples, plan));
    const auto& sampled = std::get<RoundsAnswer>(result->answer);
    status_at(id) = sampled.status;
    if (!sampled.status.ok()) return false;
    pool_.set_known_good(KnownGood{Try{launch_at(id), plan}, median(sampled.samples_ns) * 1e-9});
    return true;
  }

  bool has_copy(const TimingPlan& plan) {
    if (copy_bytes_ == 0) return false;
    try {
      copy_status_ = std::get<RoundsAnswer>(run(Rounds{{device_copy}, plan}).answer).status;
      return true;
    } catch (const OutOfMemory& error) {
      observer_.note(error.what());
      return false;
    }
  }

  SideBySideRow& add_row(const std::string& name, InstanceId id, SideBySide& result) {
    ids_.push_back(id);
    SideBySideRow& row = result.rows.emplace_back();
    row.name = name;
    return row;
  }

  SideBySide compare(const SideBySideTask& task) {
    SideBySide result;
    result.regime = task.regime;
    ids_.clear();
    TimingPlan plan{.regime = task.regime, .copy_bytes = copy_bytes_};
    bool works = false;
    for (const NamedConfiguration& one : task.configurations) {
      add_row(one.name, id_of(one.configuration), result).configuration = one.configuration;
      if (!works && status_at(ids_.back()).ok()) works = time_alone(ids_.back(), plan);
    }
    result.batch = plan.batch;
    for (InstanceId id = first_peer_; id < entrants_.size(); ++id)
      add_row(entrants_[id].peer->name, id, result).is_peer = true;
    if (works && has_copy(plan)) {
      add_row("copy", device_copy, result).is_copy = true;
      result.copy_bytes = copy_bytes_;
    }
    const std::vector<RoundColumn> columns = works ? take_rounds(plan, result) : std::vector<RoundColumn>();
    const std::vector<RoundColumn> steps = works && request_.steps ? take_steps(plan) : std::vector<RoundColumn>();
    if (!stopped()) check_again();
    for (std::size_t row = 0; row < result.rows.size(); ++row) result.rows[row].status = status_at(ids_[row]);
    fill(columns, result);
    for (const std::span<const RoundColumn> of_row : by_row(steps)) fill_steps(of_row, result.rows[of_row.front().row]);
    return result;
  }

  // Takes the rounds. An instance that fails leaves, and the others go on.
  void sample(const TimingPlan& plan, std::vector<RoundColumn>& columns, const std::function<double()>& half_width) {
    InterleavedRounds rounds(bench_, plan, request_.protocol, stop_);
    while (const std::optional<SampleFailure> failure = rounds.run(columns, half_width)) {
      status_at(failure->instance) = failure->status;
      std::erase_if(columns, [&](const RoundColumn& column) { return column.instance == failure->instance; });
    }
    std::erase_if(columns, [](const RoundColumn& column) { return column.times_ns.empty(); });
  }

  std::vector<RoundColumn> take_rounds(const TimingPlan& plan, const SideBySide& result) {
    std::vector<RoundColumn> columns;
    for (std::size_t row = 0; row < ids_.size(); ++row)
      if (status_at(ids_[row]).ok()) columns.push_back({row, ids_[row], 0, {}});
    base_first(columns, result);
    sample(plan, columns, [&] { return widest_of_ratios(times_of(columns)); });
    return columns;
  }

  std::vector<RoundColumn> take_steps(const TimingPlan& plan) {
    std::vector<RoundColumn> columns;
    if (plan.regime == Regime::stream) return columns;
    for (std::size_t row = 0; row < ids_.size(); ++row) {
      if (ids_[row] >= first_peer_ || !status_at(ids_[row]).ok()) continue;  // a peer or the copy
      const std::size_t steps = step_names(*entrants_[ids_[row]].instance).size();
      for (std::size_t k = 1; k <= steps; ++k) columns.push_back({row, ids_[row], static_cast<int>(k), {}});
    }
    sample(plan, columns, [&] {
      double widest = 0;
      for (const std::span<const RoundColumn> of_row : by_row(columns))
        widest = std::max(widest, widest_of_shares(times_of(of_row)));
      return widest;
    });
    return columns;
  }

  void check_again() {
    for (std::size_t row = 0; row < ids_.size(); ++row) {
      const bool is_first = std::find(ids_.begin(), ids_.end(), ids_[row]) - ids_.begin() == std::ptrdiff_t(row);
      if (ids_[row] != device_copy && is_first && status_at(ids_[row]).ok())
        status_at(ids_[row]) = std::get<CheckAnswer>(run(CheckAgain{ids_[row], false}).answer).status;
    }
  }

  // The column of the base goes to the front, if there is one.
  void base_first(std::vector<RoundColumn>& columns, const SideBySide& result) const {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const RoundColumn& column) {
      return result.rows[column.row].name == request_.base;
    });
    if (found != columns.end()) std::rotate(columns.begin(), found, found + 1);
  }

  void fill(std::vector<RoundColumn> columns, SideBySide& result) {
    std::erase_if(columns, [&](const RoundColumn& column) { return !result.rows[column.row].status.ok(); });
    if (columns.empty()) return;
    base_first(columns, result);
    result.base = result.rows[columns.front().row].name;
    const std::vector<double>& base = columns.front().times_ns;
    result.rounds = base.size();
    result.half_width = widest_of_ratios(times_of(columns));
    for (const RoundColumn& column : columns) {
      result.rows[column.row].time_ns = estimate_of(column.times_ns);
      result.rows[column.row].speedup = paired_speedup(base, column.times_ns);
    }
  }

  void fill_steps(std::span<const RoundColumn> columns, SideBySideRow& row) {
    if (!row.status.ok()) return;
    const std::vector<std::string> names = step_names(*entrants_[columns.front().instance].instance);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::span<const double> before = k == 0 ? std::span<const double>() : columns[k - 1].times_ns;
      const std::vector<double>& times = columns[k].times_ns;
      row.steps.push_back({names[k], median(times), paired_share(before, times, columns.back().times_ns)});
    }
  }

  const SideBySideRequest& request_;
  const KernelSubject& kernel_;
  Pool& pool_;
  Observer& observer_;
  const std::atomic<int>& stop_;
  Bench bench_;
  const std::uint64_t copy_bytes_;
  std::vector<Entrant> entrants_;
  InstanceId first_peer_ = 0;    // subjects from this one on are peers
  std::vector<InstanceId> ids_;  // of the rows of the present task
  Status copy_status_;
};

}  // namespace

std::vector<SideBySide> measure_side_by_side(const SideBySideRequest& request, const KernelSubject& subject, Pool& pool,
                                             Observer& observer, const std::atomic<int>& stop) {
  for (const SideBySideTask& task : request.tasks)
    if (task.regime == Regime::stream && subject.restores_inputs())
      throw UsageError(no_stream_explanation(subject.name()));
  return SideBySideRun(request, subject, pool, observer, stop).run();
}

}  // namespace attune
