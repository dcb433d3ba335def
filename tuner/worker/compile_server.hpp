// CompileServer: does a coordinator's compile jobs, in a worker's process or in this one. One thread.
#pragma once

#include <functional>
#include <memory>

#include "device/device.hpp"
#include "worker/jobs.hpp"

namespace attune {

class CompileServer {
 public:
  // Called before a compile.
  using CompileHook = std::function<void(const Compile&)>;
  explicit CompileServer(std::shared_ptr<Compiler> compiler, CompileHook compiling = {})
      : compiler_(std::move(compiler)), compiling_(std::move(compiling)) {}

  // Does a job and returns the answer. A broken compiler is a Failure; Error is never thrown. std::bad_alloc is thrown
  // on, because a process that hit its memory limit is of no use.
  Reply answer(const Job& job);

 private:
  Answer handle(const OpenCompiler&);
  Answer handle(const Compile& job);
  template <typename Other>
  Answer handle(const Other&);

  std::shared_ptr<Compiler> compiler_;
  CompileHook compiling_;
};

// Raises this process's limit of processor time, so that it can compile `images` further images.
void limit_processor_time(std::size_t images);

// How much of a compiler's messages is kept: their beginning, because the first messages name the mistake.
constexpr std::size_t log_bytes = 64 * 1024;
// Cuts a log to log_bytes, and adds how many bytes were left out.
void shorten_log(std::string& log);

}  // namespace attune
