// Included by NVRTC ahead of a kernel file that says host_code = "ignore": what the host's part of a program calls. The
// compiler checks that part as device code (-default-device) and generates nothing of it. Nothing here has a body, so
// that an entry which calls one of these functions does not link.
#pragma once
#undef __host__
#define __host__

struct attune_anything {
  template <class attune_t>
  operator attune_t&() const;
};

// A kernel<<<grid, block>>>() of device code calls these two.
extern "C" __device__ void* cudaGetParameterBufferV2(void*, dim3, dim3, unsigned int);
extern "C" __device__ cudaError_t cudaLaunchDeviceV2(void*, cudaStream_t);

#define ATTUNE_CALLS(attune_type, attune_name) \
  template <class... attune_a>                 \
  attune_type attune_name(attune_a&&...);
#define ATTUNE_RUNTIME(attune_name) ATTUNE_CALLS(cudaError_t, cuda##attune_name)
ATTUNE_RUNTIME(DeviceGetAttribute)
ATTUNE_RUNTIME(DeviceGetLimit)
ATTUNE_RUNTIME(DeviceReset)
ATTUNE_RUNTIME(DeviceSetCacheConfig)
ATTUNE_RUNTIME(DeviceSetLimit)
ATTUNE_RUNTIME(DeviceSetSharedMemConfig)
ATTUNE_RUNTIME(DeviceSynchronize)
ATTUNE_RUNTIME(EventCreate)
ATTUNE_RUNTIME(EventCreateWithFlags)
ATTUNE_RUNTIME(EventDestroy)
ATTUNE_RUNTIME(EventElapsedTime)
ATTUNE_RUNTIME(EventQuery)
ATTUNE_RUNTIME(EventRecord)
ATTUNE_RUNTIME(EventSynchronize)
ATTUNE_RUNTIME(Free)
ATTUNE_RUNTIME(FreeAsync)
ATTUNE_RUNTIME(FreeHost)
ATTUNE_RUNTIME(FuncGetAttributes)
ATTUNE_RUNTIME(FuncSetAttribute)
ATTUNE_RUNTIME(FuncSetCacheConfig)
ATTUNE_RUNTIME(GetDevice)
ATTUNE_RUNTIME(GetDeviceCount)
ATTUNE_RUNTIME(GetDeviceProperties)
ATTUNE_RUNTIME(GetLastError)
ATTUNE_RUNTIME(GetSymbolAddress)
ATTUNE_RUNTIME(HostAlloc)
ATTUNE_RUNTIME(HostGetDevicePointer)
ATTUNE_RUNTIME(HostRegister)
ATTUNE_RUNTIME(HostUnregister)
ATTUNE_RUNTIME(LaunchCooperativeKernel)
ATTUNE_RUNTIME(LaunchKernel)
ATTUNE_RUNTIME(LaunchKernelEx)
ATTUNE_RUNTIME(Malloc)
ATTUNE_RUNTIME(MallocAsync)
ATTUNE_RUNTIME(MallocHost)
ATTUNE_RUNTIME(MallocManaged)
ATTUNE_RUNTIME(MallocPitch)
ATTUNE_RUNTIME(MemAdvise)
ATTUNE_RUNTIME(MemGetInfo)
ATTUNE_RUNTIME(MemPrefetchAsync)
ATTUNE_RUNTIME(Memcpy)
ATTUNE_RUNTIME(Memcpy2D)
ATTUNE_RUNTIME(MemcpyAsync)
ATTUNE_RUNTIME(MemcpyFromSymbol)
ATTUNE_RUNTIME(MemcpyToSymbol)
ATTUNE_RUNTIME(MemcpyToSymbolAsync)
ATTUNE_RUNTIME(Memset)
ATTUNE_RUNTIME(Memset2D)
ATTUNE_RUNTIME(MemsetAsync)
ATTUNE_RUNTIME(OccupancyMaxActiveBlocksPerMultiprocessor)
ATTUNE_RUNTIME(OccupancyMaxPotentialBlockSize)
ATTUNE_RUNTIME(PeekAtLastError)
ATTUNE_RUNTIME(ProfilerStart)
ATTUNE_RUNTIME(ProfilerStop)
ATTUNE_RUNTIME(RuntimeGetVersion)
ATTUNE_RUNTIME(SetDevice)
ATTUNE_RUNTIME(SetDeviceFlags)
ATTUNE_RUNTIME(StreamCreate)
ATTUNE_RUNTIME(StreamCreateWithFlags)
ATTUNE_RUNTIME(StreamDestroy)
ATTUNE_RUNTIME(StreamSynchronize)
ATTUNE_RUNTIME(StreamWaitEvent)
ATTUNE_RUNTIME(ThreadSynchronize)
ATTUNE_CALLS(const char*, cudaGetErrorName)
ATTUNE_CALLS(const char*, cudaGetErrorString)

