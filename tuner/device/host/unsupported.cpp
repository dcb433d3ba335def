#include "device/host/unsupported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "device/host/headers_beside.hpp"
#include "device/host/unsupported_names.hpp"

namespace attune {
namespace {

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trim_front(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Takes the first line from the text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

struct NameUse {
  std::string_view name;
  std::string_view reason;
};

// `after`: the text after the name. A message puts a name that qualifies another between quotes.
bool matches(std::string_view pattern, std::string_view name, std::string_view after) {
  if (pattern.ends_with("::"))
    return name == pattern.substr(0, pattern.size() - 2) &&
           (trim_front(after).starts_with("::") || after.starts_with('\''));
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

std::optional<NameUse> find_refusal(std::span<const Refusal> table, std::string_view name, std::string_view after) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Refusal& refusal) { return matches(refusal.name, name, after); });
  return found == table.end() ? std::nullopt : std::optional(NameUse{name, found->reason});
}

// cudaMalloc, cudaStream_t ... but not a user's `cuda_block`.
bool names_runtime_call(std::string_view name) {
  return name.size() > 4 && name.starts_with("cuda") && std::isupper(static_cast<unsigned char>(name[4])) != 0;
}

std::optional<NameUse> use_in_words(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at++;
    if (!is_name_part(text[begin])) continue;
    while (at < text.size() && is_name_part(text[at])) ++at;
    const std::string_view name = text.substr(begin, at - begin);
    if (const auto use = find_refusal(refused_names, name, text.substr(at))) return use;
    if (names_runtime_call(name)) return NameUse{name, runtime_calls};
  }
  return std::nullopt;
}

// Returns the unsupported use in a line of a kernel, or nothing.
std::optional<NameUse> use_in_source(std::string_view line) {
  line = trim_front(line.substr(0, line.find("//")));
  if (line.starts_with('#') && trim_front(line.substr(1)).starts_with("include")) {
    const std::size_t begin = std::min(line.find_first_of("<\""), line.size() - 1) + 1;
    const std::string_view header = line.substr(begin, line.find_first_of(">\"", begin) - begin);
    if (std::ranges::find(headers_beside(), header, &EmbeddedHeader::name) != headers_beside().end())
      return std::nullopt;
    return find_refusal(refused_headers, header, "");
  }
  if (const auto use = use_in_words(line)) return use;
  if (line.find("<<<") != std::string_view::npos) return NameUse{"<<<", no_launches};
  return std::nullopt;
}

// A line of a compiler's messages that begins with a place: FILE:LINE.
struct Message {
  std::string_view file;
  std::size_t line = 0;
  std::string_view text;
};

std::optional<Message> parse_message(std::string_view text) {
  for (const std::string_view prefix : {"In file included from ", "                 from "})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  Message message;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  message.file = text.substr(0, colon);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, message.line);
  if (error != std::errc()) return std::nullopt;
  message.text = text.substr(static_cast<std::size_t>(stop - text.data()));
  return message;
}

std::string_view source_line(const Message& message, std::span<const Header> files) {
  const auto file =
      std::find_if(files.begin(), files.end(), [&](const Header& one) { return one.name == message.file; });
  if (file == files.end()) return "";
  std::string_view text = file->text, line;
  for (std::size_t number = 0; number < message.line; ++number) line = take_line(text);
  return line;
}

std::optional<NameUse> use_of(const Message& message, std::span<const Header> files) {
  if (const auto use = use_in_words(message.text)) return use;
  if (const auto use = use_in_source(source_line(message, files))) return use;
  // The assemblers of g++ and clang++ read no text of the kernel but that of `asm`.
  if (message.text.starts_with(": Error: ") || message.text.find("invalid instruction mnemonic") != message.text.npos)
    return NameUse{"asm", no_assembly};
  return std::nullopt;
}

}  // namespace

std::optional<std::string> unsupported_use(std::string_view messages, std::span<const Header> files) {
  while (!messages.empty()) {
    const std::optional<Message> message = parse_message(take_line(messages));
    const std::optional<NameUse> use = message ? use_of(*message, files) : std::nullopt;
    if (use)
      return fmt::format("{}:{}: error: `{}` is not supported on the host device: {}; see docs/host_device.md",
                         message->file, message->line, use->name, use->reason);
  }
  return std::nullopt;
}

}  // namespace attune
