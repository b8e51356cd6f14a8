// A share in percent for people, of three digits: "41.3%", "0.4%", and never "100%" or "0%" of what is not all or none.
#pragma once

#include <string>

namespace heapwright {

[[nodiscard]] std::string share_text(double share);

}  // namespace heapwright