struct FILE;
typedef long long int time_t;
struct timeval {
  long tv_sec, tv_usec;
};
struct timespec {
  long tv_sec, tv_nsec;
};
static FILE *stdin, *stdout, *stderr;
static int errno;
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define CLOCKS_PER_SEC 1000000
#define CLOCK_MONOTONIC 1
#define CLOCK_REALTIME 0
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define EOF (-1)
#define ATTUNE_C(attune_type, attune_name) \
  ATTUNE_CALLS(attune_type, attune_name)   \
  namespace std {                          \
  using ::attune_name;                     \
  }
ATTUNE_C(int, atoi)
ATTUNE_C(int, fclose)
ATTUNE_C(int, feof)
ATTUNE_C(int, fflush)
ATTUNE_C(int, fgetc)
ATTUNE_C(int, fputc)
ATTUNE_C(int, fprintf)
ATTUNE_C(int, fputs)
ATTUNE_C(int, fscanf)
ATTUNE_C(int, fseek)
ATTUNE_C(int, getchar)
ATTUNE_C(int, isalpha)
ATTUNE_C(int, isdigit)
ATTUNE_C(int, isspace)
ATTUNE_C(int, memcmp)
ATTUNE_C(int, putchar)
ATTUNE_C(int, tolower)
ATTUNE_C(int, toupper)
ATTUNE_C(int, remove)
ATTUNE_C(int, puts)
ATTUNE_C(int, rand)
ATTUNE_C(int, scanf)
ATTUNE_C(int, snprintf)
ATTUNE_C(int, sprintf)
ATTUNE_C(int, sscanf)
ATTUNE_C(int, strcmp)
ATTUNE_C(int, strncmp)
ATTUNE_C(int, system)
ATTUNE_C(long, atol)
ATTUNE_C(long long, atoll)
ATTUNE_C(long, ftell)
ATTUNE_C(long, strtol)
ATTUNE_C(unsigned long, strtoul)
ATTUNE_C(double, atof)
ATTUNE_C(double, difftime)
ATTUNE_C(float, strtof)
ATTUNE_C(double, strtod)
ATTUNE_C(size_t, fread)
ATTUNE_C(size_t, fwrite)
ATTUNE_C(size_t, strlen)
ATTUNE_C(time_t, time)
ATTUNE_C(FILE*, fopen)
ATTUNE_C(char*, fgets)
ATTUNE_C(char*, getenv)
ATTUNE_C(char*, strcat)
ATTUNE_C(char*, strchr)
ATTUNE_C(char*, strcpy)
ATTUNE_C(char*, strerror)
ATTUNE_C(char*, strncpy)
ATTUNE_C(char*, strrchr)
ATTUNE_C(char*, strstr)
ATTUNE_C(char*, strtok)
ATTUNE_C(void*, calloc)
ATTUNE_C(void*, memmove)
ATTUNE_C(void*, realloc)
ATTUNE_C(void, abort)
ATTUNE_C(void, exit)
ATTUNE_C(void, perror)
ATTUNE_C(void, qsort)
ATTUNE_C(void, rewind)
ATTUNE_C(void, srand)
ATTUNE_CALLS(int, clock_gettime)
ATTUNE_CALLS(int, getopt)
ATTUNE_CALLS(int, gettimeofday)
ATTUNE_CALLS(int, posix_memalign)
ATTUNE_CALLS(int, strcasecmp)
ATTUNE_CALLS(int, strncasecmp)
ATTUNE_CALLS(int, usleep)
ATTUNE_CALLS(unsigned int, sleep)
ATTUNE_CALLS(long, random)
ATTUNE_CALLS(double, drand48)
ATTUNE_CALLS(double, omp_get_wtime)
ATTUNE_CALLS(void*, aligned_alloc)
ATTUNE_CALLS(char*, strdup)
ATTUNE_CALLS(void, srand48)
ATTUNE_CALLS(void, srandom)

