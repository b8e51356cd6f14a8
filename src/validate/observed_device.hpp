// A device whose calls the shadow checker sees before and after they reach the device behind it. Whatever allocates
// on it is under test without knowing.
// Also keeps the time that calls spend outside the allocator's own work, so that an allocation's latency can be told
// from the API's create and bind and from the checking itself.
// Ownership: the device and the checker outlive it. Thread-safety: as the device behind it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "validate/shadow_checker.hpp"

namespace heapwright::validate {

struct CallTimes {
    std::atomic<std::uint64_t> binder_ns{0};    // requirements, creation, destruction by the device
    std::atomic<std::uint64_t> checking_ns{0};  // the checker's own
    // Calls that take or free device memory, a dedicated resource's creation and destruction among them.
    std::atomic<std::uint64_t> device_ns{0};
    std::atomic<std::uint64_t> slowest_device_ns{0};  // of one call
};

class ObservedDevice final : public device::Device {
public:
    ObservedDevice(device::Device& inner, ShadowChecker& checker, Clock& clock);
    ~ObservedDevice() override;

    [[nodiscard]] const model::DeviceReport& facts() const override { return inner_.facts(); }
    [[nodiscard]] bool is_real() const override { return inner_.is_real(); }
    [[nodiscard]] device::MemorySource& memory() override;
    [[nodiscard]] device::ResourceBinder& resources() override;
    [[nodiscard]] device::Submitter& submitter() override;
    [[nodiscard]] Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        return inner_.create_timeline(initial_value);
    }
    [[nodiscard]] std::vector<std::string> take_validation_messages() override {
        return inner_.take_validation_messages();
    }

    [[nodiscard]] const CallTimes& times() const { return times_; }

    // Really destroys what was destroyed too early, once the device is done with it (or all of it: the device is idle).
    void destroy_ended(bool all);

private:
    class Memory;
    class Binder;
    class Queue;

    device::Device& inner_;
    ShadowChecker& checker_;
    CallTimes times_;
    std::unique_ptr<Memory> memory_;
    std::unique_ptr<Binder> binder_;
    std::unique_ptr<Queue> queue_;
};

}  // namespace heapwright::validate
