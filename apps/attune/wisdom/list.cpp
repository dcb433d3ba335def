// attune list: the kernels that are known.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "apps/terminal/help_text.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"
#include "wisdom/show_more.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t least_name_columns = 12;

}  // namespace

int run_list(const Arguments& arguments) {
  Options options("attune list [options]", "  attune list\n  attune list --json\n");
  add_database_option(options);
  options.add()("json", "one JSON object per kernel instead of text");
  if (options.parse(arguments)) return exit_done;
  std::optional<WisdomStore> store = open_store(options);
  std::map<std::string, StoredCounts> others = read_kept(store);
  std::size_t width = least_name_columns;
  for (const auto& [name, unused] : others) width = std::max(width, name.size());
  std::vector<KernelSpec> builtin;
  for (const EmbeddedFile& file : builtin_kernels()) builtin.push_back(read_embedded_kernel(file));
  const std::size_t columns = output_columns();
  const auto show = [&](const std::string& name, const std::string& summary, bool is_builtin) {
    const StoredCounts kept = others[name];
    if (!options.has("json")) {
      const std::string kept_of_it = kept.sessions > 0 || kept.records > 0 ? "\n" + kept_text(kept) : "";
      put_text("{:<{}}  {}\n", name, width,
               wrapped((is_builtin ? summary : "(not built in)") + kept_of_it, columns, width + 2));
      return;
    }
    nlohmann::ordered_json line = kept_json(name, kept);
    line["builtin"] = is_builtin;
    if (is_builtin) line["summary"] = summary;
    print_line(line);
  };
  for (const KernelSpec& spec : builtin) {
    show(spec.name, spec.summary, true);
    others.erase(spec.name);
  }
  for (const auto& [name, unused] : others) show(name, "", false);
  return exit_done;
}

}  // namespace attune::cli
