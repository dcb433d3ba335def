// Files of recordings as they lie on disk: compressed, plain, or databases that are none of attune's.
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "attune/error.hpp"
#include "fuzz/fuzzed.hpp"
#include "recordings/recording_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  static const int file = memfd_create("fuzzed", MFD_CLOEXEC);
  static const std::filesystem::path path = "/proc/self/fd/" + std::to_string(file);
  fuzz::require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "memory");
  fuzz::read_or_refuse<Error>([&] { load_recordings(path); });
  return 0;
}
