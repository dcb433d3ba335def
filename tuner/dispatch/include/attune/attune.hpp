// All that an application needs.
#pragma once

#include "attune/buffer.hpp"
#include "attune/bundle.hpp"
#include "attune/dispatcher.hpp"
#include "attune/error.hpp"
#include "attune/kernel.hpp"
#include "attune/plan.hpp"
