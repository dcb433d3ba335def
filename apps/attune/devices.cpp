// attune devices, attune --version
#include <fmt/format.h>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "db/wisdom_store.hpp"
#include "device/cuda/cuda_device.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t name_columns = 8;

void show_device(const DeviceInfo& device, bool json) {
  if (json) {
    print_line(to_json(device));
    return;
  }
  const std::string name = device.kind == "cuda" ? fmt::format("cuda:{}", device.ordinal) : device.kind;
  const std::string text =
      fmt::format("{} ({}), {} multiprocessors, {:.1f} GiB, {}", device.name, device.architecture(),
                  device.multiprocessors, static_cast<double>(device.memory_bytes) / (1 << 30), device.driver);
  put_text("{:<{}}{}\n", name, name_columns, in_lines(text, name_columns));
}

std::string compiler_text(const std::string& device) {
  try {
    return make_compiler(device)->toolchain();
  } catch (const Error& error) {
    return std::string("none: ") + error.what();
  }
}

}  // namespace

int run_devices(const Arguments& arguments) {
  Options options("attune devices [options]", "  attune devices\n  attune devices --json\n");
  options.add()("json", "one JSON object per line");
  if (options.parse(arguments)) return exit_done;
  const bool json = options.has("json");
  std::string why_not;
  if (cuda_available(why_not)) {
    for (const DeviceInfo& device : cuda_devices()) show_device(device, json);
  } else if (!json) {
    put_text("cuda    {}\n", in_lines("none: " + why_not, name_columns));
  }
  show_device(open_device("host")->info(), json);
  return exit_done;
}

std::string version_text() {
  std::string why_not;
  const std::string driver = cuda_available(why_not) ? driver_version_text().value_or("unknown") : "none: " + why_not;
  return fmt::format("attune {}\nNVRTC   {}\ndriver  {}\nhost    {}\nSQLite  {}\n", library_version,
                     compiler_text("sm_75"), driver, compiler_text("host"), WisdomStore::sqlite_version());
}

}  // namespace attune::cli
