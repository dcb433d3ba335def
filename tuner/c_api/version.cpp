#include "attune/version.hpp"

#include "attune.h"
#include "c_api/arguments.hpp"

const char* attune_library_version(void) { return attune::library_version; }

int attune_interface_version(void) { return ATTUNE_INTERFACE_VERSION; }

const char* attune_status_text(attune_status status) {
  switch (attune::c_api::number_of(status)) {
    case ATTUNE_OK:
      return "ok";
    case ATTUNE_USAGE_ERROR:
      return "usage error";
    case ATTUNE_NOT_PREPARED:
      return "not prepared";
    case ATTUNE_OUT_OF_MEMORY:
      return "out of memory";
    case ATTUNE_ERROR:
      return "error";
    default:
      return "unknown status";
  }
}
