// What the parts of a replay device share: the report, the options, the clock, one lock and the messages.
// Every member function named *_locked wants `mutex` held; the public seam functions take it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "replay/device.hpp"

namespace heapwright::replay {

struct ReplayContext {
    static constexpr std::size_t kMaxMessages = 256;

    model::DeviceReport facts;  // without sweeps
    ReplayOptions options;
    ManualClock own_clock;
    std::mutex mutex;
    std::vector<std::string> messages;
    std::uint64_t shadow_bytes = 0;

    [[nodiscard]] ManualClock& clock() { return options.clock != nullptr ? *options.clock : own_clock; }

    void message_locked(std::string text) {
        if (messages.size() < kMaxMessages) messages.push_back(std::move(text));
    }
};

}  // namespace heapwright::replay
