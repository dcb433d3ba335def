#include "cover_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "base/shell_word.hpp"
#include "core/device_class.hpp"
#include "kernel/legality.hpp"
#include "kernel/nearness.hpp"
#include "measure/statistics.hpp"
#include "options.hpp"

namespace attune::cli {
namespace {

constexpr double least_share = 0.75;  // of the problems for which a configuration is legal

using CellsOfProblem = std::map<std::string, std::pair<Configuration, CoverCell>>;  // by the configuration's text

struct KnownProblem {
  Problem problem;
  std::optional<Configuration> by_default;
  CellsOfProblem cells;
};

bool is_of_device(const std::string& device_class, const std::string& wanted) {
  return wanted.empty() || device_class == wanted || kind_of(device_class) == wanted.substr(0, wanted.find(':')) ||
         device_class.find("|" + wanted + "|") != std::string::npos;
}

bool is_of(const RecordKey& own, const RecordKey& key) {
  return own.code == key.code && own.contract == key.contract && own.regime == key.regime &&
         own.objective == key.objective;
}

// Returns how the default's time compares with the samples of a configuration. `slack`: by how much the default's
// time, as a share of it, may be off.
CoverCell cell_of(double default_ns, double slack, const Measurement& measured) {
  if (!(default_ns > 0) || !(measured.median_ns > 0)) return {};
  Interval interval{measured.median_ns, measured.median_ns};
  if (!measured.samples_ns.empty()) interval = median_interval(measured.samples_ns);
  return {default_ns / measured.median_ns, default_ns * (1 - slack) / interval.high,
          default_ns * (1 + slack) / interval.low};
}

// Returns half of the median's interval as a share of the median.
double half_width(const Measurement& measured) {
  if (measured.samples_ns.empty() || !(measured.median_ns > 0)) return 0;
  const Interval interval = median_interval(measured.samples_ns);
  return (interval.high - interval.low) / 2 / measured.median_ns;
}

class CellReader {
 public:
  CellReader(WisdomStore& store, const KernelSpec& spec, const std::string& given, RecordKey key)
      : store_(store), spec_(spec), given_(given) {
    made_.key = std::move(key);
  }

  CoverCells run(const std::string& device) {
    find_sessions(device);
    for (const SessionRow& session : sessions_) add_trials(session);
    for (const Record& record : store_.candidates(made_.key))
      if (record.key.device_class == made_.key.device_class && is_of(record.key, made_.key)) add_finalists(record);
    choose_columns();
    return std::move(made_);
  }

 private:
  void find_sessions(const std::string& device) {
    std::vector<std::string> classes;
    for (SessionRow& session : store_.sessions(spec_.name)) {
      const RecordKey& key = session.key.record;
      if (!is_of(key, made_.key) || !is_of_present_meaning(session.protocol) || session.trials == 0 ||
          !is_of_device(key.device_class, device))
        continue;
      if (std::ranges::find(classes, key.device_class) == classes.end()) classes.push_back(key.device_class);
      sessions_.push_back(std::move(session));
    }
    if (classes.empty())
      throw UsageError(
          fmt::format("nothing was measured of {} for this; a cover is made of several problems: attune "
                      "tune {} --problem ... --problem ...",
                      spec_.name, shell_word(given_)));
    if (classes.size() > 1)
      throw UsageError(fmt::format("{} was measured on several classes of devices; name one with --device:\n  {}",
                                   spec_.name, fmt::join(classes, "\n  ")));
    made_.key.device_class = classes.front();
    const std::string architecture = architecture_of_class(classes.front());
    auto info = device_of_class(classes.front(), device_info_for(architecture));
    if (!info) throw Error("the database has a device class that is none: " + classes.front());
    made_.device = *std::move(info);
  }

  KnownProblem& known(const Problem& problem) {
    const auto found = std::ranges::find(problems_, problem, &KnownProblem::problem);
    return found != problems_.end()
               ? *found
               : problems_.emplace_back(KnownProblem{problem, default_configuration(spec_, problem, made_.device), {}});
  }

