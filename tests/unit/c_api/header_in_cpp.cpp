#include "attune.h"

static_assert(sizeof(attune_argument) == 24, "an array of them is the interface");
static_assert(sizeof(attune_problem_value) == 24, "an array of them is the interface");
static_assert(sizeof(attune_problem) == 16, "an array of them is the interface");
