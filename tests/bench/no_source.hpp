// A descriptor heap source that does nothing, so that a figure is the stack's own.
#pragma once

#include <optional>

#include "device/descriptor_heap_source.hpp"

namespace heapwright::bench {

class NoSource final : public device::DescriptorHeapSource {
public:
    const device::DescriptorFormChoice& form() const override { return form_; }
    std::optional<std::uint64_t> stated_limit(device::DescriptorHeapKind, bool) const override { return std::nullopt; }
    Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest&) override {
        return device::DescriptorHeapId{1};
    }
    void destroy(device::DescriptorHeapId) override {}
    device::DescriptorHeapAddresses addresses(device::DescriptorHeapId) const override { return {}; }
    Status write(device::DescriptorHeapId, std::uint32_t, const device::Descriptor&) override { return {}; }
    Status copy(device::DescriptorHeapId, std::uint32_t, device::DescriptorHeapId, std::uint32_t,
                std::uint32_t) override {
        return {};
    }

private:
    device::DescriptorFormChoice form_;
};

}  // namespace heapwright::bench
