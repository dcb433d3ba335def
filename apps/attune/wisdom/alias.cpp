// attune alias: devices that count as others.
#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "base/shell_word.hpp"
#include "command.hpp"
#include "core/device_class.hpp"
#include "db/wisdom_look.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "stored.hpp"

namespace attune::cli {
namespace {

bool is_class(const std::string& device) { return device.find('|') != std::string::npos; }

// Returns the class of which a name is, if the database knows one alone; the name where it knows none. Throws
// UsageError where it knows several.
std::string class_of_name(const std::string& name, const std::vector<std::string>& classes) {
  std::vector<std::string> found;
  for (const std::string& one : classes)
    if (const auto device = device_of_class(one, {}); device && device->name == name) found.push_back(one);
  if (found.size() > 1)
    throw UsageError(fmt::format("there are several classes of the name `{}`; name one of them:\n  {}", name,
                                 fmt::join(found, "\n  ")));
  return found.empty() ? name : found.front();
}

void require_alike(const std::string& device, const std::string& other) {
  if (!is_class(other)) return;
  const auto of_other = device_of_class(other, {});
  if (!of_other) throw UsageError(fmt::format("`{}` is no device class (see: attune devices --json)", other));
  if (!is_class(device)) return;
  const auto of_device = device_of_class(device, {});
  if (!of_device) throw UsageError(fmt::format("`{}` is no device class (see: attune devices --json)", device));
  if (of_device->architecture() != of_other->architecture())
    throw UsageError(
        fmt::format("a device of {} cannot count as one of {}", of_device->architecture(), of_other->architecture()));
}

std::string text_of(const DeviceAlias& alias) { return fmt::format("{} counts as {}", alias.device, alias.counts_as); }

// Returns whether a name or class stands for the other one.
bool means(const std::string& one, const std::string& other) {
  const auto is_class_of = [](const std::string& key, const std::string& name) {
    const auto device = device_of_class(key, {});
    return device && device->name == name;
  };
  return one == other || is_class_of(one, other) || is_class_of(other, one);
}

// Refuses what would have to be followed further: an alias is followed once.
void require_one_step(const DeviceAlias& alias, const std::vector<DeviceAlias>& present) {
  for (const DeviceAlias& one : present)
    if (one.device != alias.device && (means(one.device, alias.counts_as) || means(one.counts_as, alias.device)))
      throw UsageError(
          fmt::format("{}, and an alias is followed once; name another device, or remove that alias "
                      "(attune alias --remove {})",
                      text_of(one), shell_word(one.device)));
}

void require_name(const std::string& device) {
  if (device.empty() || visible_text(device) != device || device.find('\n') != std::string::npos)
    throw UsageError(fmt::format("`{}` is no name of a device (see: attune devices)", device));
}

int list_aliases(const Options& options) {
  const std::vector<DeviceAlias> aliases = aliases_in(database_to_read(options));
  if (aliases.empty()) put_text("no device counts as another one\n");
  for (const DeviceAlias& alias : aliases) put_text("{}\n", text_of(alias));
  return exit_done;
}

int set_alias(const Options& options, const std::string& device, const std::string& other) {
  require_name(device);
  require_name(other);
  WisdomStore store(database_path(options), WisdomStore::Access::read_write, {note_on_stderr});
  if (device == other) throw UsageError("a device counts as itself without an alias");
  const DeviceAlias alias{device, is_class(other) ? other : class_of_name(other, device_classes(store))};
  require_alike(alias.device, alias.counts_as);
  require_one_step(alias, store.aliases());
  store.put_alias(alias);
  put_text("{}\n", text_of(alias));
  return exit_done;
}

}  // namespace

int run_alias(const Arguments& arguments) {
  Options options(
      "attune alias [DEVICE OTHER] [options]",
      "  attune alias \"NVIDIA H200 NVL\" \"NVIDIA H200\"   # what was tuned on the second serves the first\n"
      "  attune alias                                      # lists them\n"
      "  attune alias --remove \"NVIDIA H200 NVL\"\n",
      {"device", "other"});
  options.add()("remove", named_value("DEVICE"), "the device counts as itself again");
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  if (const auto device = options.text("remove")) {
    WisdomStore store(database_path(options), WisdomStore::Access::read_write, {note_on_stderr});
    if (!store.remove_alias(*device))
      throw UsageError(fmt::format("there is no alias of `{}`; see: attune alias", *device));
    put_text("{} counts as itself\n", *device);
    return exit_done;
  }
  if (!options.has("device")) return list_aliases(options);
  return set_alias(options, options.required("device"), options.required("other"));
}

}  // namespace attune::cli
