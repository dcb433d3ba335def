// Compared by the compiler after the kernel's own text: the arguments that [[launch]] passes, and the parameters of the
// entry. For NVRTC and the host device's C++ compiler, without headers. All names begin with attune, because the macros
// of a kernel are in force here.

// Declared for kernels that use neither.
struct __half;
struct __nv_bfloat16;

namespace attune_arguments {

template <class attune_a, class attune_b>
struct AttuneSame {
  static constexpr bool attune_is = false;
};
template <class attune_a>
struct AttuneSame<attune_a, attune_a> {
  static constexpr bool attune_is = true;
};

template <class attune_t>
struct AttunePlain {
  using attune_type = attune_t;
};
template <class attune_t>
struct AttunePlain<const attune_t> : AttunePlain<attune_t> {};
template <class attune_t>
struct AttunePlain<volatile attune_t> : AttunePlain<attune_t> {};
template <class attune_t>
struct AttunePlain<const volatile attune_t> : AttunePlain<attune_t> {};

// Integers by their size, whatever their sign.
template <unsigned attune_size>
struct AttuneInteger {};
template <class attune_t, bool = __is_enum(attune_t)>
struct AttuneKind {
  using attune_type = attune_t;
};
template <class attune_t>
struct AttuneKind<attune_t, true> {
  using attune_type = AttuneInteger<sizeof(attune_t)>;
};
#define ATTUNE_INTEGER(attune_t)                         \
  template <>                                            \
  struct AttuneKind<attune_t, false> {                   \
    using attune_type = AttuneInteger<sizeof(attune_t)>; \
  };
ATTUNE_INTEGER(bool)
ATTUNE_INTEGER(char)
ATTUNE_INTEGER(signed char)
ATTUNE_INTEGER(unsigned char)
ATTUNE_INTEGER(short)
ATTUNE_INTEGER(unsigned short)
ATTUNE_INTEGER(int)
ATTUNE_INTEGER(unsigned int)
ATTUNE_INTEGER(long)
ATTUNE_INTEGER(unsigned long)
ATTUNE_INTEGER(long long)
ATTUNE_INTEGER(unsigned long long)
#undef ATTUNE_INTEGER

// The component of a vector type. Structures of the kernel's own are `AttuneOwn`.
struct AttuneOwn {};
template <class>
struct AttuneAlways {
  using attune_type = void;
};
template <class attune_t, class = void>
struct AttuneMember {
  using attune_type = AttuneOwn;
};
#ifndef x
template <class attune_t>
struct AttuneMember<attune_t, typename AttuneAlways<decltype(attune_t::x)>::attune_type>
    : AttunePlain<decltype(attune_t::x)> {};
#endif
template <class attune_t, bool = __is_class(attune_t)>
struct AttuneComponent {
  using attune_type = attune_t;
};
template <class attune_t>
struct AttuneComponent<attune_t, true> : AttuneMember<attune_t> {};

// Whether an array of `attune_given` may be read through a pointer to `attune_t`: the same element, up to const, sign
// and vector width. Bytes, void and the kernel's own structures fit any.
template <class attune_given, class attune_t>
struct AttuneElements {
  using attune_passed = typename AttuneKind<attune_given>::attune_type;
  using attune_read = typename AttuneKind<typename AttuneComponent<attune_t>::attune_type>::attune_type;
  static constexpr bool attune_fit =
      AttuneSame<attune_given, attune_t>::attune_is || AttuneSame<attune_passed, attune_read>::attune_is ||
      AttuneSame<attune_read, AttuneOwn>::attune_is || AttuneSame<attune_passed, AttuneInteger<1>>::attune_is ||
      AttuneSame<attune_read, AttuneInteger<1>>::attune_is;
};
template <class attune_given>
struct AttuneElements<attune_given, void> {
  static constexpr bool attune_fit = true;
};

// What is passed: a scalar, an array, the values of an array, or a tensor map.
template <class attune_given>
struct AttuneArray {};
template <class attune_given, unsigned attune_count>
struct AttuneValues {};
struct AttuneMap {};

template <class attune_given, class attune_parameter>
struct AttunePassed {
  using attune_own = typename AttuneComponent<attune_parameter>::attune_type;
  static constexpr bool attune_fits = AttuneSame<typename AttuneKind<attune_given>::attune_type,
                                                 typename AttuneKind<attune_parameter>::attune_type>::attune_is ||
                                      (AttuneSame<attune_own, AttuneOwn>::attune_is && !__is_class(attune_given) &&
                                       sizeof(attune_given) == sizeof(attune_parameter));
};
template <class attune_given, class attune_target>
struct AttunePassed<attune_given, attune_target*> {
  static constexpr bool attune_fits = false;
};
template <class attune_given, class attune_parameter>
struct AttunePassed<AttuneArray<attune_given>, attune_parameter> {
  static constexpr bool attune_fits = __is_class(attune_parameter) && sizeof(attune_parameter) == sizeof(void*);
};
template <class attune_given, class attune_target>
struct AttunePassed<AttuneArray<attune_given>, attune_target*> {
  static constexpr bool attune_fits =
      AttuneElements<attune_given, typename AttunePlain<attune_target>::attune_type>::attune_fit;
};

// A map by value, whatever its type is called. Its address must be a multiple of 64.
template <class attune_parameter, bool = __is_class(attune_parameter)>
struct AttunePassedMap {
  static constexpr bool attune_fits = false;
};
template <class attune_parameter>
struct AttunePassedMap<attune_parameter, true> {
  static constexpr bool attune_fits = sizeof(attune_parameter) == 128 && alignof(attune_parameter) >= 64;
};
template <class attune_parameter>
struct AttunePassed<AttuneMap, attune_parameter> : AttunePassedMap<attune_parameter> {};
template <class attune_target>
struct AttunePassed<AttuneMap, attune_target*> {
  static constexpr bool attune_fits = false;
};

// Values in a structure of their size. One that names its element, as attune::Array does, has that element.
template <class attune_given, class attune_parameter, class = void>
struct AttunePassedElement {
  static constexpr bool attune_fits = true;
};
template <class attune_given, class attune_parameter>
struct AttunePassedElement<attune_given, attune_parameter,
                           typename AttuneAlways<typename attune_parameter::element_type>::attune_type> {
  static constexpr bool attune_fits = AttuneSame<attune_given, typename attune_parameter::element_type>::attune_is;
};
template <class attune_given, unsigned attune_count, class attune_parameter, bool = __is_class(attune_parameter)>
struct AttunePassedValues {
  static constexpr bool attune_fits = false;
};
template <class attune_given, unsigned attune_count, class attune_parameter>
struct AttunePassedValues<attune_given, attune_count, attune_parameter, true> {
  static constexpr bool attune_fits = sizeof(attune_parameter) == attune_count * sizeof(attune_given) &&
                                      AttunePassedElement<attune_given, attune_parameter>::attune_fits;
};
template <class attune_given, unsigned attune_count, class attune_parameter>
struct AttunePassed<AttuneValues<attune_given, attune_count>, attune_parameter>
    : AttunePassedValues<attune_given, attune_count, attune_parameter> {};
template <class attune_given, unsigned attune_count, class attune_target>
struct AttunePassed<AttuneValues<attune_given, attune_count>, attune_target*> {
  static constexpr bool attune_fits = false;
};

// Nothing is compared with a parameter that there is not.
template <class attune_given>
struct AttunePassed<attune_given, void> {
  static constexpr bool attune_fits = true;
};
template <class attune_given>
struct AttunePassed<AttuneArray<attune_given>, void> {
  static constexpr bool attune_fits = true;
};
template <class attune_given, unsigned attune_count>
struct AttunePassed<AttuneValues<attune_given, attune_count>, void> {
  static constexpr bool attune_fits = true;
};
template <>
struct AttunePassed<AttuneMap, void> {
  static constexpr bool attune_fits = true;
};

template <unsigned attune_i, class... attune_parameters>
struct AttuneAt {
  using attune_type = void;
};
template <class attune_first, class... attune_rest>
struct AttuneAt<0, attune_first, attune_rest...> : AttunePlain<attune_first> {};
template <unsigned attune_i, class attune_first, class... attune_rest>
struct AttuneAt<attune_i, attune_first, attune_rest...> : AttuneAt<attune_i - 1, attune_rest...> {};

// Of an entry that there is not, which the compiler has reported: everything fits.
struct AttuneUnknown {
  static constexpr unsigned attune_count = ~0u;
  template <unsigned>
  using attune_at = void;
};

template <class attune_entry>
struct AttuneParameters : AttuneUnknown {
  static_assert(AttuneSame<attune_entry, void>::attune_is, "an entry is a function that returns void");
};
template <class... attune_parameters>
struct AttuneParameters<void (*)(attune_parameters...)> {
  static constexpr unsigned attune_count = sizeof...(attune_parameters);
  template <unsigned attune_i>
  using attune_at = typename AttuneAt<attune_i, attune_parameters...>::attune_type;
};

// Fail to compile, with both types or counts in the message.
template <class attune_argument, class attune_parameter>
struct AttuneTypes {
  static_assert(AttunePassed<attune_argument, attune_parameter>::attune_fits,
                "the types of argument and parameter differ");
  static constexpr bool attune_fit = AttunePassed<attune_argument, attune_parameter>::attune_fits;
};
template <unsigned attune_arguments, unsigned attune_parameters>
struct AttuneCounts {
  static_assert(attune_arguments == attune_parameters, "an entry needs as many arguments as it has parameters");
  static constexpr bool attune_fit = attune_arguments == attune_parameters;
};
template <unsigned attune_arguments>
struct AttuneCounts<attune_arguments, ~0u> {
  static constexpr bool attune_fit = true;
};

// A variable of the code that an argument is the content of: an array of any dimensions, or one element.
template <class attune_given, class attune_variable>
struct AttuneVariable {
  static constexpr bool attune_fit =
      AttuneElements<attune_given, typename AttunePlain<attune_variable>::attune_type>::attune_fit;
};
template <class attune_given, class attune_variable, decltype(sizeof(0)) attune_count>
struct AttuneVariable<attune_given, attune_variable[attune_count]> : AttuneVariable<attune_given, attune_variable> {};

}  // namespace attune_arguments

// Found by the checks of an entry whose own declaration fails: one message, not one for each argument.
using attune_checked = attune_arguments::AttuneUnknown;
