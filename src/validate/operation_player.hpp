// What play_operations() is made of, for its two sources alone: operation_player.cpp plays, operation_result.cpp
// judges. One instance runs once. Not thread-safe. The device, the policy and the options outlive it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "pool/waste_account.hpp"
#include "validate/allocator_under_test.hpp"
#include "validate/frame_meter.hpp"
#include "validate/latency.hpp"
#include "validate/live_resources.hpp"
#include "validate/memory_scenario.hpp"
#include "validate/occupancy_recorder.hpp"

namespace heapwright::validate {

class OperationPlayer : public MemoryScenario {
public:
    OperationPlayer(const PlayedOperations& operations, device::Device& of, const model::DevicePolicy& by,
                    const ValidateOptions& with)
        : MemoryScenario(of, by, with, 0x5EED), what_(operations) {}
    ~OperationPlayer() { clean_up(); }

    // Errors as validate().
    [[nodiscard]] Result<model::ScenarioResult> run(const model::Workload& workload);

private:
    struct Mean {
        double sum = 0;
        std::uint64_t samples = 0;

        void add(double sample) {
            sum += sample;
            ++samples;
        }
        [[nodiscard]] double value() const { return samples == 0 ? 0 : sum / static_cast<double>(samples); }
    };
    // Of one hint, the requests that were not made: the device has no such resource, or the stand-in leaves it out.
    struct Unplayed {
        std::uint64_t requests = 0;
        std::string reason;
    };
    // What failed, or could not be shown.
    struct Shortfall {
        std::uint64_t failures = 0;
        std::uint64_t repeated = 0;  // that said what another one had said
        std::string first_without_memory;
        std::uint64_t unverifiable = 0;
        std::map<std::uint32_t, Unplayed> unplayed;  // by hint: images, then buffers
        std::uint64_t lacked = 0;                    // of the unplayed requests, those that the device has nothing for
    };

    // Whether the policy under test answers for the workload: another allocator in its place does not.
    [[nodiscard]] bool answers_for_workload() const { return what_.is_workload && !options.allocator; }
    // What chunks may reserve beyond the bytes in use is no room for these.
    [[nodiscard]] std::uint64_t room_within(std::uint64_t limit_bytes) const;
    // Errors: kOverBudget where the memory limit holds not even one of each.
    Status set_up(const model::Workload& workload);
    // The bytes that the policy expects its own workload to reserve; empty: it expects nothing of this one.
    [[nodiscard]] std::optional<std::uint64_t> expected_reserved_bytes() const;
    // Staging for the checks, and the population within the rest of the limit.
    Result<WorkQueue::Options> fit_within(std::uint64_t limit_bytes, const model::Workload& wanted);
    Status play();
    Status apply(const workload::Operation& operation);
    Status create(const workload::Create& wanted);
    [[nodiscard]] Result<AllocatorUnderTest::Created> create_measured(const model::ResourceDescription& description,
                                                                      model::MemoryUse use,
                                                                      model::OwnMemory own_memory);
    // The policy says that such a request is made by name.
    [[nodiscard]] bool is_refused_as_humongous(const Error& error) const;
    Status destroy(std::uint64_t id);
    Status end_frame();
    Status verify(const LiveResource& resource);
    Status verify_all();
    void clean_up();
    void give_back_all();
    // Errors: kDeviceLost.
    Status note_failure(const model::ResourceDescription& description, const Error& error);
    void fill_in(model::ScenarioResult& result) const;
    void leave_out(const workload::Create& wanted, std::string reason);
    [[nodiscard]] std::optional<model::PlayedPart> played_part() const;
    [[nodiscard]] std::string remarks_on(const std::optional<model::PreparedChunks>& prepared,
                                         std::uint64_t loose) const;
    // Why nothing that the policy promises can be judged; empty: it can.
    [[nodiscard]] std::string untested(const Status& played) const;
    void judge_promises(model::ScenarioResult& result, const Status& played) const;
    void decide(model::ScenarioResult& result, const Status& played) const;
    [[nodiscard]] std::string passed_text(const std::string& broken) const;

    const PlayedOperations& what_;
    OperationSource source_;
    std::unique_ptr<AllocatorUnderTest> allocator_;
    std::optional<std::string> misfit_;  // the policy cannot hold the workload, in words
    std::set<std::string> failures_said_;

    LiveResources live_;
    std::deque<TimelineValue> frames_in_flight_;
    TimelineValue retired_{};       // the last frame that was waited for
    std::uint64_t played_ = 0;      // operations of the source
    std::uint64_t operations_ = 0;  // creations and destructions that were done
    std::uint64_t requests_ = 0;    // creations that the source asked for
    std::uint64_t churn_creations_ = 0;

    FrameMeter frames_;
    AllocatorLatencies latencies_;
    OccupancyRecorder occupancy_;
    pool::WasteAccount waste_;
    Mean fragmentation_;
    Shortfall shortfall_;
};

}  // namespace heapwright::validate
