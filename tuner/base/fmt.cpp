// fmt, compiled once. Debian has it as headers and as a shared library, which programs that link attune would then
// need. With FMT_HEADER_ONLY each file that formats would compile all of fmt, which takes two thirds of its compile
// time. The symbols are weak, because a program may have an fmt library of its own.
#include <fmt/format.h>

#undef FMT_FUNC
#define FMT_FUNC __attribute__((weak))
#include <fmt/format-inl.h>

// Templates that its headers leave to one file.
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(locale_ref);
template char fmt::detail::decimal_point_impl<char>(locale_ref);
#if FMT_VERSION < 110000
template void fmt::detail::vformat_to(buffer<char>&, string_view, format_args, locale_ref);
#endif
