// Terms: rules in the form in which they are evaluated for many combinations at once. A term has a value for every
// combination. A second term, the validity, is 0 where the expression has no value. Whole numbers, truth values and
// interned names are 64-bit integers, and reals are the bits of doubles, so that one array type serves all. A TermGraph
// belongs to one construction and one thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace attune::space {

enum class TermKind : std::uint8_t { whole, real, name };

enum class TermOp : std::uint8_t {
  constant,
  column,  // the value of one variable, or of an expression in one variable, by the variable's value
  opaque,  // an expression that the expression evaluator computes; its operands are value positions
  // Whole numbers to whole numbers. No result overflows: the ranges are checked when a term is made.
  add,
  subtract,
  multiply,
  divide,           // toward zero; 0 where the divisor is 0, as in the next three
  remainder,        // sign of the dividend
  floor_divide,     // toward minus infinity
  floor_remainder,  // sign of the divisor
  ceil_divide,
  minimum,
  maximum,
  bit_and,
  bit_or,
  negate,
  absolute,
  equal,
  unequal,
  less,
  less_equal,
  both,    // of truth values
  either,  // of truth values
  is_true,
  is_false,
  is_pow2,
  select,         // a ? b : c, of any kind
  multiply_fits,  // does the product fit 64 bits?
  add_fits,
  subtract_fits,
  // Reals.
  to_real,
  real_add,
  real_subtract,
  real_multiply,
  real_divide,
  real_remainder,
  real_floor_divide,
  real_floor_remainder,
  real_minimum,
  real_maximum,
  real_negate,
  real_absolute,
  real_equal,
  real_unequal,
  real_less,
  real_less_equal,
  real_is_true,
};

using TermId = std::uint32_t;
constexpr TermId no_term = std::numeric_limits<TermId>::max();
constexpr int no_variable = -1, many_variables = -2;

// The values that a term can have, with exact bounds for whole numbers, truth values and reals.
struct Range {
  std::int64_t low = 0, high = 0;      // whole
  double real_low = 0, real_high = 0;  // real
};

struct Term {
  TermOp op = TermOp::constant;
  TermKind kind = TermKind::whole;
  bool narrow = false;  // the operands fit 32 bits unsigned, so that division is faster
  std::array<TermId, 3> operands = {no_term, no_term, no_term};
  int variable = no_variable;  // the single variable of the term
  std::int64_t constant = 0;   // constant: the value or its bits
  std::uint32_t index = 0;     // column: into columns; opaque: into opaques
  Range range;
};

// The content of an `opaque` term: an expression node and the variables that it reads.
struct OpaqueTerm {
  std::uint32_t rule = 0;
  std::uint32_t node = 0;
  bool negated = false;
  std::vector<int> variables;
  std::vector<TermId> operands;  // by variable: the term that is its position
};

class TermGraph {
 public:
  const Term& operator[](TermId id) const { return terms_[id]; }
  std::size_t size() const { return terms_.size(); }
  const std::vector<std::int64_t>& column(TermId id) const { return columns_[terms_[id].index]; }
  const OpaqueTerm& opaque(TermId id) const { return opaques_[terms_[id].index]; }

  TermId constant(std::int64_t value, TermKind kind = TermKind::whole);
  TermId real_constant(double value);
  // `values` has one entry per value of the variable.
  TermId column(int variable, TermKind kind, std::vector<std::int64_t> values);
  TermId opaque(OpaqueTerm opaque);
  // Folds constants to a constant, and terms in one variable to a column. Equal terms are made once.
  TermId make(TermOp op, TermId a, TermId b = no_term, TermId c = no_term);

  bool is_constant(TermId id) const { return terms_[id].op == TermOp::constant; }

 private:
  TermId add(Term term);
  TermId fold_constants(const Term& term);
  TermId fold_column(const Term& term);

  std::vector<Term> terms_;
  std::vector<std::vector<std::int64_t>> columns_;
  std::vector<OpaqueTerm> opaques_;
};

// Returns the range of the operation's results. `overflows` reports whole results that may overflow.
Range range_of(TermOp op, const Term* a, const Term* b, const Term* c, bool& overflows);
TermKind kind_of(TermOp op, TermKind selected);

// Computes out[i] = op(a[i], b[i], c[i]). It ignores operands that the operation does not have.
void apply(TermOp op, bool narrow, const std::int64_t* a, const std::int64_t* b, const std::int64_t* c,
           std::int64_t* out, std::size_t count);

inline double real_of(std::int64_t bits) { return std::bit_cast<double>(bits); }
inline std::int64_t bits_of(double value) { return std::bit_cast<std::int64_t>(value); }

}  // namespace attune::space
