// Tells how a run of the host's compiler ended, and so whether the kernel or its surroundings are at fault. Pure; any
// thread.
#pragma once

#include <filesystem>

#include "device/host/compiler_process.hpp"

namespace attune {

// Returns whether the compiler, or one of its programs, says that it got no more memory.
bool is_out_of_memory(const ProcessResult& result);
// Returns whether the compiler had an internal error, or a signal ended one of its programs.
bool crashed(const ProcessResult& result);
// Returns whether the limit of processor time that this process has from its shell ended the compiler, or one of its
// programs.
bool is_ended_by_limit(const ProcessResult& result);
// Returns whether the compiler failed because this folder has no room, for which no configuration is to blame.
bool is_out_of_room(const ProcessResult& result, const std::filesystem::path& place);

}  // namespace attune
