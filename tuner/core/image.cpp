#include "core/image.hpp"

#include <algorithm>

#include "core/source_key.hpp"

namespace attune {
namespace {

struct MacroOption {
  std::string_view name;  // of the macro
  std::string option;     // one word or two: "-DN=1", "-D" "N=1"
};

struct SplitOptions {
  std::vector<std::string> others;  // in the order given
  std::vector<MacroOption> macros;  // by name; those of one name in the order given
};

// Returns the macro that an option defines or undefines, or "" for another option: "N" of "-DN=1", "=" of a lone "-D".
std::string_view macro_of(std::string_view option) {
  for (const std::string_view spelling : {"-D", "-U", "--define-macro=", "--undefine-macro="})
    if (option.starts_with(spelling)) {
      option.remove_prefix(spelling.size());
      return option.empty() ? "=" : option.substr(0, option.find('='));
    }
  return "";
}

// Definitions of different macros may come in any order, before, between and after other options.
SplitOptions split_options(const std::vector<std::string>& options) {
  SplitOptions split;
  const auto add = [&](MacroOption&& macro) {  // takes less code than a sort
    const auto is_before = [](const MacroOption& a, const MacroOption& b) { return a.name < b.name; };
    split.macros.insert(std::upper_bound(split.macros.begin(), split.macros.end(), macro, is_before), std::move(macro));
  };
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string_view name = macro_of(options[i]);
    if (name.empty()) {
      split.others.push_back(options[i]);
    } else if (name == "=" && i + 1 < options.size()) {
      name = std::string_view(options[i + 1]).substr(0, options[i + 1].find('='));
      add({name, options[i] + " " + options[i + 1]});
      ++i;
    } else {
      add({name, options[i]});
    }
  }
  return split;
}

}  // namespace

const ImageFunction* Image::find(std::string_view expression) const noexcept {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const ImageFunction& function) { return function.expression == expression; });
  return found == functions.end() ? nullptr : &*found;
}

ResourceUsage Image::largest_usage() const noexcept {
  ResourceUsage most;
  for (const auto& [expression, symbol, usage] : functions) {
    most.registers = std::max(most.registers, usage.registers);
    most.shared_static = std::max(most.shared_static, usage.shared_static);
    most.local_bytes = std::max(most.local_bytes, usage.local_bytes);
    most.spill_bytes = std::max(most.spill_bytes, usage.spill_bytes);
    most.constant_bytes = std::max(most.constant_bytes, usage.constant_bytes);
  }
  return most;
}

// Counts separate the lists, so that an item moved from one list to the next changes the key.
SourceKey::SourceKey(std::string_view additions, const SourceText& source) {
  begun_.add("attune image 4").add(additions).add(source.text).add(std::to_string(source.headers.size()));
  for (const auto& [name, text] : source.headers) begun_.add(name).add(text);
}

std::string ImageRequest::key(std::string_view additions) const { return SourceKey(additions, source).key_of(*this); }

std::string SourceKey::key_of(const ImageRequest& request) const {
  Digest digest = begun_;
  const auto add_count = [&](std::size_t count) { digest.add(std::to_string(count)); };
  const auto add_texts = [&](const std::vector<std::string>& texts) {
    add_count(texts.size());
    for (const auto& text : texts) digest.add(text);
  };
  add_texts(request.expressions);
  const auto [others, macros] = split_options(request.options);
  add_texts(others);
  add_count(macros.size());
  for (const auto& [name, option] : macros) digest.add(option);
  add_count(request.macros.size());
  for (const Macro& macro : request.macros) digest.add(macro.name).add(macro.value);
  digest.add(request.architecture).add(request.checks);
  if (request.ignores_host_code) digest.add("ignores host code");
  for (const auto& entry : request.waiting) digest.add("waits").add(entry);
  return digest.hex();
}

}  // namespace attune
