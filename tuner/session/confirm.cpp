#include "session/confirm.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>

#include "measure/statistics.hpp"

namespace attune {

std::vector<Trial> Confirm::run() {
  set_samples();
  const std::vector<Trial> chosen = near_best();
  compile_missing(chosen);
  on_.take_turns(on_.stop.load() + 1);  // the survivors of an interrupted search are still compared
  if (chosen.empty() || on_.stop.load() > 0) return on_.progress.ranked_survivors();
  std::optional<ReadyInstance> best = ready(chosen.front().configuration);
  if (!best) return on_.progress.ranked_survivors();
  // Gets a second instance, because the best is also visited like any other configuration.
  best->instance = on_.terms.subject.prepare(on_.next_instance(), chosen.front().configuration);
  std::vector<std::size_t> stayed;
  if (load_best(chosen.front(), *best)) {
    on_.observer.confirm_started(chosen.size());
    stayed = visits(best->instance->id, chosen);
  }
  on_.on_each(on_.benches.begin(), [&](TrialBench& bench) { bench.release(best->instance->id); });
  if (stayed.empty()) return on_.progress.ranked_survivors();
  std::vector<Trial> ranked;
  for (const std::size_t i : stayed) ranked.push_back(chosen[i]);
  return ranked;
}

// Loads the best on each bench. Returns whether it passes its check on all of them.
bool Confirm::load_best(const Trial& trial, const ReadyInstance& best) {
  bool is_loaded = true;
  on_.on_each(on_.benches.begin(), [&](TrialBench& bench) { is_loaded &= load(bench, trial, best).has_value(); });
  return is_loaded;
}

// Sets the number of samples of each visit by the scatter of one sample of the best. The anchor's scatter serves,
// because it is mostly that of a launch, whatever the kernel.
void Confirm::set_samples() {
  const std::vector<Trial> survivors = on_.progress.ranked_survivors();
  if (survivors.empty()) return;
  const Measurement& best = survivors.front().measurement;
  const double own = best.samples_ns.empty() ? 0 : relative_scatter(best.samples_ns);
  const double scatter =
      on_.bench().anchor().median_ns > 0 ? on_.bench().anchor().scatter_ns / std::max(best.median_ns, 1.0) : own;
  protocol_.confirm_samples =
      samples_for(scatter, protocol_.confirm_error, protocol_.confirm_samples, protocol_.confirm_samples_most);
}

// Returns the survivors to confirm, best first.
std::vector<Trial> Confirm::near_best() const {
  const std::vector<Trial> survivors = on_.progress.ranked_survivors();
  std::vector<double> scores, sample_ns;
  for (const Trial& trial : survivors) {
    scores.push_back(on_.progress.score(trial));
    sample_ns.push_back(trial.measurement.median_ns * on_.bench().batch());
  }
  std::vector<Trial> chosen;
  for (const std::size_t i : to_confirm(scores, sample_ns, protocol_)) chosen.push_back(survivors[i]);
  return chosen;
}

// Compiles together all images that this run's search has not compiled: in a continued session these may be many.
void Confirm::compile_missing(const std::vector<Trial>& trials) {
  for (const Trial& trial : trials)
    if (!on_.log.candidates().at(trial.configuration).ready)
      on_.source.ask(on_.terms.subject.prepare(on_.next_instance(), trial.configuration));
  on_.source.take_all(on_.stop, [this](const CompiledInstance& compiled) {
    if (compiled.outcome.image) on_.log.candidates().keep({compiled.instance, *compiled.outcome.image});
  });
}

// Makes visit after visit, each in random order. Returns the positions of the configurations of the last complete
// visit, best first.
std::vector<std::size_t> Confirm::visits(InstanceId best, const std::vector<Trial>& chosen) {
  const Protocol& protocol = protocol_;
  std::vector<std::size_t> columns(chosen.size()), stayed;
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::mt19937_64 random(on_.seed);
  Confirmations ratios(chosen.size());
  const double begin = on_.comparing_seconds();
  for (int i = 0; !columns.empty(); ++i) {
    std::shuffle(columns.begin(), columns.end(), random);
    if (!visit_all(chosen, columns, best, ratios)) {
      std::erase_if(stayed, [&](std::size_t one) { return ratios[one].empty(); });  // not in that visit, or failed now
      break;
    }
    stayed = by_confirmation(ratios);
    const std::size_t next = next_visit(i, stayed.size(), protocol);
    // Half of the time, because loading and checking may take longer than samples.
    if (on_.comparing_seconds() - begin > protocol.confirm_seconds / 2) break;
    for (std::size_t k = next; next > 0 && k < stayed.size(); ++k) ratios[stayed[k]].clear();
    columns.assign(stayed.begin(), stayed.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return stayed;
}

// Visits `columns` in groups, each on a bench that is free, so that a slow bench visits fewer. A bench that fails gives
// its group back. Returns false if the visit ended early.
bool Confirm::visit_all(const std::vector<Trial>& chosen, std::span<const std::size_t> columns, InstanceId best,
                        Confirmations& ratios) {
  const auto most = static_cast<std::size_t>(protocol_.confirm_group);
  std::deque<std::span<const std::size_t>> groups;
  for (std::size_t at = 0; at < columns.size(); at += most)
    groups.push_back(columns.subspan(at, std::min(most, columns.size() - at)));
  bool is_complete = true;
  while (is_complete && !groups.empty())
    on_.on_each(on_.benches.begin(), [&](TrialBench& bench) {
      while (is_complete && !groups.empty()) {
        const std::span<const std::size_t> group = groups.front();
        groups.pop_front();
        try {
          if (!visit(bench, chosen, group, best, ratios)) is_complete = false;
        } catch (...) {
          groups.push_front(group);
          throw;
        }
      }
    });
  return is_complete;
}

// Visits a group: loads and checks each configuration, then samples them in turn with the best by screening, so that a
// drift or jump of the clock cancels. Each first sample does not count; the others count relative to the best's sample
// in the same round. A configuration that fails now keeps no ratios. Returns false if the visit ended early because of
// `stop`, or because the best itself failed.
bool Confirm::visit(TrialBench& bench, const std::vector<Trial>& chosen, std::span<const std::size_t> group,
                    InstanceId best, Confirmations& ratios) {
  std::vector<std::size_t> columns;
  std::vector<InstanceId> instances;
  for (const std::size_t i : group) {
    if (on_.stop.load() > 0) break;
    const std::optional<ReadyInstance> made = ready(chosen[i].configuration);
    if (!made) continue;
    if (load(bench, chosen[i], *made)) {
      columns.push_back(i);
      instances.push_back(made->instance->id);
    } else {
      ratios[i].clear();
    }
  }
  bool is_best_lost = false;
  while (on_.stop.load() == 0 && !is_best_lost && !columns.empty()) {
    const std::optional<std::size_t> failed = sample_beside(bench, chosen, columns, best, instances, ratios);
    if (!failed) break;
    if (*failed == columns.size()) {
      is_best_lost = true;
    } else {
      bench.release(instances[*failed]);
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(*failed));
      instances.erase(instances.begin() + static_cast<std::ptrdiff_t>(*failed));
    }
  }
  for (const InstanceId instance : instances) bench.release(instance);
  return on_.stop.load() == 0 && !is_best_lost;
}

// Samples the group and adds to the ratios of each configuration. If one fails, it is lost, and its position is
// returned: that of the best is columns.size().
std::optional<std::size_t> Confirm::sample_beside(TrialBench& bench, const std::vector<Trial>& chosen,
                                                  const std::vector<std::size_t>& columns, InstanceId best,
                                                  const std::vector<InstanceId>& instances, Confirmations& ratios) {
  std::vector<InstanceId> slots = instances;
  for (int i = 0; i < protocol_.confirm_samples; ++i) {
    slots.push_back(best);
    slots.insert(slots.end(), instances.begin(), instances.end());
  }
  const SlotSamples samples = bench.sample_in_turn(slots, 1);
  const std::size_t count = columns.size();
  if (samples.failure) {
    const auto at = std::find(instances.begin(), instances.end(), samples.failure->instance);
    const auto failed = static_cast<std::size_t>(at - instances.begin());
    const std::size_t trial = failed == count ? 0 : columns[failed];
    ratios[trial].clear();
    lose(bench, chosen[trial], samples.failure->status, samples.failure->result);
    return failed;
  }
  for (std::size_t begin = count; begin < samples.samples_ns.size(); begin += count + 1) {
    const double best_value = on_.values.searched_value(chosen[0], samples.samples_ns[begin]);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = on_.values.searched_value(chosen[columns[i]], samples.samples_ns[begin + 1 + i]);
      ratios[columns[i]].push_back(value / best_value);
    }
  }
  return std::nullopt;
}

}  // namespace attune
