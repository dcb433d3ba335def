// CompileServer: answers the requests of a coordinator to a compile worker. One thread.
#pragma once

#include <functional>
#include <memory>

#include "device/device.hpp"
#include "worker/messages/messages.hpp"

namespace attune {

class CompileServer {
 public:
  // Told before a compile.
  using Compiling = std::function<void(const CompileImages&)>;
  explicit CompileServer(std::shared_ptr<Compiler> compiler, Compiling compiling = {})
      : compiler_(std::move(compiler)), compiling_(std::move(compiling)) {}

  // A broken compiler is an answer too; never throws Error.
  Reply answer(const Request& request);

 private:
  Answer handle(const OpenCompiler&);
  Answer handle(const CompileImages& request);
  template <typename Other>
  Answer handle(const Other&);

  std::shared_ptr<Compiler> compiler_;
  Compiling compiling_;
};

// The most of a compiler's messages that is kept: the first of them say what is wrong.
constexpr std::size_t kLogBytes = 64 * 1024;
void shorten_log(std::string& log);

}  // namespace attune
