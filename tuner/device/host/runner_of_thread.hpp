// The BlockRunner that executes kernels on the calling OS thread. Functions, never inlined: a compiler may keep the
// address of a thread_local in a register, and a fiber may wake up on another OS thread.
#pragma once

namespace attune {

class BlockRunner;

BlockRunner* runner_of_thread() noexcept;
void set_runner_of_thread(BlockRunner* runner) noexcept;

}  // namespace attune
