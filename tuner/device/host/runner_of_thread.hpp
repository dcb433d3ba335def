// The BlockRunner that executes kernels on the calling OS thread. The functions are never inlined, because a compiler
// may keep the address of a thread_local in a register, while a fiber may continue on another OS thread.
#pragma once

namespace attune {

class BlockRunner;

BlockRunner* runner_of_thread() noexcept;
void set_runner_of_thread(BlockRunner* runner) noexcept;

}  // namespace attune
