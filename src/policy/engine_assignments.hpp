// Rules: which engine does which work. Draws go to the graphics engine. Compute that a frame waits for goes to the
// compute engine where that pays; what no frame waits for to the engine of low priority, else to one that is not the
// frame's. Uploads go to the copy engine where copies beside draws pay and it copies a frame's uploads within the frame
// budget, else to the faster one; downloads beside them to a second copy engine that is about as fast. Pure.
#pragma once

#include "heapwright/policy/engine_facts.hpp"

namespace heapwright::policy {

[[nodiscard]] std::vector<model::EngineAssignment> assign_engines(const EngineFacts& facts,
                                                                  const model::Decided<bool>& async_copy,
                                                                  const model::Decided<bool>& async_compute);

}  // namespace heapwright::policy
