// Enumerates the adapters of one API and reads their reports. Allocates no device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::device {

struct ReadOptions {
    const model::Workload* workload = nullptr;  // sweep its points too
    std::uint64_t time_limit_ns = ~0ull;
    std::function<void(std::string_view stage, double share)> progress;  // may be empty
    // Called before each step that is a part of its own: a case of a sweep, a hint of a workload, one further question.
    // Why it must not be taken, as where the driver crashed there before; empty: it is taken. Its results then say so.
    std::function<std::string(std::string_view stage, std::size_t index)> objection;  // may be empty
    // Called with the facts, before the sweep and anything that allocates, so that a crash there loses no fact.
    std::function<void(const model::DeviceReport& facts)> on_facts;  // may be empty
    // Called with all that is known, before the device that was asked is closed, so that a crash there loses none of
    // it. False: it is left open, as where the driver crashed in closing one before.
    std::function<bool(const model::DeviceReport& report)> may_close;  // may be empty
};

struct OpenOptions {
    bool validation_layers = false;
    // The form that shader-visible descriptors are to have, even where the device has a better one. open() fails with
    // kNotSupported and the reason where it cannot have this one.
    std::optional<DescriptorForm> descriptor_form = {};
    // Whether memory may have a priority, where the device takes one (memoryPriority of VK_EXT_memory_priority).
    bool memory_priority = true;
};

// Until the process ends: of a driver that cannot be trusted to close a device.
inline void leave_open(std::shared_ptr<void> handle) {
    static auto* const handles = new std::vector<std::shared_ptr<void>>;
    handles->push_back(std::move(handle));
}

class CapabilitySource {
public:
    virtual ~CapabilitySource() = default;

    // Identity only, in the driver's order.
    [[nodiscard]] virtual const std::vector<model::DeviceIdentity>& adapters() const = 0;

    [[nodiscard]] virtual Result<model::DeviceReport> read(std::size_t adapter, const ReadOptions& options) = 0;

    [[nodiscard]] virtual Result<std::unique_ptr<Device>> open(std::size_t adapter, const OpenOptions& options) = 0;
};

}  // namespace heapwright::device
