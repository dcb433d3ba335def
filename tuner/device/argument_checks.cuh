// Compared by the compiler after the kernel's own text: the arguments that [[launch]] passes, and the parameters of the
// entry. For NVRTC and the host device's C++ compiler, without headers. Names of template parameters and members begin
// with attune: the options of a kernel may define T or N.

// Declared for kernels that use neither.
struct __half;
struct __nv_bfloat16;

namespace attune_arguments {

template <class attune_a, class attune_b>
struct Same {
  static constexpr bool attune_is = false;
};
template <class attune_a>
struct Same<attune_a, attune_a> {
  static constexpr bool attune_is = true;
};

template <class attune_t>
struct Plain {
  using attune_type = attune_t;
};
template <class attune_t>
struct Plain<const attune_t> : Plain<attune_t> {};
template <class attune_t>
struct Plain<volatile attune_t> : Plain<attune_t> {};
template <class attune_t>
struct Plain<const volatile attune_t> : Plain<attune_t> {};

// Integers by their size, whatever their sign.
template <unsigned attune_size>
struct Integer {};
template <class attune_t, bool = __is_enum(attune_t)>
struct Kind {
  using attune_type = attune_t;
};
template <class attune_t>
struct Kind<attune_t, true> {
  using attune_type = Integer<sizeof(attune_t)>;
};
#define ATTUNE_INTEGER(attune_t)                   \
  template <>                                      \
  struct Kind<attune_t, false> {                   \
    using attune_type = Integer<sizeof(attune_t)>; \
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

// The component of a vector type. Structures of the kernel's own are `Own`.
struct Own {};
template <class>
struct Always {
  using attune_type = void;
};
template <class attune_t, class = void>
struct Member {
  using attune_type = Own;
};
template <class attune_t>
struct Member<attune_t, typename Always<decltype(attune_t::x)>::attune_type> : Plain<decltype(attune_t::x)> {};
template <class attune_t, bool = __is_class(attune_t)>
struct Component {
  using attune_type = attune_t;
};
template <class attune_t>
struct Component<attune_t, true> : Member<attune_t> {};

// Whether an array of `attune_given` may be read through a pointer to `attune_t`: the same element, up to const, sign
// and vector width. Bytes, void and the kernel's own structures fit any.
template <class attune_given, class attune_t>
struct Elements {
  using attune_passed = typename Kind<attune_given>::attune_type;
  using attune_read = typename Kind<typename Component<attune_t>::attune_type>::attune_type;
  static constexpr bool attune_fit = Same<attune_given, attune_t>::attune_is ||
                                     Same<attune_passed, attune_read>::attune_is || Same<attune_read, Own>::attune_is ||
                                     Same<attune_passed, Integer<1>>::attune_is ||
                                     Same<attune_read, Integer<1>>::attune_is;
};
template <class attune_given>
struct Elements<attune_given, void> {
  static constexpr bool attune_fit = true;
};

// What is passed: a scalar, an array, the values of an array, or a tensor map.
template <class attune_given>
struct Array {};
template <class attune_given, unsigned attune_count>
struct Values {};
struct Map {};

template <class attune_given, class attune_parameter>
struct Passed {
  using attune_own = typename Component<attune_parameter>::attune_type;
  static constexpr bool attune_fits =
      Same<typename Kind<attune_given>::attune_type, typename Kind<attune_parameter>::attune_type>::attune_is ||
      (Same<attune_own, Own>::attune_is && !__is_class(attune_given) &&
       sizeof(attune_given) == sizeof(attune_parameter));
};
template <class attune_given, class attune_target>
struct Passed<attune_given, attune_target*> {
  static constexpr bool attune_fits = false;
};
template <class attune_given, class attune_parameter>
struct Passed<Array<attune_given>, attune_parameter> {
  static constexpr bool attune_fits = __is_class(attune_parameter) && sizeof(attune_parameter) == sizeof(void*);
};
template <class attune_given, class attune_target>
struct Passed<Array<attune_given>, attune_target*> {
  static constexpr bool attune_fits = Elements<attune_given, typename Plain<attune_target>::attune_type>::attune_fit;
};

// A map by value, whatever its type is called. Its address must be a multiple of 64.
template <class attune_parameter, bool = __is_class(attune_parameter)>
struct PassedMap {
  static constexpr bool attune_fits = false;
};
template <class attune_parameter>
struct PassedMap<attune_parameter, true> {
  static constexpr bool attune_fits = sizeof(attune_parameter) == 128 && alignof(attune_parameter) >= 64;
};
template <class attune_parameter>
struct Passed<Map, attune_parameter> : PassedMap<attune_parameter> {};
template <class attune_target>
struct Passed<Map, attune_target*> {
  static constexpr bool attune_fits = false;
};

// Values in a structure of their size. One that names its element, as attune::Array does, has that element.
template <class attune_given, class attune_parameter, class = void>
struct PassedElement {
  static constexpr bool attune_fits = true;
};
template <class attune_given, class attune_parameter>
struct PassedElement<attune_given, attune_parameter,
                     typename Always<typename attune_parameter::element_type>::attune_type> {
  static constexpr bool attune_fits = Same<attune_given, typename attune_parameter::element_type>::attune_is;
};
template <class attune_given, unsigned attune_count, class attune_parameter, bool = __is_class(attune_parameter)>
struct PassedValues {
  static constexpr bool attune_fits = false;
};
template <class attune_given, unsigned attune_count, class attune_parameter>
struct PassedValues<attune_given, attune_count, attune_parameter, true> {
  static constexpr bool attune_fits = sizeof(attune_parameter) == attune_count * sizeof(attune_given) &&
                                      PassedElement<attune_given, attune_parameter>::attune_fits;
};
template <class attune_given, unsigned attune_count, class attune_parameter>
struct Passed<Values<attune_given, attune_count>, attune_parameter>
    : PassedValues<attune_given, attune_count, attune_parameter> {};
template <class attune_given, unsigned attune_count, class attune_target>
struct Passed<Values<attune_given, attune_count>, attune_target*> {
  static constexpr bool attune_fits = false;
};

// Nothing is compared with a parameter that there is not.
template <class attune_given>
struct Passed<attune_given, void> {
  static constexpr bool attune_fits = true;
};
template <class attune_given>
struct Passed<Array<attune_given>, void> {
  static constexpr bool attune_fits = true;
};
template <class attune_given, unsigned attune_count>
struct Passed<Values<attune_given, attune_count>, void> {
  static constexpr bool attune_fits = true;
};
template <>
struct Passed<Map, void> {
  static constexpr bool attune_fits = true;
};

template <unsigned attune_i, class... attune_parameters>
struct At {
  using attune_type = void;
};
template <class attune_first, class... attune_rest>
struct At<0, attune_first, attune_rest...> : Plain<attune_first> {};
template <unsigned attune_i, class attune_first, class... attune_rest>
struct At<attune_i, attune_first, attune_rest...> : At<attune_i - 1, attune_rest...> {};

// Of an entry that there is not, which the compiler has reported: everything fits.
struct Unknown {
  static constexpr unsigned attune_count = ~0u;
  template <unsigned>
  using attune_at = void;
};

template <class attune_entry>
struct Parameters : Unknown {
  static_assert(Same<attune_entry, void>::attune_is, "an entry is a function that returns void");
};
template <class... attune_parameters>
struct Parameters<void (*)(attune_parameters...)> {
  static constexpr unsigned attune_count = sizeof...(attune_parameters);
  template <unsigned attune_i>
  using attune_at = typename At<attune_i, attune_parameters...>::attune_type;
};

// Fail to compile, with both types or counts in the message.
template <class attune_argument, class attune_parameter>
struct Types {
  static_assert(Passed<attune_argument, attune_parameter>::attune_fits, "the types of argument and parameter differ");
  static constexpr bool attune_fit = Passed<attune_argument, attune_parameter>::attune_fits;
};
template <unsigned attune_arguments, unsigned attune_parameters>
struct Counts {
  static_assert(attune_arguments == attune_parameters, "an entry needs as many arguments as it has parameters");
  static constexpr bool attune_fit = attune_arguments == attune_parameters;
};
template <unsigned attune_arguments>
struct Counts<attune_arguments, ~0u> {
  static constexpr bool attune_fit = true;
};

// A variable of the code that an argument is the content of: an array of any dimensions, or one element.
template <class attune_given, class attune_variable>
struct Variable {
  static constexpr bool attune_fit = Elements<attune_given, typename Plain<attune_variable>::attune_type>::attune_fit;
};
template <class attune_given, class attune_variable, decltype(sizeof(0)) attune_count>
struct Variable<attune_given, attune_variable[attune_count]> : Variable<attune_given, attune_variable> {};

}  // namespace attune_arguments

// Found by the checks of an entry whose own declaration fails: one message, not one for each argument.
using attune_checked = attune_arguments::Unknown;
