#include "shapes.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace attune::python {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

bool is_name(const std::string& text) {
  const auto is_part = [](unsigned char one) { return std::isalnum(one) != 0 || one == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), is_part);
}

std::string set(const std::string& name, std::int64_t value, std::map<std::string, std::int64_t>& sizes) {
  const auto [place, is_new] = sizes.emplace(name, value);
  if (is_new || place->second == value) return {};
  return fmt::format("{} is {} here, and {} elsewhere", name, value, place->second);
}

}  // namespace

Product product_of(const std::string& text) {
  Product product;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('*', begin), text.size());
    const std::string factor = trimmed(text.substr(begin, end - begin));
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(factor.data(), factor.data() + factor.size(), number);
    if (error == std::errc() && rest == factor.data() + factor.size() && number > 0)
      product.constant *= number;
    else if (is_name(factor))
      product.names.push_back(factor);
    else
      return {};
    begin = end + 1;
  }
  product.is_known = true;
  return product;
}

std::string deduce(const Product& product, std::span<const std::int64_t> shape,
                   std::map<std::string, std::int64_t>& sizes) {
  if (!product.is_known || product.names.empty()) return {};
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  const std::size_t names = product.names.size();
  if (product.constant == 1 && shape.size() >= names) {
    // The last names are the last dimensions; the first has all that stand before.
    std::int64_t before = elements;
    for (std::size_t i = 1; i < names; ++i) {
      const std::int64_t extent = shape[shape.size() - names + i];
      if (std::string wrong = set(product.names[i], extent, sizes); !wrong.empty()) return wrong;
      before = extent == 0 ? 0 : before / extent;
    }
    return set(product.names[0], before, sizes);
  }
  // A flat array: the one name that is not known yet has the rest.
  const std::string* open = nullptr;
  std::int64_t known = product.constant;
  for (const std::string& name : product.names) {
    const auto found = sizes.find(name);
    if (found != sizes.end()) known *= found->second;
    else if (open != nullptr) return {};
    else open = &name;
  }
  if (open == nullptr || known == 0) return {};
  if (elements % known != 0) return fmt::format("{} elements are no multiple of {}", elements, known);
  return set(*open, elements / known, sizes);
}

}  // namespace attune::python
