// attune cover
#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "base/counted.hpp"
#include "base/shell_word.hpp"
#include "base/unix_ms.hpp"
#include "configuration_text.hpp"
#include "cover/make_cover.hpp"
#include "cover_cells.hpp"
#include "json_lines.hpp"
#include "measure/objective.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "stored.hpp"
#include "table.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

constexpr const char* family_names[] = {"sizes", "multiples", "products", "shapes"};
constexpr long long most_configurations = 64;

Options cover_options() {
  Options options("attune cover KERNEL|FILE.cu [options]",
                  "  attune cover reduce\n  attune cover reduce --configurations 2 --dry-run\n"
                  "  attune cover my_kernel.cu --device host --json\n"
                  "\nIt reads what was measured and measures nothing. Tune several problems before, of sizes that "
                  "applications use.\n",
                  {"kernel"});
  options.add()("configurations,c", named_value("N"),
                "so many configurations at most, the default among them where it serves (default: 4)")(
      "depth", named_value("N"), "so many questions on a way through the tree (default: by cross-validation)")(
      "device,d", named_value("DEVICE"), "the class, name or kind of device of which the measurements are")(
      "regime", named_value("REGIME"), "that was tuned for: cold (default), warm or stream")(
      "objective", named_value("OBJECTIVE"), "what was tuned for (default: time)")("dry-run", "store nothing")(
      "json", "one JSON object instead of text");
  add_database_option(options);
  return options;
}

std::string percent_text(double loss) { return fmt::format("{:.1f} %", 100 * loss); }

// The problems that a column serves, and what they lose by it.
struct ServedProblems {
  std::vector<std::string> problems;
  std::vector<double> losses;
};

ServedProblems served_by(std::size_t column, const MadeCover& made, const CoverLosses& losses) {
  ServedProblems served;
  for (std::size_t i = 0; i < losses.problems(); ++i) {
    const Problem& problem = losses.matrix().problems[i];
    if (made.tree.column_of(problem) != column) continue;
    served.problems.push_back(problem.text());
    served.losses.push_back(losses.loss(i, column));
  }
  return served;
}

class CoverReport {
 public:
  CoverReport(const CoverCells& cells, const MadeCover& made, std::string given)
      : cells_(cells), made_(made), given_(std::move(given)), losses_(cells.matrix) {}

  void print_text() const {
    const RecordKey& key = cells_.key;
    put_text("{}\n",
             in_lines(fmt::format("{} on {}, {}, {}: {} measured on {}", key.kernel, cells_.device.name, key.regime,
                                  key.objective, counted(cells_.matrix.configurations.size(), "configuration"),
                                  counted(made_.cover.problems, "problem")),
                      2));
    print_configurations();
    put_text("tree\n");
    print_tree(0, 2);
    print_expectation();
    print_lacking();
  }

  nlohmann::ordered_json json() const {
    const Cover& cover = made_.cover;
    nlohmann::ordered_json line = {{"type", "cover"},
                                   {"kernel", cells_.key.kernel},
                                   {"code", cells_.key.code},
                                   {"contract", cells_.key.contract},
                                   {"device_class", cells_.key.device_class},
                                   {"regime", cells_.key.regime},
                                   {"objective", cells_.key.objective},
                                   {"problems", cover.problems},
                                   {"measured_configurations", cells_.matrix.configurations.size()},
                                   {"missing_cells", cells_.missing},
                                   {"left_out", cells_.left_out}};
    for (const std::size_t column : made_.columns) {
      const ServedProblems served = served_by(column, made_, losses_);
      const LossSummary summary = summary_of(served.losses);
      const bool is_default = column == losses_.default_column();
      nlohmann::ordered_json one;
      one["configuration"] = is_default ? nlohmann::ordered_json() : to_json(cells_.matrix.configurations[column]);
      one["problems"] = served.problems;
      one["mean_loss"] = summary.mean;
      one["worst_loss"] = summary.worst;
      line["configurations"].push_back(std::move(one));
    }
    line["is_exact"] = made_.is_exact;
    line["tree"] = cover.tree;
    line["measured"] = cover.measured;
    line["depth"] = made_.terms.depth;
    line["questions"] = family_names[static_cast<int>(made_.terms.family)];
    line["mean_loss"] = cover.mean_loss;
    line["worst_loss"] = cover.worst_loss;
    for (const TriedTree& tried : made_.tried) {
      const LossSummary summary = summary_of(tried.losses);
      line["tried"].push_back({{"depth", tried.terms.depth},
                               {"questions", family_names[static_cast<int>(tried.terms.family)]},
                               {"mean_loss", summary.mean},
                               {"worst_loss", summary.worst}});
    }
    return line;
  }

