// A program on libattune.so: its exceptions and values cross the boundary.
#include <cstdio>
#include <cstring>

#include "attune/attune.hpp"

int main() {
  attune::BundleWriter writer;
  writer.add(attune::SectionKind::kernel, attune::section_key("nothing"), {});
  const attune::Bundle bundle = attune::Bundle::owning(writer.finish(), "a bundle");
  if (bundle.hash().size() != 64) return 1;
  try {
    attune::Bundle::in_memory({}, "nothing");
    return 2;
  } catch (const attune::Error& error) {
    if (std::strstr(error.what(), "nothing is no bundle") == nullptr) return 3;
  }
  try {
    attune::DispatcherOptions options;
    options.device = "host";
    attune::Dispatcher gpu(options);
    return 4;
  } catch (const attune::UsageError& error) {
    if (std::strstr(error.what(), "attune::host_device") == nullptr) return 5;
  }
  std::puts("correct");
  return 0;
}
