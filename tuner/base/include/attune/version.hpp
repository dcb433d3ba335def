// The version of attune, as in project() of the top CMakeLists.txt; a test checks that they agree.
#pragma once

namespace attune {
inline constexpr const char* library_version = "0.1.0";
}
