#include "support/offset_scans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "attune/attune.hpp"
#include "spec/kernel_file.hpp"

namespace attune::test {

std::vector<std::string> wrong_scans_of_offset_arrays(const std::string& device) {
  const std::vector<EmbeddedFile> kernels = builtin_kernels();
  const auto scan = std::find_if(kernels.begin(), kernels.end(),
                                 [](const EmbeddedFile& kernel) { return kernel.file_name == "scan.cu"; });
  const std::string_view begin = "ALGORITHM = [";
  std::vector<std::string> wrong;
  for (const std::string algorithm : {"ahead", "look_back", "two_pass"}) {
    std::string text(scan->text);  // its first algorithm is the default
    const std::size_t values = text.find(begin) + begin.size();
    text.replace(
        values, text.find(']', values) - values,
        "\"Algorithm::" + algorithm + R"(", "Algorithm::ahead", "Algorithm::look_back", "Algorithm::two_pass")");
    text.erase(text.find(", \"Algorithm::" + algorithm + '"', values), algorithm.size() + 15);
    DispatcherOptions options;
    options.device = device;
    options.database = ":memory:";
    Dispatcher dispatcher(options);
    dispatcher.add(EmbeddedFile{"scan.cu", text});
    std::vector<int> numbers(40000);
    std::iota(numbers.begin(), numbers.end(), 7);
    const Buffer<int> in(dispatcher, numbers), out(dispatcher, numbers);
    for (const int n : {1, 3, 1000, 32768}) {  // whole tiles, which become one more
      const Plan plan =
          dispatcher.plan("scan", {{"n", n}, {"T", "int32"}, {"OP", "Op::sum"}, {"KIND", "Kind::inclusive"}});
      for (const auto& [to, from] : {std::pair{0, 0}, {0, 1}, {1, 1}, {2, 3}, {3, 0}}) {
        std::vector<int> expected = out.to_vector();
        std::partial_sum(numbers.begin() + from, numbers.begin() + from + n, expected.begin() + to);
        plan.launch(nullptr, out.data() + to, in.data() + from, n);
        if (out.to_vector() != expected)
          wrong.push_back(fmt::format("{}, {} elements from {} to {}", algorithm, n, from, to));
      }
    }
  }
  return wrong;
}

}  // namespace attune::test
