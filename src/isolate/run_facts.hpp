// When and where a document was made.
#pragma once

#include "heapwright/model/document.hpp"

namespace heapwright::isolate {

[[nodiscard]] model::DocumentVolatile run_facts();

}  // namespace heapwright::isolate
