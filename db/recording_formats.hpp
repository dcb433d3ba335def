// The formats of recordings, one function in one file each, and what the JSON ones share. Each throws UsageError naming
// the entry (read_recordings() puts the file before it). Pure; any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "space/recording.hpp"
#include "db/recording_entries.hpp"
#include "db/recording_table.hpp"

namespace attune {

Recording read_kernel_tuner(const RecordingEntries& entries);
Recording read_t4(const RecordingEntries& entries);
// One recording for each kernel, problem and device class. Throws Error for a database that cannot be read.
std::vector<Recording> read_wisdom(const std::filesystem::path& file);

// What a time of 1 of a file's unit is.
struct TimeUnit {
  double nanoseconds = 1e6;
};

// A number, a boolean, a text or Python's None; UsageError that ends in what was expected.
Value parameter_value(const OrderedJson& json);
// The values of the parameters in `from`, in order; UsageError naming the parameter that is missing or wrong.
std::vector<Value> values_in(const OrderedJson& from, const std::vector<std::string>& names);
// A part of the costs in seconds: 0 where it is missing or no number from 0 on.
double cost_s(const OrderedJson* json, TimeUnit unit);
// The single launches and what they took together; entries that are no positive number are left out.
void set_samples(RecordedTrial& trial, const OrderedJson* list, TimeUnit unit);
// What stands for the time: a number, or how the row failed. Without one, the mean of the samples; without these too
// UsageError.
void set_time(RecordedTrial& trial, const OrderedJson* time, TimeUnit unit);

// The name of the file without its folder and its ends: "A100" of "convolution/A100.json.xz".
std::string stem_of(const std::filesystem::path& source);

}  // namespace attune
