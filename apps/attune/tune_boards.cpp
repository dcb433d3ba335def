#include "tune_boards.hpp"

#include <fmt/format.h>

#include "json_lines.hpp"
#include "put_text.hpp"
#include "text.hpp"
#include "worker/boards.hpp"

namespace attune::cli {

void tell_boards(const std::vector<DeviceInfo>& used, std::vector<std::string> notes, bool json) {
  std::string names;
  for (const DeviceInfo& one : used) names += (names.empty() ? "" : ", ") + board_text(one);
  if (used.size() > 1) notes.push_back(fmt::format("the search uses {} devices: {}", used.size(), names));
  for (const std::string& note : notes)
    if (json)
      print_line("note", {{"text", note}});
    else
      put_text("{}", note_line(note));
}

}  // namespace attune::cli
