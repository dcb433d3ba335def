// CompileServer: does a coordinator's jobs for a compiler. One thread.
#pragma once

#include <functional>
#include <memory>

#include "device/device.hpp"
#include "worker/jobs.hpp"

namespace attune {

class CompileServer {
 public:
  // Called before a compile.
  using Compiling = std::function<void(const Compile&)>;
  explicit CompileServer(std::shared_ptr<Compiler> compiler, Compiling compiling = {})
      : compiler_(std::move(compiler)), compiling_(std::move(compiling)) {}

  // Answers a job, also with a broken compiler; never throws Error.
  Reply answer(const Job& job);

 private:
  Answer handle(const OpenCompiler&);
  Answer handle(const Compile& job);
  template <typename Other>
  Answer handle(const Other&);

  std::shared_ptr<Compiler> compiler_;
  Compiling compiling_;
};

// Raises the limit of a compile worker's processor time for so many further images.
void limit_processor_time(std::size_t images);

// The most of a compiler's messages that is kept: the first of them name the mistake.
constexpr std::size_t log_bytes = 64 * 1024;
void shorten_log(std::string& log);

}  // namespace attune
