// attune pin: a configuration that the user sets, and that no session replaces.
#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "base/counted.hpp"
#include "base/unix_ms.hpp"
#include "configuration_text.hpp"
#include "core/device_class.hpp"
#include "db/wisdom_forget.hpp"
#include "db/wisdom_look.hpp"
#include "json_lines.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"
#include "measure/objective.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "record_text.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "wisdom/key_filter.hpp"

namespace attune::cli {
namespace {

// Returns a device of a class of the database, by its key or its name, with the limits of its architecture as far as
// they are known. Throws UsageError where there is none, or more than one.
DeviceInfo stored_device(const std::string& wanted, WisdomStore& store) {
  std::vector<DeviceInfo> found;
  std::string list;
  for (const std::string& key : device_classes(store)) {
    list += "\n  " + key;
    const std::string architecture = architecture_of_class(key);
    const std::vector<std::string> known = known_architectures();
    const bool has_limits = std::ranges::find(known, architecture) != known.end();
    auto device = device_of_class(key, has_limits ? device_limits(architecture) : DeviceInfo{});
    if (device && (key == wanted || device->name == wanted)) found.push_back(*std::move(device));
  }
  if (found.size() == 1) return std::move(found.front());
  throw UsageError(fmt::format("{} the device `{}`; it is cuda, cuda:N, host, or the name or class of one of these:{}",
                               found.empty() ? "the database does not know" : "more than one class has", wanted, list));
}

DeviceInfo device_to_pin(const Options& options, WisdomStore& store) {
  const std::string name = device_name(options);
  const bool is_here = name == "host" || name == "cuda" || name.starts_with("cuda:");
  if (!is_here) return stored_device(name, store);
  DeviceInfo device = device_info_for(name);
  apply_aliases(device, store.aliases());
  return device;
}

// Gives a pin the figures of the newest record of its configuration, else of a trial, as far as there are any.
// Returns the finalists of that record.
std::vector<FinalistResult> add_figures(Record& pin, const std::vector<Record>& history, WisdomStore& store) {
  const auto measured = std::ranges::find_if(
      history, [&](const Record& record) { return record.configuration == pin.configuration && record.median_ns > 0; });
  if (measured != history.end()) {
    const Record identity = pin;
    pin = *measured;
    pin.uuid = identity.uuid;
    pin.origin = identity.origin;
    pin.made_ms = identity.made_ms;
    pin.superseded = false;
    return store.finalists(measured->uuid);
  }
  const std::optional<Trial> trial = newest_trial(store, pin.key, pin.configuration);
  if (!trial || trial->verdict != Verdict::ok) return {};
  const Measurement& times = trial->measurement;
  pin.protocol = first_present_protocol;
  pin.median_ns = pin.value = times.median_ns;
  pin.min_ns = times.min_ns;
  pin.q1_ns = times.q1_ns;
  pin.q3_ns = times.q3_ns;
  pin.batch = trial->batch;
  if (trial->anchor_ns <= 0) return {};
  pin.default_ns = pin.default_value = trial->anchor_ns;
  pin.speedup = trial->anchor_ns / times.median_ns;
  pin.speedup_low = trial->anchor_ns / times.q3_ns;
  pin.speedup_high = trial->anchor_ns / times.q1_ns;
  return {};
}

Record pin_of(const Options& options, const KernelSpec& spec, const DeviceInfo& device) {
  Record pin;
  pin.key = {spec.name,
             spec.fingerprints.code,
             spec.fingerprints.contract,
             device.class_key(),
             parse_problem(spec, options.text("problem").value_or(""), device.kind),
             std::string(to_text(regime_of(options))),
             Objectives(options.text("objective").value_or("time")).text()};
  pin.configuration = parse_configuration(spec, options.required("configuration"));
  if (const std::string rule = why_illegal(spec, pin.key.problem, device, pin.configuration); !rule.empty())
    throw Error(fmt::format("{} is not legal for {} on {}: {}", pin.configuration.text(), pin.key.problem.text(),
                            device.name, rule));
  pin.device_name = device.name;
  pin.compute_capability = device.compute_capability;
  pin.multiprocessors = device.multiprocessors;
  pin.origin = Origin::pinned;
  pin.attune_version = library_version;
  pin.made_ms = unix_ms();
  pin.protocol = 0;  // it was never measured, unless there are figures
  return pin;
}

void show_pin(const Record& pin, bool json) {
  if (json) return print_record(pin, {});
  const std::string figures = pin.median_ns > 0 ? time_text(pin.median_ns) + "; " + gain_text(pin)
                                                : "it was not measured; attune bench compares it with the default";
  put_text("{}\n{}{}",
           in_lines(fmt::format("{} {} on {} is pinned", pin.key.kernel, pin.key.problem.text(), pin.device_name), 2),
           fact_line("configuration", whole_text(pin.configuration)), fact_line("time", figures));
}

int pin_one(const Options& options) {
  const KernelSpec spec = find_kernel(options, options.required("kernel"));
  if (!options.has("configuration")) throw UsageError("what is to be pinned? name it by --configuration \"A=1 B=2\"");
  WisdomStore store(database_path(options), WisdomStore::Access::read_write, {note_on_stderr});
  Record pin = pin_of(options, spec, device_to_pin(options, store));
  std::vector<Record> history = store.history(pin.key);
  const auto earlier = std::ranges::find(history, Origin::pinned, &Record::origin);
  pin.uuid = earlier != history.end() ? earlier->uuid : make_uuid();  // a key has one pin
  if (earlier != history.end() && earlier->configuration != pin.configuration) history.erase(earlier);
  const std::vector<FinalistResult> finalists = add_figures(pin, history, store);
  store.put_record(pin, {}, finalists);
  show_pin(pin, options.has("json"));
  return exit_done;
}

int take_off(const Options& options) {
  if (options.has("configuration")) throw UsageError("--remove takes no --configuration: a key has one pin");
  const std::string given = options.required("kernel");
  std::optional<WisdomStore> store = open_store_to_change(options);
  require_known_or_builtin(given, store);
  Forgetting what;
  what.kernel = kernel_name(given);
  what.sessions = false;
  what.pins_alone = true;
  what.includes = [filter = key_filter_of(options), regime = options.text("regime"),
                   objective = options.text("objective")](const RecordKey& key) {
    return filter.includes(key) && key.regime == regime.value_or(key.regime) &&
           key.objective == objective.value_or(key.objective);
  };
  const Forgotten gone = forget(*store, what, false);
  if (options.has("json"))
    print_line({{"type", "forgotten"}, {"records", gone.records}});
  else
    put_text("{} taken off\n", counted(gone.records, "pin"));
  return exit_done;
}

}  // namespace

int run_pin(const Arguments& arguments) {
  Options options("attune pin KERNEL|FILE.cu [options]",
                  "  attune pin transpose --problem \"width=8192 height=8192\" --configuration \"TILE_X=64\"\n"
                  "  attune pin transpose --problem \"width=8192\" --remove\n",
                  {"kernel"});
  options.add()("problem,p", named_value("PROBLEM"),
                "the problem; with --remove, a part of it: \"width=8192 T=float\"")(
      "configuration,c", named_value("VALUES"),
      "what is to be launched: \"TILE_X=64\"; parameters that are left out take their defaults")(
      "device,d", named_value("DEVICE"),
      "cuda, cuda:N, host, or the name or class of a device in the database (default: $ATTUNE_DEVICE, else cuda)")(
      "regime", named_value("REGIME"), "cold (default), warm or stream; with --remove: any")(
      "objective", named_value("OBJECTIVE"), "of requests for this objective (default: time; with --remove: any)")(
      "remove", "take the pins of this kernel, problem and device off")("json", "JSON lines instead of text");
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  return options.has("remove") ? take_off(options) : pin_one(options);
}

}  // namespace attune::cli
