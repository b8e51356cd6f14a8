// Devices that stand before another one and do something else with its descriptors.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "late_devices.hpp"

namespace heapwright::test {

// Everything as it is.
class ForwardingDescriptors : public device::DescriptorHeapSource {
public:
    explicit ForwardingDescriptors(device::DescriptorHeapSource& inner) : inner_(inner) {}

    const device::DescriptorFormChoice& form() const override { return inner_.form(); }
    std::optional<std::uint64_t> stated_limit(device::DescriptorHeapKind kind, bool shader_visible) const override {
        return inner_.stated_limit(kind, shader_visible);
    }
    Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest& request) override {
        return inner_.create(request);
    }
    void destroy(device::DescriptorHeapId heap) override { inner_.destroy(heap); }
    device::DescriptorHeapAddresses addresses(device::DescriptorHeapId heap) const override {
        return inner_.addresses(heap);
    }
    Status write(device::DescriptorHeapId heap, std::uint32_t index, const device::Descriptor& descriptor) override {
        return inner_.write(heap, index, descriptor);
    }
    Status copy(device::DescriptorHeapId destination, std::uint32_t destination_index, device::DescriptorHeapId source,
                std::uint32_t source_index, std::uint32_t count) override {
        return inner_.copy(destination, destination_index, source, source_index, count);
    }
    void forget(device::DescriptorHeapId heap, std::uint32_t index, std::uint32_t count) override {
        inner_.forget(heap, index, count);
    }

private:
    device::DescriptorHeapSource& inner_;
};

template <class Descriptors>
class DescriptorDevice : public ForwardingDevice {
public:
    explicit DescriptorDevice(device::Device& inner) : ForwardingDevice(inner), descriptors_(*inner.descriptors()) {}
    device::DescriptorHeapSource* descriptors() override { return &descriptors_; }

protected:
    Descriptors descriptors_;
};

// Every tenth copy takes the descriptor beside the one that was asked for.
class NeighbourCopies final : public ForwardingDescriptors {
public:
    using ForwardingDescriptors::ForwardingDescriptors;
    Status copy(device::DescriptorHeapId destination, std::uint32_t destination_index, device::DescriptorHeapId source,
                std::uint32_t source_index, std::uint32_t count) override {
        if (++copies_ % 10 == 0) source_index ^= 1u;
        return ForwardingDescriptors::copy(destination, destination_index, source, source_index, count);
    }

private:
    std::uint64_t copies_ = 0;
};

// Views of one type point to what the view before them points to.
template <class View>
class EarlierViews final : public ForwardingDescriptors {
public:
    using ForwardingDescriptors::ForwardingDescriptors;
    Status write(device::DescriptorHeapId heap, std::uint32_t index, const device::Descriptor& descriptor) override {
        if (!std::holds_alternative<View>(descriptor)) return ForwardingDescriptors::write(heap, index, descriptor);
        const device::Descriptor written = last_.value_or(descriptor);
        last_ = descriptor;
        return ForwardingDescriptors::write(heap, index, written);
    }

private:
    std::optional<device::Descriptor> last_;
};

// Views for writing lie 256 bytes behind where they should.
class ShiftedOutputs final : public ForwardingDescriptors {
public:
    using ForwardingDescriptors::ForwardingDescriptors;
    Status write(device::DescriptorHeapId heap, std::uint32_t index, const device::Descriptor& descriptor) override {
        const auto* view = std::get_if<device::BufferView>(&descriptor);
        if (view == nullptr || !view->writable) return ForwardingDescriptors::write(heap, index, descriptor);
        device::BufferView shifted = *view;
        shifted.offset_bytes += 256;
        shifted.size_bytes -= 256;
        return ForwardingDescriptors::write(heap, index, shifted);
    }
};

// A second heap of views is the first one again.
class OneHeapForAll final : public ForwardingDescriptors {
public:
    using ForwardingDescriptors::ForwardingDescriptors;
    Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest& request) override {
        if (request.shader_visible || request.kind != device::DescriptorHeapKind::kCbvSrvUav)
            return ForwardingDescriptors::create(request);
        if (!first_) {
            HEAPWRIGHT_ASSIGN(first_, ForwardingDescriptors::create(request));
        }
        ++users_;
        return *first_;
    }
    void destroy(device::DescriptorHeapId heap) override {
        if (heap != first_ || --users_ == 0) ForwardingDescriptors::destroy(heap);
    }

private:
    std::optional<device::DescriptorHeapId> first_;
    std::uint64_t users_ = 0;
};

// Copies into shader-visible heaps come behind the next submission.
class LateCopies final : public ForwardingDescriptors {
public:
    using ForwardingDescriptors::ForwardingDescriptors;
    Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest& request) override {
        HEAPWRIGHT_ASSIGN(const auto made, ForwardingDescriptors::create(request));
        if (request.shader_visible) visible_.push_back(made);
        return made;
    }
    Status copy(device::DescriptorHeapId destination, std::uint32_t destination_index, device::DescriptorHeapId source,
                std::uint32_t source_index, std::uint32_t count) override {
        if (std::ranges::find(visible_, destination) == visible_.end())
            return ForwardingDescriptors::copy(destination, destination_index, source, source_index, count);
        late_.push_back({destination, destination_index, source, source_index, count});
        return {};
    }
    Status catch_up() {
        for (const Copy& copy : std::exchange(late_, {})) {
            HEAPWRIGHT_TRY(ForwardingDescriptors::copy(copy.destination, copy.destination_index, copy.source,
                                                       copy.source_index, copy.count));
        }
        return {};
    }

private:
    struct Copy {
        device::DescriptorHeapId destination;
        std::uint32_t destination_index;
        device::DescriptorHeapId source;
        std::uint32_t source_index;
        std::uint32_t count;
    };
    std::vector<device::DescriptorHeapId> visible_;
    std::vector<Copy> late_;
};

class LateTablesDevice final : public DescriptorDevice<LateCopies> {
public:
    explicit LateTablesDevice(device::Device& inner)
        : DescriptorDevice(inner), submitter_(inner.submitter(), descriptors_) {}
    device::Submitter& submitter() override { return submitter_; }

private:
    class Queue final : public ForwardingSubmitter {
    public:
        Queue(device::Submitter& inner, LateCopies& copies) : ForwardingSubmitter(inner), copies_(copies) {}
        Status submit(const device::Submission& submission) override {
            HEAPWRIGHT_TRY(ForwardingSubmitter::submit(submission));
            return copies_.catch_up();
        }

    private:
        LateCopies& copies_;
    };
    Queue submitter_;
};

}  // namespace heapwright::test
