// Devices that stand before another one and lie about it.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace heapwright::test {

// Everything as it is.
class ForwardingDevice : public device::Device {
public:
    explicit ForwardingDevice(device::Device& inner) : inner_(inner) {}

    const model::DeviceReport& facts() const override { return inner_.facts(); }
    bool is_real() const override { return inner_.is_real(); }
    device::MemorySource& memory() override { return inner_.memory(); }
    device::ResourceBinder& resources() override { return inner_.resources(); }
    device::Submitter& submitter() override { return inner_.submitter(); }
    Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        return inner_.create_timeline(initial_value);
    }
    device::DescriptorHeapSource* descriptors() override { return inner_.descriptors(); }
    device::CommandRecorder* recorder() override { return inner_.recorder(); }
    device::BackgroundProcessing* background_processing() override { return inner_.background_processing(); }
    std::vector<std::string> take_validation_messages() override { return inner_.take_validation_messages(); }

protected:
    [[nodiscard]] device::Device& inner() { return inner_; }

private:
    device::Device& inner_;
};

// Everything as it is.
class ForwardingSubmitter : public device::Submitter {
public:
    explicit ForwardingSubmitter(device::Submitter& inner) : inner_(inner) {}
    std::span<const device::EngineInfo> engines() const override { return inner_.engines(); }
    bool accepts_early_waits() const override { return inner_.accepts_early_waits(); }
    Status submit(const device::Submission& submission) override { return inner_.submit(submission); }
    Status wait_idle() override { return inner_.wait_idle(); }

private:
    device::Submitter& inner_;
};

// Everything as it is.
class ForwardingTimeline : public device::Timeline {
public:
    explicit ForwardingTimeline(std::unique_ptr<device::Timeline> inner) : inner_(std::move(inner)) {}
    Result<TimelineValue> completed() override { return inner_->completed(); }
    Status signal(TimelineValue value) override { return inner_->signal(value); }
    Status wait(TimelineValue value, std::uint64_t timeout_ns) override { return inner_->wait(value, timeout_ns); }
    Status signal_event(TimelineValue value, CompletionEvent event) override {
        return inner_->signal_event(value, event);
    }
    [[nodiscard]] device::Timeline& inner() { return *inner_; }

private:
    std::unique_ptr<device::Timeline> inner_;
};

// The points as the device behind knows them, where all timelines are ForwardingTimelines.
inline std::vector<device::TimelinePoint> unwrapped(std::span<const device::TimelinePoint> points) {
    std::vector<device::TimelinePoint> plain(points.begin(), points.end());
    for (device::TimelinePoint& point : plain)
        point.timeline = &static_cast<ForwardingTimeline*>(point.timeline)->inner();
    return plain;
}

class WithoutDescriptors final : public ForwardingDevice {
public:
    using ForwardingDevice::ForwardingDevice;
    device::DescriptorHeapSource* descriptors() override { return nullptr; }
};

// Says that its timelines are `lead` values further than they are. Who waits for a value waits for that value.
class EarlyDevice : public ForwardingDevice {
public:
    EarlyDevice(device::Device& inner, std::uint64_t lead)
        : ForwardingDevice(inner), lead_(lead), submitter_(inner.submitter()) {}

    Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        HEAPWRIGHT_ASSIGN(auto timeline, inner().create_timeline(initial_value));
        auto made = std::make_unique<EarlyTimeline>(std::move(timeline), lead_);
        if (lead_ == kExchanged && ++made_ <= 2) {
            if (first_ != nullptr) first_->exchange(*made);
            first_ = made.get();
        }
        return made;
    }
    device::Submitter& submitter() override { return submitter_; }

    // No lead: of the first two timelines each says what the other one is at.
    static constexpr std::uint64_t kExchanged = ~1ull;

private:
    [[nodiscard]] static bool is_behind(std::uint64_t lead) { return lead == ~0ull; }

    class EarlyTimeline final : public ForwardingTimeline {
    public:
        EarlyTimeline(std::unique_ptr<device::Timeline> inner, std::uint64_t lead)
            : ForwardingTimeline(std::move(inner)), lead_(lead) {}
        Result<TimelineValue> completed() override {
            if (lead_ == kExchanged) return said_by_->completed();
            HEAPWRIGHT_ASSIGN(const TimelineValue value, inner().completed());
            return TimelineValue{value.value == 0 && is_behind(lead_) ? 0 : value.value + lead_};
        }
        void exchange(EarlyTimeline& other) { std::swap(said_by_, other.said_by_); }

    private:
        std::uint64_t lead_;
        device::Timeline* said_by_ = &inner();
    };

    class Queue final : public ForwardingSubmitter {
    public:
        using ForwardingSubmitter::ForwardingSubmitter;
        Status submit(const device::Submission& submission) override {
            const auto waits = unwrapped(submission.waits);
            const auto signals = unwrapped(submission.signals);
            device::Submission plain = submission;
            plain.waits = waits;
            plain.signals = signals;
            return ForwardingSubmitter::submit(plain);
        }
    };

    std::uint64_t lead_;
    EarlyTimeline* first_ = nullptr;
    std::uint32_t made_ = 0;
    Queue submitter_;
};

// Says that the last value that a timeline has reached is not reached: the next one has to come first.
class BehindDevice final : public EarlyDevice {
public:
    explicit BehindDevice(device::Device& inner) : EarlyDevice(inner, ~0ull) {}
};

}  // namespace heapwright::test
