// A device that stands before another and passes everything on; a test overrides the calls that it watches.
#pragma once

#include "device/device.hpp"

namespace heapwright::test {

class MemoryInFront : public device::Device, protected device::MemorySource {
public:
    explicit MemoryInFront(device::Device& inner) : inner_(inner) {}

    const model::DeviceReport& facts() const override { return inner_.facts(); }
    bool is_real() const override { return inner_.is_real(); }
    device::MemorySource& memory() override { return *this; }
    device::ResourceBinder& resources() override { return inner_.resources(); }
    device::Submitter& submitter() override { return inner_.submitter(); }
    Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t value) override {
        return inner_.create_timeline(value);
    }
    std::vector<std::string> take_validation_messages() override { return inner_.take_validation_messages(); }

protected:
    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        return inner_.memory().allocate(request);
    }
    void free(device::AllocationId memory) override { inner_.memory().free(memory); }
    Result<std::span<std::byte>> map(device::AllocationId memory) override { return inner_.memory().map(memory); }
    Status flush(device::AllocationId memory, std::uint64_t offset, std::uint64_t size) override {
        return inner_.memory().flush(memory, offset, size);
    }
    Status invalidate(device::AllocationId memory, std::uint64_t offset, std::uint64_t size) override {
        return inner_.memory().invalidate(memory, offset, size);
    }
    Result<std::vector<model::HeapBudget>> budgets() override { return inner_.memory().budgets(); }

private:
    device::Device& inner_;
};

}  // namespace heapwright::test
