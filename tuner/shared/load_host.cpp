// The host device of libattune.so: a library beside it, which is loaded when the device is first requested.
#include <dlfcn.h>

#include <string>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "shared/host_library.hpp"

namespace attune {
namespace {

// ATTUNE_HOST_LIBRARY is the library's name. The loader replaces $ORIGIN by the folder of libattune.so.
const HostDeviceHook& load_host() {
  void* library = dlopen("$ORIGIN/" ATTUNE_HOST_LIBRARY, RTLD_NOW | RTLD_LOCAL);  // stays loaded
  if (library == nullptr) library = dlopen(ATTUNE_HOST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw UsageError(std::string("the device `host` needs " ATTUNE_HOST_LIBRARY " beside libattune.so: ") + dlerror());
  auto* const entry = reinterpret_cast<HostLibraryEntry*>(dlsym(library, host_library_entry));
  const HostDeviceHook* const hook = entry == nullptr ? nullptr : entry(library_version);
  if (hook == nullptr) throw UsageError(ATTUNE_HOST_LIBRARY " is not of this libattune.so; install both anew");
  return *hook;
}

const HostDeviceHook& host_library() {
  static const HostDeviceHook& loaded = load_host();  // after an error it is tried again
  return loaded;
}

[[maybe_unused]] const bool is_known =
    (set_host_device({[] { return host_library().open(); }, [] { return host_library().make_compiler(); },
                      [] { return host_library().additions(); }}),
     true);

}  // namespace
}  // namespace attune
