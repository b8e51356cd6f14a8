// What is reserved of the device beyond what resources use, (reserved - used) / used: of the sums over the ends of
// frames, and at the end of the frame that has most reserved. One account for what a play foresees and for what a run
// shows. Sizes in bytes. Plain value; not thread-safe.
#pragma once

#include <cstdint>

namespace heapwright::pool {

class WasteAccount {
public:
    void end_frame(std::uint64_t reserved_bytes, std::uint64_t used_bytes) {
        const auto reserved = static_cast<double>(reserved_bytes);
        const auto used = static_cast<double>(used_bytes);
        reserved_sum_ += reserved;
        used_sum_ += used;
        if (reserved <= most_reserved_ || used_bytes == 0) return;
        most_reserved_ = reserved;
        peak_ = reserved / used - 1;
    }

    // Zero where nothing was ever in use.
    [[nodiscard]] double mean() const { return used_sum_ > 0 ? reserved_sum_ / used_sum_ - 1 : 0; }
    [[nodiscard]] double peak() const { return peak_; }

private:
    double reserved_sum_ = 0;
    double used_sum_ = 0;
    double most_reserved_ = 0;
    double peak_ = 0;
};

}  // namespace heapwright::pool
