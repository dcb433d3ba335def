#include <attune.h>
#include <stdio.h>

#include "attune_embedded/scale.h"

static int failed(void) {
  fprintf(stderr, "application_in_c: %s\n", attune_last_error());
  return 1;
}

int main(void) {
  enum { n = 1000 };
  static int32_t data[n];
  const int32_t factor = 3, count = n;
  attune_dispatcher* gpu = NULL;
  attune_kernel* scale = NULL;
  attune_buffer* buffer = NULL;
  void* device = NULL;
  for (int i = 0; i < n; ++i) data[i] = 14;
  if (attune_dispatcher_make(NULL, &gpu) != ATTUNE_OK ||
      attune_dispatcher_add_memory(gpu, attune_embedded_scale, attune_embedded_scale_size, "scale.cu") != ATTUNE_OK ||
      attune_kernel_find(gpu, "scale", ATTUNE_POLICY_WAIT, &scale) != ATTUNE_OK ||
      attune_buffer_make(gpu, sizeof data, &buffer) != ATTUNE_OK || attune_buffer_data(buffer, &device) != ATTUNE_OK ||
      attune_buffer_copy_in(buffer, data, sizeof data, NULL) != ATTUNE_OK)
    return failed();
  const attune_argument arguments[] = {attune_array(ATTUNE_INT32, device, n), attune_scalar(ATTUNE_INT32, &factor),
                                       attune_scalar(ATTUNE_INT32, &count)};
  if (attune_kernel_launch(scale, NULL, NULL, 0, arguments, 3) != ATTUNE_OK ||
      attune_buffer_copy_out(buffer, data, sizeof data, NULL) != ATTUNE_OK)
    return failed();
  attune_buffer_destroy(buffer);
  attune_kernel_destroy(scale);
  attune_dispatcher_destroy(gpu);
  for (int i = 0; i < n; ++i)
    if (data[i] != 42) return printf("application: wrong\n"), 1;
  printf("application: correct\n");
  return 0;
}
