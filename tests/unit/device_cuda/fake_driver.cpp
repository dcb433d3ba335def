// A library that answers as the driver of CUDA 11.3, which lacks cuGraphInstantiateWithFlags. Its functions do nothing.
extern "C" {

int cuDriverGetVersion(int* version) {
  *version = 11030;
  return 0;
}

static int do_nothing() { return 0; }

int cuGetProcAddress(const char*, void** address, int version, unsigned long long) {
  if (version > 11030) return 1;
  *address = reinterpret_cast<void*>(do_nothing);
  return 0;
}
}
