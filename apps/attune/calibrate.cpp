// attune calibrate
#include "calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "attune/error.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "rates.hpp"
#include "replay.hpp"
#include "session/calibration.hpp"
#include "spec/kernel_file.hpp"
#include "stop_requests.hpp"
#include "text.hpp"
#include "worker.hpp"

namespace attune::cli {
namespace {

CalibrationRequest calibration_request(const std::filesystem::path& lock_folder) {
  CalibrationRequest request;
  request.kernels = calibration_kernels();
  request.lock_folder = lock_folder;
  request.note = note_on_stderr;
  return request;
}

void print_ceiling_text(const Ceiling& ceiling) {
  constexpr std::size_t column = 33;
  put_text("  {:<16}{:>13}  {}\n", ceiling.name, quantity_text(ceiling.value, ceiling.unit),
           in_lines(ceiling.detail, column));
  std::fflush(stdout);
}

void print_ceiling_json(const DeviceInfo& device, const Ceiling& ceiling) {
  nlohmann::ordered_json line;
  line["type"] = "ceiling";
  line["device"] = to_json(device);
  line["name"] = ceiling.name;
  line["value"] = ceiling.value;
  line["unit"] = ceiling.unit;
  line["detail"] = ceiling.detail;
  line["made_ms"] = ceiling.made_ms;
  print_line(line);
}

Options calibrate_options() {
  Options options(
      "attune calibrate [options]",
      "  attune calibrate\n"
      "  attune calibrate --device cuda:1 --json\n"
      "\nMeasures what a device reaches at most and what measuring on it costs, and keeps it: `attune tune` and "
      "`attune show` say how much of it a kernel reaches. `attune tune` does so itself on a GPU that has not "
      "been calibrated.\n");
  options.add()("device,d", named_value("DEVICE"), "cuda, cuda:N or host (default: $ATTUNE_DEVICE, else cuda)")(
      "db", named_value("FILE"), "the wisdom database (default: $ATTUNE_DB, else the user's own)")(
      "json", "one JSON object per line instead of text");
  add_worker_option(options);
  return options;
}

}  // namespace

void ensure_ceilings(Pool& pool, WisdomStore& store, Observer& observer, const std::filesystem::path& lock_folder,
                     const std::atomic<int>& stop) {
  // A device that does not open is not a matter of ceilings: the search would fail too.
  const DeviceFacts& device = pool.device();
  try {
    const std::vector<Ceiling> known = store.ceilings(device.info.class_key());
    const auto is_current = [&](const Ceiling& ceiling) { return ceiling.driver == device.info.driver; };
    if (!known.empty() && std::all_of(known.begin(), known.end(), is_current)) return;
    observer.note(fmt::format("calibrating {}, once{}: its highest rates of copying and computing", device.info.name,
                              known.empty() ? "" : " for this driver"));
    observer.calibration_started();
    const CalibrationResult calibrated = calibrate(calibration_request(lock_folder), pool, stop);
    if (!calibrated.disturbed.empty())
      observer.note(
          fmt::format("its ceilings are not kept, they may be too low ({}): `attune calibrate` on a quiet device does",
                      calibrated.disturbed));
    else if (!calibrated.ceilings.empty())
      store.put_ceilings(device.info, calibrated.ceilings);
  } catch (const Error& error) {
    observer.note(fmt::format("no ceilings to compare with: {}", error.what()));
  }
}

int run_calibrate(const Arguments& arguments) {
  Options options = calibrate_options();
  if (options.parse(arguments)) return exit_done;
  const std::string name = device_name(options);
  if (is_replay(name))
    throw UsageError("`" + name + "` is a recording: there is no device to calibrate; take cuda, cuda:N or host");
  const bool json = options.has("json");

  catch_signals();
  WisdomStore store(database_path(options), WisdomStore::Access::read_write, {note_on_stderr, &stop_requests});
  const std::unique_ptr<Workers> workers = workers_for(name, worker_options(options));
  Pool pool(*workers);
  pool.set_aliases(store.aliases());
  const DeviceFacts& device = pool.device();
  CalibrationRequest request = calibration_request(usable_lock_folder());
  request.measured = [&](const Ceiling& ceiling) {
    json ? print_ceiling_json(device.info, ceiling) : print_ceiling_text(ceiling);
  };
  if (!json) put_text("{} ({}), driver {}\n", device.info.name, device.info.architecture(), device.info.driver);
  std::fflush(stdout);
  const CalibrationResult calibrated = calibrate(request, pool, stop_requests);
  if (stop_requests.load() > 0) {
    put_error("interrupted; the ceilings of before are kept");
    return exit_interrupted;
  }
  store.put_ceilings(device.info, calibrated.ceilings);
  if (!calibrated.disturbed.empty())
    put_error(
        fmt::format("the device was disturbed ({}): the ceilings may be too low; calibrate it again when it is quiet",
                    calibrated.disturbed));
  if (json) return exit_done;
  if (device.info.kind == "host") put_text("these are ceilings of the emulation, not of the processor\n");
  put_text("kept in {}\n", store.file().string());
  return exit_done;
}

}  // namespace attune::cli
