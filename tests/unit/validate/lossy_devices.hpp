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
    class Queue final : public ForwardingSubmitter {
    public:
        Queue(device::Submitter& inner, Change change) : ForwardingSubmitter(inner), change_(std::move(change)) {}
        Status submit(const device::Submission& submission) override {
            device::Submission changed = submission;
            change_(changed);
            return ForwardingSubmitter::submit(changed);
        }

    private:
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

// Of two submissions the first signals the number of the second, and the second that of the first.
inline auto swap_signals() {
    return [signals = std::vector<device::TimelinePoint>(), is_second = false](device::Submission& submission) mutable {
        signals.assign(submission.signals.begin(), submission.signals.end());
        for (device::TimelinePoint& signal : signals) signal.value.value += is_second ? ~0ull : 1;
        is_second = !is_second;
        submission.signals = signals;
    };
}

// Waits are taken for met.
inline auto pass_waits() {
    return [](device::Submission& submission) { submission.waits = {}; };
}

// Does not wait for its queues.
class ImpatientDevice final : public ForwardingDevice {
public:
    explicit ImpatientDevice(device::Device& inner) : ForwardingDevice(inner), submitter_(inner.submitter()) {}
    device::Submitter& submitter() override { return submitter_; }

private:
    class Queue final : public ForwardingSubmitter {
    public:
        using ForwardingSubmitter::ForwardingSubmitter;
        Status wait_idle() override { return {}; }
    };
    Queue submitter_;
};

// Takes the lists of one submission and says that it did not.
class DenyingDevice final : public ForwardingDevice {
public:
    DenyingDevice(device::Device& inner, std::uint64_t denied)
        : ForwardingDevice(inner), submitter_(inner.submitter(), denied) {}
    device::Submitter& submitter() override { return submitter_; }

private:
    class Queue final : public ForwardingSubmitter {
    public:
        Queue(device::Submitter& inner, std::uint64_t denied) : ForwardingSubmitter(inner), denied_(denied) {}
        Status submit(const device::Submission& submission) override {
            HEAPWRIGHT_TRY(ForwardingSubmitter::submit(submission));
            if (++submissions_ != denied_) return {};
            return fail(ErrorCode::kOutOfHostMemory, "the submission failed", "submit");
        }

    private:
        std::uint64_t denied_;
        std::uint64_t submissions_ = 0;
    };
    Queue submitter_;
};

}  // namespace heapwright::test
