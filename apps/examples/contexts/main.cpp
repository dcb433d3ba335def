// Two CUDA contexts of one process. A dispatcher works in the context that is current when it is made, whichever
// context is current later; each context has its own memory, streams and code. The driver is loaded here, as attune
// loads it.
#include <dlfcn.h>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "attune/attune.hpp"
#include "attune/builtin.hpp"

struct CUctx_st;

namespace {

template <typename... Arguments>
void call(const char* function, Arguments... arguments) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = driver != nullptr ? dlsym(driver, function) : nullptr;
  const int result = found != nullptr ? reinterpret_cast<int (*)(Arguments...)>(found)(arguments...) : -1;
  if (result != 0) throw std::runtime_error(std::string(function) + ": " + std::to_string(result));
}

// A context of its own, as a library may have one.
class Context {
 public:
  Context() {
    call("cuCtxCreate_v2", &context_, 0u, 0);
    CUctx_st* popped = nullptr;
    call("cuCtxPopCurrent_v2", &popped);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { call("cuCtxDestroy_v2", context_); }
  void make_current() const { call("cuCtxSetCurrent", context_); }

 private:
  CUctx_st* context_ = nullptr;
};

// What a part of the program has of attune.
struct Part {
  explicit Part(const Context& context, float factor) : a(factor) {
    context.make_current();
    gpu.emplace();  // adopts the current context
    gpu->add(attune::builtin::axpy);
    x.emplace(*gpu, std::vector<float>(n, 2.0f));
    y.emplace(*gpu, std::vector<float>(n, 1.0f));
    stream.emplace(*gpu);
    plan = gpu->plan("axpy", {{"n", n}, {"T", "float"}});
  }
  void launch(int times) const {
    for (int i = 0; i < times; ++i) plan->launch(*stream, *y, *x, a, n);
  }
  bool is_right(int times) const {
    return y->to_vector(*stream) == std::vector<float>(n, 1.0f + 2.0f * a * static_cast<float>(times));
  }

  static constexpr std::size_t n = 1 << 20;
  float a;
  std::optional<attune::Dispatcher> gpu;
  std::optional<attune::Buffer<float>> x, y;
  std::optional<attune::Stream> stream;
  std::optional<attune::Plan> plan;
};

int run() {
  const Context one, other;
  const Part first(one, 3.0f), second(other, 5.0f);
  first.launch(2);  // while the other context is current
  second.launch(2);
  one.make_current();
  second.launch(1);
  std::jthread([&] { first.launch(1); }).join();  // on a thread without a context
  const bool is_right = first.is_right(3) && second.is_right(3);
  std::printf("two contexts: %s\n", is_right ? "correct" : "WRONG");
  return is_right ? 0 : 1;
}

}  // namespace

int main() {
  try {
    call("cuInit", 0u);
  } catch (const std::exception& error) {
    std::printf("contexts: skipped: no CUDA device (%s)\n", error.what());
    return 77;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "contexts: %s\n", error.what());
    return 1;
  }
}
