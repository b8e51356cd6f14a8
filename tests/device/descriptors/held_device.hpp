// A device that runs what is submitted when it is told to, and while a call waits for it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../../unit/validate/late_devices.hpp"

namespace heapwright::test {

// Each submission waits for a gate of its own, which the host signals: the validation layers of 1.3.239 take a signal
// as pending until they have seen the end of all that waited for it, and refuse the next one of the same timeline.
class HeldDevice final : public ForwardingDevice {
public:
    explicit HeldDevice(std::unique_ptr<device::Device> inner)
        : ForwardingDevice(*inner), owned_(std::move(inner)), queue_(*this) {}
    ~HeldDevice() override {
        (void)let_all_go();
        (void)owned_->submitter().wait_idle();
    }

    // So many more may run.
    Status advance(std::uint64_t submissions) {
        for (; submissions != 0 && let_go_ < gates_.size(); --submissions)
            HEAPWRIGHT_TRY(gates_[let_go_++]->signal(TimelineValue{1}));
        return {};
    }

    Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        HEAPWRIGHT_ASSIGN(auto timeline, inner().create_timeline(initial_value));
        return std::make_unique<HeldTimeline>(*this, std::move(timeline));
    }
    device::Submitter& submitter() override { return queue_; }

private:
    class HeldTimeline final : public ForwardingTimeline {
    public:
        HeldTimeline(HeldDevice& device, std::unique_ptr<device::Timeline> inner)
            : ForwardingTimeline(std::move(inner)), device_(device) {}
        Status wait(TimelineValue value, std::uint64_t timeout_ns) override {
            HEAPWRIGHT_TRY(device_.let_all_go());
            return ForwardingTimeline::wait(value, timeout_ns);
        }
        Status signal_event(TimelineValue value, CompletionEvent event) override {
            HEAPWRIGHT_TRY(device_.let_all_go());
            return ForwardingTimeline::signal_event(value, event);
        }

    private:
        HeldDevice& device_;
    };

    class Queue final : public ForwardingSubmitter {
    public:
        explicit Queue(HeldDevice& device) : ForwardingSubmitter(device.inner().submitter()), device_(device) {}
        Status submit(const device::Submission& submission) override {
            auto waits = unwrapped(submission.waits);
            const auto signals = unwrapped(submission.signals);
            HEAPWRIGHT_ASSIGN(auto gate, device_.inner().create_timeline(0));
            waits.push_back({.timeline = gate.get(), .value = TimelineValue{1}});
            device::Submission held = submission;
            held.waits = waits;
            held.signals = signals;
            HEAPWRIGHT_TRY(ForwardingSubmitter::submit(held));
            device_.gates_.push_back(std::move(gate));
            return {};
        }
        Status wait_idle() override {
            HEAPWRIGHT_TRY(device_.let_all_go());
            return ForwardingSubmitter::wait_idle();
        }

    private:
        HeldDevice& device_;
    };

    Status let_all_go() { return advance(gates_.size()); }

    std::unique_ptr<device::Device> owned_;
    std::vector<std::unique_ptr<device::Timeline>> gates_;  // of all submissions, in their order
    std::size_t let_go_ = 0;
    Queue queue_;
};

}  // namespace heapwright::test
