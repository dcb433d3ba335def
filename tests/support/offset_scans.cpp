#include "support/offset_scans.hpp"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "support/kernel_defaults.hpp"

namespace attune::test {
namespace {

constexpr const char* algorithms[] = {"Algorithm::ahead", "Algorithm::look_back", "Algorithm::two_pass"};

}  // namespace

std::vector<std::string> wrong_scans_of_offset_arrays(const std::string& device) {
  std::vector<std::string> wrong;
  for (const char* const algorithm : algorithms) {
    const std::unique_ptr<Dispatcher> owner = dispatcher_with(device, "scan", {{"ALGORITHM", algorithm}});
    Dispatcher& dispatcher = *owner;
    std::vector<int> numbers(40000);
    std::iota(numbers.begin(), numbers.end(), 7);
    const Buffer<int> in(dispatcher, numbers), out(dispatcher, numbers);
    for (const int n : {1, 3, 1000, 32768}) {  // whole tiles, which an offset makes one more
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

std::vector<std::string> scans_that_change(const std::string& device) {
  const int n = device == "host" ? 600'001 : 50'000'001;  // more than two groups of 32 tiles
  std::vector<float> numbers(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>((i * 2654435761u >> 8) % 1'000'003) / 500'000 - 1;
  std::vector<std::string> changed;
  for (const char* const algorithm : algorithms) {
    const std::unique_ptr<Dispatcher> owner = dispatcher_with(device, "scan", {{"ALGORITHM", algorithm}});
    Dispatcher& dispatcher = *owner;
    const Buffer<float> in(dispatcher, numbers), out(dispatcher, numbers.size());
    const Plan plan =
        dispatcher.plan("scan", {{"n", n}, {"T", "float"}, {"OP", "Op::sum"}, {"KIND", "Kind::inclusive"}});
    std::vector<float> first;
    for (int launch = 0; launch < 4; ++launch) {
      plan.launch(nullptr, out.data(), in.data(), n);
      const std::vector<float> now = out.to_vector();
      if (launch == 0) first = now;
      if (std::memcmp(first.data(), now.data(), now.size() * sizeof(float)) != 0)
        changed.push_back(fmt::format("{}, launch {}", algorithm, launch));
    }
  }
  return changed;
}

}  // namespace attune::test
