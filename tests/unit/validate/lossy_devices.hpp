// Devices that lose a part of what is submitted.
#pragma once

#include <utility>

#include "late_devices.hpp"

namespace heapwright::test {

template <class Change>
class ChangingDevice final : public ForwardingDevice {
public:
    ChangingDevice(device::Device& inner, Change change)
        : ForwardingDevice(inner), submitter_(inner.submitter(), std::move(change)) {}
    device::Submitter& submitter() override { return submitter_; }

private:
    class Queue final : public device::Submitter {
    public:
        Queue(device::Submitter& inner, Change change) : inner_(inner), change_(std::move(change)) {}
        std::span<const device::EngineInfo> engines() const override { return inner_.engines(); }
        bool accepts_early_waits() const override { return inner_.accepts_early_waits(); }
        Status submit(const device::Submission& submission) override {
            device::Submission changed = submission;
            change_(changed);
            return inner_.submit(changed);
        }
        Status wait_idle() override { return inner_.wait_idle(); }

    private:
        device::Submitter& inner_;
        Change change_;
    };

    Queue submitter_;
};

// Every n-th submission with work does nothing.
inline auto forget_every(std::uint64_t n) {
    return [n, count = std::uint64_t{0}](device::Submission& submission) mutable {
        if (!submission.work.empty() && ++count % n == 0) submission.work = {};
    };
}

// Waits are taken for met.
inline auto pass_waits() {
    return [](device::Submission& submission) { submission.waits = {}; };
}

}  // namespace heapwright::test
