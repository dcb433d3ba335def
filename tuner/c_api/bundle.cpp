#include "c_api/bundle.hpp"

#include "c_api/failures.hpp"
#include "c_api/handles.hpp"

namespace attune::c_api {

Bundle bundle_from_memory(const void* bytes, std::size_t size, const char* name) {
  refuse_null(bytes, "bytes");
  const auto* const first = static_cast<const std::byte*>(bytes);
  return Bundle::owning({first, first + size}, name != nullptr ? name : "a bundle in memory");
}

Bundle bundle_from_path(const char* path) { return Bundle::open(text_of(path, "path")); }

}  // namespace attune::c_api

using namespace attune::c_api;

attune_status attune_bundle_from_memory(const void* bytes, size_t size, const char* name, attune_bundle** bundle) {
  return guarded(__func__, [&] {
    attune_bundle*& output = cleared(bundle, "bundle");
    output = new attune_bundle{.bundle = bundle_from_memory(bytes, size, name)};
  });
}

attune_status attune_bundle_from_path(const char* path, attune_bundle** bundle) {
  return guarded(__func__, [&] {
    attune_bundle*& output = cleared(bundle, "bundle");
    output = new attune_bundle{.bundle = bundle_from_path(path)};
  });
}

attune_status attune_bundle_hash(const attune_bundle* bundle, const char** hash) {
  return guarded(__func__, [&] {
    const char*& output = cleared(hash, "hash");
    output = known(bundle, "bundle").bundle.hash().c_str();
  });
}

attune_status attune_bundle_bytes(const attune_bundle* bundle, const void** bytes, size_t* size) {
  return guarded(__func__, [&] {
    const void*& output = cleared(bytes, "bytes");
    refuse_null(size, "size");
    *size = 0;
    const auto all = known(bundle, "bundle").bundle.bytes();
    output = all.data();
    *size = all.size();
  });
}

void attune_bundle_destroy(attune_bundle* bundle) { destroy(bundle); }
