#include "support/sums_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "attune/attune.hpp"
#include "spec/kernel_file.hpp"

namespace attune::test {
namespace {

using Defaults = std::vector<std::pair<std::string, std::string>>;  // the parameters that get another default

// The text of the built-in kernel, with the defaults as the first values of their parameters.
std::string kernel_with(const std::string& name, const Defaults& defaults) {
  const std::vector<EmbeddedFile> kernels = builtin_kernels();
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const EmbeddedFile& kernel) { return kernel.file_name == name + ".cu"; });
  std::string text(found->text);
  for (const auto& [parameter, value] : defaults) {
    const std::size_t list = text.find("\n" + parameter + " = [");
    if (list == std::string::npos) throw std::logic_error(name + " has no list of " + parameter);
    const std::size_t begin = text.find('[', list) + 1, end = text.find(']', begin);
    const std::size_t at = text.find(value, begin);
    if (at >= end) throw std::logic_error(parameter + " has no value " + value);
    const std::size_t first_end = text.find_first_of(",]", begin);
    const std::string first = text.substr(begin, first_end - begin);
    text.replace(at, value.size(), first);
    text.replace(begin, first.size(), value);
  }
  return text;
}

std::string text_of(const Defaults& defaults) {
  std::string text;
  for (const auto& [parameter, value] : defaults) text += parameter + "=" + value + " ";
  return text;
}

Dispatcher dispatcher_on(const std::string& device) {
  DispatcherOptions options;
  options.device = device;
  options.database = ":memory:";
  return Dispatcher(options);
}

const Defaults by_bulk{{"LOAD", "\"Load::bulk\""}, {"BLOCKS_PER_SM", "1"}};
const char* const algorithms[] = {"\"Algorithm::published\"", "\"Algorithm::last_block\"", "\"Algorithm::two_pass\"",
                                  "\"Algorithm::ticketed\""};

// Of 20,000 integers, from each of some offsets.
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

// A sum's bits in thirty launches.
std::set<unsigned> sums_of_launches(Dispatcher& dispatcher, const std::string& kernel) {
  std::vector<float> numbers(300000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7919 % 10007) / 10007 - 0.5f;
  const int n = static_cast<int>(numbers.size());
  const Buffer<float> in(dispatcher, numbers), out(dispatcher, 1);
  const Plan plan = dispatcher.plan(kernel, {{"n", n}, {"T", "float"}});
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
struct Numbers {
  T least, most, others;
};

template <typename T>
void add_wrong_extremes(Dispatcher& dispatcher, const char* type, const std::string& algorithm,
                        std::vector<std::string>& wrong) {
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const int n = 50000;
  const Buffer<T> out(dispatcher, 1);
  for (const auto& [least, most, others] : {Numbers<T>{-infinity, infinity, 1}, Numbers<T>{-3, -2, T(-2.5)},
                                            Numbers<T>{2, 3, T(2.5)}, Numbers<T>{-1, 0, 0}, Numbers<T>{nan, -nan, 1}}) {
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
          Defaults{{"ALGORITHM", "\"Algorithm::zeroed\""}}, by_bulk}) {
      Dispatcher dispatcher = dispatcher_on(device);
      dispatcher.add(EmbeddedFile{std::string(kernel) + ".cu", kernel_with(kernel, defaults)});
      add_wrong_sums(dispatcher, kernel, text_of(defaults), wrong);
    }
  }
  return wrong;
}

std::vector<std::string> sums_that_change(const std::string& device) {
  std::vector<std::string> changing;
  for (const char* const kernel : {"reduce", "dot"}) {
    for (const char* const algorithm : algorithms) {
      if (std::string_view(algorithm).find("ticketed") != std::string_view::npos) continue;
      Dispatcher dispatcher = dispatcher_on(device);
      const Defaults defaults{{"ALGORITHM", algorithm}};
      dispatcher.add(EmbeddedFile{std::string(kernel) + ".cu", kernel_with(kernel, defaults)});
      const std::set<unsigned> sums = sums_of_launches(dispatcher, kernel);
      if (sums.size() != 1) changing.push_back(fmt::format("{} {}: {} sums", kernel, text_of(defaults), sums.size()));
    }
  }
  return changing;
}

std::vector<std::string> wrong_extremes(const std::string& device) {
  std::vector<std::string> wrong;
  for (const char* const algorithm : algorithms) {
    Dispatcher dispatcher = dispatcher_on(device);
    dispatcher.add(EmbeddedFile{"reduce.cu", kernel_with("reduce", {{"ALGORITHM", algorithm}})});
    add_wrong_extremes<float>(dispatcher, "float", algorithm, wrong);
    add_wrong_extremes<double>(dispatcher, "double", algorithm, wrong);
  }
  return wrong;
}

}  // namespace attune::test
