// attune for C, and for languages that call C: Fortran, Python (ctypes), Julia. The header is plain C11 and also C++.
// It offers the dispatchers, kernels, plans and buffers of attune/attune.hpp; docs/c_api.md has whole programs.
//
// - Every function that can fail returns an attune_status. attune_last_error() then says what failed and what to do.
//   No exception leaves a function. None is a cancellation point of pthread_cancel(), except that a launch may be one
//   while the driver takes it.
// - A handle comes from a function whose name ends in make, find, bundle, or from_ and what the handle is made from.
//   The function whose name ends in destroy frees the handle, and does nothing for null. Handles may be destroyed in
//   any order, because each keeps alive what it needs. Do not use a destroyed handle, and do not destroy a handle while
//   another thread uses it.
// - A null handle, a handle of another kind, a null output and a null text are usage errors, unless said otherwise. An
//   output is set to null first, so that a handle may be destroyed after a failure too.
// - Unless said otherwise, every function may be called from any thread, at the same time as any other function and
//   with the same handles.
// - Texts are UTF-8 and end with a zero byte. The caller may free what it passes after the call, unless said otherwise.
// - A structure that begins with `size` may get further members at its end. Set `size` to its sizeof. An older library
//   refuses options that it does not know, unless they are zero, and sets results that it does not know to zero.
#ifndef ATTUNE_H
#define ATTUNE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ATTUNE_API __attribute__((visibility("default")))
#else
#define ATTUNE_API
#endif

// The version of the interface that this header declares. Nothing is removed from it; each addition raises it by one.
#define ATTUNE_INTERFACE_VERSION 6

