// attune prepare
#include <fmt/format.h>

#include "attune/error.hpp"
#include "files/paths.hpp"
#include "image_filler.hpp"
#include "json_lines.hpp"
#include "measure/objective.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "stored.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

Options prepare_options() {
  Options options("attune prepare KERNEL|FILE.cu... [options]",
                  "  attune prepare reduce scan --architecture sm_90 --architecture sm_100 --cache /opt/attune\n"
                  "  attune prepare my_kernel.cu --architecture sm_80 --problem \"n=2**20 T=float\"\n"
                  "\nNo GPU is needed. It compiles what an application there would launch: every record of the "
                  "architecture, and for each problem the best known configuration and the default.\n",
                  {"kernels..."});
  options.add()("architecture", named_values("ARCHITECTURE"),
                "sm_90, or host; may be given several times (default: those that the kernels have records of)")(
      "problem,p", named_values("PROBLEM"),
      "a problem of every kernel, besides those with records; may be given several times")(
      "regime", named_value("REGIME"), "that problems are asked for: cold (default), warm or stream")(
      "objective", named_value("OBJECTIVE"), "that problems are asked for (default: time)")(
      "cache", named_value("FOLDER"), "the cache to fill (default: $ATTUNE_CACHE, else the user's own)")(
      "json", "one JSON object per image instead of text");
  add_database_option(options);
  return options;
}

void show_json(const PreparedImage& image, const std::string& architecture, FillStatus made,
               const std::string& detail) {
  nlohmann::ordered_json line;
  line["type"] = "image";
  line["kernel"] = image.kernel;
  line["architecture"] = architecture;
  line["problem"] = image.problem;
  line["configuration"] = image.configuration;
  line["why"] = image.why;
  line["key"] = image.key;
  line["made"] = fill_words[made];
  if (!detail.empty()) line["detail"] = detail;
  print_line(line);
}

void show_text(const PreparedImage& image, const std::string& architecture, FillStatus made,
               const std::string& detail) {
  constexpr std::size_t column = 10;
  put_text("{:<9} {}\n", fill_words[made],
           in_lines(fmt::format("{} on {} for {} ({}): {}", image.kernel, architecture, image.problem, image.why,
                                image.configuration),
                    column));
  if (!detail.empty()) put_text("{}\n", detail);
}

}  // namespace

int run_prepare(const Arguments& arguments) {
  Options options = prepare_options();
  if (options.parse(arguments)) return exit_done;
  std::vector<KernelPack> kernels;
  for (const std::string& given : options.required_list("kernels"))
    kernels.push_back(make_pack(find_kernel(options, given), given));
  std::optional<WisdomStore> store = open_store(options);
  const std::vector<Record> records = read_records(store);
  const std::vector<Cover> covers = store ? store->covers() : std::vector<Cover>();
  FillTerms terms{kernels, records, covers, options.list("architecture"), options.list("problem")};
  terms.regime = to_text(regime_of(options));
  terms.objective = Objectives(options.text("objective").value_or("time")).text();
  const std::filesystem::path folder = cache_path(options);
  ImageCache cache(folder);
  const auto [images, counts] = fill_cache(cache, terms, options.has("json") ? show_json : show_text);
  if (!options.has("json"))
    put_text("{} compiled, {} there already, {} failed; in {}\n", counts[0], counts[1], counts[2], folder.string());
  return images.empty() || counts[2] > 0 ? exit_error : exit_done;
}

}  // namespace attune::cli