  // Sessions come newest first, and the newest trial counts. Energy and formulas are not measured while searching.
  void add_trials(const SessionRow& session) {
    CellsOfProblem& cells = known(session.key.record.problem).cells;
    for (const Trial& trial : store_.trials(session.id)) {
      CoverCell cell;
      cell.is_usable = trial.verdict == Verdict::ok;
      if (cell.is_usable && made_.key.objective == "time")
        cell = cell_of(trial.anchor_ns, half_width(trial.measurement), trial.measurement);
      if (cell.is_usable && cell.speedup == 0) continue;
      cells.try_emplace(trial.configuration.text(), trial.configuration, cell);
    }
  }

  void add_finalists(const Record& record) {
    KnownProblem& problem = known(record.key.problem);
    const std::vector<FinalistResult> finalists = store_.finalists(record.uuid);
    const auto first = std::ranges::find_if(
        finalists, [&](const FinalistResult& one) { return one.configuration == problem.by_default; });
    if (first == finalists.end()) return;
    const bool is_time = made_.key.objective == "time";
    for (const FinalistResult& one : finalists) {
      CoverCell cell = cell_of(first->measurement.median_ns, half_width(first->measurement), one.measurement);
      if (!is_time) {
        if (one.objective_values.empty() || !(one.objective_values.front() > 0)) continue;
        const double ratio = first->objective_values.front() / one.objective_values.front();
        cell = {ratio, ratio * cell.low / cell.speedup, ratio * cell.high / cell.speedup};
      }
      if (cell.speedup > 0)
        problem.cells.insert_or_assign(one.configuration.text(), std::pair(one.configuration, cell));
    }
  }

  CoverCell cell_for(const KnownProblem& known, const Configuration& configuration) const {
    const auto found = known.cells.find(configuration.text());
    if (found != known.cells.end()) return found->second.second;
    CoverCell cell;
    cell.is_usable = legal_configuration(spec_, known.problem, made_.device, configuration).has_value();
    return cell;
  }

  bool is_always_default(const Configuration& configuration) const {
    return std::ranges::all_of(problems_, [&](const KnownProblem& known) { return known.by_default == configuration; });
  }

  // Adds a configuration to the matrix if it was measured on enough problems.
  void add_column(const Configuration& configuration) {
    std::vector<CoverCell> column;
    std::size_t legal = 0, measured = 0;
    for (const KnownProblem& known : problems_) {
      column.push_back(cell_for(known, configuration));
      legal += column.back().is_usable ? 1 : 0;
      measured += column.back().speedup > 0 ? 1 : 0;
    }
    if (measured == 0 || is_always_default(configuration)) return;
    if (static_cast<double>(measured) < least_share * static_cast<double>(legal)) {
      ++made_.left_out;
      return;
    }
    made_.matrix.configurations.push_back(configuration);
    for (std::size_t i = 0; i < problems_.size(); ++i) made_.matrix.rows[i].push_back(column[i]);
  }

  void choose_columns() {
    std::ranges::sort(problems_, {}, [](const KnownProblem& known) { return known.problem.text(); });
    std::map<std::string, Configuration> all;
    for (const KnownProblem& known : problems_) {
      made_.matrix.problems.push_back(known.problem);
      made_.matrix.rows.emplace_back();
      for (const auto& [text, cell] : known.cells) all.try_emplace(text, cell.first);
    }
    for (const auto& [text, configuration] : all) add_column(configuration);
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      const auto missing = std::ranges::count_if(
          made_.matrix.rows[i], [](const CoverCell& cell) { return cell.is_usable && cell.speedup == 0; });
      made_.missing += static_cast<std::size_t>(missing);
      if (missing > 0) made_.lacking.push_back(problems_[i].problem);
    }
  }

  WisdomStore& store_;
  const KernelSpec& spec_;
  const std::string& given_;
  std::vector<SessionRow> sessions_;
  std::vector<KnownProblem> problems_;
  CoverCells made_;
};

}  // namespace

CoverCells read_cover_cells(WisdomStore& store, const KernelSpec& spec, const std::string& given,
                            const std::string& device, RecordKey key) {
  return CellReader(store, spec, given, std::move(key)).run(device);
}

}  // namespace attune::cli
