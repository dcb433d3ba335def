#include "device/host/unsupported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "device/host/preprocessor_condition.hpp"
#include "device/host/unsupported_names.hpp"

namespace attune {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool matches(std::string_view pattern, std::string_view name, bool qualifies) {
  if (pattern.ends_with("::")) return qualifies && name == pattern.substr(0, pattern.size() - 2);
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

template <std::size_t N>
const Refusal* find_refusal(const Refusal (&table)[N], std::string_view name, bool qualifies) {
  const auto* const found = std::find_if(std::begin(table), std::end(table),
                                         [&](const Refusal& r) { return matches(r.name, name, qualifies); });
  return found == std::end(table) ? nullptr : found;
}

// cudaMalloc, cudaStream_t ... but not a user's `cuda_block`.
bool names_runtime_call(std::string_view name) {
  return name.size() > 4 && name.starts_with("cuda") && std::isupper(static_cast<unsigned char>(name[4])) != 0;
}

// ---- The scan ----

class Scan {
 public:
  Scan(std::string_view source, const std::string& file_name) : source_(source), file_name_(file_name) {}

  std::optional<std::string> first_use() {
    while (at_ < source_.size()) {
      if (skip_blank()) continue;
      const std::size_t begin = at_;
      if (source_[at_] == '#' && at_line_start_) {
        if (auto use = directive()) return use;
        continue;
      }
      at_line_start_ = false;
      if (skip_literal()) {
        after_member_access_ = false;
        continue;
      }
      if (is_name_part(source_[at_])) {
        const std::string_view name = take_name();
        if (active() && is_name_start(name[0]) && !after_member_access_) {
          if (auto use = check_name(name, begin)) return use;
        }
        after_member_access_ = false;
        continue;
      }
      if (active() && rest().starts_with("<<<")) return report("<<<", no_launches, begin);
      const bool arrow = rest().starts_with("->");
      after_member_access_ = arrow || (source_[at_] == '.' && !rest().starts_with("..."));
      at_ += arrow ? 2 : rest().starts_with("...") ? 3 : 1;
    }
    return std::nullopt;
  }

 private:
  // An #if ... #endif.
  struct Group {
    bool around;   // is the text around it compiled?
    bool decided;  // did a branch before this one certainly apply?
    bool active;   // may the text of this branch be compiled?
  };

  std::string_view rest() const { return source_.substr(at_); }
  bool active() const { return groups_.empty() || groups_.back().active; }

  // White space, a line continued, a comment.
  bool skip_blank() {
    if (source_[at_] == '\n') {
      at_line_start_ = true;
      ++at_;
      return true;
    }
    if (is_space(source_[at_])) {
      ++at_;
      return true;
    }
    if (const std::size_t length = continuation(at_); length > 0) {
      at_ += length;
      return true;
    }
    if (rest().starts_with("//")) {
      at_ = end_of_line(at_);
      return true;
    }
    if (rest().starts_with("/*")) {
      at_ = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
      return true;
    }
    return false;
  }

  std::size_t continuation(std::size_t at) const {
    const std::string_view text = source_.substr(at);
    return text.starts_with("\\\n") ? 2 : text.starts_with("\\\r\n") ? 3 : 0;
  }

  std::size_t end_of_line(std::size_t at) const {
    for (; at < source_.size() && source_[at] != '\n'; ++at) {
      if (const std::size_t length = continuation(at); length > 0) at += length - 1;
    }
    return at;
  }

  // A string or character literal with its prefix.
  bool skip_literal() {
    constexpr std::string_view literal_prefixes[] = {"", "L", "u8", "u", "U"};
    for (const std::string_view prefix : literal_prefixes) {
      if (!rest().starts_with(prefix)) continue;
      const std::string_view text = rest().substr(prefix.size());
      if (text.starts_with("R\"") && active()) return skip_raw_string(at_ + prefix.size());
      if (text.starts_with('"') || text.starts_with('\'')) return skip_quoted(at_ + prefix.size());
    }
    return false;
  }

  bool skip_raw_string(std::size_t at) {
    const std::size_t open = source_.find('(', at);
    if (open == std::string_view::npos) {
      at_ = source_.size();
      return true;
    }
    const std::string close = ")" + std::string(source_.substr(at + 2, open - at - 2)) + "\"";
    const std::size_t end = source_.find(close, open);
    at_ = end == std::string_view::npos ? source_.size() : end + close.size();
    return true;
  }

  bool skip_quoted(std::size_t at) {
    const char quote = source_[at++];
    // An unfinished literal ends with its line: in text that is left out an apostrophe may be one.
    while (at < source_.size() && source_[at] != quote && source_[at] != '\n') {
      const std::size_t length = continuation(at);
      at += length > 0 ? length : source_[at] == '\\' ? 2 : 1;
    }
    at_ = std::min(at < source_.size() && source_[at] == quote ? at + 1 : at, source_.size());
    return true;
  }

