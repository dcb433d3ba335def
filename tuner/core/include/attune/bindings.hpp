// Bindings: names with their values, in a stated order. Configuration and Problem have this shape. A plain value: once
// made, any thread may read it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "attune/value.hpp"

namespace attune {

struct Binding {
  std::string name;
  Value value;
  friend bool operator==(const Binding&, const Binding&) = default;
};

class Bindings {
 public:
  Bindings() = default;
  Bindings(std::initializer_list<Binding> items) : items_(items) {}
  explicit Bindings(std::vector<Binding> items) : items_(std::move(items)) {}

  // Returns the value bound to `name`, or nullptr.
  const Value* find(std::string_view name) const noexcept;
  // Returns the value bound to `name`. Throws Error naming it if it is not bound.
  const Value& at(std::string_view name) const;
  // Replaces the value of `name` if it is bound already, else appends the binding.
  void set(std::string_view name, Value value);

  bool empty() const noexcept { return items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  auto begin() const noexcept { return items_.begin(); }
  auto end() const noexcept { return items_.end(); }

  // Returns "TILE=32 ROWS=8": `name=value` in order, separated by one space. Keys, logs and the command line use this
  // text. Empty bindings give "".
  std::string text() const;

  friend bool operator==(const Bindings&, const Bindings&) = default;

 private:
  std::vector<Binding> items_;
};

// One value per parameter, in the order of [parameters].
class Configuration : public Bindings {
 public:
  using Bindings::Bindings;
  explicit Configuration(Bindings bindings) : Bindings(std::move(bindings)) {}
};

// One value per problem name, in the order of [problem].
class Problem : public Bindings {
 public:
  using Bindings::Bindings;
  explicit Problem(Bindings bindings) : Bindings(std::move(bindings)) {}
};

}  // namespace attune
