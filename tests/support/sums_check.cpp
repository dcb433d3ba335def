#include "support/sums_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>

#include "kernel/legality.hpp"
#include "spec/kernel_file.hpp"
#include "support/kernel_defaults.hpp"

namespace attune::test {
namespace {

const Defaults by_bulk{{"LOAD", "Load::bulk"}, {"BLOCKS_PER_SM", "1"}};
const char* const sum_algorithms[] = {"Algorithm::published", "Algorithm::last_block", "Algorithm::two_pass",
                                      "Algorithm::ticketed"};

// Returns whether the kernel file calls a sum of floats deterministic with these defaults.
bool is_promised(const Plan& plan, const std::string& kernel, const Defaults& defaults, const DeviceInfo& device) {
  const KernelSpec spec = kernel_with(kernel, defaults);
  return is_deterministic(spec, plan.problem(), device, plan.configuration());
}

// Adds the wrong sums of parts of 20,000 integers, from each of some offsets.
void add_wrong_sums(Dispatcher& dispatcher, const std::string& kernel, const std::string& of,
                    std::vector<std::string>& wrong) {
  std::vector<int> numbers(20000);
  std::iota(numbers.begin(), numbers.end(), 7);
  const Buffer<int> in(dispatcher, numbers), out(dispatcher, 1);
  for (const int n : {1, 2, 3, 4, 5, 1000, 9000, 19990}) {
    const Plan plan = dispatcher.plan(kernel, {{"n", n}, {"T", "int32"}});
    for (int offset = 0; offset <= 5; ++offset) {
      const bool is_dot = kernel == "dot";
      const int of_y = 5 - offset;  // aligned like x or not
      const auto x = numbers.begin() + offset, y = numbers.begin() + of_y;
      unsigned expected = 0;
      for (int i = 0; i < n; ++i) expected += static_cast<unsigned>(x[i]) * (is_dot ? static_cast<unsigned>(y[i]) : 1u);
      if (is_dot) {
        plan.launch(nullptr, out.data(), in.data() + offset, in.data() + of_y, n);
      } else {
        plan.launch(nullptr, out.data(), in.data() + offset, n);
      }
      const unsigned sum = static_cast<unsigned>(out.to_vector()[0]);
      if (sum != expected)
        wrong.push_back(fmt::format("{} {}, {} from {}: {} instead of {}", kernel, of, n, offset, sum, expected));
    }
  }
}

constexpr std::int64_t summed = 300000;  // floats

// Returns the different bits of one sum in thirty launches.
std::set<unsigned> sums_of_launches(const Plan& plan, Dispatcher& dispatcher, const std::string& kernel) {
  std::vector<float> numbers(summed);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7919 % 10007) / 10007 - 0.5f;
  const int n = static_cast<int>(numbers.size());
  const Buffer<float> in(dispatcher, numbers), out(dispatcher, 1);
  std::set<unsigned> sums;
  for (int launch = 0; launch < 30; ++launch) {
    if (kernel == "dot") {
      plan.launch(nullptr, out.data(), in.data(), in.data(), n);
    } else {
      plan.launch(nullptr, out.data(), in.data(), n);
    }
    unsigned bits = 0;
    const float sum = out.to_vector()[0];
    std::memcpy(&bits, &sum, sizeof bits);
    sums.insert(bits);
  }
  return sums;
}

template <typename T>
struct Series {
  T least, most, others;
};

template <typename T>
void add_wrong_extremes(Dispatcher& dispatcher, const char* type, const std::string& algorithm,
                        std::vector<std::string>& wrong) {
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const int n = 50000;
  const Buffer<T> out(dispatcher, 1);
  for (const auto& [least, most, others] : {Series<T>{-infinity, infinity, 1}, Series<T>{-3, -2, T(-2.5)},
                                            Series<T>{2, 3, T(2.5)}, Series<T>{-1, 0, 0}, Series<T>{nan, -nan, 1}}) {
    std::vector<T> numbers(n, others);
    numbers[17] = least;
    numbers[n - 2] = most;
    const Buffer<T> in(dispatcher, numbers);
    for (const char* const op : {"Op::min", "Op::max"}) {
      dispatcher.plan("reduce", {{"n", n}, {"T", type}, {"OP", op}}).launch(nullptr, out.data(), in.data(), n);
      const T found = out.to_vector()[0], expected = std::string_view(op) == "Op::min" ? least : most;
      if (found == expected || (std::isnan(found) && std::isnan(expected))) continue;
      wrong.push_back(fmt::format("{} of {} by {}: {} instead of {}", op, type, algorithm, found, expected));
    }
  }
}

}  // namespace

std::vector<std::string> wrong_sums_of_offset_arrays(const std::string& device) {
  std::vector<std::string> wrong;
  for (const char* const kernel : {"reduce", "dot"}) {
    for (const Defaults& defaults :
         {Defaults{{"VECTOR", "1"}, {"ITEMS", "8"}}, Defaults{{"VECTOR", "2"}}, Defaults{{"VECTOR", "4"}},
          Defaults{{"ALGORITHM", "Algorithm::zeroed"}}, by_bulk}) {
      add_wrong_sums(*dispatcher_with(device, kernel, defaults), kernel, text_of(defaults), wrong);
    }
  }
  return wrong;
}

std::vector<std::string> sums_that_change(const std::string& device) {
  std::vector<std::string> changing;
  for (const char* const kernel : {"reduce", "dot"}) {
    int promised = 0;
    for (const char* const algorithm : sum_algorithms) {
      const Defaults defaults{{"ALGORITHM", algorithm}};
      const std::unique_ptr<Dispatcher> dispatcher = dispatcher_with(device, kernel, defaults);
      const Plan plan = dispatcher->plan(kernel, {{"n", summed}, {"T", "float"}});
      if (!is_promised(plan, kernel, defaults, dispatcher->device_info())) continue;
      ++promised;
      const std::set<unsigned> sums = sums_of_launches(plan, *dispatcher, kernel);
      if (sums.size() != 1) changing.push_back(fmt::format("{} {}: {} sums", kernel, text_of(defaults), sums.size()));
    }
    if (promised != 3) changing.push_back(fmt::format("{}: {} sum_algorithms are deterministic", kernel, promised));
  }
  return changing;
}

std::vector<std::string> wrong_extremes(const std::string& device) {
  std::vector<std::string> wrong;
  for (const char* const algorithm : sum_algorithms) {
    const std::unique_ptr<Dispatcher> dispatcher = dispatcher_with(device, "reduce", {{"ALGORITHM", algorithm}});
    add_wrong_extremes<float>(*dispatcher, "float", algorithm, wrong);
    add_wrong_extremes<double>(*dispatcher, "double", algorithm, wrong);
  }
  return wrong;
}

}  // namespace attune::test
