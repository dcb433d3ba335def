#include "draft/cuda_file.hpp"

#include <algorithm>

#include "draft/code_tokens.hpp"
#include "draft/declaration.hpp"
#include "draft/launches.hpp"
#include "draft/names.hpp"

namespace attune::draft {
namespace {

constexpr std::size_t most_entries = 1000;  // of each kind: more are not read

bool holds(Part part, std::string_view word) {
  return std::ranges::any_of(part, [&](const Token& token) { return token.text == word; });
}

// Walks over the declarations of a file, into name spaces and over bodies.
class FileReader {
 public:
  explicit FileReader(const CodeTokens& tokens) : tokens_(tokens), code_(tokens.code()) {}

  CudaFile read() {
    read_macros();
    std::size_t at = 0;
    while (at < code_.size()) at = read_at(at);
    file_.has_host_code = file_.has_host_code || !file_.launches.empty() || has_runtime_calls();
    return std::move(file_);
  }

 private:
  void read_macros() {
    for (const Macro& macro : tokens_.macros()) {
      if (macro.has_arguments) {
        if (holds(macro.body, "__global__")) file_.hidden_by = macro.name;
        continue;
      }
      const std::string text = text_of(macro.body);
      if (macro.body.empty()) continue;
      if (!type_name(text).empty())
        file_.aliases[macro.name] = text;
      else
        note_constant({macro.name, text, true});
    }
  }

  void note_constant(Constant constant) {
    const auto known = std::ranges::find(file_.constants, constant.name, &Constant::name);
    if (known == file_.constants.end() && file_.constants.size() < most_entries)
      file_.constants.push_back(std::move(constant));
  }

  // Reads what is at a token. Returns where to go on.
  std::size_t read_at(std::size_t at) {
    const std::string_view text = code_[at].text;
    if (text == "}") {
      if (!scopes_.empty()) scopes_.pop_back();
      return begin_ = at + 1;
    }
    if (text == ";") {
      read_variable(part(begin_, at));
      read_function(part(begin_, at), {});
      return begin_ = at + 1;
    }
    if (text == "(" || text == "[") return std::min(closing(code_, at), code_.size() - 1) + 1;
    if (text == "{") return read_brace(at);
    return at + 1;
  }

  std::size_t read_brace(std::size_t at) {
    const Part before = part(begin_, at);
    const bool is_linkage = before.size() == 2 && before[0].text == "extern";
    if (is_linkage || holds(before.first(std::min<std::size_t>(before.size(), 2)), "namespace")) {
      std::string name = is_linkage || before.size() < 2 || before.back().text == "namespace"
                             ? ""
                             : text_of(before.subspan(before[0].text == "inline" ? 2 : 1)) + "::";
      scopes_.push_back(std::move(name));
      return begin_ = at + 1;
    }
    const std::size_t end = closing(code_, at);
    const Part body = part(at + 1, end);
    read_variable(before);
    if (holds(before, "__global__") || !holds(before, "=")) read_function(before, body);
    return begin_ = std::min(end + 1, code_.size());
  }

  void read_function(Part declaration, Part body) {
    if (!holds(declaration, "__global__")) {
      file_.has_host_code = file_.has_host_code || (!body.empty() && holds(declaration, "main"));
      if (file_.launches.size() < most_entries)
        std::ranges::move(read_launches(body), std::back_inserter(file_.launches));
      return;
    }
    std::string scope;
    for (const std::string& name : scopes_) scope += name;
    std::optional<Kernel> kernel = read_declaration(declaration, scope);
    if (!kernel) return;
    for (const Token& token : body) kernel->body.emplace_back(token.text);
    const auto known = std::ranges::find(file_.kernels, kernel->name, &Kernel::name);
    if (known == file_.kernels.end() && file_.kernels.size() < most_entries)
      file_.kernels.push_back(*std::move(kernel));
    else if (known != file_.kernels.end() && known->body.empty())
      *known = *std::move(kernel);
  }

  // `constexpr int TILE = 16`, `using real = float`, `typedef float real`
  void read_variable(Part part) {
    if (part.size() > 3 && part[0].text == "using" && part[2].text == "=")
      file_.aliases[std::string(part[1].text)] = text_of(part.subspan(3));
    if (part.size() > 2 && part[0].text == "typedef")
      file_.aliases[std::string(part.back().text)] = text_of(part.subspan(1, part.size() - 2));
    const auto equals = static_cast<std::size_t>(
        std::ranges::find_if(part, [](const Token& token) { return token.text == "="; }) - part.begin());
    if (equals + 1 >= part.size() || equals < 2 || !part[equals - 1].is_word()) return;
    const Part declared = part.first(equals - 1);
    const bool is_fixed = holds(declared, "const") || holds(declared, "constexpr");
    if (is_fixed && !holds(part, "template") && !holds(part, ","))
      note_constant({std::string(part[equals - 1].text), text_of(part.subspan(equals + 1)), false});
  }

  bool has_runtime_calls() const {
    for (std::size_t at = 0; at + 1 < code_.size(); ++at)
      if (code_[at].text.starts_with("cuda") && code_[at + 1].text == "(") return true;
    return false;
  }

  Part part(std::size_t begin, std::size_t end) const {
    end = std::min(end, code_.size());
    return Part(code_).subspan(begin, end - std::min(begin, end));
  }

  const CodeTokens& tokens_;
  const Tokens& code_;
  CudaFile file_;
  std::vector<std::string> scopes_;  // "image::"; "" for what adds nothing to a name
  std::size_t begin_ = 0;            // of the declaration
};

}  // namespace

bool Kernel::mentions(std::string_view word) const {
  return std::ranges::find(declaration, word) != declaration.end() || std::ranges::find(body, word) != body.end();
}

CudaFile read_cuda_file(std::string_view text) {
  const CodeTokens tokens(text);
  return FileReader(tokens).read();
}

std::string_view last_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

}  // namespace attune::draft
