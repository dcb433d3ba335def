#include "base/mistrust.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace attune {

std::string mistrust(const struct stat& status) {
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return fmt::format("belongs to user {}, not to user {}", status.st_uid, geteuid());
  if (status.st_mode & (S_IWGRP | S_IWOTH)) return "can be written by others (chmod go-w)";
  return {};
}

}  // namespace attune
