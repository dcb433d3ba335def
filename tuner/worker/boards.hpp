// Boards: the devices of one session. A text such as "cuda:0,cuda:1" names them; for users: docs/several_gpus.md.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/device_info.hpp"

namespace attune {

struct Boards {
  std::vector<std::string>
      names;  // as open_device() takes them, one for each device worker; UUIDs if a list named them
  std::vector<std::string> notes;  // of what is left out
  bool are_one_device = false;     // `host,benches=2`: they have one lock, so that no turns can be taken
};

// Returns the boards that this process sees, in the order of their numbers. Throws Error where no driver answers.
std::vector<DeviceInfo> visible_boards();

// Returns what `devices` names: one device by any name, all of "all", or those of a list with commas. `visible` is
// asked only for lists. Throws UsageError for an unknown board, a board twice, and boards of two classes.
Boards boards_of(const std::string& devices, const std::function<std::vector<DeviceInfo>()>& visible = visible_boards);

// Returns the kind of the first device that a text names: "cuda" for "all", "GPU-..." and "cuda:0,cuda:1".
std::string kind_of_boards(std::string_view devices);

// Returns "cuda:1 (NVIDIA H200, GPU-...)".
std::string board_text(const DeviceInfo& board);

// Returns the note on a board that a session goes on without, or on one that does not open, which has no name so far.
std::string no_part_note(const std::string& why, const DeviceInfo* board = nullptr);

}  // namespace attune
