// Every way to break a kernel file that we thought of: where the error is reported, and what its message names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "spec/kernel_file.hpp"
#include "spec/source_position.hpp"
#include "support/cases.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

// A name; what is replaced in everything.cu, where it stands first; with what; words of the message. The error is
// expected at the character behind the mark ^^ of the replacement, or where the text after @ begins.
constexpr std::string_view table = R"table(
  // syntax
  no_value => name = "everything" => name =^^ => expected value
  open_string => name = "everything" => name = "everything^^ => string
  key_twice => [problem]\n => [problem]\nn = "size"\n => redefine => 'n' => @{ size = 65536
  end_of_comment_in_string => "ZETA * ITEMS <= n" => "ZETA */ ITEMS <= n" => line 25 => `*/` => ends the comment
      => @*/ ITEMS <= n
  end_of_comment_in_comment => # the first is the default => # sizes in n*/4 => [parameters] => line 13
      => ends the comment => @*/4
  three_brackets => [[prepare]] => [[^^[prepare]] => bare key
  deep_key => name = "everything" => a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p^^.q = 1 => 16 parts
  unquoted_word => offset = "integer" => offset = ^^size => value of `offset` lacks quotes => write offset = "size"
  unquoted_formula => shared = "ZETA * sizeof(T)" => shared = ^^ZETA * sizeof(T) # bytes => `shared` lacks quotes
      => write shared = "ZETA * sizeof(T)"
  unquoted_number_and_name => ITEMS = [2, 1, 4] => ITEMS = { from = 1, to = n^^, step = 1 } => `ITEMS` lacks quotes
      => write ITEMS = { from = 1, to = "n", step = 1 }
  unquoted_element => grid = ["ceil_div(n, ZETA * ITEMS)", "2"] => grid = [^^ceil_div(n, ZETA * ITEMS), "2"]
      => `grid` lacks quotes => write grid = ["ceil_div(n, ZETA * ITEMS)", "2"]
  unquoted_rule => "ZETA * ITEMS <= n", => ^^ZETA * ITEMS <= n, => `rules` lacks quotes => write "ZETA * ITEMS <= n",
  unquoted_entry => 'finish<T>' => ^^prepare<T, 4> => `entry` lacks quotes => write entry = "prepare<T, 4>"
  // sections
  unknown_section => [restrictions] => [^^restriction] => unknown section `restriction` => did you mean `restrictions`
  key_outside => [kernel]\n => ^^name = 1\n[kernel]\n => `name` => outside all sections
  no_kernel => [kernel]\nname = "everything"\nsummary = "out[i] = scale * in[i] + carry[i], on part of a ring" => 
      => without the section [kernel] => @*/\n#include
  kernel_is_no_table => [kernel]\nname = "everything"\nsummary => kernel = ^^3\n[metrics.x]\nsummary => table [kernel]
      => integer 3
  unknown_kernel_key => summary =  => ^^sumary =  => `sumary` => did you mean `summary`
  no_name => name = "everything" =>  => [kernel] needs `name` => @[kernel]\n
  name_is_no_string => name = "everything" => name = ^^7 => a string => integer 7
  name_with_a_blank => name = "everything" => name = ^^"every thing" => `every thing` => letters
  deterministic_misspelt => summary =  => deterministic = "ALPHA && ^^ITMES == 1"\nsummary =  => `ITMES`
      => did you mean `ITEMS`
  deterministic_mentions_an_argument => summary =  => deterministic = "^^tiles == 1"\nsummary =  => it is an argument
  deterministic_broken => summary =  => deterministic = "ALPHA &&^^"\nsummary =  => expected
  deterministic_is_an_integer => summary =  => deterministic = ^^1\nsummary =  => expression in quotes or a boolean
      => integer 1
  deterministic_is_a_number => summary =  => deterministic = ^^"2 * ITEMS"\nsummary =  => `2 * ITEMS`
      => true, false or a condition
  deterministic_without_a_value => summary =  => deterministic = ^^"1 / 0 == 1"\nsummary =  => a condition => zero
  deterministic_key_misspelt => summary =  => ^^determinstic = true\nsummary =  => did you mean `deterministic`
  unknown_rules_key => rules = [ => ^^rule = [ => `rule` => did you mean `rules`
  unknown_metric => flops =  => ^^flop =  => `flop` => did you mean `flops`
  unknown_compile_key => defines = true => ^^define = true => `define` => did you mean `defines`
  // problems
  problem_word => offset = "integer" => offset = ^^"integr" => `integr` => did you mean `integer`
  problem_number => offset = "integer" => offset = ^^4 => "size" => integer 4
  size_of_zero => size = 65536 => size = ^^0 => 0 is no size => 2^62
  size_too_large => host = 1024 => host = ^^4611686018427387905 => 4611686018427387905
  size_is_real => size = 65536 => size = ^^1.5 => an integer => 1.5
  unknown_device_kind => host = 1024 => ^^hots = 1024 => `hots` => did you mean `host`
  size_and_integer => n = { size = 65536, host = 1024 } => n = ^^{ size = 1, integer = 1 } => either `size` or `integer`
  no_types => T = ["float", "double", "int32"] => T = ^^[] => `T` lists no type
  unknown_type => "float", "double" => "float", ^^"dubble" => `dubble` => did you mean `double`
  type_twice => "float", "double" => "float", ^^"float" => float twice
  problem_named_device => offset = "integer" => ^^device = "integer" => `device` => word of expressions
  problem_named_as_a_function => offset = "integer" => ^^ceil_div = "integer" => `ceil_div` => function
  problem_named_as_a_type => offset = "integer" => ^^half = "integer" => `half` => a type
  problem_is_no_identifier => offset = "integer" => ^^"off.set" = "integer" => `off.set` => letters
  // parameters
  parameter_is_no_list => ZETA = [128, 256, 64] => ZETA = ^^128 => list of values => integer 128
  parameter_without_values => ITEMS = [2, 1, 4] => ITEMS = ^^[] => `ITEMS` has no value
  parameter_of_two_kinds => ITEMS = [2, 1, 4] => ITEMS = [2, ^^"four"] => four is a name => 2 is an integer => one kind
  integer_and_real => FACTOR = [0.5, 1.0] => FACTOR = [0.5, ^^1] => 1 is an integer => 0.5 is a real
  value_twice => ITEMS = [2, 1, 4] => ITEMS = [2, 1, ^^2] => `ITEMS` lists 2 twice
  value_is_a_table => ITEMS = [2, 1, 4] => ITEMS = [^^{ a = 1 }] => a value => a table
  value_is_no_name => "Order::columns" => ^^"Order columns" => `Order columns` => Order::rows
  value_is_a_quoted_boolean => ALPHA = [true, false] => ALPHA = [^^"true", "false"] => true without quotes
  value_is_infinite => FACTOR = [0.5, 1.0] => FACTOR = [0.5, ^^inf] => finite
  parameter_named_as_a_problem => ITEMS = [2, 1, 4] => ^^n = [2, 1, 4] => `n` is a problem name
  parameter_named_as_a_keyword => ITEMS = [2, 1, 4] => ^^template = [2, 1, 4] => `template` => C++
  // rules
  rule_misspelt => "ZETA % ITEMS == 0" => "ZETA % ^^ITMES == 0" => `ITMES` in `ZETA % ITMES == 0`
      => did you mean `ITEMS`
  rule_broken => "ZETA % ITEMS == 0" => "ZETA % ^^== 0" => ZETA % == 0
  rule_is_no_string => "ZETA % ITEMS == 0" => ^^1 => expression in quotes => integer 1
  rule_behind_non_ascii => "ZETA % ITEMS == 0" => "ORDER == 'é' || ^^ZTEA == 0" => `ZTEA` => did you mean `ZETA`
  rule_in_escaped_string => "ZETA % ITEMS == 0" => ^^"\u005AETA % ITMES == 0" => `ITMES`
  unknown_device_property => device.max_threads_per_block => device.^^max_thread_per_block => max_thread_per_block
      => did you mean `max_threads_per_block`
  unknown_function => "ZETA % ITEMS == 0" => "^^ceildiv(ZETA, 2) > 1" => ceildiv => did you mean `ceil_div`
  rule_mentions_an_argument => "ZETA % ITEMS == 0" => "ZETA > ^^tiles" => `tiles` => it is an argument
  default_breaks_a_rule => "ZETA % ITEMS == 0" => ^^"ZETA % (3 * ITEMS) == 0" => default configuration
      => `ZETA % (3 * ITEMS) == 0` => ZETA=128 ITEMS=2
  default_makes_a_rule_undefined => "ZETA % ITEMS == 0" => ^^"ZETA / (ITEMS - 2) > 0" => default configuration => zero
  rule_is_never_true => "ZETA % ITEMS == 0" => ^^"1 > 2" => default configuration breaks the rule `1 > 2`
  // steps
  launch_is_a_table => [[prepare]]\nentry => ^^[prepare]\nentry => [[prepare]]
  unknown_step_key => shared =  => ^^shraed =  => `shraed` in [[launch]] => did you mean `shared`
  cluster_of_four_dimensions => shared = "ZETA * sizeof(T)" => cluster = ^^[1, 1, 1, 1] => 1 to 3 dimensions, found 4
  cluster_of_more_dimensions_than_the_grid => shared = "ZETA * sizeof(T)" => cluster = ^^[1, 1, 1]
      => 3 dimensions; the grid has 2
  cluster_of_none => shared = "ZETA * sizeof(T)" => cluster = ^^[] => 1 to 3 dimensions, found none
  cluster_of_zero => shared = "ZETA * sizeof(T)" => cluster = [^^0] => `0` => at least 1
  cluster_misspelt => shared = "ZETA * sizeof(T)" => cluster = ["^^ZTEA"] => `ZTEA` => did you mean `ZETA`
  cluster_of_a_memset => value = 255\n => value = 255\n^^cluster = [1]\n => `cluster` does not go with `memset`
  cluster_of_the_reference => grid = ["ceil_div(n, 256)"] => grid = ["ceil_div(n, 256)"]\ncluster = ^^[1]
      => only [[launch]] steps have clusters, not [[reference]]
  overlap_of_the_reference => grid = ["ceil_div(n, 256)"] => grid = ["ceil_div(n, 256)"]\noverlap = ^^true
      => only [[launch]] steps overlap, not [[reference]]
  overlap_in_prepare => block = [32] => block = [32]\noverlap = ^^true => only [[launch]] steps overlap, not [[prepare]]
  overlap_after_a_memset => shared = "ZETA * sizeof(T)" => overlap = ^^true => the step before is a memset
  overlap_of_the_first_step => [[launch]]\nmemset = "carry"\nvalue = 255\nwhen = "ALPHA"
      => [[launch]]\nentry = "f"\ngrid = [1]\nblock = [1]\narguments = []\noverlap = ^^true => this is the first step
  overlap_misspelt => grid = ["device.multiprocessors"] => grid = ["1"]\noverlap = "^^ALPAH" => did you mean `ALPHA`
  cooperative_reference => grid = ["ceil_div(n, 256)"] => grid = ["ceil_div(n, 256)"]\ncooperative = ^^true
      => only [[launch]] steps are cooperative, not [[reference]]
  cooperative_misspelt => grid = ["device.multiprocessors"] => grid = ["1"]\ncooperative = "^^ALPAH"
      => did you mean `ALPHA`
  cooperative_is_a_number => shared = "ZETA * sizeof(T)" => cooperative = ^^1 => 1
  entry_and_memset => value = 255\n => value = 255\n^^entry = "a<T>"\n => `entry` does not go with `memset`
  neither_entry_nor_memset => [[launch]]\nmemset = "carry"\nvalue = 255\n => ^^[[launch]]\n => needs `entry` or `memset`
  value_without_memset => shared = "ZETA * sizeof(T)" => ^^value = 1 => `value` goes with `memset`
  memset_of_an_unknown_argument => memset = "carry" => memset = ^^"cary" => `cary` => did you mean `carry`
  memset_of_an_input => memset = "carry" => memset = ^^"in" => `in` is an input
  memset_of_a_scalar => memset = "carry" => memset = ^^"scale" => `scale` is a scalar
  memset_value_is_no_byte => value = 255 => value = ^^256 => 256 is no byte
  no_grid => [[launch]]\nentry = "everything<T, ZETA, ALPHA, ORDER, ITEMS>"\ngrid
      => ^^[[launch]]\nentry = "everything<T, ZETA>"\n# => [[launch]] needs `grid`
  four_dimensions => block = ["ZETA", 1] => block = ^^["ZETA", 1, 1, 1] => 1 to 3 dimensions, found 4
  no_dimension => block = ["ZETA", 1] => block = ^^[] => found 0
  grid_is_no_array => grid = ["ceil_div(n, ZETA * ITEMS)", "2"] => grid = ^^"2" => array of expressions => `2`
  grid_of_zero => "2"] => ^^"0"] => `0` => at least 1
  grid_is_real => "2"] => ^^2.5] => an integer => 2.5
  grid_misspelt => ceil_div(n, ZETA * ITEMS) => ceil_div(n, ^^ZEAT * ITEMS) => `ZEAT` => did you mean `ZETA`
  shared_misspelt => shared = "ZETA * sizeof(T)" => shared = "ZETA * sizeof(^^U)" => `U` in `ZETA * sizeof(U)`
  when_misspelt => when = "ALPHA" => when = "^^ALPAH" => `ALPAH` => did you mean `ALPHA`
  unknown_step_argument => arguments = ["out", "n"] => arguments = ["out", ^^"m"] => `m` is not in [arguments]
  empty_entry => entry = 'finish<T>' => entry = ^^'' => is no entry
  entry_without_a_name => entry = 'finish<T>' => entry = ^^'<T>' => `<T>` is no entry
  entry_not_closed => entry = 'finish<T>' => entry = ^^'finish<T' => `finish<T` is no entry
  reference_with_a_parameter => everything_reference<T> => everything_reference<T, ^^ZETA> => `ZETA` => is a parameter
      => [[reference]]
  reference_grid_with_a_parameter => ceil_div(n, 256) => ceil_div(n, ^^ZETA) => `ZETA` => is a parameter
      => [[reference]]
  prepare_with_a_parameter => entry = "prepare_ring" => when = "^^ALPHA"\nentry = "prepare_ring" => `ALPHA`
      => [[prepare]]
  // arguments
  unknown_argument_key => restore = false => ^^retsore = false => `retsore` => did you mean `restore`
  no_type => scale = { type = "double",  => scale = ^^{  => [arguments] scale needs `type`
  unknown_argument_type => type = "uint16" => type = ^^"uint17" => `uint17` => did you mean `uint16`
  unknown_role => role = "inout" => role = ^^"inuot" => `inuot` => did you mean `inout`
  role_constant => role = "inout" => role = ^^"constant" => symbol = "NAME"
  unknown_place => fill = "uniform(-4, 4)" => place = ^^"maped" => unknown place `maped` => "mapped if
  place_of_scratch => role = "scratch" => role = "scratch", place = ^^"mapped" => `work` is scratch memory
  place_of_a_scalar => scale = { type = "double" => scale = { type = "double", place = ^^"mapped" => `scale` is a scalar
  condition_of_a_place_misspelt => fill = "uniform(-4, 4)" => place = "mapped if ^^m > 1" => `m`
  condition_of_a_place_mentions_a_parameter => fill = "uniform(-4, 4)" => place = "mapped if ^^ALPHA" => `ALPHA`
      => the condition of a place
  condition_of_a_place_broken => fill = "uniform(-4, 4)" => place = "mapped if n >^^" => n >
  symbol_of_an_output => size = "n", role = "out" => size = "n", role = "out", symbol = ^^"out" => its role is "in"
  symbol_of_no_name => fill = "uniform(-4, 4)" => symbol = ^^"a b" => `a b` is no variable
  symbol_with_a_parameter => fill = "uniform(-4, 4)" => symbol = ^^"ring<ZETA>" => `ZETA` in `ring<ZETA>` is a parameter
  symbol_as_a_parameter => fill = "uniform(-4, 4)" => symbol = "ring" => `in` is no kernel parameter => variable `ring`
      => @["out", "in", "carry", "work"
  size_without_role => size = "n", role = "out" => size = "n" => `out` has a size => "scratch"
      => @{ type = "T", size = "n" }
  role_without_size => size = "n", role = "out" => role = ^^"out" => needs `size`
  size_misspelt => size = "2 * n" => size = "2 * ^^m" => `m` in `2 * m`
  size_with_a_parameter => size = "2 * n" => size = "^^ZETA * n" => `ZETA` => is a parameter => application passes
  size_with_the_device => size = "2 * n" => size = "n * ^^device.multiprocessors" => device.multiprocessors
      => depend on the device
  array_of_size_zero => size = "2 * n" => size = ^^0 => `0` => at least 1
  fill_misspelt => uniform(-4, 4) => ^^unifrom(-4, 4) => `unifrom(-4, 4)` => did you mean `uniform`
  fill_with_one_bound => uniform(-4, 4) => uniform^^(4) => uniform(least, greatest)
  fill_upside_down => uniform(-4, 4) => uniform(4, ^^-4) => `-4` is below `4`
  fill_with_an_unknown_name => uniform(-4, 4) => ^^uniform(-4, m) => `m` in `m` => no problem name
  fill_with_a_parameter => uniform(-4, 4) => ^^uniform(-4, ZETA) => `ZETA` in `ZETA` => a fill may mention problem names
  fill_with_the_device => uniform(-4, 4) => uniform(-4, ^^device.warp_size) => depends on the device
  fill_beyond_the_type => uniform(-4, 4) => uniform(-4, 3000000000) => 3000000000 does not fit int32 => types of `T`
      => @"uniform(
  fill_of_halves_for_integers => uniform(-4, 4) => uniform(-0.5, 0.5) => no integer => int32 => @"uniform(
  fill_of_an_output => role = "out" => role = "out", fill = ^^"iota" => `out` is an output => no fill
  fill_of_scratch => role = "scratch" => role = "scratch", fill = ^^"iota" => scratch memory => no fill
  fill_of_a_scalar_is_no_number => fill = "2.5" => fill = "^^iota" => a scalar is filled with one number
  fill_of_an_array_is_a_number => uniform(-4, 4) => ^^2.5 => constant(2.5)
  negative_deviation => normal(0, 0.5) => normal(0, ^^-1) => negative
  restore_of_an_input => fill = "uniform(-4, 4)" => ^^restore = false => only `inout`
  scalar_from_nowhere => scale = { type = "double", fill = "2.5" } => scale = ^^{ type = "double" } => while tuning
      => fill = "2.5"
  scalar_from_two_places => fill = "2.5" => value = "1", fill = ^^"2.5" => drop `fill`
  problem_value_and_fill => n = { type = "int64" } => n = { type = "int64", fill = ^^"3" } => takes the problem's value
  scalar_vector => type = "double" => type = ^^"double2" => scalar cannot be a double2
  value_misspelt => value = "ceil_div(n, ZETA)" => value = "ceil_div(n, ^^ZATE)" => `ZATE` => did you mean `ZETA`
  value_of_an_array => fill = "uniform(-4, 4)" => value = ^^"1" => only scalars have a `value`
  array_named_as_a_problem => offset = { type = "int32" } => ^^offset = { type = "int32", size = "n", role = "in" }
      => `offset` is a problem name
  argument_named_as_a_parameter => tiles = { => ^^ITEMS = { => `ITEMS` is a parameter => value = "ITEMS"
  argument_named_as_a_type => offset = { type = "int32" } => ^^T = { type = "int32" } => type cannot be passed
  output_not_launched => n = { type = "int64" }
      => n = { type = "int64" }\n^^spare = { type = "T", size = 1, role = "out" }
      => no [[launch]] step uses the output `spare`
  argument_unused => n = { type = "int64" } => n = { type = "int64" }\n^^spare = { type = "int64", fill = 1 }
      => no step uses the argument `spare`
  output_without_reference => arguments = ["out", "in", "carry", "n", "offset", "scale"]
      => arguments = ["out", "in", "n"] => [[reference]] => `carry` => @carry = {
  // checks
  unknown_check_key => relative = 0.001 => ^^realtive = 0.001 => `realtive` => did you mean `relative`
  check_of_an_input => [check.carry] => [check.^^in] => [check.in] => no argument of role out or inout
  tolerance_with_a_parameter => 8 * epsilon(T) * sqrt(n) => 8 * epsilon(T) * sqrt(^^ZETA) => `ZETA` => a tolerance
  negative_tolerance => relative = 0.001 => relative = ^^-0.001 => at least 0
  tolerance_without_a_value => relative = 0.001 => relative = ^^"1 / 0" => `1 / 0` => no value
  allow_nonfinite_is_a_number => allow_nonfinite = true => allow_nonfinite = ^^1 => true or false => integer 1
  metric_misspelt => flops = "2 * n" => flops = "2 * ^^ITMES" => `ITMES` => did you mean `ITEMS`
  items_without_a_unit => flops = "2 * n" => items = "2 * n" => `items` needs `unit` => @[metrics]
  unit_without_items => flops = "2 * n" => unit = "points" => `unit` goes with `items` => @[metrics]
  differing_below_zero => allow_nonfinite = true => differing = ^^-1 => at least 0
  differing_with_a_parameter => allow_nonfinite = true => differing = "^^ZETA" => `ZETA` => a tolerance
  defines_of_something => defines = true => defines = ^^"problem" => true, false, "parameters", "before"
  requires_with_a_broken_condition => "sm_80" => "sm_80 if ZETA >^^" => expected
  requires_with_an_unknown_name => "sm_80" => "sm_80 if ^^ZTEA > 1" => `ZTEA` => did you mean `ZETA`
  option_with_an_unknown_name => --maxrregcount={ZETA} => --maxrregcount=^^{ZATE} => {ZATE} => did you mean `ZETA`
  option_with_an_open_brace => --maxrregcount={ZETA} => --maxrregcount=^^{ZETA => {NAME}
  option_condition_misspelt => if ALPHA && ITEMS => if ALPHA && ^^ITMES => `ITMES` => did you mean `ITEMS`
  option_condition_broken => if ALPHA && ITEMS > 1 => if ALPHA &&^^ => expected
  option_is_no_option => "-lineinfo" => ^^"lineinfo" => leading `-`
  requires_no_architecture => requires = "sm_80" => requires = ^^"compute 8" => `compute 8` => sm_90a
)table";

using BrokenFile = std::vector<std::string>;

class BrokenKernelFile : public testing::TestWithParam<BrokenFile> {};

TEST_P(BrokenKernelFile, IsRefusedWhereItIsWrongAndByName) {
  BrokenFile words = GetParam();
  auto text = edited(whole_file(), words.at(1), words.at(2));
  words.erase(words.begin(), words.begin() + 3);
  const bool is_marked = !words.back().starts_with('@');
  const auto place = is_marked ? text.find("^^") : text.find(words.back().substr(1));
  ASSERT_NE(place, std::string::npos) << "the table does not say where the error is";
  is_marked ? static_cast<void>(text.erase(place, 2)) : words.pop_back();
  const Position expected = position_at(text, place);
  try {
    read_kernel_text(text, "everything.cu");
    FAIL() << "the file was read";
  } catch (const SpecError& error) {
    EXPECT_EQ((Position{error.line, error.column}), expected) << error.what();
    const auto prefix = "everything.cu:" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": ";
    EXPECT_THAT(error.what(), testing::StartsWith(prefix));
    ASSERT_FALSE(words.empty());
    for (const auto& word : words) EXPECT_THAT(error.what(), testing::HasSubstr(word));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, BrokenKernelFile, testing::ValuesIn(cases(table)),
                         [](const auto& param_info) { return param_info.param.at(0); });

}  // namespace
}  // namespace attune::tests