namespace std {
using ::clock;
using ::clock_t;
ATTUNE_CALLS(void, copy)
ATTUNE_CALLS(void, fill)
ATTUNE_CALLS(void, fill_n)
ATTUNE_CALLS(void, generate)
ATTUNE_CALLS(void, iota)
ATTUNE_CALLS(void, shuffle)
ATTUNE_CALLS(void, sort)
ATTUNE_CALLS(attune_anything, accumulate)
ATTUNE_CALLS(attune_anything, transform)

template <class attune_t, class = void>
struct vector {
  template <class... attune_a>
  vector(attune_a&&...);
  ~vector();
  attune_t& operator[](size_t) const;
  attune_t &at(size_t) const, &back() const, &front() const;
  attune_t *begin() const, *data() const, *end() const;
  size_t size() const, capacity() const;
  bool empty() const;
  void clear(), pop_back();
  ATTUNE_CALLS(void, assign)
  ATTUNE_CALLS(void, emplace_back)
  ATTUNE_CALLS(void, insert)
  ATTUNE_CALLS(void, push_back)
  ATTUNE_CALLS(void, reserve)
  ATTUNE_CALLS(void, resize)
};

struct string {
  template <class... attune_a>
  string(attune_a&&...);
  ~string();
  char& operator[](size_t) const;
  string& operator+=(const string&);
  char *begin() const, *end() const;
  const char *c_str() const, *data() const;
  size_t length() const, size() const;
  bool empty() const;
  ATTUNE_CALLS(int, compare)
  ATTUNE_CALLS(size_t, find)
  ATTUNE_CALLS(size_t, find_first_of)
  ATTUNE_CALLS(size_t, find_last_of)
  ATTUNE_CALLS(size_t, rfind)
  ATTUNE_CALLS(string&, append)
  ATTUNE_CALLS(string&, erase)
  ATTUNE_CALLS(string&, replace)
  ATTUNE_CALLS(string, substr)
  ATTUNE_CALLS(void, push_back)
  static const size_t npos = ~size_t(0);
};
string operator+(const string&, const string&);
bool operator==(const string&, const string&);
bool operator!=(const string&, const string&);
ATTUNE_CALLS(string, to_string)
ATTUNE_CALLS(int, stoi)
ATTUNE_CALLS(double, stod)

struct ostream {
  template <class attune_t>
  ostream& operator<<(attune_t&&);
  ATTUNE_CALLS(ostream&, write)
  ATTUNE_CALLS(int, precision)
  void flush();
};
struct istream {
  template <class attune_t>
  istream& operator>>(attune_t&&);
  ATTUNE_CALLS(istream&, read)
  operator bool() const;
};
struct ifstream : istream {
  template <class... attune_a>
  ifstream(attune_a&&...);
  void close();
};
struct ofstream : ostream {
  template <class... attune_a>
  ofstream(attune_a&&...);
  void close();
};
static ostream cout, cerr;
static istream cin;
ostream& endl(ostream&);
ostream& fixed(ostream&);
ostream& left(ostream&);
ostream& right(ostream&);
ostream& scientific(ostream&);
ATTUNE_CALLS(int, setprecision)
ATTUNE_CALLS(int, setw)

struct exception {
  virtual const char* what() const;
};
struct runtime_error : exception {
  template <class... attune_a>
  runtime_error(attune_a&&...);
};
using invalid_argument = runtime_error;
using logic_error = runtime_error;

struct mt19937 {
  template <class... attune_a>
  mt19937(attune_a&&...);
  unsigned operator()();
};
using default_random_engine = mt19937;
using mt19937_64 = mt19937;
using random_device = mt19937;
template <class attune_t = double>
struct uniform_real_distribution {
  template <class... attune_a>
  uniform_real_distribution(attune_a&&...);
  template <class attune_g>
  attune_t operator()(attune_g&&);
};
template <class attune_t = double>
using normal_distribution = uniform_real_distribution<attune_t>;
template <class attune_t = int>
using uniform_int_distribution = uniform_real_distribution<attune_t>;

namespace chrono {
template <class attune_t = double, class = void>
struct duration {
  template <class... attune_a>
  duration(attune_a&&...);
  attune_t count() const;
};
using nanoseconds = duration<long>;
using microseconds = duration<long>;
using milliseconds = duration<long>;
using seconds = duration<long>;
struct high_resolution_clock {
  struct time_point {};
  using duration = chrono::duration<>;
  static time_point now();
};
using steady_clock = high_resolution_clock;
using system_clock = high_resolution_clock;
duration<> operator-(high_resolution_clock::time_point, high_resolution_clock::time_point);
template <class attune_d, class attune_t>
attune_d duration_cast(attune_t&&);
}  // namespace chrono
struct milli;
struct micro;
struct nano;
}  // namespace std
#undef ATTUNE_C
#undef ATTUNE_RUNTIME
#undef ATTUNE_CALLS
