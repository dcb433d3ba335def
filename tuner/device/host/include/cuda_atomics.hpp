// Atomics, fences and cache hints for the host device. Precedes every kernel source, after cuda_warps.hpp.
#ifndef ATTUNE_HOST_CUDA_ATOMICS_HPP
#define ATTUNE_HOST_CUDA_ATOMICS_HPP

// ---- Atomics ----

namespace attune_host {

template <unsigned BYTES>
struct AtomicWord;
template <>
struct AtomicWord<2> {
  using type = unsigned short;
};
template <>
struct AtomicWord<4> {
  using type = unsigned int;
};
template <>
struct AtomicWord<8> {
  using type = unsigned long long;
};

// Replaces the value at `address` by update(old) and returns old.
template <class T, class Update>
T atomic_update(volatile T* address, Update update) {
  using Word = typename AtomicWord<sizeof(T)>::type;
  volatile Word* place = reinterpret_cast<volatile Word*>(address);
  Word seen = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &seen, bits_to<Word>(static_cast<T>(update(bits_to<T>(seen)))), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  count_operation();
  return bits_to<T>(seen);
}

// Sets `expected` to the value found.
template <class T>
T atomic_compare_exchange(volatile T* address, T expected, T value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  count_operation();
  return expected;
}

template <class T>
T done(T old) {
  count_operation();
  return old;
}

}  // namespace attune_host

// Each function for the scopes device (no suffix), block and system, which are equal here. Pointers to volatile are
// accepted, where CUDA needs a cast.
#define ATTUNE_HOST_ATOMIC_SCOPES(X, T) \
  X(T, )                                \
  X(T, _block)                          \
  X(T, _system)

#define ATTUNE_HOST_ATOMIC_INTEGER(T, SCOPE)                                                          \
  __forceinline__ T atomicAdd##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::done(__atomic_fetch_add(address, value, __ATOMIC_RELAXED));                   \
  }                                                                                                   \
  __forceinline__ T atomicSub##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::done(__atomic_fetch_sub(address, value, __ATOMIC_RELAXED));                   \
  }                                                                                                   \
  __forceinline__ T atomicAnd##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::done(__atomic_fetch_and(address, value, __ATOMIC_RELAXED));                   \
  }                                                                                                   \
  __forceinline__ T atomicOr##SCOPE(volatile T* address, T value) {                                   \
    return attune_host::done(__atomic_fetch_or(address, value, __ATOMIC_RELAXED));                    \
  }                                                                                                   \
  __forceinline__ T atomicXor##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::done(__atomic_fetch_xor(address, value, __ATOMIC_RELAXED));                   \
  }                                                                                                   \
  __forceinline__ T atomicExch##SCOPE(volatile T* address, T value) {                                 \
    return attune_host::done(__atomic_exchange_n(address, value, __ATOMIC_RELAXED));                  \
  }                                                                                                   \
  __forceinline__ T atomicCAS##SCOPE(volatile T* address, T expected, T value) {                      \
    return attune_host::atomic_compare_exchange(address, expected, value);                            \
  }                                                                                                   \
  __forceinline__ T atomicMin##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::atomic_update(address, [value](T old) { return value < old ? value : old; }); \
  }                                                                                                   \
  __forceinline__ T atomicMax##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::atomic_update(address, [value](T old) { return old < value ? value : old; }); \
  }
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, int)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, unsigned int)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, long)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, unsigned long)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, long long)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, unsigned long long)
#undef ATTUNE_HOST_ATOMIC_INTEGER

#define ATTUNE_HOST_ATOMIC_WRAPPING(T, SCOPE)                                                                      \
  __forceinline__ T atomicInc##SCOPE(volatile T* address, T last) {                                                \
    return attune_host::atomic_update(address, [last](T old) { return old >= last ? 0u : old + 1; });              \
  }                                                                                                                \
  __forceinline__ T atomicDec##SCOPE(volatile T* address, T last) {                                                \
    return attune_host::atomic_update(address, [last](T old) { return old == 0 || old > last ? last : old - 1; }); \
  }
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_WRAPPING, unsigned int)
#undef ATTUNE_HOST_ATOMIC_WRAPPING

