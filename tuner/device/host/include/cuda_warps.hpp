// Warp intrinsics for the host device: shuffles, votes, matches, reductions, by Runtime::exchange (abi.hpp). Precedes
// every kernel source, after cuda_language.hpp.
#ifndef ATTUNE_HOST_CUDA_WARPS_HPP
#define ATTUNE_HOST_CUDA_WARPS_HPP

// ---- Warps ----

namespace attune_host {

// The values of the lanes of a warp at one meeting.
struct Meeting {
  unsigned long long values[32];
  unsigned lanes;  // that took part
  Meeting(unsigned mask, unsigned long long value, const char* name) {
    lanes = runtime->exchange(mask, value, values, name);
  }
  bool has(unsigned lane) const { return lanes >> lane & 1u; }
};

template <class T>
unsigned long long to_word(T value) {
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return word;
}

enum class Shuffle { index, up, down, exclusive_or };

// As PTX specifies `shfl.sync`: only five bits of the distance count. A lane keeps its own value if the source is
// outside its segment or does not take part.
template <class T>
T shuffle(Shuffle kind, unsigned mask, T value, unsigned b, int width, const char* name) {
  const Meeting meeting(mask, to_word(value), name);
  const unsigned own = lane(), segment_mask = (32u - static_cast<unsigned>(width)) & 31u;
  const unsigned first = own & segment_mask, last = first | (~segment_mask & 31u);
  b &= 31u;
  int source = 0;
  if (kind == Shuffle::index) source = static_cast<int>(first | (b & ~segment_mask));
  if (kind == Shuffle::up) source = static_cast<int>(own) - static_cast<int>(b);
  if (kind == Shuffle::down) source = static_cast<int>(own + b);
  if (kind == Shuffle::exclusive_or) source = static_cast<int>(own ^ b);
  const bool inside = kind == Shuffle::up ? source >= static_cast<int>(first) : source <= static_cast<int>(last);
  if (!inside || !meeting.has(static_cast<unsigned>(source))) return value;
  return bits_to<T>(meeting.values[source]);
}

template <class Combine>
unsigned combine_votes(unsigned mask, int predicate, const char* name, Combine combine) {
  const Meeting meeting(mask, predicate != 0, name);
  unsigned ballot = 0;
  for (unsigned i = 0; i < 32; ++i) ballot |= meeting.has(i) && meeting.values[i] != 0 ? 1u << i : 0u;
  return combine(ballot, meeting.lanes);
}

inline unsigned match_any(unsigned mask, unsigned long long word, const char* name) {
  const Meeting meeting(mask, word, name);
  unsigned same = 0;
  for (unsigned i = 0; i < 32; ++i) same |= meeting.has(i) && meeting.values[i] == word ? 1u << i : 0u;
  return same;
}

inline unsigned match_all(unsigned mask, unsigned long long word, int* predicate, const char* name) {
  const Meeting meeting(mask, word, name);
  for (unsigned i = 0; i < 32; ++i) {
    if (meeting.has(i) && meeting.values[i] != word) {
      *predicate = 0;
      return 0;
    }
  }
  *predicate = 1;
  return meeting.lanes;
}

template <class T, class Combine>
T reduce_lanes(unsigned mask, T value, const char* name, Combine combine) {
  const Meeting meeting(mask, to_word(value), name);
  T result = value;
  for (unsigned i = 0; i < 32; ++i) {
    if (meeting.has(i) && i != lane()) result = combine(result, bits_to<T>(meeting.values[i]));
  }
  return result;
}

}  // namespace attune_host

__forceinline__ void __syncwarp(unsigned mask = 0xffffffffu) {
  attune_host::Meeting(mask, 0, "__syncwarp");
  attune_host::count_operation();
}
// A macro: lanes are together at one place of the source, and a compiler merges equal calls.
#define __activemask()                                                \
  (::attune_host::runtime->active_mask([]() noexcept -> const void* { \
    static const char place = 0;                                      \
    return &place;                                                    \
  }()))

