// attune report
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "attune/error.hpp"
#include "files/output_file.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "report/comparison_sections.hpp"
#include "report/render.hpp"
#include "report/report_query.hpp"
#include "report/vega_bundle.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"

namespace attune::cli {
namespace {

struct Report {
  std::string title;
  std::vector<ReportSection> sections;
  std::map<std::string, Json> datasets;
};

Options report_options() {
  Options options("attune report [KERNEL|FILE.cu] [options]",
                  "  attune report matmul.cu -o report.html\n"
                  "  attune report transpose --problem \"width=8192\" --text\n"
                  "  attune report matmul --format vega-lite -o charts\n"
                  "  attune report --compare before.db after.db -o compared.html\n",
                  {"kernel"});
  options.add()("output,o", named_value("FILE"), "the file; for --format vega-lite a folder")(
      "problem,p", named_value("PROBLEM"), "the newest session of these values of the problem")(
      "device,d", named_value("DEVICE"), "of devices of this kind (cuda, host) or name")(
      "format,f", named_value("FORMAT"), "html (default), text or vega-lite (a specification for each chart)")(
      "text", "the same as --format text")("names", "show folders, users and hosts in logs")(
      "compare", named_values("A.db B.db")->multitoken(), "two databases beside each other; a KERNEL may follow");
  add_database_option(options);
  return options;
}

std::string format_of(const Options& options) {
  const std::string format = options.text("format").value_or(options.has("text") ? "text" : "html");
  if (format != "html" && format != "text" && format != "vega-lite")
    throw UsageError(fmt::format("unknown report format `{}`; known: html, text, vega-lite", format));
  if (options.has("text") && format != "text") throw UsageError("--text and --format " + format + ": one of both");
  return format;
}

Report session_report(const Options& options) {
  std::optional<WisdomStore> store = open_store(options);
  ReportQuery query = report_query(options, options.text("kernel").value_or(""), store);
  query.shows_names = options.has("names");
  const ReportData data = read_report(*store, std::move(query));
  const RecordKey& key = data.session.key.record;
  return {key.kernel + (key.problem.empty() ? "" : " " + key.problem.text()),
          sections_of(data),
          {{std::string(trials_dataset), trial_rows(data)}}};
}

Report comparison_report(const Options& options) {
  const std::vector<std::string> given = options.list("compare");
  if (given.size() < 2 || given.size() > 3) throw UsageError("--compare takes two databases, and a KERNEL if you like");
  for (const char* const option : {"db", "problem", "device", "names"})
    if (options.has(option)) throw UsageError(fmt::format("--{} is not for --compare", option));
  const std::string kernel = given.size() == 3 ? given[2] : options.text("kernel").value_or("");
  const std::string name = is_kernel_file(kernel) ? load_kernel(kernel).name : kernel;
  std::vector<ComparedSide> sides;
  for (const std::string& file : {given[0], given[1]}) {
    WisdomStore store(file, WisdomStore::Access::read_only, {note_on_stderr});
    sides.push_back({std::filesystem::path(file).stem().string(), store.records(name)});
    note_damage(store);
  }
  if (sides[0].name == sides[1].name) sides[0].name = "first", sides[1].name = "second";
  Report report{sides[0].name + " and " + sides[1].name, compared_sections(sides[0], sides[1]), {}};
  if (report.sections.empty()) throw UsageError("neither database has records" + (name.empty() ? "" : " of " + name));
  return report;
}

void write_specifications(const Options& options, const Report& report) {
  const std::filesystem::path folder = options.text("output").value_or("");
  if (folder.empty()) throw UsageError("--format vega-lite writes a file for each chart; name a folder: -o charts");
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
  for (const auto& [name, text] : specifications_of(report.sections, report.datasets))
    OutputFile((folder / name).string()).write(text);
}

}  // namespace

int run_report(const Arguments& arguments) {
  Options options = report_options();
  if (options.parse(arguments)) return exit_done;
  const std::string format = format_of(options);
  std::optional<OutputFile> file;
  if (const auto name = options.text("output"); name && format != "vega-lite") {
    file.emplace(*name).must_not_be_wisdom(database_to_read(options));
    for (const std::string& database : options.list("compare")) file->must_not_be_wisdom(database);
    if (const auto kernel = options.text("kernel"); kernel && is_kernel_file(*kernel))
      file->must_not_be(*kernel, "the kernel file");
  }
  if (!file && format == "html" && isatty(STDOUT_FILENO) == 1)
    throw UsageError("a page is not printed on a terminal; name a file: -o report.html, or ask for --text");
  const Report report = options.has("compare") ? comparison_report(options) : session_report(options);
  if (format == "vega-lite") {
    write_specifications(options, report);
    return exit_done;
  }
  const std::string text = format == "text"
                               ? text_of(report.title, report.sections)
                               : page_html(page_of(report.title, report.sections, report.datasets), vega_bundle());
  if (file)
    file->write(text);
  else
    std::cout << (format == "text" ? visible_text(text) : text);
  return exit_done;
}

}  // namespace attune::cli
