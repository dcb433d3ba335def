// Origin: how a record came into the database. Stored as an integer, so the numbers never change.
#pragma once

#include <string_view>

namespace attune {

enum class Origin {
  measured = 0,  // by a session of this database
  imported = 1,  // brought in from elsewhere
  adopted = 2,   // taken over from an earlier code of the kernel, and not measured since
  pinned = 3,    // set by the user: no session replaces it
};

std::string_view to_text(Origin origin) noexcept;

}  // namespace attune
