#include "attune/buffer.hpp"

#include "c_api/failures.hpp"
#include "c_api/handles.hpp"

using namespace attune::c_api;

attune_status attune_buffer_make(const attune_dispatcher* dispatcher, size_t bytes, attune_buffer** buffer) {
  return guarded(__func__, [&] {
    attune_buffer*& output = cleared(buffer, "buffer");
    const attune::Dispatcher& gpu = *known(dispatcher, "dispatcher").dispatcher;
    output = new attune_buffer{.memory = attune::BufferMemory(gpu.device(), bytes, 1)};
  });
}

attune_status attune_buffer_data(const attune_buffer* buffer, void** data) {
  return guarded(__func__, [&] {
    void*& output = cleared(data, "data");
    output = known(buffer, "buffer").memory.data();
  });
}

attune_status attune_buffer_copy_in(attune_buffer* buffer, const void* host, size_t bytes, void* stream) {
  return guarded(__func__, [&] {
    attune_buffer& handle = known(buffer, "buffer");
    if (bytes > 0) refuse_null(host, "host");
    handle.memory.copy_in(host, bytes, static_cast<attune::StreamHandle>(stream));
  });
}

attune_status attune_buffer_copy_out(const attune_buffer* buffer, void* host, size_t bytes, void* stream) {
  return guarded(__func__, [&] {
    const attune_buffer& handle = known(buffer, "buffer");
    if (bytes > 0) refuse_null(host, "host");
    handle.memory.copy_out(host, bytes, static_cast<attune::StreamHandle>(stream));
  });
}

void attune_buffer_destroy(attune_buffer* buffer) { destroy(buffer); }
