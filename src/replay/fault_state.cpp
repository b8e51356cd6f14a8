#include "replay/fault_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "replay/fault_injection.hpp"

namespace heapwright::replay {

Status FaultState::enter(SeamCall call) {
    const std::scoped_lock lock(mutex_);
    ++counters_.calls[static_cast<std::size_t>(call)];
    if (lost_) return inject(ErrorCode::kDeviceLost, call, submissions_seen_);
    if (call == SeamCall::kSubmit && ++submissions_seen_ == plan_.device_lost_at) {
        lost_ = true;
        for (CompletionEvent& event : events_) event.signal();
        events_.clear();
        return inject(ErrorCode::kDeviceLost, call, submissions_seen_);
    }
    if (plan_.fail_at == 0 || (plan_.only && *plan_.only != call)) return {};
    ++counted_;
    if (counted_ == plan_.fail_at || (plan_.keep_failing && counted_ > plan_.fail_at)) {
        return inject(plan_.code, call, counted_);
    }
    return {};
}

bool FaultState::passes_waits() {
    const std::scoped_lock lock(mutex_);
    if (plan_.pass_waits_from == 0 || submissions_seen_ < plan_.pass_waits_from) return false;
    ++counters_.injected;
    return true;
}

Status FaultState::begin_allocation(SeamCall call, std::uint64_t size_bytes) {
    {
        const std::scoped_lock lock(mutex_);
        const std::uint64_t bytes = counters_.allocated_bytes + size_bytes;
        if (plan_.oom_after_bytes && bytes > *plan_.oom_after_bytes) {
            return inject(ErrorCode::kOutOfDeviceMemory, call, bytes, plan_.oom_after_bytes);
        }
        if (plan_.oom_after_allocations && counters_.allocations >= *plan_.oom_after_allocations) {
            return inject(ErrorCode::kOutOfDeviceMemory, call, counters_.allocations + 1, plan_.oom_after_allocations);
        }
        counters_.allocated_bytes = bytes;
        ++counters_.allocations;
    }
    if (plan_.slow_allocation_ns == 0) return {};
    if (plan_.clock != nullptr) {
        plan_.clock->advance_ns(plan_.slow_allocation_ns);
    } else {
        std::this_thread::sleep_for(std::chrono::nanoseconds(plan_.slow_allocation_ns));
    }
    return {};
}

void FaultState::end_allocation(std::uint64_t size_bytes) {
    const std::scoped_lock lock(mutex_);
    counters_.allocated_bytes -= size_bytes;
    --counters_.allocations;
}

void FaultState::add_memory(device::AllocationId memory, std::uint64_t size_bytes) {
    const std::scoped_lock lock(mutex_);
    allocation_bytes_.emplace(memory.value, size_bytes);
    ++counters_.source_allocations;
}

void FaultState::remove_memory(device::AllocationId memory) {
    std::uint64_t size_bytes = 0;
    {
        const std::scoped_lock lock(mutex_);
        const auto entry = allocation_bytes_.find(memory.value);
        if (entry == allocation_bytes_.end()) return;
        size_bytes = entry->second;
        allocation_bytes_.erase(entry);
        --counters_.source_allocations;
    }
    end_allocation(size_bytes);
}

void FaultState::add_resource(device::ResourceId resource, std::optional<std::uint64_t> own_bytes) {
    const std::scoped_lock lock(mutex_);
    resource_bytes_.emplace(resource.value, own_bytes);
    ++counters_.resources;
}

void FaultState::remove_resource(device::ResourceId resource) {
    std::optional<std::uint64_t> own_bytes;
    {
        const std::scoped_lock lock(mutex_);
        const auto entry = resource_bytes_.find(resource.value);
        if (entry == resource_bytes_.end()) return;
        own_bytes = entry->second;
        resource_bytes_.erase(entry);
        --counters_.resources;
    }
    if (own_bytes) end_allocation(*own_bytes);
}

void FaultState::count(std::uint64_t FaultCounters::*counter, bool made) {
    const std::scoped_lock lock(mutex_);
    counters_.*counter += made ? 1 : ~0ull;
}

void FaultState::await(CompletionEvent event) {
    const std::scoped_lock lock(mutex_);
    if (lost_) event.signal();
    std::erase_if(events_, [](const CompletionEvent& awaited) { return awaited.is_signalled(); });
    if (!event.is_signalled()) events_.push_back(std::move(event));
}

void FaultState::accept_submission() {
    const std::scoped_lock lock(mutex_);
    ++counters_.submissions;
}

FaultCounters FaultState::counters() const {
    const std::scoped_lock lock(mutex_);
    return counters_;
}

tl::unexpected<Error> FaultState::inject(ErrorCode code, SeamCall call, std::uint64_t value,
                                         std::optional<std::uint64_t> limit) {
    ++counters_.injected;
    return fail({.code = code,
                 .message = fmt::format("injected fault: {}", to_string(code)),
                 .where = std::string(to_string(call)),
                 .value = value,
                 .limit = limit});
}

namespace {

constexpr std::array<std::string_view, kSeamCallCount> kCallNames{"allocate",
                                                                  "map",
                                                                  "flush",
                                                                  "invalidate",
                                                                  "budgets",
                                                                  "requirements",
                                                                  "create-placed",
                                                                  "create-dedicated",
                                                                  "map-dedicated",
                                                                  "submit",
                                                                  "wait-idle",
                                                                  "create-timeline",
                                                                  "timeline-completed",
                                                                  "timeline-signal",
                                                                  "timeline-wait",
                                                                  "timeline-event",
                                                                  "create-descriptor-heap",
                                                                  "write-descriptor",
                                                                  "copy-descriptors",
                                                                  "create-allocator",
                                                                  "reset-allocator",
                                                                  "record",
                                                                  "create-pipeline"};

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

constexpr std::array<Unit, 5> kSizes{{{"", 1}, {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}};
constexpr std::array<Unit, 5> kTimes{{{"", 1}, {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
constexpr std::array<Unit, 1> kCounts{{{"", 1}}};

tl::unexpected<Error> refuse(std::string_view part, std::string_view reason) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\": {}", part, reason), "fault plan");
}

Result<std::uint64_t> number(std::string_view part, std::string_view text, std::span<const Unit> units) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return refuse(part, "a number is expected after the =");
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const auto known = std::find_if(units.begin(), units.end(), [&](const Unit& entry) { return entry.name == unit; });
    if (known == units.end()) return refuse(part, fmt::format("unknown unit \"{}\"", unit));
    const auto product = checked_mul(value, known->factor);
    if (!product) return refuse(part, "the value does not fit 64 bits");
    return *product;
}

// Calls and submissions are counted from 1: a fault at 0 would never come.
Result<std::uint64_t> ordinal(std::string_view part, std::string_view text) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t value, number(part, text, kCounts));
    if (value == 0) return refuse(part, "they are counted from 1");
    return value;
}

