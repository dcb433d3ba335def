// reduce() of cooperative groups and its operators for the host device, under the toolkit's name of their header.
#ifndef ATTUNE_HOST_COOPERATIVE_GROUPS_REDUCE_H
#define ATTUNE_HOST_COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

namespace cooperative_groups {

#define ATTUNE_HOST_GROUP_OPERATOR(NAME, EXPRESSION)                       \
  template <class Value>                                                   \
  struct NAME {                                                            \
    Value operator()(Value left, Value right) const { return EXPRESSION; } \
  };
ATTUNE_HOST_GROUP_OPERATOR(plus, left + right)
ATTUNE_HOST_GROUP_OPERATOR(less, right < left ? right : left)
ATTUNE_HOST_GROUP_OPERATOR(greater, left < right ? right : left)
ATTUNE_HOST_GROUP_OPERATOR(bit_and, left& right)
ATTUNE_HOST_GROUP_OPERATOR(bit_or, left | right)
ATTUNE_HOST_GROUP_OPERATOR(bit_xor, left ^ right)
#undef ATTUNE_HOST_GROUP_OPERATOR

// Groups of two to the power of n threads combine in a tree, as tiles do on a GPU, where sums of floats have the same
// bits. Other groups combine in the order of the ranks. Lanes that have exited add nothing.
template <class Value, class Operation>
auto reduce(const attune_lanes& group, const Value& value, Operation&& operation) -> decltype(operation(value, value)) {
  const attune_host::Gathered<Value> values(group.attune_members(), value, "reduce of a group");
  const unsigned count = group.attune_size(), rank = group.attune_rank();
  const bool in_tree = (count & (count - 1)) == 0;
  unsigned present = 0;
  alignas(Value) unsigned char room[32 * sizeof(Value)];
  Value* const part = reinterpret_cast<Value*>(room);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned lane = group.attune_lane(in_tree ? rank ^ i : i);
    if (!values.has(lane)) continue;
    const Value found = values.of(lane);
    __builtin_memcpy(part + i, &found, sizeof found);
    present |= 1u << i;
  }
  const auto combine = [&](unsigned into, unsigned from) {
    if ((present >> from & 1u) == 0) return;
    const Value result = present >> into & 1u ? Value(operation(part[into], part[from])) : part[from];
    __builtin_memcpy(part + into, &result, sizeof result);
    present |= 1u << into;
  };
  if (in_tree) {
    for (unsigned half = count / 2; half > 0; half /= 2)
      for (unsigned i = 0; i < half; ++i) combine(i, i + half);
  } else {
    for (unsigned i = 1; i < count; ++i) combine(0, i);
  }
  return part[0];
}

}  // namespace cooperative_groups

#endif  // ATTUNE_HOST_COOPERATIVE_GROUPS_REDUCE_H
