// Boards: the devices of one session. A text such as "cuda:0,cuda:1" names them; for users: docs/several_gpus.md.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/device_info.hpp"

namespace attune {

// A list of devices has no more names than this.
inline constexpr unsigned most_benches = 64;

struct Boards {
  std::vector<std::string>
      names;  // as open_device() takes them, one for each device worker; UUIDs if a list named them
  std::vector<std::string> notes;  // of what is left out
  bool are_one_device = false;     // `host,benches=2`: they have one lock, so that no turns can be taken
};

// Returns the boards that this process sees, in the order of their numbers. Throws Error where no driver answers.
std::vector<DeviceInfo> visible_boards();

// Returns what `devices` names: one device by any name, all of "all", or those of a list with commas. `visible` is
// asked only for lists. Throws UsageError for an unknown board, a board twice, and boards of two classes; Error for
// "all" where there is none.
Boards boards_of(const std::string& devices, const std::function<std::vector<DeviceInfo>()>& visible = visible_boards);

// Returns whether a text names more than one device by its form, whatever there is.
bool names_several(std::string_view devices);

// Returns the kind of the first device that a text names: "cuda" for "all", "GPU-..." and "cuda:0,cuda:1".
std::string kind_of_boards(std::string_view devices);

// Returns "cuda:1 (NVIDIA H200, GPU-...)".
std::string board_text(const DeviceInfo& board);

// Throws UsageError, which names the boards, for boards of two classes, and for a board that was opened twice.
void require_one_class(std::span<const DeviceInfo> boards);

// Returns the note on a board that a session goes on without. `board`: its board_text(), or its name where it does not
// open.
std::string no_part_note(const std::string& why, const std::string& board);

}  // namespace attune
