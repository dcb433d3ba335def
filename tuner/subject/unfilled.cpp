#include "subject/unfilled.hpp"

#include "core/type_table.hpp"
#include "kernel/instantiate.hpp"

namespace attune {

std::string unfilled_explanation(const KernelSpec& spec, const Problem& problem) {
  std::string names;
  for (const Argument& argument : spec.arguments) {
    if ((argument.role != Role::in && argument.role != Role::inout) || argument.fill) continue;
    if (use_argument(spec.prepare, argument.name)) continue;
    const TypeInfo& type = concrete_type(argument, problem);
    if (type.type_class != TypeClass::signed_integer && type.type_class != TypeClass::unsigned_integer) continue;
    names += (names.empty() ? "`" : ", `") + argument.name + "` (" + std::string(type.name) + ")";
  }
  if (names.empty()) return "";
  return names +
         ": without a `fill` in [arguments], integers are any value of their type. Where the kernel takes them "
         "for indices or counts, say which make sense: fill = \"uniform(0, n - 1)\"";
}

}  // namespace attune
