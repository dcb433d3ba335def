// The formats of recordings, one function in one file each, and common parts of the JSON formats. Each throws
// UsageError naming the entry; read_recordings() puts the file before it. Pure; any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "recordings/recording_entries.hpp"
#include "recordings/recording_table.hpp"
#include "space/recording.hpp"

namespace attune {

Recording read_kernel_tuner(const RecordingEntries& entries);
Recording read_t4(const RecordingEntries& entries);
// Returns one recording for each kernel, problem and device class. Throws Error for a database that cannot be read.
std::vector<Recording> read_wisdom(const std::filesystem::path& file);

// The factor of a file's time unit.
struct TimeUnit {
  double nanoseconds = 1e6;
};

// Returns a number, a boolean, a text or Python's None. Throws UsageError that ends in what was expected.
Value parameter_value(const OrderedJson& json);
// Returns the values of the parameters in `from`, in order. Throws UsageError naming a missing or wrong parameter.
std::vector<Value> values_in(const OrderedJson& from, const std::vector<std::string>& names);
// Returns a part of the costs in seconds: 0 where it is missing, negative or no number.
double cost_s(const OrderedJson* json, TimeUnit unit);
// Sets the single launches and their sum; entries that are no positive number are left out.
void set_samples(RecordedTrial& trial, const OrderedJson* list, TimeUnit unit);
// Sets the time, or how the row failed. Without a time, the mean of the samples serves; without samples it throws
// UsageError.
void set_time(RecordedTrial& trial, const OrderedJson* time, TimeUnit unit);

// Returns the name of the file without its folder and suffixes: "A100" of "convolution/A100.json.xz".
std::string stem_of(const std::filesystem::path& source);

}  // namespace attune
