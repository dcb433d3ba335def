// TermProgram: evaluates some terms of a graph for up to `capacity` combinations at a time. The caller provides the
// values of the leaves. One thread.
#pragma once

#include <memory>

#include "space/stages/term.hpp"
#include "space/stages/variables.hpp"

namespace attune::space {

class TermProgram {
 public:
  static constexpr std::size_t block = 1024;  // a good capacity: ten arrays of this length fit a second-level cache

  // Evaluates `wanted` and its operands, except the terms in `given`, whose values the caller fills in. Columns are
  // never evaluated: a column that is needed must be given. Constants are filled in here.
  TermProgram(const TermGraph& graph, const RuleScope& scope, std::span<const TermId> wanted,
              std::span<const TermId> given, std::size_t capacity = block);

  // Returns where to write the values of a given term before run(); null when nothing needs it.
  std::int64_t* input(TermId id) { return place_[id] == nowhere ? nullptr : at(place_[id]); }
  // Returns the values of a wanted or given term, after run().
  const std::int64_t* output(TermId id) const { return words_.get() + place_[id] * capacity_; }
  void run(std::size_t count);

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  struct Instruction {
    TermId term;
    TermOp op;
    bool narrow;
    std::array<std::uint32_t, 3> from;
    std::uint32_t to;
  };
  std::int64_t* at(std::uint32_t place) { return words_.get() + place * capacity_; }
  void need(TermId id, std::vector<bool>& needed) const;
  void run_opaque(TermId id, std::size_t count);

  const TermGraph& graph_;
  const RuleScope& scope_;
  std::size_t capacity_;
  std::vector<std::uint32_t> place_;  // by term
  std::vector<Instruction> steps_;
  std::unique_ptr<std::int64_t[]> words_;  // uninitialised until written
};

}  // namespace attune::space
