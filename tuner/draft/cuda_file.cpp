#include "draft/cuda_file.hpp"

#include <algorithm>

#include "draft/declarations.hpp"

namespace attune::draft {
namespace {

// More are not read, so that no text takes much time or memory.
constexpr std::size_t most_entries = 1000, most_launches = 100, most_declared = 300;  // tokens

// Walks over the tokens of a file once.
class FileReader {
 public:
  explicit FileReader(const CodeTokens& tokens) : code_(tokens.code()) {
    for (const MacroText& macro : tokens.macros()) {
      if (holds(macro.body, "__global__")) file_.hidden_by = macro.name;
      if (macro.has_arguments) add_helper(macro.name, macro.body);
      if (macro.has_arguments || macro.body.empty() || file_.macros.size() == most_entries) continue;
      if (file_.definitions.emplace(macro.name, Texts{text_of(macro.body)}).second) file_.macros.push_back(macro.name);
    }
    for (const DraftToken& token : code_)
      if (token.is_word()) file_.words.emplace(token.text);
  }

  CudaFile read() {
    for (std::size_t at = 0; at < code_.size(); ++at) {
      const std::string_view text = code_[at].text;
      const std::size_t begin = at;
      if (text == "__global__") at = read_kernel(at);
      if (text == "__device__") at = read_helper(at);
      if (at >= code_.size()) break;
      if (text == "{") open(at);
      if (text == "}") close();
      if (text == "{" || text == "}" || text == ";" || text == "__global__" || at > begin) begin_ = at + 1;
      note_definition(code_, at, functions_ == 0 ? file_.definitions : locals_);
      if (functions_ > 0 && file_.launches.size() < most_launches && text == "<")
        if (std::optional<Launch> launch = read_launch(code_, at, locals_))
          file_.launches.push_back(*std::move(launch));
    }
    file_.has_host_code = !file_.launches.empty() || std::ranges::any_of(file_.words, [](const std::string& word) {
      return word == "main" || word.starts_with("cudaM") || word.starts_with("cudaF");
    });
    return std::move(file_);
  }

 private:
  // Enters a name space, or a function, a class and the like.
  void open(std::size_t at) {
    const TokenSpan before = TokenSpan(code_).subspan(begin_, at - begin_);
    const std::size_t space = position_of(before, "namespace");
    const bool is_linkage = before.size() == 2 && before[0].text == "extern";
    if (functions_ > 0 || (space > 1 && !is_linkage)) {
      ++functions_;
      return;
    }
    outer_.push_back(scope_.size());
    if (!is_linkage && space + 1 < before.size()) scope_ += text_of(before.subspan(space + 1)) + "::";
  }

  void close() {
    if (functions_ > 0) {
      if (--functions_ == 0) locals_.clear();
    } else if (!outer_.empty()) {
      scope_.resize(outer_.back());
      outer_.pop_back();
    }
  }

  // Reads the kernel whose `__global__` is at `at`. Returns the position of its last token.
  std::size_t read_kernel(std::size_t at) {
    while (at < code_.size() && code_[at].text != "{" && code_[at].text != ";")
      at = code_[at].text == "(" ? std::min(closing(code_, at), code_.size() - 1) + 1 : at + 1;
    if (at >= code_.size() || code_[at].text == ";") return at;  // only declared
    const std::size_t end = closing(code_, at);
    if (file_.kernels.size() == most_entries || scope_.size() > most_entries) return end;
    std::optional<KernelFunction> kernel = read_declaration(TokenSpan(code_).subspan(begin_, at - begin_), scope_);
    if (!kernel || std::ranges::count(file_.kernels, kernel->name, &KernelFunction::name) > 0) return end;
    for (const DraftToken& token : TokenSpan(code_).subspan(begin_, end - begin_))
      kernel->code.emplace_back(token.text);
    file_.kernels.push_back(*std::move(kernel));
    return end;
  }

  // Reads the function whose `__device__` is at `at`. Returns the position of its last token, or `at` if none is read.
  std::size_t read_helper(std::size_t at) {
    const TokenSpan rest = TokenSpan(code_).subspan(at, std::min(most_declared, code_.size() - at));
    std::size_t body = 0;
    while (body < rest.size() && rest[body].text != "{" && rest[body].text != ";")
      body = rest[body].text == "(" ? closing(rest, body) + 1 : body + 1;
    if (body >= rest.size() || rest[body].text == ";") return at;
    const std::optional<KernelFunction> function = read_declaration(rest.first(body), "");
    if (!function) return at;
    const std::size_t end = closing(code_, at + body);
    add_helper(function->name, TokenSpan(code_).subspan(at + body, end - at - body));
    return end;
  }

  void add_helper(const std::string& name, TokenSpan code) {
    if (file_.helpers.size() == most_entries) return;
    Texts& texts = file_.helpers[name];
    for (const DraftToken& token : code) texts.emplace_back(token.text);
  }

  const DraftTokens& code_;
  CudaFile file_;
  std::string scope_;               // name spaces: "image::"
  std::vector<std::size_t> outer_;  // bytes of the scope around each
  std::size_t functions_ = 0;       // open braces of functions, classes and the like
  std::size_t begin_ = 0;           // of the declaration
  Definitions locals_;
};

}  // namespace

bool KernelFunction::mentions(std::string_view word) const { return std::ranges::find(reached, word) != reached.end(); }

KernelFunction with_helpers(const CudaFile& file, KernelFunction kernel) {
  std::map<std::string, Texts> left = file.helpers;
  Texts& all = kernel.reached = kernel.code;
  for (std::size_t i = 0; i < all.size(); ++i) {  // it grows
    const auto called = left.extract(all[i]);
    if (!called.empty()) all.insert(all.end(), called.mapped().begin(), called.mapped().end());
  }
  return kernel;
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