#define ATTUNE_HOST_WARP(T)                                                                                           \
  inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {                                          \
    return attune_host::shuffle(attune_host::Shuffle::index, mask, value, static_cast<unsigned>(source), width,       \
                                "__shfl_sync");                                                                       \
  }                                                                                                                   \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {                                   \
    return attune_host::shuffle(attune_host::Shuffle::up, mask, value, delta, width, "__shfl_up_sync");               \
  }                                                                                                                   \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {                                 \
    return attune_host::shuffle(attune_host::Shuffle::down, mask, value, delta, width, "__shfl_down_sync");           \
  }                                                                                                                   \
  inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {                                       \
    return attune_host::shuffle(attune_host::Shuffle::exclusive_or, mask, value, static_cast<unsigned>(lanes), width, \
                                "__shfl_xor_sync");                                                                   \
  }                                                                                                                   \
  inline unsigned __match_any_sync(unsigned mask, T value) {                                                          \
    return attune_host::match_any(mask, attune_host::to_word(value), "__match_any_sync");                             \
  }                                                                                                                   \
  inline unsigned __match_all_sync(unsigned mask, T value, int* predicate) {                                          \
    return attune_host::match_all(mask, attune_host::to_word(value), predicate, "__match_all_sync");                  \
  }
ATTUNE_HOST_WARP(int)
ATTUNE_HOST_WARP(unsigned int)
ATTUNE_HOST_WARP(long)
ATTUNE_HOST_WARP(unsigned long)
ATTUNE_HOST_WARP(long long)
ATTUNE_HOST_WARP(unsigned long long)
ATTUNE_HOST_WARP(float)
ATTUNE_HOST_WARP(double)
#undef ATTUNE_HOST_WARP

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return attune_host::combine_votes(mask, predicate, "__ballot_sync", [](unsigned ballot, unsigned) { return ballot; });
}
inline int __any_sync(unsigned mask, int predicate) {
  return static_cast<int>(attune_host::combine_votes(mask, predicate, "__any_sync",
                                                     [](unsigned ballot, unsigned) { return unsigned{ballot != 0}; }));
}
inline int __all_sync(unsigned mask, int predicate) {
  return static_cast<int>(attune_host::combine_votes(
      mask, predicate, "__all_sync", [](unsigned ballot, unsigned lanes) { return unsigned{ballot == lanes}; }));
}
inline int __uni_sync(unsigned mask, int predicate) {
  return static_cast<int>(attune_host::combine_votes(
      mask, predicate, "__uni_sync",
      [](unsigned ballot, unsigned lanes) { return unsigned{ballot == 0 || ballot == lanes}; }));
}

#define ATTUNE_HOST_REDUCE(NAME, T, EXPRESSION)                                 \
  inline T __reduce_##NAME##_sync(unsigned mask, T value) {                     \
    return attune_host::reduce_lanes(mask, value, "__reduce_" #NAME "_sync",    \
                                     [](T a, T b) -> T { return EXPRESSION; }); \
  }
ATTUNE_HOST_REDUCE(add, unsigned int, a + b)
ATTUNE_HOST_REDUCE(add, int, a + b)
ATTUNE_HOST_REDUCE(min, unsigned int, a < b ? a : b)
ATTUNE_HOST_REDUCE(min, int, a < b ? a : b)
ATTUNE_HOST_REDUCE(max, unsigned int, a < b ? b : a)
ATTUNE_HOST_REDUCE(max, int, a < b ? b : a)
ATTUNE_HOST_REDUCE(and, unsigned int, a& b)
ATTUNE_HOST_REDUCE(or, unsigned int, a | b)
ATTUNE_HOST_REDUCE(xor, unsigned int, a ^ b)
#undef ATTUNE_HOST_REDUCE

#endif  // ATTUNE_HOST_CUDA_WARPS_HPP
