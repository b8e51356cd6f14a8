// One run of a scenario that plays a sequence of operations against an allocator under test: each resource is created,
// filled by the device, and read back at random times, at destruction for a share of them, and all of what is alive at
// the end; it is poisoned before its release where that is cheap, so that stale bytes show.
// scenario_run.cpp plays, scenario_measure.cpp measures, scenario_result.cpp judges.
// One instance runs once. Not thread-safe. The device, the policy and the options outlive it.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heapwright/core/random.hpp"
#include "heapwright/validate/call_meter.hpp"
#include "heapwright/validate/content_driver.hpp"
#include "heapwright/validate/latency.hpp"
#include "heapwright/validate/observed_device.hpp"
#include "heapwright/validate/population.hpp"
#include "heapwright/validate/scenario_clock.hpp"
#include "heapwright/validate/validate.hpp"
#include "heapwright/validate/work_queue.hpp"
#include "heapwright/validate/worst_frames.hpp"
#include "heapwright/workload/operation.hpp"

namespace heapwright::validate {

// The next operation; empty when the scenario is over. The first EndFrame ends the load.
using OperationSource = std::function<std::optional<workload::Operation>()>;
using SourceFactory = std::function<Result<OperationSource>(const model::Workload& fitted, std::uint64_t seed)>;

class ScenarioRun {
public:
    ScenarioRun(std::string name, device::Device& device, const model::DevicePolicy& policy,
                const ValidateOptions& options, SourceFactory source)
        : name_(std::move(name)),
          make_source_(std::move(source)),
          device_(device),
          policy_(policy),
          options_(options),
          clock_(options.simulated_clock, options.machine_clock),
          checker_(device.facts(), log_),
          observed_(device, checker_, clock_),
          meter_(clock_, options.simulated_clock, observed_.times(), options.machine_clock != nullptr),
          contents_(options.seed, log_),
          random_(options.seed ^ 0x5EED) {}

    ~ScenarioRun() { clean_up(); }

    // Errors as validate().
    [[nodiscard]] Result<model::ScenarioResult> run(const model::Workload& workload);

private:
    struct Live {
        std::uint64_t id = 0;
        AllocatorUnderTest::Created created;
        std::uint64_t size_bytes = 0;  // as the device requires
        bool is_image = false;
        bool is_verifiable = false;
    };

    struct Released {
        TimelineValue value;   // the last use
        std::uint64_t ns = 0;  // of the release alone
    };

    Status set_up(const model::Workload& workload);
    Status play();
    Status apply(const workload::Operation& operation);
    Status create(const workload::Create& wanted);
    Status destroy(std::uint64_t id);
    Status end_frame();
    Status verify_all();
    Status check_limits();
    void clean_up();
    void give_back_all();
    void sample_waste();
    void sample_occupancy(std::uint64_t step);
    void end_measured_frame();
    void note_frees(std::uint64_t collecting_ns);
    void rest_of_frame();
    [[nodiscard]] std::optional<model::PreparedChunks> prepared_since_load() const;
    void note_failure(const model::ResourceDescription& description, const Error& error);
    void take_messages();
    [[nodiscard]] Result<AllocatorUnderTest::Created> create_measured(const model::ResourceDescription& description,
                                                                      model::MemoryUse use);
    void add_to_frame(const CallCost& cost) {
        frame_.ns += cost.own_ns;
        frame_was_preempted_ |= cost.was_preempted;
    }
    void progress(std::string_view stage, double share) const {
        if (options_.progress) options_.progress(stage, share);
    }
    void fill_in(model::ScenarioResult& result) const;
    void decide(model::ScenarioResult& result, const Status& played) const;

    std::string name_;
    SourceFactory make_source_;
    device::Device& device_;
    const model::DevicePolicy& policy_;
    const ValidateOptions& options_;
    ScenarioClock clock_;
    FindingLog log_;
    ShadowChecker checker_;
    ObservedDevice observed_;
    CallMeter meter_;
    ContentDriver contents_;
    Random random_;

    Population population_;
    OperationSource source_;
    std::unique_ptr<WorkQueue> queue_;
    std::unique_ptr<AllocatorUnderTest> allocator_;

    std::vector<Live> live_;
    std::unordered_map<std::uint64_t, std::size_t> position_;  // id -> live_
    std::deque<TimelineValue> frames_;
    std::deque<Released> releases_;  // not collected yet
    std::uint64_t started_ns_ = 0;
    model::WorstFrame frame_;  // the one under way
    bool frame_was_preempted_ = false;
    std::uint64_t calls_before_frame_ = 0;
    std::uint64_t frees_before_frame_ = 0;
    std::uint64_t worst_load_ns_ = 0;
    std::uint64_t prepared_before_frame_ = 0;
    model::PreparedChunks prepared_in_load_;
    std::optional<model::PreparedChunks> prepared_;  // since the load; at the end
    std::uint64_t frame_count_ = 0;
    std::uint64_t churn_creations_ = 0;
    bool churning_ = false;

    model::ScenarioCounts counts_;
    model::ScenarioMemory memory_;
    LatencyRecorder allocate_;
    LatencyRecorder free_;
    LatencyRecorder create_;
    WorstFrames worst_frames_;
    OccupancyRecorder occupancy_;
    std::uint64_t played_ = 0;  // operations of the source
    std::uint64_t used_bytes_ = 0;
    std::uint64_t images_ = 0;
    std::uint64_t unsupported_ = 0;
    std::uint64_t unverifiable_ = 0;
    std::string first_without_memory_;
    double waste_sum_ = 0;
    std::uint64_t waste_samples_ = 0;
    double fragmentation_sum_ = 0;
    std::uint64_t fragmentation_samples_ = 0;
};

}  // namespace heapwright::validate
