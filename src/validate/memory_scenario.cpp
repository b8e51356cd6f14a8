#include "validate/memory_scenario.hpp"

#include <algorithm>
#include <memory>

#include "core/interrupt.hpp"
#include "validate/played_again.hpp"
#include "validate/population.hpp"
#include "workload/stream.hpp"

namespace heapwright::validate {

MemoryScenario::MemoryScenario(device::Device& of, const model::DevicePolicy& by, const ValidateOptions& with,
                               std::uint64_t salt)
    : Scenario(of, by, with, salt),
      checker(of.facts(), log),
      observed(of, checker, clock),
      meter(clock, with.simulated_clock, observed.times(), with.machine_clock != nullptr),
      contents(with.run_seed(), log) {}

std::uint64_t MemoryScenario::limit_bytes() const {
    std::uint64_t usable = 0;
    for (const model::HeapPolicy& heap : policy.heaps) usable += heap.usable_bytes.value;
    return std::min(options.memory_limit_bytes, usable);
}

Status MemoryScenario::fit(const model::Workload& workload, std::uint64_t room_bytes) {
    Status answered;
    HEAPWRIGHT_ASSIGN(population, fit_population(workload, room_bytes, [&](const auto& description) {
                          const auto resource = supported(device, description);
                          if (!resource && !is_refusal(resource.error()) && answered) answered = fail(resource.error());
                          return resource ? resource->size_bytes : 0;
                      }));
    return answered;
}

Status MemoryScenario::open_queue(const WorkQueue::Options& staging) {
    // What a probe or another run left in the log is not this scenario's.
    (void)device.take_validation_messages();
    const std::uint64_t staged = staging.upload_bytes + staging.readback_bytes;
    if (limit_bytes() <= staged) {
        return fail(Error{.code = ErrorCode::kOverBudget,
                          .message = "the memory limit does not even hold the staging memory",
                          .where = "memory_limit_bytes",
                          .value = limit_bytes(),
                          .limit = staged});
    }
    HEAPWRIGHT_ASSIGN(queue, WorkQueue::create(observed, device, staging,
                                               [this](const PendingCheck& check, const Mismatch& mismatch) {
                                                   contents.report(check, mismatch);
                                               }));
    contents.use(*queue);
    return {};
}

Status MemoryScenario::check_limits() const {
    HEAPWRIGHT_TRY(check_interrupted());
    if (elapsed_ns() > options.time_limit_ns)
        return fail(Error{.code = ErrorCode::kTimeLimit,
                          .message = "the time limit came before the end of the scenario",
                          .limit = options.time_limit_ns});
    if (log.total() >= model::kMaxFindings)
        return fail(ErrorCode::kInvariantBroken, "stopped after as many findings as are kept");
    return {};
}

void MemoryScenario::declare_released(device::ResourceId resource) {
    checker.declare_released(resource, {.timeline = &queue->timeline(), .value = queue->recording()});
}

void MemoryScenario::drain() {
    const TimelineValue last = queue->recording();
    if (queue->drain()) return;
    (void)device.submitter().wait_idle();
    (void)queue->timeline().signal(last);
}

void MemoryScenario::fill_in(model::ScenarioResult& result) const {
    result.counts.verified_resources = contents.verified_resources();
    result.counts.verified_bytes = queue->verified_bytes();
    const ShadowChecker::Totals totals = checker.totals();
    result.counts.dedicated_allocations = totals.dedicated_allocation_calls;
    result.counts.device_allocations = totals.peak_device_allocations;
    result.counts.device_allocation_calls = totals.device_allocation_calls;
    result.memory.peak_reserved_bytes = totals.peak_reserved_bytes;
}

namespace {

Result<OperationSource> resource_stream(const model::Workload& fitted, std::uint64_t seed) {
    HEAPWRIGHT_ASSIGN(auto stream, workload::ResourceStream::create(fitted, seed));
    const auto shared = std::make_shared<workload::ResourceStream>(std::move(stream));
    return [shared] { return shared->next(); };
}

}  // namespace

Result<model::ScenarioResult> run_mixed_workload(device::Device& device, const model::DevicePolicy& policy,
                                                 const model::Workload& workload, const ValidateOptions& options) {
    SteadyClock clock;
    return play_until_times_hold(clock, options.time_limit_ns, [&](std::uint64_t left_ns) {
        ValidateOptions one = options;
        one.time_limit_ns = left_ns;
        return play_operations({.name = model::kMixedWorkload, .is_workload = true, .source = resource_stream}, device,
                               policy, workload, one);
    });
}

}  // namespace heapwright::validate
