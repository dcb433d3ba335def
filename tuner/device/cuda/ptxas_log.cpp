#include "device/cuda/ptxas_log.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace attune::cuda {
namespace {

// Returns the name between the first pair of single quotes after `mark`; "" when `mark` is not in the line.
std::string_view quoted_after(std::string_view line, std::string_view mark) {
  const auto start = line.find(mark);
  if (start == std::string_view::npos) return {};
  const auto open = line.find('\'', start + mark.size());
  if (open == std::string_view::npos) return {};
  const auto close = line.find('\'', open + 1);
  if (close == std::string_view::npos) return {};
  return line.substr(open + 1, close - open - 1);
}

// Returns the number right before `unit`, as in "4096 bytes smem"; 0 when there is none.
std::uint64_t number_before(std::string_view line, std::string_view unit) {
  const auto position = line.find(unit);
  if (position == std::string_view::npos || position == 0) return 0;
  auto start = position;
  while (start > 0 && std::isdigit(static_cast<unsigned char>(line[start - 1])) != 0) --start;
  std::uint64_t number = 0;
  std::from_chars(line.data() + start, line.data() + position, number);
  return number;
}

// Returns the sum of all constant banks: "360 bytes cmem[0], 8 bytes cmem[2]".
std::uint64_t constant_bytes(std::string_view line) {
  constexpr std::string_view mark = " bytes cmem[";
  std::uint64_t sum = 0;
  for (auto position = line.find(mark); position != std::string_view::npos; position = line.find(mark)) {
    sum += number_before(line, mark);
    line.remove_prefix(position + mark.size());
  }
  return sum;
}

bool contains(std::string_view line, std::string_view text) { return line.find(text) != std::string_view::npos; }

// Reads the log line by line. The numbers of "Function properties for X" follow in the next line.
class Reader {
 public:
  void read(std::string_view line) {
    if (const auto entry = quoted_after(line, "Compiling entry function"); !entry.empty()) {
      entry_ = entry;
      usage_[entry_];
      return;
    }
    constexpr std::string_view properties = "Function properties for ";
    if (const auto position = line.find(properties); position != std::string_view::npos) {
      function_ = line.substr(position + properties.size());
      while (!function_.empty() && std::isspace(static_cast<unsigned char>(function_.back())) != 0)
        function_.pop_back();
      if (function_.size() > 1 && function_.front() == '\'') function_ = function_.substr(1, function_.size() - 2);
      return;
    }
    if (contains(line, " bytes stack frame")) {
      read_frame(line);
    } else if (!entry_.empty() && contains(line, "Used ") && contains(line, " registers")) {
      read_used(line);
    }
  }

  std::map<std::string, ResourceUsage> take() { return std::move(usage_); }

 private:
  void read_frame(std::string_view line) {
    const auto entry = usage_.find(function_);
    if (entry == usage_.end()) return;  // a device function that was not inlined
    entry->second.local_bytes = std::max(entry->second.local_bytes, number_before(line, " bytes stack frame"));
    entry->second.spill_bytes = number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
  }

  void read_used(std::string_view line) {
    ResourceUsage& usage = usage_[entry_];
    usage.registers = static_cast<int>(number_before(line, " registers"));
    usage.shared_static = number_before(line, " bytes smem");
    usage.constant_bytes = constant_bytes(line);
    // With calls, the frames of the callees count too.
    usage.local_bytes = std::max(usage.local_bytes, number_before(line, " bytes cumulative stack size"));
  }

  std::map<std::string, ResourceUsage> usage_;
  std::string entry_;     // the entry of the next "Used" line
  std::string function_;  // the function of the next frame
};

// Returns "void big<20000>(float*)" for "_Z3bigILi20000EEvPf"; extern "C" names stay.
std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? text.get() : symbol;
}

template <typename Visit>
void each_line(std::string_view log, Visit visit) {
  while (!log.empty()) {
    const auto end = log.find('\n');
    visit(log.substr(0, end));
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
  }
}

}  // namespace

std::map<std::string, ResourceUsage> entries_of_log(std::string_view log) {
  Reader reader;
  each_line(log, [&](std::string_view line) { reader.read(line); });
  return reader.take();
}

bool names_an_error(std::string_view log) {
  for (const std::string_view word : {"error", "Error", "fatal"}) {
    for (auto position = log.find(word); position != std::string_view::npos; position = log.find(word, position + 1)) {
      const auto next = log.find_first_not_of(' ', position + word.size());
      if (next != std::string_view::npos && log[next] == ':') return true;
    }
  }
  return false;
}

bool names_lack_of_memory(std::string_view log) {
  if (contains(log, "catastrophic error: out of memory") || contains(log, "Memory allocation failure")) return true;
  // ptxas prints a lack of memory elsewhere, while other errors that abort it are in the log.
  constexpr std::string_view aborted = "Ptx assembly aborted due to errors";
  const auto position = log.find(aborted);
  if (position == std::string_view::npos) return false;
  return !contains(log.substr(0, position), "error") && !contains(log.substr(position + aborted.size()), "error");
}

bool names_shared_overflow(std::string_view log) { return contains(log, "uses too much shared data"); }

std::string shared_overflows(std::string_view log, std::uint64_t limit) {
  std::string lines;
  for (const auto& [symbol, usage] : entries_of_log(log)) {
    if (usage.shared_static <= limit) continue;
    lines += fmt::format("attune: {} has {} bytes of static shared memory; at most {} compile, more must be dynamic\n",
                         readable(symbol), usage.shared_static, limit);
  }
  return lines;
}

}  // namespace attune::cuda
