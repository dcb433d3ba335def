#include "support/offset_histograms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "spec/kernel_file.hpp"

namespace attune::test {
namespace {

constexpr int offsets = 17;  // one more than the bytes of the widest access

// Returns the built-in file with other values of ACCESS, the first of which is the default.
std::string histogram_with(const std::string& accesses) {
  const std::vector<EmbeddedFile> kernels = builtin_kernels();
  const auto histogram = std::find_if(kernels.begin(), kernels.end(),
                                      [](const EmbeddedFile& kernel) { return kernel.file_name == "histogram.cu"; });
  std::string text(histogram->text);
  const std::string_view present = "ACCESS = [16, 8, 4]";
  const std::size_t at = text.find(present);
  if (at == std::string::npos) throw std::logic_error(fmt::format("histogram.cu has no `{}`", present));
  text.replace(at, present.size(), "ACCESS = [" + accesses + "]");
  return text;
}

template <typename Element>
std::vector<Element> all_kinds_of_values() {
  std::vector<Element> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const unsigned mixed = static_cast<unsigned>(i) * 2654435761u;
    values[i] = static_cast<Element>(i % 7 == 0 ? mixed : mixed % 400);  // for int: anything, half of it negative
  }
  return values;
}

template <typename Element>
std::vector<unsigned> expected_counts(const std::vector<Element>& values, int offset, int n, int bins) {
  std::vector<unsigned> counts(static_cast<std::size_t>(bins));
  for (int i = offset; i < offset + n; ++i) {
    const long long value = values[static_cast<std::size_t>(i)];
    if (value >= 0 && value < bins) ++counts[static_cast<std::size_t>(value)];
  }
  return counts;
}

template <typename Element>
void compare(const std::string& device, const std::string& what, const std::string& text, const std::string& type,
             std::vector<std::string>& wrong) {
  DispatcherOptions options;
  options.device = device;
  options.database = ":memory:";
  Dispatcher dispatcher(options);
  dispatcher.add(kernel_bundle(read_kernel_text(text, "histogram.cu"), "histogram"));
  const std::vector<Element> values = all_kinds_of_values<Element>();
  const Buffer<Element> in(dispatcher, values);
  for (const int bins : {100, 300}) {
    const Buffer<unsigned> out(dispatcher, static_cast<std::size_t>(bins));
    for (const int n : {1, 15, 16, 33, 1000, 19983}) {
      const Plan plan = dispatcher.plan("histogram", {{"n", n}, {"bins", bins}, {"T", type}});
      for (int offset = 0; offset < offsets; ++offset) {
        plan.launch(nullptr, out.data(), in.data() + offset, n, bins);
        if (out.to_vector() == expected_counts(values, offset, n, bins)) continue;
        wrong.push_back(fmt::format("{}, {}: {} elements from {}, {} bins", what, type, n, offset, bins));
      }
    }
  }
}

}  // namespace

std::vector<std::string> wrong_histograms_of_offset_arrays(const std::string& device) {
  std::vector<std::string> wrong;
  for (const char* const accesses : {"16, 8, 4", "8, 16, 4", "4, 16, 8"}) {
    const std::string text = histogram_with(accesses);
    compare<unsigned char>(device, accesses, text, "uint8", wrong);
    compare<int>(device, accesses, text, "int32", wrong);
  }
  return wrong;
}

}  // namespace attune::test
