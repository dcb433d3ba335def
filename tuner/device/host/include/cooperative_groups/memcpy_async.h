// memcpy_async() of cooperative groups for the host device, under the toolkit's name of its header. Copies at once.
#ifndef ATTUNE_HOST_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define ATTUNE_HOST_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include <cooperative_groups.h>

namespace cooperative_groups {

// Each member copies its share of the bytes.
template <class Group, class Element>
void memcpy_async(const Group& group, Element* to, const Element* from, size_t bytes) {
  const size_t members = group.size(), rank = group.thread_rank();
  const size_t share = (bytes + members - 1) / members, begin = share * rank < bytes ? share * rank : bytes;
  const size_t count = bytes - begin < share ? bytes - begin : share;
  __builtin_memcpy(reinterpret_cast<char*>(to) + begin, reinterpret_cast<const char*>(from) + begin, count);
}
// Copies the lesser number of elements.
template <class Group, class Element>
void memcpy_async(const Group& group, Element* to, size_t room, const Element* from, size_t count) {
  memcpy_async(group, to, from, (room < count ? room : count) * sizeof(Element));
}

template <class Group>
void wait(const Group& group) {
  group.sync();
}
template <unsigned Stages, class Group>
void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#endif  // ATTUNE_HOST_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
