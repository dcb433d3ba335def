// The rows that sessions and records refer to: device classes, kernels, problems. All functions must be called inside a
// write transaction.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>

#include "attune/device_info.hpp"
#include "core/record.hpp"

namespace attune {

struct KeyIds {
  std::int64_t device = 0, kernel = 0, problem = 0;
};

// Return the ids of rows, and make the rows that are missing.
std::int64_t device_id(SQLite::Database& database, const std::string& class_key);
KeyIds key_ids(SQLite::Database& database, const RecordKey& key);
// Fills in the description of a device class unless an earlier session did.
void describe_device(SQLite::Database& database, std::int64_t device, const DeviceInfo& info);

}  // namespace attune
