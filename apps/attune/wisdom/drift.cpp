// attune drift: which records of two databases differ by more than their intervals allow.
#include "measure/drift.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "configuration_text.hpp"
#include "core/record_order.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "record_text.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "wisdom/key_filter.hpp"
#include "wisdom/row_output.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Counts {
  std::size_t compared = 0, apart = 0, only_in_a = 0, only_in_b = 0;
};

std::map<std::string, Record> records_of(const std::string& file, const std::string& kernel, const KeyFilter& filter) {
  if (!std::filesystem::exists(file)) throw Error("there is no database at " + file);
  WisdomStore store(file, WisdomStore::Access::read_only, {note_on_stderr});
  std::map<std::string, Record> found;
  for (Record& record : store.records(kernel))
    if (filter.includes(record.key)) found.emplace(key_text(record.key), std::move(record));
  note_damage(store);
  return found;
}

// Throws UsageError for a name that neither database knows, nor this program.
void require_known_in_either(const Options& options) {
  const std::string given = options.required("kernel");
  if (is_kernel_file(given) || builtin_kernel(given)) return;
  std::map<std::string, StoredCounts> kept;
  for (const char* const file : {"a", "b"}) {
    std::optional<WisdomStore> store(std::in_place, options.required(file), WisdomStore::Access::read_only);
    kept.merge(read_kept(store));
  }
  require_known(given, kept);
}

std::string change_text(const DriftedFigure& figure) {
  return fmt::format("{:+.1f} %{}", 100 * figure.change(), figure.is_apart ? "" : ", within the intervals");
}

std::string from_to(const std::string& a, const std::string& b) { return a == b ? a : a + " -> " + b; }

std::string times_text(const Record& a, const Record& b, const DriftedFigure& time) {
  return fmt::format("{} -> {}: {}", time_text(a.median_ns, a.q1_ns, a.q3_ns), time_text(b.median_ns, b.q1_ns, b.q3_ns),
                     change_text(time));
}

std::string speedups_text(const Record& a, const Record& b, const DriftedFigure& speedup) {
  return fmt::format("{:.2f}x [{:.2f}, {:.2f}] -> {:.2f}x [{:.2f}, {:.2f}]: {}", a.speedup, a.speedup_low,
                     a.speedup_high, b.speedup, b.speedup_low, b.speedup_high, change_text(speedup));
}

std::string clock_text(const Record& record) {
  return record.sm_clock_mhz > 0 ? fmt::format("{:.0f} MHz", record.sm_clock_mhz) : "clock not known";
}

void show_drift(const Record& a, const Record& b, const Drift& drift) {
  const RecordKey& key = a.key;
  const bool is_usual = key.regime == "cold" && key.objective == "time";
  put_text("{}\n  on {}{}\n", in_lines(key.kernel + " " + key.problem.text(), 2), b.device_name,
           is_usual ? "" : fmt::format(", {}, {}", key.objective, key.regime));
  if (drift.time) put_text("{}", fact_line("time", times_text(a, b, *drift.time)));
  if (drift.speedup) put_text("{}", fact_line("speed-up", speedups_text(a, b, *drift.speedup)));
  if (drift.default_time)
    put_text("{}", fact_line("default", fmt::format("{} -> {}: {:+.1f} %", time_text(a.default_ns),
                                                    time_text(b.default_ns), 100 * drift.default_time->change())));
  put_text("{}", fact_line("configuration", from_to(whole_text(a.configuration), whole_text(b.configuration))));
  put_text("{}", fact_line("driver", from_to(a.driver, b.driver)));
  put_text("{}", fact_line("toolchain", from_to(a.toolchain, b.toolchain)));
  put_text("{}", fact_line("clock", from_to(clock_text(a), clock_text(b))));
  put_text("{}", fact_line("found", from_to(utc_text(a.made_ms), utc_text(b.made_ms))));
}

void add_figure(Json& row, const std::string& name, const std::optional<DriftedFigure>& figure) {
  row["a_" + name] = figure ? Json(figure->a) : Json();
  row["b_" + name] = figure ? Json(figure->b) : Json();
  row[name + "_change"] = figure ? Json(figure->change()) : Json();
}

