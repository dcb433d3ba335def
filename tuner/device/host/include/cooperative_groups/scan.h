// Scans of cooperative groups for the host device, under the toolkit's name of their header.
#ifndef ATTUNE_HOST_COOPERATIVE_GROUPS_SCAN_H
#define ATTUNE_HOST_COOPERATIVE_GROUPS_SCAN_H

#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

// Combines the members of the ranks [0, end). Value{} if there are none, as on a GPU.
template <class Value, class Operation>
Value attune_scan(const attune_lanes& group, const Value& value, Operation& operation, unsigned end, const char* name) {
  const attune_host::Gathered<Value> values(group.attune_members(), value, name);
  bool has_begun = false;
  Value result{};
  for (unsigned rank = 0; rank < end; ++rank) {
    const unsigned lane = group.attune_lane(rank);
    if (!values.has(lane)) continue;
    result = has_begun ? Value(operation(result, values.of(lane))) : values.of(lane);
    has_begun = true;
  }
  return result;
}

template <class Value, class Operation = plus<Value>>
Value inclusive_scan(const attune_lanes& group, const Value& value, Operation&& operation = {}) {
  return attune_scan(group, value, operation, group.attune_rank() + 1, "inclusive_scan");
}
template <class Value, class Operation = plus<Value>>
Value exclusive_scan(const attune_lanes& group, const Value& value, Operation&& operation = {}) {
  return attune_scan(group, value, operation, group.attune_rank(), "exclusive_scan");
}

}  // namespace cooperative_groups

#endif  // ATTUNE_HOST_COOPERATIVE_GROUPS_SCAN_H
