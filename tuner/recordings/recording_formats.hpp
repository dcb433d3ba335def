// The formats of recordings, one function in a file of its own for each, and common parts of the JSON formats. Each
// function throws UsageError naming the entry; read_recordings() puts the file's name before the message. Pure; any
// thread.
#pragma once

#include <filesystem>
#include <vector>

#include "recordings/recording_entries.hpp"
#include "recordings/recording_table.hpp"
#include "space/recording.hpp"

namespace attune {

Recording read_kernel_tuner(const RecordingEntries& entries);
Recording read_t4(const RecordingEntries& entries);
// Returns one recording per kernel, problem and device class. Throws Error for a database that cannot be read.
std::vector<Recording> read_wisdom(const std::filesystem::path& file);

// The unit of time of a file.
struct TimeUnit {
  double nanoseconds = 1e6;
};

// Returns the value of a number, a boolean, a text or Python's None. Throws UsageError saying what was expected for
// anything else.
Value parameter_value(const OrderedJson& json);
// Returns the values of the parameters in `from`, in order. Throws UsageError naming a missing or wrong parameter.
std::vector<Value> values_in(const OrderedJson& from, const std::vector<std::string>& names);
// Returns a part of a row's costs in seconds, or 0 if it is missing, negative or not a number.
double cost_s(const OrderedJson* json, TimeUnit unit);
// Sets the single launches and their sum. Entries that are not positive numbers are left out.
void set_samples(RecordedTrial& trial, const OrderedJson* list, TimeUnit unit);
// Sets the row's time, or how the row failed. Without a time, the mean of the samples serves. Throws UsageError if
// there is neither a time nor a sample.
void set_time(RecordedTrial& trial, const OrderedJson* time, TimeUnit unit);

// Returns the name of the file without its folder and suffixes: "A100" for "convolution/A100.json.xz".
std::string stem_of(const std::filesystem::path& source);

}  // namespace attune