Json json_of(const Record& a, const Record& b, const Drift& drift, const std::string& why_not) {
  const RecordKey& key = a.key;
  Json row = {{"kernel", key.kernel},
              {"problem", to_json(key.problem)},
              {"device_class", key.device_class},
              {"regime", key.regime},
              {"objective", key.objective},
              {"drifts", drift.is_apart()},
              {"time_drifts", drift.time && drift.time->is_apart},
              {"speedup_drifts", drift.speedup && drift.speedup->is_apart},
              {"not_compared", why_not.empty() ? Json() : Json(why_not)}};
  add_figure(row, "median_ns", drift.time);
  add_figure(row, "speedup", drift.speedup);
  add_figure(row, "default_ns", drift.default_time);
  for (const auto& [side, record] : {std::pair<std::string, const Record&>("a_", a), {"b_", b}}) {
    row[side + "q1_ns"] = record.q1_ns;
    row[side + "q3_ns"] = record.q3_ns;
    row[side + "speedup_low"] = record.speedup_low;
    row[side + "speedup_high"] = record.speedup_high;
    row[side + "configuration"] = to_json(record.configuration);
    row[side + "driver"] = record.driver;
    row[side + "toolchain"] = record.toolchain;
    row[side + "sm_clock_mhz"] = record.sm_clock_mhz;
    row[side + "made_ms"] = record.made_ms;
  }
  return row;
}

void show_counts(const Counts& counts, bool shows_all) {
  put_text("{} in both: {} by more than the intervals allow{}\n", counted(counts.compared, "record"),
           counts.apart == 1 ? "1 differs" : fmt::format("{} differ", counts.apart),
           shows_all || counts.apart == counts.compared ? "" : "; --all shows the others");
  if (counts.only_in_a + counts.only_in_b > 0)
    put_text("{} only in A, {} only in B\n", counts.only_in_a, counts.only_in_b);
}

int compare(const Options& options, OutputForm form) {
  const std::string kernel = options.has("kernel") ? kernel_name(options.required("kernel")) : "";
  const KeyFilter filter = key_filter_of(options);
  const std::map<std::string, Record> of_a = records_of(options.required("a"), kernel, filter);
  const std::map<std::string, Record> of_b = records_of(options.required("b"), kernel, filter);
  if (of_a.empty() && of_b.empty() && !kernel.empty()) require_known_in_either(options);
  Counts counts{.only_in_b = of_b.size()};
  std::vector<Json> rows;
  for (const auto& [key, a] : of_a) {
    const auto same = of_b.find(key);
    if (same == of_b.end()) {
      ++counts.only_in_a;
      continue;
    }
    --counts.only_in_b;
    const Record& b = same->second;
    const std::string why_not = why_not_comparable(a, b);
    const Drift drift = why_not.empty() ? drift_of(a, b) : Drift{};
    ++counts.compared;
    counts.apart += drift.is_apart() ? 1 : 0;
    if (form != OutputForm::text)
      rows.push_back(json_of(a, b, drift, why_not));
    else if (!why_not.empty())
      put_text("{}\n  {}\n", in_lines(a.key.kernel + " " + a.key.problem.text(), 2), "not compared: " + why_not);
    else if (options.has("all") || drift.is_apart())
      show_drift(a, b, drift);
  }
  if (form == OutputForm::text)
    show_counts(counts, options.has("all"));
  else
    print_rows(form, "drift", rows);
  return exit_done;
}

}  // namespace

int run_drift(const Arguments& arguments) {
  Options options("attune drift A.db B.db [KERNEL|FILE.cu] [options]",
                  "  attune drift before.db after.db\n  attune drift before.db after.db reduce --device H200 --all\n"
                  "  attune drift before.db after.db --csv > drift.csv\n",
                  {"a", "b", "kernel"});
  add_key_options(options);
  options.add()("all", "as text: also the records that do not differ");
  add_form_options(options, "one JSON object per line, for each record in both");
  if (options.parse(arguments)) return exit_done;
  return compare(options, output_form_of(options));
}

}  // namespace attune::cli
