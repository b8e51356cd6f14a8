// Whether one item of work may be recorded: its resources exist, have the usage and hold what it names, and the engine
// can do it. Heaps, descriptors and pipelines are the backend's to look up. The same for every backend. Pure but for
// `find`.
#pragma once

#include <functional>

#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::device {

// Null for an id that is not live.
using FindDescription = std::function<const model::ResourceDescription*(ResourceId)>;

// Errors: kInvalidArgument (an id that is not live, a buffer for an image, a missing usage, a size or offset
// that is no multiple of what the item asks), kOutOfRange (beyond a buffer or an image), kNotSupported (the engine
// cannot do the work, or no API can for this format).
[[nodiscard]] Status check_work(const Work& work, EngineKind engine, const FindDescription& find);

}  // namespace heapwright::device
