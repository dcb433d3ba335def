// The CUDA driver as a program without attune uses it: loaded at run time, its functions by name.
#pragma once

#include <dlfcn.h>

namespace attune::bench {

// Returns null where there is no driver, or no such function in it.
template <typename Function>
Function driver_function(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(driver, name));
}

// Makes the primary context of device 0 current on this thread. Returns false where no driver answers.
inline bool make_context_current() {
  const auto init = driver_function<int (*)(unsigned)>("cuInit");
  if (init == nullptr || init(0) != 0) return false;
  void* context = nullptr;
  const auto retain = driver_function<int (*)(void**, int)>("cuDevicePrimaryCtxRetain");
  const auto set = driver_function<int (*)(void*)>("cuCtxSetCurrent");
  return retain(&context, 0) == 0 && set(context) == 0;
}

}  // namespace attune::bench
