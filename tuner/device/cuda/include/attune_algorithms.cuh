// <algorithm> and <numeric> of host code that is ignored: behind attune_host_code.cuh.
#pragma once
namespace std {
ATTUNE_CALLS(attune_anything, accumulate)
ATTUNE_CALLS(void, copy)
ATTUNE_CALLS(int, count)
ATTUNE_CALLS(bool, equal)
ATTUNE_CALLS(void, fill)
ATTUNE_CALLS(void, fill_n)
ATTUNE_CALLS(attune_anything, find)
ATTUNE_CALLS(void, for_each)
ATTUNE_CALLS(void, generate)
ATTUNE_CALLS(void, iota)
ATTUNE_CALLS(attune_anything, max_element)
ATTUNE_CALLS(attune_anything, min_element)
ATTUNE_CALLS(void, reverse)
ATTUNE_CALLS(void, shuffle)
ATTUNE_CALLS(void, sort)
ATTUNE_CALLS(void, transform)
ATTUNE_CALLS(attune_anything, unique)
}  // namespace std
