// Includes the headers that every application needs: dispatcher, plans, kernels, buffers, bundles, errors.
#pragma once

#include "attune/buffer.hpp"
#include "attune/bundle.hpp"
#include "attune/dispatcher.hpp"
#include "attune/error.hpp"
#include "attune/kernel.hpp"
#include "attune/plan.hpp"
