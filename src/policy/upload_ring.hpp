// Rules: the size of the upload ring and of the pages beside it. The ring holds the frames in flight and the one that
// is written; a page is the largest power of two whose device allocation stays within a tenth of the frame budget, so
// that growing in the middle of a frame is not seen, and no larger than the ring or a sixteenth of what the heap may
// take. Pure.
#pragma once

#include <span>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

[[nodiscard]] model::UploadPolicy decide_uploads(const Context& context, const model::DevicePolicy& policy,
                                                 model::Statement& warnings);

}  // namespace heapwright::policy
