#include "exchange.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <string>

namespace nb = nanobind;

namespace attune::python {
namespace {

constexpr int cpu = 1, cuda = 2;  // DLPack's numbers

const Exchange* look_up(nb::handle type) {
  nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (capsule.is_none() || PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) return nullptr;
  const auto* const found = static_cast<const Exchange*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  return found->major == 1 && found->read != nullptr ? found : nullptr;
}

// torch.empty_like, numpy.empty_like, cupy.empty_like: of the package whose type it is, or is derived from.
nb::object find_empty_like(nb::handle type) {
  const nb::object modules = nb::module_::import_("sys").attr("modules");
  for (nb::handle base : nb::cast<nb::tuple>(type.attr("__mro__"))) {
    const nb::object module = nb::getattr(base, "__module__", nb::none());
    if (!nb::isinstance<nb::str>(module)) continue;
    const auto name = nb::cast<std::string>(module);
    const std::string package = name.substr(0, name.find('.'));
    if (package == "torch" || package == "numpy" || package == "cupy")
      return nb::getattr(modules.attr("get")(package), "empty_like", nb::none());
  }
  return nb::none();
}

bool is_array(nb::handle object) {
  const nb::handle type = object.type();
  if (nb::hasattr(type, "__dlpack__") || nb::hasattr(object, "__cuda_array_interface__")) return true;
  // NumPy's scalars have buffers too.
  return PyObject_CheckBuffer(object.ptr()) != 0 && !nb::hasattr(type, "__float__") && !nb::hasattr(type, "__index__");
}

// The types that were seen: few, as a rule one of arrays and one of numbers. Types are kept alive, so that an address
// is always the same type. Under the GIL.
struct KnownType {
  PyObject* type = nullptr;
  Framework framework;
};
std::array<KnownType, 64> known_types;  // more than a call has arguments: a place is taken again later than its call
std::size_t types_seen = 0;

void set_error(void*, const char* kind, const char* message) {
  PyErr_Format(PyExc_RuntimeError, "%s: %s", kind, message);
}

}  // namespace

const Framework& framework_of(nb::handle object) {
  const nb::handle type = object.type();
  for (const KnownType& one : known_types) {
    if (one.type == type.ptr()) return one.framework;
    if (one.type == nullptr) break;
  }
  Framework framework;
  framework.is_array = object.is_none() || is_array(object);
  framework.exchange = look_up(type);
  nb::object empty_like = framework.is_array ? find_empty_like(type) : nb::none();
  if (!empty_like.is_none()) framework.empty_like = empty_like.release();  // a function of a module, which stays
  KnownType& place = known_types[types_seen++ % known_types.size()];
  const nb::object former = nb::steal(place.type);
  place = {type.inc_ref().ptr(), framework};
  return place.framework;
}

StreamHandle current_stream(const Exchange& exchange, int device) {
  void* stream = nullptr;
  if (exchange.current_stream(cuda, device, &stream) != 0) nb::raise_python_error();
  return static_cast<StreamHandle>(stream);
}

nb::object make_array(const Exchange& exchange, std::span<const std::int64_t> shape, nb::dlpack::dtype type,
                      int device) {
  nb::dlpack::dltensor like;
  like.device = {device < 0 ? cpu : cuda, device < 0 ? 0 : device};
  like.ndim = static_cast<std::int32_t>(shape.size());
  like.dtype = type;
  like.shape = const_cast<std::int64_t*>(shape.data());
  Exchange::Managed* made = nullptr;
  if (exchange.allocate(&like, &made, nullptr, set_error) != 0) nb::raise_python_error();
  void* object = nullptr;
  if (exchange.to_object(made, &object) != 0) nb::raise_python_error();
  return nb::steal(static_cast<PyObject*>(object));
}

}  // namespace attune::python