#ifdef __cplusplus
extern "C" {
#endif

typedef enum attune_status {
  ATTUNE_OK = 0,
  ATTUNE_USAGE_ERROR = 1,    // the request itself is wrong: an unknown name, a wrong argument, a null handle
  ATTUNE_NOT_PREPARED = 2,   // nothing is loaded or cached, and compiling was not allowed
  ATTUNE_OUT_OF_MEMORY = 3,  // of the device or of the host
  ATTUNE_ERROR = 4           // anything else: no driver, a damaged file, a kernel that does not compile, a fault
} attune_status;

// The types of elements and scalars. Each stands for the C type of its size and layout: ATTUNE_INT64 for int64_t,
// ATTUNE_BOOL for _Bool.
typedef enum attune_type {
  ATTUNE_UNTYPED = 0,  // arrays of any type; not for scalars
  ATTUNE_BOOL = 1,     // one byte: 0 or 1
  ATTUNE_INT8 = 2,
  ATTUNE_INT16 = 3,
  ATTUNE_INT32 = 4,
  ATTUNE_INT64 = 5,
  ATTUNE_UINT8 = 6,
  ATTUNE_UINT16 = 7,
  ATTUNE_UINT32 = 8,
  ATTUNE_UINT64 = 9,
  ATTUNE_FLOAT = 10,
  ATTUNE_DOUBLE = 11,
  ATTUNE_HALF = 12,      // two bytes, as __half
  ATTUNE_BFLOAT16 = 13,  // two bytes, as __nv_bfloat16
  ATTUNE_FLOAT2 = 14,    // vectors: so many components without a gap; only in arrays
  ATTUNE_FLOAT4 = 15,
  ATTUNE_DOUBLE2 = 16,
  ATTUNE_INT2 = 17,
  ATTUNE_INT4 = 18,
  ATTUNE_UINT2 = 19,
  ATTUNE_UINT4 = 20,
  ATTUNE_HALF2 = 21,
  ATTUNE_BFLOAT162 = 22
} attune_type;

typedef enum attune_argument_kind {
  ATTUNE_ARRAY = 0,        // `value` is the address of an array in device memory
  ATTUNE_CONST_ARRAY = 1,  // the same, but refused if the kernel writes the array
  ATTUNE_SCALAR = 2,       // `value` points to one value of `type` in host memory
  ATTUNE_VALUES = 3        // an array by value: `value` points to `count` elements in host memory
} attune_argument_kind;

// One argument of a launch. The functions below make them.
typedef struct attune_argument {
  attune_argument_kind kind;
  attune_type type;
  const void* value;
  uint64_t count;  // elements; 0 for an array in device memory: not known, so not checked; scalars: ignored
} attune_argument;

// One value of a problem.
typedef struct attune_problem_value {
  const char* name;  // null in attune_kernel_launch(): the place decides, as in the C++ class Kernel
  const char* text;  // of a type or a choice: "float", "Op::sum"; null: the integer counts
  int64_t integer;
} attune_problem_value;

// A problem. Names that are left out take the kernel's defaults.
typedef struct attune_problem {
  const attune_problem_value* values;  // may be null where count is 0
  size_t count;
} attune_problem;

// What a plan or a launch does while the best configuration is not loaded.
typedef enum attune_policy {
  ATTUNE_POLICY_WAIT = 0,        // compiles or loads the best configuration, and waits for it
  ATTUNE_POLICY_BACKGROUND = 1,  // uses what is loaded or cached; waits for the default configuration if there is
                                 // nothing. A thread of attune prepares the best
  ATTUNE_POLICY_CACHED_ONLY = 2  // uses what is loaded or cached; fails with ATTUNE_NOT_PREPARED if there is nothing
} attune_policy;

// How well a record fits a problem (docs/dispatch.md, the ladder).
typedef enum attune_rung {
  ATTUNE_RUNG_EXACT = 0,
  ATTUNE_RUNG_STALE = 1,
  ATTUNE_RUNG_OTHER_REGIME = 2,
  ATTUNE_RUNG_NEAR_PROBLEM = 3,
  ATTUNE_RUNG_SIBLING_DEVICE = 4,
  ATTUNE_RUNG_NONE = 5,
  ATTUNE_RUNG_OTHER_PROBLEM = 6,  // since interface version 4
  ATTUNE_RUNG_PINNED = 7,         // since interface version 6
  ATTUNE_RUNG_COVER = 8           // since interface version 6
} attune_rung;
#define ATTUNE_RUNGS 16  // counts of plans in attune_statistics: room for rungs to come

typedef struct attune_bundle attune_bundle;          // kernels, as bytes
typedef struct attune_dispatcher attune_dispatcher;  // a device, and what is known of kernels there
typedef struct attune_kernel attune_kernel;          // a kernel of a dispatcher, for sizes that vary
typedef struct attune_plan attune_plan;              // a configuration for one problem, ready
typedef struct attune_buffer attune_buffer;          // device memory

// A zero in any member but `size` means the default of DispatcherOptions.
typedef struct attune_dispatcher_options {
  size_t size;
  const char* device;    // "cuda", "cuda:1", "host"; null: $ATTUNE_DEVICE, else the current CUDA context, else device 0
  const char* database;  // a file; null: $ATTUNE_DB, else the user's own
  const char* cache;     // a folder of images; null: $ATTUNE_CACHE, else the user's own
  const char* site_cache;  // a second one, never written; null: $ATTUNE_SITE_CACHE, else none
  const char* regime;      // "cold", "warm" or "stream"; null: "cold"
  const char* objective;   // null: "time"
  // Called at most once per distinct message, at the end of a call, on any thread that calls attune or on a thread of
  // attune; two threads may call it at once. It may call functions of attune, but must neither destroy a handle nor
  // throw. `warn` and `warn_data` must stay valid until the dispatcher and all handles made from it are destroyed.
  // Null: prints "attune: ..." to standard error.
  void (*warn)(const char* message, void* warn_data);
  void* warn_data;  // passed on to `warn`
  // Since interface version 2.
  int deterministic_only;  // not 0: uses only configurations that the kernel file calls deterministic
  // Limits of device memory, in bytes: for loaded code, and for scratch memory. A request that must plan its problem
  // drops beyond them what was not used for half a minute or longer. 0: 256 MiB and 1 GiB.
  uint64_t image_limit;
  uint64_t scratch_limit;
  double epoch_seconds;  // has no effect since interface version 5
  // Since interface version 6.
  const char* site;           // what the site knows; null: $ATTUNE_SITE, else /etc/attune
  const char* const* wisdom;  // `wisdom_count` folders of tuned files that the application brings along; may be null
  size_t wisdom_count;
  const char* agree;  // the digest that the wisdom must have, or "any"; null: $ATTUNE_AGREE, else none
} attune_dispatcher_options;

// What a dispatcher did since it was made.
typedef struct attune_statistics {
  size_t size;
  uint64_t plans[ATTUNE_RUNGS];  // plans made, by attune_rung
  uint64_t compiled;             // images
  uint64_t from_cache;           // images that were loaded from a cache on disk
  uint64_t reused;               // times that a loaded image served another plan
  uint64_t waited;               // times that ATTUNE_POLICY_BACKGROUND waited because there was no image
  uint64_t swaps;                // times that launches of a problem went over to a newly made plan
  uint64_t entries;              // problems that were asked for
  uint64_t scratch_bytes;        // scratch memory on the device
  // Since interface version 2.
  uint64_t from_bundle;      // images that were loaded from a bundle
  uint64_t image_bytes;      // size of the code that is loaded now
  uint64_t evicted_images;   // images that were dropped
  uint64_t evicted_scratch;  // scratch arrays of streams that were dropped
} attune_statistics;

// What a plan uses, and why. Texts live as long as the plan.
typedef struct attune_match {
  size_t size;
  attune_rung rung;
  const char* configuration;   // "TILE=32 ROWS=8"
  const char* why;             // a sentence for people; on rung none it names the command that tunes
  const char* problem;         // what the plan was made for, with defaults: "n=1000 T=float"
  const char* record_problem;  // the problem of the record that was used; "" on rung none
  double speedup;              // over the default, as recorded; 1 on rung none, and without a default
  // Verdict on the default when the record was made: "resources", ...; "" if it ran or was not tried. Since interface
  // version 4.
  const char* default_failure;
  // Where the record comes from: "the site /etc/attune"; "" on rungs cover and none. Since interface version 6.
  const char* source;
} attune_match;

// ---- the library ----

// Returns the version of attune, such as "0.1.0". The text has static storage.
ATTUNE_API const char* attune_library_version(void);

// Returns the version of the library's interface. A program needs at least the ATTUNE_INTERFACE_VERSION of its header.
ATTUNE_API int attune_interface_version(void);

// Returns the message of the last call that failed on this thread: the function, what failed, the next step. "" if none
// failed, never null. Valid until the next failure on this thread.
ATTUNE_API const char* attune_last_error(void);

// Returns "ok", "usage error", "not prepared", "out of memory", "error", or "unknown status". The text has static
// storage.
ATTUNE_API const char* attune_status_text(attune_status status);

// ---- bundles: kernels that attune_embed() or `attune-embed` made ----

// Makes a bundle of `size` bytes, which are copied. `name` appears in messages; null: "a bundle in memory". Fails with
// ATTUNE_ERROR when the bytes are not a bundle: cut off, damaged, of another version.
ATTUNE_API attune_status attune_bundle_from_memory(const void* bytes, size_t size, const char* name,
                                                   attune_bundle** bundle);

// Opens a file. Fails as attune_bundle_from_memory() does, and when the file cannot be read.
ATTUNE_API attune_status attune_bundle_from_path(const char* path, attune_bundle** bundle);

// Sets `*hash` to 64 hexadecimal digits: equal bundles have equal hashes. The text lives as long as the bundle.
ATTUNE_API attune_status attune_bundle_hash(const attune_bundle* bundle, const char** hash);

// Sets `*bytes` and `*size` to all bytes of the bundle, to send them or to write them to a file. They live as long as
// the bundle. The first call reads a file as a whole, and fails with ATTUNE_ERROR when it cannot be read. Since
// interface version 3.
ATTUNE_API attune_status attune_bundle_bytes(const attune_bundle* bundle, const void** bytes, size_t* size);

ATTUNE_API void attune_bundle_destroy(attune_bundle* bundle);

// ---- dispatchers ----

// Opens the device. `options` may be null: all defaults. Fails with ATTUNE_ERROR when the device cannot be opened;
// without a driver the message names the host device. Fails with ATTUNE_USAGE_ERROR for an unknown device, regime or
// option, and for a wrong size.
ATTUNE_API attune_status attune_dispatcher_make(const attune_dispatcher_options* options,
                                                attune_dispatcher** dispatcher);

// Opens the device and adds the bundle, which may be destroyed after the call. The dispatcher reads no database and
// knows only what the bundle says. Fails as attune_dispatcher_make() and attune_dispatcher_add() do, and with
// ATTUNE_USAGE_ERROR when the options name a database. Since interface version 3.
ATTUNE_API attune_status attune_dispatcher_from_bundle(const attune_bundle* bundle,
                                                       const attune_dispatcher_options* options,
                                                       attune_dispatcher** dispatcher);

// Makes a bundle with which other processes use the same: the kernels that were added, what is known of them on devices
// of this kind, and the images that are loaded. Fails with ATTUNE_ERROR when the wisdom cannot be read. Since interface
// version 3.
ATTUNE_API attune_status attune_dispatcher_bundle(const attune_dispatcher* dispatcher, attune_bundle** bundle);

// Adds the kernels, the wisdom and the images of a bundle, which may be destroyed after the call. The same kernel may
// be added again. Fails with ATTUNE_USAGE_ERROR when a different kernel has its name, and with ATTUNE_ERROR when the
// bundle is damaged.
ATTUNE_API attune_status attune_dispatcher_add(attune_dispatcher* dispatcher, const attune_bundle* bundle);

// Do what attune_bundle_from_memory() or attune_bundle_from_path() and then attune_dispatcher_add() do.
ATTUNE_API attune_status attune_dispatcher_add_memory(attune_dispatcher* dispatcher, const void* bytes, size_t size,
                                                      const char* name);
ATTUNE_API attune_status attune_dispatcher_add_path(attune_dispatcher* dispatcher, const char* path);

// Compiles or loads the best configuration for each of `count` problems, and waits. Afterwards attune_kernel_launch()
// and attune_plan_make() only look these problems up. Fails as attune_plan_make() does; the problems before the failing
// one are prepared.
ATTUNE_API attune_status attune_dispatcher_prepare(attune_dispatcher* dispatcher, const char* kernel,
                                                   const attune_problem* problems, size_t count);

// Reads the wisdom again for every known problem, so that results of recent tuning are used. Plans stay as they are.
// With `deterministic_only` it changes nothing.
ATTUNE_API attune_status attune_dispatcher_refresh(attune_dispatcher* dispatcher);

// Drops code and scratch memory that was not used since the last trim, until no more than so many bytes of each are
// left. Launches may go on meanwhile. What was used since stays, and so does what a plan or a graph of the application
// holds. Since interface version 5.
ATTUNE_API attune_status attune_dispatcher_trim(attune_dispatcher* dispatcher, uint64_t images, uint64_t scratch);

// Waits until nothing is being prepared in the background.
ATTUNE_API attune_status attune_dispatcher_wait_for_background(attune_dispatcher* dispatcher);

// Waits for all work on `stream` (null: the default stream). Fails with ATTUNE_ERROR when a kernel faulted.
ATTUNE_API attune_status attune_dispatcher_synchronize(attune_dispatcher* dispatcher, void* stream);

// Fills in `statistics`, up to its size.
ATTUNE_API attune_status attune_dispatcher_statistics(const attune_dispatcher* dispatcher,
                                                      attune_statistics* statistics);

// Writes the SHA-256 of what site, folders and the bundles added so far say, as 64 hexadecimal digits and a zero byte,
// to the 65 bytes at `digest`. Fails with ATTUNE_ERROR when one of them cannot be read. Since interface version 6.
ATTUNE_API attune_status attune_dispatcher_wisdom_digest(const attune_dispatcher* dispatcher, char* digest);

// Frees the handle. The device closes with the last handle made from the dispatcher.
ATTUNE_API void attune_dispatcher_destroy(attune_dispatcher* dispatcher);

// ---- kernels: launches that find their plan ----

// Finds a kernel that was added. Fails with ATTUNE_USAGE_ERROR for an unknown kernel, and for a kernel with more than
// eight names in [problem].
ATTUNE_API attune_status attune_kernel_find(attune_dispatcher* dispatcher, const char* name, attune_policy policy,
                                            attune_kernel** kernel);

// Launches on `stream` (a CUstream or cudaStream_t; null: the default stream) for the problem that `values` and
// `arguments` give. Sizes and integers come from the values or from integer arguments of the same name, choices from
// the values. Types come from the element types of arrays, or for ATTUNE_UNTYPED from the values. There are no
// defaults. The first launch of a problem finds, loads or compiles its plan, as the policy says; later launches look it
// up. `values` may be null if `value_count` is 0. Fails as attune_plan_make() and attune_plan_launch() do; after
// ATTUNE_USAGE_ERROR and ATTUNE_NOT_PREPARED nothing was launched.
ATTUNE_API attune_status attune_kernel_launch(const attune_kernel* kernel, void* stream,
                                              const attune_problem_value* values, size_t value_count,
                                              const attune_argument* arguments, size_t argument_count);

ATTUNE_API void attune_kernel_destroy(attune_kernel* kernel);

// ---- plans: one problem ----

// Makes the plan of `kernel` for a problem; null: all defaults. The first call for a problem loads or compiles, in
// milliseconds to a second; later calls are a table look-up. Fails with ATTUNE_USAGE_ERROR for an unknown kernel, name,
// value or policy, and for a name that is given twice; with ATTUNE_NOT_PREPARED as the policy says; with ATTUNE_ERROR
// if no configuration is legal or compiles.
ATTUNE_API attune_status attune_plan_make(attune_dispatcher* dispatcher, const char* kernel,
                                          const attune_problem* problem, attune_policy policy, attune_plan** plan);

// Enqueues every step of the plan on `stream`; null is the default stream. On the host device the work is done on
// return. `arguments` are in the order of [arguments], without scratch memory, tensor maps and values that attune
// computes. docs/dispatch.md tells which types convert, and how to capture streams. Fails with ATTUNE_USAGE_ERROR,
// before anything reaches the driver, for a wrong count, kind or type, a null or too small array, a scalar that does
// not fit its type or differs from the plan's problem. Fails with ATTUNE_OUT_OF_MEMORY if there is no room for scratch
// memory, and with ATTUNE_ERROR if the driver refuses the launch.
ATTUNE_API attune_status attune_plan_launch(const attune_plan* plan, void* stream, const attune_argument* arguments,
                                            size_t count);

// Fills in `match`, up to its size.
ATTUNE_API attune_status attune_plan_match(const attune_plan* plan, attune_match* match);

// Tells the plan that the content of arrays with a `symbol` changed: the next launch uploads them again.
ATTUNE_API attune_status attune_plan_refresh_symbols(const attune_plan* plan);

// Frees the handle. Scratch memory may stay until the dispatcher and all handles made from it are destroyed.
ATTUNE_API void attune_plan_destroy(attune_plan* plan);

// ---- device memory, for programs without a toolkit; any device pointer of the same context serves as well ----

// Allocates `bytes` on the device of the dispatcher, not initialised. Fails with ATTUNE_OUT_OF_MEMORY.
ATTUNE_API attune_status attune_buffer_make(const attune_dispatcher* dispatcher, size_t bytes, attune_buffer** buffer);

// Sets `*data` to the address in device memory. The CPU must not access it, unless the device is `host`.
ATTUNE_API attune_status attune_buffer_data(const attune_buffer* buffer, void** data);

// Copy the whole buffer in the order of `stream`; the copy is complete on return. Fail with ATTUNE_USAGE_ERROR unless
// `bytes` is the size of the buffer. One thread at a time per buffer.
ATTUNE_API attune_status attune_buffer_copy_in(attune_buffer* buffer, const void* host, size_t bytes, void* stream);
ATTUNE_API attune_status attune_buffer_copy_out(const attune_buffer* buffer, void* host, size_t bytes, void* stream);

// Frees the memory, which may wait for the device.
ATTUNE_API void attune_buffer_destroy(attune_buffer* buffer);

// ---- making arguments and problems; each is a plain value ----

static inline attune_argument attune_make_argument(attune_argument_kind kind, attune_type type, const void* value,
                                                   uint64_t count) {
  attune_argument argument;
  argument.kind = kind;
  argument.type = type;
  argument.value = value;
  argument.count = count;
  return argument;
}
// An array in device memory, which the kernel may write; `count` elements, 0: not known.
static inline attune_argument attune_array(attune_type type, void* device, uint64_t count) {
  return attune_make_argument(ATTUNE_ARRAY, type, device, count);
}
// An array in device memory that the kernel must only read.
static inline attune_argument attune_const_array(attune_type type, const void* device, uint64_t count) {
  return attune_make_argument(ATTUNE_CONST_ARRAY, type, device, count);
}
// One value in host memory, read by the launch.
static inline attune_argument attune_scalar(attune_type type, const void* value) {
  return attune_make_argument(ATTUNE_SCALAR, type, value, 1);
}
// An array by value: `count` elements in host memory, read by the launch.
static inline attune_argument attune_values(attune_type type, const void* values, uint64_t count) {
  return attune_make_argument(ATTUNE_VALUES, type, values, count);
}
static inline attune_problem_value attune_integer(const char* name, int64_t integer) {
  attune_problem_value value;
  value.name = name;
  value.text = NULL;
  value.integer = integer;
  return value;
}
// A type or a choice.
static inline attune_problem_value attune_text(const char* name, const char* text) {
  attune_problem_value value;
  value.name = name;
  value.text = text;
  value.integer = 0;
  return value;
}

#ifdef __cplusplus
}
#endif
#endif
