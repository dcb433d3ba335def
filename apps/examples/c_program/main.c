// Plans and launches an application's own kernel from C: smooth.cu, embedded by CMake's
// attune_embed(c_program smooth.cu C). ATTUNE_DEVICE=host runs it without a GPU.
#include <stdio.h>
#include <stdlib.h>

#include "attune.h"
#include "attune_embedded/smooth.h"

static void check(attune_status status) {
  if (status == ATTUNE_OK) return;
  fprintf(stderr, "c_program: %s\n", attune_last_error());
  exit(1);
}

int main(void) {
  const int64_t n = 1 << 20;
  const size_t bytes = (size_t)n * sizeof(float);
  float* const host = malloc(bytes);
  float* const result = malloc(bytes);
  if (host == NULL || result == NULL) return 1;
  for (int64_t i = 0; i < n; ++i) host[i] = (float)(i * i % 1000);

  attune_dispatcher* gpu = NULL;
  check(attune_dispatcher_make(NULL, &gpu));
  check(attune_dispatcher_add_memory(gpu, attune_embedded_smooth, attune_embedded_smooth_size, "smooth.cu"));

  attune_buffer *in = NULL, *out = NULL;
  check(attune_buffer_make(gpu, bytes, &in));
  check(attune_buffer_make(gpu, bytes, &out));
  check(attune_buffer_copy_in(in, host, bytes, NULL));
  void *in_data = NULL, *out_data = NULL;  // or pointers of cudaMalloc()
  check(attune_buffer_data(in, &in_data));
  check(attune_buffer_data(out, &out_data));

  const attune_problem_value values[] = {attune_integer("n", n), attune_text("T", "float")};
  const attune_problem problem = {values, 2};
  attune_plan* plan = NULL;
  check(attune_plan_make(gpu, "smooth", &problem, ATTUNE_POLICY_WAIT, &plan));
  const attune_argument arguments[] = {attune_array(ATTUNE_FLOAT, out_data, (uint64_t)n),
                                       attune_const_array(ATTUNE_FLOAT, in_data, (uint64_t)n),
                                       attune_scalar(ATTUNE_INT64, &n)};
  check(attune_plan_launch(plan, NULL, arguments, 3));  // on the default stream
  check(attune_dispatcher_synchronize(gpu, NULL));

  attune_match match = {.size = sizeof match};
  check(attune_plan_match(plan, &match));
  printf("%s\n%s\n", match.why, match.configuration);
  check(attune_buffer_copy_out(out, result, bytes, NULL));
  int64_t i = 0;
  while (i < n) {
    const float left = host[i > 0 ? i - 1 : i], right = host[i < n - 1 ? i + 1 : i];
    if (result[i] != (left + 2 * host[i] + right) / 4) break;
    ++i;
  }
  attune_plan_destroy(plan);
  attune_buffer_destroy(in);
  attune_buffer_destroy(out);
  attune_dispatcher_destroy(gpu);
  free(host);
  free(result);
  if (i < n) {
    printf("WRONG: out[%lld]\n", (long long)i);
    return 1;
  }
  printf("%lld floats: correct\n", (long long)n);
  return 0;
}