 private:
  std::string name_of(std::size_t column) const {
    if (column == losses_.default_column()) return "default";
    return std::to_string(std::ranges::find(made_.columns, column) - made_.columns.begin());
  }

  void print_configurations() const {
    std::vector<Cells> rows = {{"", "problems", "mean loss", "worst"}};
    std::vector<ShownConfiguration> shown;
    for (const std::size_t column : made_.columns) {
      const ServedProblems served = served_by(column, made_, losses_);
      const LossSummary summary = summary_of(served.losses);
      rows.push_back({name_of(column), std::to_string(served.problems.size()), percent_text(summary.mean),
                      percent_text(summary.worst)});
      const bool is_default = column == losses_.default_column();
      shown.push_back({name_of(column), is_default ? Configuration() : cells_.matrix.configurations[column],
                       is_default ? "the kernel's own, for each problem" : ""});
    }
    put_text("{}{}", table_text(rows), configurations_text(shown, Beside::first));
  }

  void print_tree(std::size_t place, std::size_t indent) const {
    const CoverTree::Node& node = made_.tree.nodes[place];
    if (!node.split) {
      put_text("{:{}}{}\n", "", indent, name_of(node.column));
      return;
    }
    put_text("{:{}}if {}\n", "", indent, node.split->text());
    print_tree(node.yes, indent + 2);
    put_text("{:{}}else\n", "", indent);
    print_tree(node.no, indent + 2);
  }

  void print_expectation() const {
    const Cover& cover = made_.cover;
    put_text("{}", indented_line(fmt::format(
                       "of a problem that was not measured, it is expected to be {} slower than the best of all "
                       "configurations, and {} at worst: each problem was judged by the cover of the others",
                       percent_text(cover.mean_loss), percent_text(cover.worst_loss))));
    put_text("{}",
             indented_line(made_.is_exact ? "no other choice of configurations is better"
                                          : "chosen step by step and by exchanges; another choice may be better"));
  }

  // Cells that were not measured count as the configuration's slowest.
  void print_lacking() const {
    if (cells_.left_out > 0)
      put_text("{}", note_line(fmt::format("{} left out, measured on less than three quarters of the problems",
                                           counted(cells_.left_out, "configuration"))));
    if (cells_.missing == 0) return;
    put_text("{}", note_line(fmt::format("{} not measured, and taken as the configuration's slowest; to measure: "
                                         "attune tune {} --problems FILE, with these lines in FILE",
                                         counted(cells_.missing, "cell"), shell_word(given_))));
    for (const Problem& problem : cells_.lacking) put_text("    {}\n", problem.text());
  }

  const CoverCells& cells_;
  const MadeCover& made_;
  const std::string given_;
  const CoverLosses losses_;
};

CoverTerms terms_of(const Options& options) {
  CoverTerms terms;
  terms.configurations =
      static_cast<std::size_t>(options.integer("configurations", 1, most_configurations).value_or(4));
  if (const auto depth = options.integer("depth", 0, most_depth)) terms.depth = static_cast<int>(*depth);
  return terms;
}

}  // namespace

int run_cover(const Arguments& arguments) {
  Options options = cover_options();
  if (options.parse(arguments)) return exit_done;
  const std::string given = options.required("kernel");
  const CoverTerms terms = terms_of(options);
  const KernelSpec spec = find_kernel(options, given);
  RecordKey key{.kernel = spec.name,
                .code = spec.fingerprints.code,
                .contract = spec.fingerprints.contract,
                .device_class = {},
                .problem = {}};
  key.regime = to_text(regime_of(options));
  key.objective = Objectives(options.text("objective").value_or("time")).text();
  std::optional<WisdomStore> store = open_store(options);
  if (!store) throw UsageError("nothing is known of " + spec.name + " yet: attune tune " + shell_word(given));
  const CoverCells cells = read_cover_cells(*store, spec, given, options.text("device").value_or(""), std::move(key));
  note_damage(*store);
  MadeCover made = make_cover(cells.matrix, terms);
  Cover& cover = made.cover;
  cover.key = cells.key;
  cover.device_name = cells.device.name;
  cover.attune_version = library_version;
  cover.made_ms = unix_ms();
  const CoverReport report(cells, made, given);
  const bool is_stored = !options.has("dry-run");
  if (is_stored) WisdomStore(store->file(), WisdomStore::Access::read_write, {note_on_stderr}).put_cover(cover);
  if (options.has("json")) {
    nlohmann::ordered_json line = report.json();
    line["stored"] = is_stored;
    print_line(line);
    return exit_done;
  }
  report.print_text();
  put_text("{}", indented_line(is_stored ? "stored in " + store->file().string() +
                                               ": applications on such devices use it where a problem has no record"
                                         : "not stored, because of --dry-run"));
  return exit_done;
}

}  // namespace attune::cli