#define ATTUNE_HOST_ATOMIC_FLOATING(T, SCOPE)                                           \
  __forceinline__ T atomicAdd##SCOPE(volatile T* address, T value) {                    \
    return attune_host::atomic_update(address, [value](T old) { return old + value; }); \
  }                                                                                     \
  __forceinline__ T atomicExch##SCOPE(volatile T* address, T value) {                   \
    return attune_host::atomic_update(address, [value](T) { return value; });           \
  }
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_FLOATING, float)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_FLOATING, double)
#undef ATTUNE_HOST_ATOMIC_FLOATING

#define ATTUNE_HOST_ATOMIC_SHORT(T, SCOPE)                                       \
  __forceinline__ T atomicCAS##SCOPE(volatile T* address, T expected, T value) { \
    return attune_host::atomic_compare_exchange(address, expected, value);       \
  }
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_SHORT, unsigned short)
#undef ATTUNE_HOST_ATOMIC_SHORT
#undef ATTUNE_HOST_ATOMIC_SCOPES

__forceinline__ void __nanosleep(unsigned) { attune_host::runtime->yield(); }

// ---- Fences and cache hints ----

namespace attune_host {
inline void fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  count_operation();
}
}  // namespace attune_host

__forceinline__ void __threadfence() { attune_host::fence(); }
__forceinline__ void __threadfence_block() { attune_host::fence(); }
__forceinline__ void __threadfence_system() { attune_host::fence(); }

namespace attune_host {

template <class T>
inline constexpr bool is_number = false;
#define ATTUNE_HOST_NUMBER(T) \
  template <>                 \
  inline constexpr bool is_number<T> = true;
ATTUNE_HOST_NUMBER(char)
ATTUNE_HOST_NUMBER(signed char)
ATTUNE_HOST_NUMBER(unsigned char)
ATTUNE_HOST_NUMBER(short)
ATTUNE_HOST_NUMBER(unsigned short)
ATTUNE_HOST_NUMBER(int)
ATTUNE_HOST_NUMBER(unsigned int)
ATTUNE_HOST_NUMBER(long)
ATTUNE_HOST_NUMBER(unsigned long)
ATTUNE_HOST_NUMBER(long long)
ATTUNE_HOST_NUMBER(unsigned long long)
ATTUNE_HOST_NUMBER(float)
ATTUNE_HOST_NUMBER(double)
#undef ATTUNE_HOST_NUMBER

template <class T>
concept Accessible = is_number<T> || is_vector<T>;

}  // namespace attune_host

#define ATTUNE_HOST_LOAD(NAME)               \
  template <attune_host::Accessible T>       \
  __forceinline__ T NAME(const T* address) { \
    return *address;                         \
  }
ATTUNE_HOST_LOAD(__ldg)
ATTUNE_HOST_LOAD(__ldca)
ATTUNE_HOST_LOAD(__ldcg)
ATTUNE_HOST_LOAD(__ldcs)
ATTUNE_HOST_LOAD(__ldlu)
#undef ATTUNE_HOST_LOAD

// "Don't cache and fetch again": never merged with an earlier load.
template <attune_host::Accessible T>
__forceinline__ T __ldcv(const T* address) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return *address;
}

#define ATTUNE_HOST_STORE(NAME)                                        \
  template <attune_host::Accessible T>                                 \
  __forceinline__ void NAME(T* address, decltype(T(*address)) value) { \
    *address = value;                                                  \
  }
ATTUNE_HOST_STORE(__stwb)
ATTUNE_HOST_STORE(__stcg)
ATTUNE_HOST_STORE(__stcs)
ATTUNE_HOST_STORE(__stwt)
#undef ATTUNE_HOST_STORE

#endif  // ATTUNE_HOST_CUDA_ATOMICS_HPP
