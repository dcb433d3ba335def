// Open files and pipes of this process. None of them goes to programs that this process starts.
#pragma once

namespace attune {

// A file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const noexcept { return fd_; }
  bool open() const noexcept { return fd_ >= 0; }
  void close() noexcept;

 private:
  int fd_;
};

struct Pipe {
  Descriptor read, write;
};

// Makes a pipe. Throws Error.
Pipe make_pipe();

}  // namespace attune
