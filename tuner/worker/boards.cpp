#include "worker/boards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "attune/error.hpp"
#include "device/cuda/cuda_device.hpp"

namespace attune {
namespace {

constexpr std::string_view benches_option = ",benches=", cuda_kind = "cuda";

bool is_all(std::string_view devices) { return devices == "all" || devices == "cuda:all"; }

Boards benches_of_host(const std::string& devices) {
  const std::string_view digits =
      std::string_view(devices).substr(devices.find(benches_option) + benches_option.size());
  unsigned count = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (failed != std::errc() || end != digits.data() + digits.size() || count < 1 || count > most_benches)
    throw UsageError(
        fmt::format("device `{}`: expected a number from 1 to {} after `benches=`", devices, most_benches));
  return {std::vector<std::string>(count, "host"), {}, count > 1};
}

Boards all_boards(const std::vector<DeviceInfo>& visible) {
  if (visible.empty())
    throw Error(
        "the driver answers, and this process sees no GPU: look at $CUDA_VISIBLE_DEVICES; `nvidia-smi -L` lists what "
        "is there");
  Boards boards;
  for (const DeviceInfo& one : visible)
    if (one.class_key() == visible.front().class_key())
      boards.names.push_back(one.uuid);
    else
      boards.notes.push_back(fmt::format("{} is left out: it is no {}, and a session is of one class of devices",
                                         board_text(one), visible.front().name));
  if (!visible.front().mig_profile.empty())
    boards.notes.push_back(
        "CUDA shows a process one part of a partitioned GPU: name further parts, --device MIG-...,MIG-... "
        "(`nvidia-smi -L` lists them)");
  return boards;
}

// Returns the board with this name. A part of a partitioned GPU may be one that only its own worker sees: null.
const DeviceInfo* find_board(std::string_view name, const std::vector<DeviceInfo>& visible) {
  const auto found = std::ranges::find_if(visible, [&](const DeviceInfo& one) {
    return name == one.uuid || name == fmt::format("cuda:{}", one.ordinal) || (name == cuda_kind && one.ordinal == 0);
  });
  if (found != visible.end()) return &*found;
  if (name.starts_with("MIG-")) return nullptr;
  std::string there;
  for (const DeviceInfo& one : visible) there += "\n  " + board_text(one);
  if (name.starts_with(cuda_kind) || is_uuid(name))
    throw UsageError(fmt::format("there is no device {}; this process sees{}", name, there));
  throw UsageError(fmt::format(
      "`{}` in a list of devices: expected cuda:N or a UUID, GPU-... or MIG-..., as `nvidia-smi -L` writes it", name));
}

Boards listed_boards(std::string_view devices, const std::vector<DeviceInfo>& visible) {
  Boards boards;
  std::vector<DeviceInfo> seen;
  for (std::size_t at = 0; at <= devices.size();) {
    const std::size_t end = std::min(devices.find(',', at), devices.size());
    const std::string_view name = devices.substr(at, end - at);
    const DeviceInfo* const board = find_board(name, visible);
    const std::string uuid(board == nullptr ? name : std::string_view(board->uuid));
    if (std::ranges::find(boards.names, uuid) != boards.names.end())
      throw UsageError(fmt::format("device {} stands twice in `{}`: name each board once", name, devices));
    if (board != nullptr) seen.push_back(*board);
    boards.names.push_back(uuid);
    at = end + 1;
  }
  require_one_class(seen);
  return boards;
}

}  // namespace

std::vector<DeviceInfo> visible_boards() {
  std::string why_not;
  if (!cuda_available(why_not)) throw Error(why_not);
  return cuda_devices();
}

Boards boards_of(const std::string& devices, const std::function<std::vector<DeviceInfo>()>& visible) {
  if (devices.starts_with(fmt::format("host{}", benches_option))) return benches_of_host(devices);
  if (is_all(devices)) return all_boards(visible());
  if (devices.find(',') == std::string::npos) return {{devices}, {}};
  return listed_boards(devices, visible());
}

bool names_several(std::string_view devices) { return is_all(devices) || devices.find(',') != devices.npos; }

std::string kind_of_boards(std::string_view devices) {
  if (is_all(devices) || is_uuid(devices)) return std::string(cuda_kind);
  return std::string(devices.substr(0, devices.find_first_of(":,")));
}

std::string board_text(const DeviceInfo& board) {
  const std::string name = board.kind == cuda_kind ? fmt::format("cuda:{}", board.ordinal) : board.kind;
  return fmt::format("{} ({}{}{})", name, board.name, board.uuid.empty() ? "" : ", ", board.uuid);
}

void require_one_class(std::span<const DeviceInfo> boards) {
  std::set<std::string_view> uuids;
  for (const DeviceInfo& board : boards) {
    if (board.class_key() != boards.front().class_key())
      throw UsageError(
          fmt::format("{} and {} are of two classes, and a session is of one: tune for each class by itself",
                      board_text(boards.front()), board_text(board)));
    if (!board.uuid.empty() && !uuids.insert(board.uuid).second)
      throw UsageError(fmt::format("two workers opened {}: name each board once", board_text(board)));
  }
}

std::string no_part_note(const std::string& why, const std::string& board) {
  return board + " has no part in the session from here: " + why;
}

}  // namespace attune
