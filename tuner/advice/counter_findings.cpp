// What counters say: each finding with its threshold, and the counters it is read from.
#include <fmt/format.h>

#include <algorithm>

#include "advice/advice_parts.hpp"
#include "advice/counter_names.hpp"
#include "advice/counters.hpp"

namespace attune {
namespace {

// A quarter of the passes: accesses take 1.33 times as many as they need. Less comes from stores that happen to meet.
constexpr double notable_conflicts = 0.25;
// Half of the bytes of the sectors are not asked for: twice the traffic that is needed.
constexpr double wasteful_access = 50;
// The widest access, 16 bytes of each thread of a warp, asks for 16 sectors of 32 bytes. More are apart.
constexpr double most_sectors = 16;
// A twentieth of the traffic at the first cache: what a compiler spills once in a kernel's prologue is less.
constexpr double notable_local = 0.05;
// Three quarters of a warp's 32 threads: the last warp of a row or a block is rarely full.
constexpr double few_threads = 24;

std::optional<double> value(const Counters& counters, std::string_view name) {
  return counters.find(std::string(name));
}

void find_conflicts(const Counters& counters, std::vector<Advice>& list) {
  const auto conflicts = value(counters, metric::bank_conflicts), passes = value(counters, metric::shared_wavefronts);
  if (!conflicts || !passes || *passes <= 0 || *conflicts < notable_conflicts * *passes) return;
  list.push_back({"bank conflicts",
                  "accesses of a warp to shared memory meet in the same banks: pad or swizzle rows whose stride is a "
                  "multiple of 32 banks",
                  fmt::format("{:.0f} % of the passes are conflicts", 100 * notable_conflicts),
                  fmt::format("{:.0f} % of {:.0f} passes", 100 * *conflicts / *passes, *passes)});
}

// By the share of the bytes that are used where it is counted, else by sectors for each request.
void find_uncoalesced(const Counters& counters, std::string_view what, std::string_view efficiency,
                      std::string_view sectors, std::string_view requests, std::vector<Advice>& list) {
  const auto used = value(counters, efficiency), all = value(counters, sectors), asked = value(counters, requests);
  const bool has_traffic = all && asked && *asked > 0;
  if (!has_traffic) return;
  const double each = *all / *asked;
  if (used ? *used >= wasteful_access : each <= most_sectors) return;
  list.push_back(
      {"uncoalesced",
       fmt::format(
           "neighbouring threads {} addresses apart: let them take neighbouring elements, through shared memory "
           "if the order must change",
           what),
       used ? fmt::format("less than {:g} % of the moved bytes are used", wasteful_access)
            : fmt::format("more than {:g} sectors for each request", most_sectors),
       (used ? fmt::format("{:.0f} % of the bytes are used; ", *used) : std::string()) +
           fmt::format("{:.1f} sectors for each request, where 4 bytes of each thread need 4", each)});
}

void find_spills(const Counters& counters, std::vector<Advice>& list) {
  const auto loads = value(counters, metric::local_loads), stores = value(counters, metric::local_stores);
  const auto read = value(counters, metric::load_sectors), written = value(counters, metric::store_sectors);
  if (!loads || !stores || !read || !written) return;
  const double local = *loads + *stores, all = local + *read + *written;
  if (local <= 0 || local < notable_local * all) return;
  list.push_back({"spills",
                  "threads keep values in local memory: registers are spilled, or arrays are indexed by what only run "
                  "time knows",
                  fmt::format("{:.0f} % of the sectors that threads load and store", 100 * notable_local),
                  fmt::format("{:.0f} %: {:.0f} sectors of local memory", 100 * local / all, local)});
}

// Returns the waves exactly where it is known how many blocks fit, else as the profiler rounds them.
std::optional<double> waves_of(const Counters& counters) {
  const auto blocks = value(counters, metric::blocks), multiprocessors = value(counters, metric::multiprocessors);
  std::optional<double> fit;
  for (const std::string_view limit : metric::blocks_that_fit) {
    const auto by_limit = value(counters, limit);
    if (!by_limit) return value(counters, metric::waves);
    fit = std::min(fit.value_or(*by_limit), *by_limit);
  }
  if (!blocks || !multiprocessors || !(*fit * *multiprocessors > 0)) return value(counters, metric::waves);
  return *blocks / (*fit * *multiprocessors);
}

void find_tail(const Counters& counters, std::vector<Advice>& list) {
  const std::optional<double> waves = waves_of(counters);
  if (!waves || tail_loss(*waves) < notable_tail_loss) return;
  list.push_back({"tail", "the last wave of blocks leaves most multiprocessors idle: let the grid fill its waves",
                  fmt::format("a loss of {:.0f} % or more, if all blocks take equally long", 100 * notable_tail_loss),
                  fmt::format("{:.3f} waves, a loss of {:.0f} %", *waves, 100 * tail_loss(*waves))});
}

void find_divergence(const Counters& counters, std::vector<Advice>& list) {
  const auto threads = value(counters, metric::active_threads);
  if (!threads || *threads <= 0 || *threads >= few_threads) return;
  list.push_back({"divergence",
                  "threads of a warp go different ways, or warps are not full: let a warp's threads decide alike",
                  fmt::format("fewer than {:g} of 32 threads per instruction", few_threads),
                  fmt::format("{:.1f} threads per instruction", *threads)});
}

}  // namespace

std::vector<Advice> findings_in(const Counters& counters) {
  std::vector<Advice> list;
  find_conflicts(counters, list);
  find_uncoalesced(counters, "load from", metric::load_efficiency, metric::load_sectors, metric::load_requests, list);
  find_uncoalesced(counters, "store to", metric::store_efficiency, metric::store_sectors, metric::store_requests, list);
  find_spills(counters, list);
  find_tail(counters, list);
  find_divergence(counters, list);
  return list;
}

}  // namespace attune