Status read_failing_call(FaultPlan& plan, std::string_view part, std::string_view value) {
    if (const auto colon = value.find(':'); colon != std::string_view::npos) {
        const auto name = std::find(kCallNames.begin(), kCallNames.end(), value.substr(0, colon));
        if (name == kCallNames.end()) return refuse(part, fmt::format("no call \"{}\"", value.substr(0, colon)));
        plan.only = static_cast<SeamCall>(name - kCallNames.begin());
        value.remove_prefix(colon + 1);
    }
    HEAPWRIGHT_ASSIGN(plan.fail_at, ordinal(part, value));
    return {};
}

Status read_part(FaultPlan& plan, std::string_view part) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) return refuse(part, "KEY=VALUE is expected");
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (key == "fail") return read_failing_call(plan, part, value);
    if (key == "oom-after") {
        HEAPWRIGHT_ASSIGN(plan.oom_after_bytes, number(part, value, kSizes));
    } else if (key == "oom-after-allocations") {
        HEAPWRIGHT_ASSIGN(plan.oom_after_allocations, number(part, value, kCounts));
    } else if (key == "device-lost-at") {
        HEAPWRIGHT_ASSIGN(plan.device_lost_at, ordinal(part, value));
    } else if (key == "pass-waits-from") {
        HEAPWRIGHT_ASSIGN(plan.pass_waits_from, ordinal(part, value));
    } else if (key == "slow-allocation") {
        HEAPWRIGHT_ASSIGN(plan.slow_allocation_ns, number(part, value, kTimes));
    } else {
        return refuse(part,
                      "known keys are fail, oom-after, oom-after-allocations, device-lost-at, pass-waits-from, "
                      "slow-allocation");
    }
    return {};
}

}  // namespace

std::string_view to_string(SeamCall call) {
    return kCallNames[static_cast<std::size_t>(call)];
}

Result<FaultPlan> parse_fault_plan(std::string_view text) {
    FaultPlan plan;
    while (true) {
        const auto comma = text.find(',');
        HEAPWRIGHT_TRY(read_part(plan, text.substr(0, comma)));
        if (comma == std::string_view::npos) return plan;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace heapwright::replay
