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
  attune::DispatcherOptions options;
  options.device = "host";  // of libattune_host.so, whose exceptions cross two boundaries
  attune::Dispatcher cpu(options);
  if (cpu.device_info().kind != "host") return 4;
  try {
    const attune::Buffer<char> all(cpu, std::size_t{1} << 62);
    return 5;
  } catch (const attune::OutOfMemory&) {
  }
  std::puts("correct");
  return 0;
}
