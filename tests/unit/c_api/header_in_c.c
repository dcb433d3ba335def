#include "attune.h"

_Static_assert(sizeof(attune_argument) == 24, "an array of them is the interface");
_Static_assert(sizeof(attune_problem_value) == 24, "an array of them is the interface");
_Static_assert(sizeof(attune_problem) == 16, "an array of them is the interface");
