// Plays a program that was written down before through another conductor: the same calls in the same order, and the
// same answers to what the host asked its fences.
#pragma once

#include <vector>

#include "engines/conductor.hpp"

namespace heapwright::engines {

// Errors: the conductor's.
Status play(const EngineProgram& program, Conductor& conductor);

}  // namespace heapwright::engines
