// An example played without a device, on a simulated clock and on host memory: what it would do when nothing disturbs
// it. The program that comes out is the same for every device, so that it can be checked before anything is submitted
// and played afterwards. Errors: kTimeLimit for a host wait that nothing written down so far can meet.
#pragma once

#include <deque>
#include <vector>

#include "engines/conductor.hpp"
#include "engines/program_memory.hpp"

namespace heapwright::engines {

class Rehearsal final : public Conductor {
public:
    static constexpr std::uint64_t kSubmissionNs = 1000;  // of the host, for each operation that it submits

    explicit Rehearsal(std::uint64_t seed) : Conductor(seed) {}

protected:
    Status on_begin() override;
    Status on_operation(std::size_t position) override;
    Status on_host_wait(FencePoint point) override;
    Result<std::size_t> on_host_wait_any(std::span<const FencePoint> points) override;
    Result<std::uint64_t> on_completed(FenceIndex fence) override;
    Status on_host_write(const HostWrite& write) override;
    Result<std::vector<std::byte>> on_host_read(const HostRead& read) override;

private:
    struct Pending {
        std::size_t position = 0;
        std::uint64_t submitted_ns = 0;
    };
    struct Queue {
        std::uint64_t now_ns = 0;
        std::deque<Pending> pending;
    };
    struct Signalled {
        std::uint64_t value = 0;
        std::uint64_t at_ns = 0;
    };

    void run_all();
    bool step(Queue& queue, const Pending& next);
    [[nodiscard]] std::optional<std::uint64_t> reached_ns(FencePoint point) const;

    std::uint64_t now_ns_ = 0;  // the host's
    std::vector<Queue> queues_;
    std::vector<std::vector<Signalled>> fences_;
    std::optional<HostMemory> memory_;
};

}  // namespace heapwright::engines