  // A name or a number. In a number the digits may be separated: 1'000.
  std::string_view take_name() {
    const std::size_t begin = at_;
    const bool number = begin < source_.size() && !is_name_start(source_[begin]);
    while (at_ < source_.size() &&
           (is_name_part(source_[at_]) || (number && (source_[at_] == '\'' || source_[at_] == '.'))))
      ++at_;
    return source_.substr(begin, at_ - begin);
  }

  bool qualifies() const {
    std::size_t at = at_;
    while (at < source_.size() && is_space(source_[at])) ++at;
    return source_.substr(at).starts_with("::");
  }

  std::optional<std::string> check_name(std::string_view name, std::size_t begin) const {
    if (const Refusal* const found = find_refusal(refused_names, name, qualifies()))
      return report(name, found->reason, begin);
    if (names_runtime_call(name)) return report(name, runtime_calls, begin);
    return std::nullopt;
  }

  // At a `#`. Conditions are judged here, names of headers too; the rest of other lines is scanned as usual.
  std::optional<std::string> directive() {
    const std::size_t begin = at_++;
    at_line_start_ = false;
    while (at_ < source_.size() && (source_[at_] == ' ' || source_[at_] == '\t')) ++at_;
    const std::string_view keyword = at_ < source_.size() && is_name_start(source_[at_]) ? take_name() : "";
    if (keyword.starts_with("if") || keyword.starts_with("el") || keyword == "endif") {
      condition(keyword, plain_rest_of_line());
    } else if (keyword == "include" && active()) {
      return include(plain_rest_of_line(), begin);
    } else if (keyword == "define") {
      definition();
    } else if (keyword == "error" || keyword == "warning" || keyword == "line") {
      at_ = end_of_line(at_);
    }
    return std::nullopt;
  }

  // What remains of the line, without comments and continuations.
  std::string plain_rest_of_line() {
    std::string text;
    while (at_ < source_.size() && source_[at_] != '\n') {
      const char c = source_[at_];
      if (skip_blank()) {
        text += ' ';
      } else {
        text += c;
        ++at_;
      }
    }
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
  }

  void condition(std::string_view keyword, const std::string& text) {
    if (keyword == "endif") {
      if (!groups_.empty()) groups_.pop_back();
      return;
    }
    std::optional<long long> value;
    if (keyword == "ifdef" || keyword == "ifndef" || keyword == "elifdef" || keyword == "elifndef") {
      value = defined_on_host(text, left_out_);
      if (value && keyword.ends_with("ndef")) value = *value == 0 ? 1 : 0;
    } else {
      value = keyword == "else" ? 1 : value_on_host(text, left_out_);
    }
    if (keyword.starts_with("if")) groups_.push_back({active(), false, false});
    if (groups_.empty()) return;  // an #else without its #if: the compiler will say so
    Group& group = groups_.back();
    group.active = group.around && !group.decided && !(value && *value == 0);
    group.decided = group.decided || (value && *value != 0);
  }

  // A macro that is defined in text that is left out, and nowhere else, is not defined.
  void definition() {
    while (at_ < source_.size() && (source_[at_] == ' ' || source_[at_] == '\t')) ++at_;
    const std::string macro(take_name());
    if (active()) {
      defined_.insert(macro);
      left_out_.erase(macro);
    } else if (!defined_.contains(macro)) {
      left_out_.insert(macro);
    }
  }

  std::optional<std::string> include(std::string_view text, std::size_t begin) const {
    if (text.size() < 2 || (text[0] != '<' && text[0] != '"')) return std::nullopt;
    const std::string_view name = text.substr(1, text.find(text[0] == '<' ? '>' : '"', 1) - 1);
    const Refusal* const found = find_refusal(refused_headers, name, false);
    if (found == nullptr) return std::nullopt;
    return report(name, found->reason, begin);
  }

  std::string report(std::string_view name, std::string_view reason, std::size_t at) const {
    const auto line = 1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return fmt::format("{}:{}: error: `{}` is not supported on the host device: {}; see docs/host_device.md",
                       file_name_, line, name, reason);
  }

  std::string_view source_;
  const std::string& file_name_;
  std::size_t at_ = 0;
  bool at_line_start_ = true;
  bool after_member_access_ = false;
  std::vector<Group> groups_;
  MacroNames defined_, left_out_;
};

}  // namespace

std::optional<std::string> unsupported_use(std::string_view source, const std::string& file_name) {
  return Scan(source, file_name).first_use();
}

}  // namespace attune
