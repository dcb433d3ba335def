#include "device/host/source_rewrite.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/identifier.hpp"
#include "core/source_lexer.hpp"

namespace attune {
namespace {

// Changes to the source, made in one go. Newlines in replaced text stay.
class Edits {
 public:
  explicit Edits(std::string_view source) : source_(source) {}
  void replace(std::size_t begin, std::size_t end, std::string by) { edits_.push_back({begin, end, std::move(by)}); }
  void replace(const SourceToken& token, std::string by) { replace(token.begin, token.end, std::move(by)); }
  void insert_after(const SourceToken& token, std::string text) { replace(token.end, token.end, std::move(text)); }

  std::string apply() {
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string result;
    std::size_t copied = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < copied) continue;  // two `__shared__` in one declaration
      result.append(source_.substr(copied, edit.begin - copied)).append(edit.by);
      for (const char c : source_.substr(edit.begin, edit.end - edit.begin))
        if (c == '\n') result += c;
      copied = edit.end;
    }
    return result.append(source_.substr(copied));
  }

 private:
  struct Edit {
    std::size_t begin, end;
    std::string by;
  };
  std::string_view source_;
  std::vector<Edit> edits_;
};

class Rewriter {
 public:
  Rewriter(std::string_view source, SharedVariables variables) : variables_(variables), lexer_(source), edits_(source) {
    while (const SourceToken* token = lexer_.next()) tokens_.push_back(*token);
  }

  std::string rewrite() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      follow_scopes(i);
      if (text(i) == "__shared__") declaration(i);
    }
    return edits_.apply();
  }

 private:
  std::string_view text(std::size_t i) const { return i < tokens_.size() ? tokens_[i].text : std::string_view(); }
  bool is_literal(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == SourceToken::Kind::literal; }
  bool ends(std::size_t i) const {
    return i >= tokens_.size() || text(i) == ";" || text(i) == "\n" || text(i) == "{" || text(i) == "}";
  }

  // Returns whether only braces of namespaces and extern "C" are open: no function has begun.
  bool outside_functions() const { return other_scopes_ == 0; }

  void follow_scopes(std::size_t i) {
    if (text(i) == "{") {
      bool space = false;
      for (std::size_t k = i; k-- > 0 && !ends(k);)
        space = space || text(k) == "namespace" || (text(k) == "extern" && is_literal(k + 1));
      scopes_.push_back(space);
      other_scopes_ += space ? 0 : 1;
    } else if (text(i) == "}" && !scopes_.empty()) {
      other_scopes_ -= scopes_.back() ? 0 : 1;
      scopes_.pop_back();
    }
  }

  // Rewrites the declaration around the `__shared__` at `shared`.
  void declaration(std::size_t shared) {
    std::size_t first = shared, end = shared;
    while (first > 0 && !ends(first - 1) && text(first - 1) != ":") --first;
    while (!ends(end)) ++end;
    std::size_t storage = first;
    while (storage < end && text(storage) != "extern") ++storage;
    if (storage < end && !is_literal(storage + 1)) {
      dynamic(storage, shared, end);
    } else if (variables_ == SharedVariables::fenced && !outside_functions()) {
      fence(shared, first, end);
    }
  }

  // __shared__ T a[4], b; -> struct attune_value_0 { T a[4]; }; static ::attune_host::Fenced<attune_value_0> ...
  // A declaration of any other form stays as it is, without a fence.
  void fence(std::size_t shared, std::size_t first, std::size_t end) {
    const bool qualified = first > 1 && text(first - 1) == ":" && text(first - 2) == ":";
    if (text(end) != ";" || text(first) == "#" || qualified) return;
    const auto declarators = declarators_of(shared, end);
    if (declarators.empty()) return;
    // Everything before the first name but `static` and `__shared__`: type, qualifiers, alignment.
    const std::string type = original(first, declarators.front().name);
    std::string by;
    for (const Declarator& one : declarators) {
      const std::string name(text(one.name)), number = std::to_string(fenced_++);
      by += "struct attune_value_" + number + " { " + type + " " + original(one.name, one.end) + "; }; ";
      by +=
          "static ::attune_host::Fenced<attune_value_" + number + "> attune_fenced_" + number + "(\"" + name + "\"); ";
      by += "static auto& " + name + " = attune_fenced_" + number + ".value." + name + "; ";
    }
    edits_.replace(tokens_[first].begin, tokens_[end].end, by);
  }

  struct Declarator {
    std::size_t name = 0, end = 0;  // its tokens are [name, end)
  };

  // Returns the declarators of `__shared__ T name[...], name;`. Empty when there is anything but names and bounds, or a
  // structure's body.
  std::vector<Declarator> declarators_of(std::size_t shared, std::size_t end) const {
    std::vector<Declarator> found;
    std::size_t begin = shared + 1;
    int depth = 0, angles = 0;
    for (std::size_t i = begin; i <= end; ++i) {
      const std::string_view sign = text(i);
      if (sign == "(" || sign == "[") ++depth;
      if (sign == ")" || sign == "]") --depth;
      if (depth > 0 || sign == ")" || sign == "]") continue;
      if (sign == "=") return {};
      angles += sign == "<" ? 1 : sign == ">" ? -1 : 0;
      if (angles > 0 || (sign != "," && i != end)) continue;
      std::size_t name = i - 1;  // back over the bounds
      while (name > begin && text(name) == "]") {
        for (int open = 1; open > 0 && --name > begin;) open += text(name) == "]" ? 1 : text(name) == "[" ? -1 : 0;
        --name;
      }
      const bool named = is_word(text(name).front()) && !is_digit(text(name).front());
      // The first declarator has its type before it, the others have nothing.
      if (!named || (found.empty() ? name == begin && !typed_before(shared) : name != begin)) return {};
      found.push_back({name, i});
      begin = i + 1;
    }
    return found;
  }

  // float __shared__ x: the type may stand before the keyword.
  bool typed_before(std::size_t shared) const { return shared > 0 && !ends(shared - 1) && text(shared - 1) != ":"; }

  // Returns the tokens [from, to) without `static` and `__shared__`, with one blank where there were blanks, newlines
  // or comments.
  std::string original(std::size_t from, std::size_t to) const {
    std::string result;
    for (std::size_t i = from; i < to; ++i) {
      const SourceToken& token = tokens_[i];
      if (token.text == "static" || token.text == "__shared__") continue;
      if (!result.empty() && token.after_blank) result += " ";
      result += token.text;
    }
    return result;
  }

  // extern __shared__ T name[]; -> T (&name)[] = ::attune_host::dynamic_shared_array();
  // The storage class moves to the front of the name, because an alignment in front of the type must come first.
  void dynamic(std::size_t storage, std::size_t shared, std::size_t end) {
    edits_.replace(tokens_[storage], "");
    edits_.replace(tokens_[shared], "");
    std::string before = outside_functions() ? "static thread_local (&" : "(&";
    for (const Declarator& one : declarators_of(shared, end)) {
      edits_.replace(tokens_[one.name], before + std::string(text(one.name)) + ")");
      edits_.insert_after(tokens_[one.end - 1], " = ::attune_host::dynamic_shared_array()");
      before = "(&";
    }
  }

  SharedVariables variables_;
  SourceLexer lexer_;
  std::vector<SourceToken> tokens_;
  Edits edits_;
  int fenced_ = 0;
  std::vector<bool> scopes_;  // for each open brace: is it a namespace's?
  int other_scopes_ = 0;
};

}  // namespace

std::string rewrite_shared_memory(std::string_view source, SharedVariables variables) {
  return Rewriter(source, variables).rewrite();
}

}  // namespace attune
