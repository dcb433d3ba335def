// Choice: why the final stage chose the winner. Stored as an integer, so the numbers never change.
#pragma once

#include <string_view>

namespace attune {

enum class Choice {
  fastest = 0,        // the least median
  leaner = 1,         // it ties with the fastest; among those that tie the leanest wins, then the lesser text
  default_stays = 2,  // the fastest does not surely beat the default configuration
  record_stays = 3,   // the fastest does not surely beat the record that stood
};

std::string_view to_text(Choice choice) noexcept;

}  // namespace attune
