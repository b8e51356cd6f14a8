// A device whose engines work in simulated time: every figure that a measurement of engines should find is known
// beforehand. Queues run in order; two engines on one queue take turns. Memory of the host's types has real bytes, and
// a copy into it lands when the copy ends. The clock ticks when it is read, so that the host can watch memory. A second
// thread may read the clock and memory: as long as it lives, a wait lets it pass the time.
#pragma once

#include <condition_variable>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "device/timestamps.hpp"

namespace heapwright::test {

struct SimulatedEngine {
    device::EngineInfo info;
    double upload_bytes_per_ns = 10;
    double download_bytes_per_ns = 5;
    double device_bytes_per_ns = 100;
    bool no_timestamps = false;
    std::uint64_t clock_ahead_ns = 0;  // of the other engines' timestamps
};

struct SimulatedTimes {
    std::uint64_t tick_ns = 10;  // of reading the clock
    std::uint64_t host_to_engine_ns = 3'000;
    std::uint64_t engine_to_engine_ns = 2'000;  // between queues; none within one
    std::uint64_t engine_to_host_ns = 7'000;
    std::uint64_t round_ns = 100;  // of a transform
    std::uint64_t draw_ns = 5'000;
    std::uint64_t clear_ns = 4'000;
    // After that time a wait that begins finds the signal and returns at once; before, it sleeps for engine_to_host_ns.
    std::uint64_t signal_shows_ns = std::numeric_limits<std::uint64_t>::max() / 2;
    double cold = 0;  // by which share work takes longer at first; less and less until an engine worked for so long:
    std::uint64_t warm_after_ns = 0;
    std::uint64_t copy_ns = 0;           // of a copy, whatever its size
    std::uint64_t hazard_ns = 0;         // a copy waits for another of its submission that writes the same bytes
    double shader_copies_faster = 1;     // than copy commands on the device
    double slower_each = 0;              // by which share every submission takes longer than the one before it
    bool joins_writes = false;           // to the same host memory within a submission: only the first costs something
    std::uint64_t host_cache_bytes = 0;  // what the device keeps of the host's memory that it read; costs nothing again
    // Of the engines' timestamps; none without.
    std::optional<device::TimestampUnits> timestamps = {};
    bool timestamps_compare = true;
    bool calibrates = true;
    double timestamps_run = 1;  // so many times as fast as they should
    bool timestamps_fail = false;
    std::uint64_t deviation_ns = 10;  // of the two clocks, as the device states it
};

// Events happen as the time passes them.
class SimulatedClock final : public Clock {
public:
    explicit SimulatedClock(std::uint64_t tick_ns) : tick_ns_(tick_ns) {}
    [[nodiscard]] std::uint64_t now_ns() override {
        if (std::this_thread::get_id() != owner_) thread_local const Reader reader(*this);
        const std::lock_guard lock(mutex_);
        advance_to(now_ns_ + tick_ns_);
        changed_.notify_all();
        return now_ns_;
    }
    [[nodiscard]] std::uint64_t time_ns() const {
        const std::lock_guard lock(mutex_);
        return now_ns_;
    }
    // As a host does that waits: a thread that watches meanwhile sees the time pass.
    void sleep_until(std::uint64_t time_ns) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return readers_ == 0 || now_ns_ >= time_ns; });
        advance_to(time_ns);
    }
    void advance_to(std::uint64_t time_ns) {
        const std::lock_guard lock(mutex_);
        now_ns_ = std::max(now_ns_, time_ns);
        while (!events_.empty() && events_.begin()->first <= now_ns_) {
            const auto event = std::move(events_.begin()->second);
            events_.erase(events_.begin());
            event();
        }
    }
    void at(std::uint64_t time_ns, std::function<void()> event) {
        const std::lock_guard lock(mutex_);
        events_.emplace(time_ns, std::move(event));
    }

private:
    // Lives as long as its thread.
    class Reader {
    public:
        explicit Reader(SimulatedClock& clock) : clock_(clock) { count(1); }
        ~Reader() { count(-1); }
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

    private:
        void count(int more) {
            const std::lock_guard lock(clock_.mutex_);
            clock_.readers_ += more;
            clock_.changed_.notify_all();
        }
        SimulatedClock& clock_;
    };

    const std::thread::id owner_ = std::this_thread::get_id();
    mutable std::recursive_mutex mutex_;
    std::condition_variable_any changed_;
    int readers_ = 0;
    std::uint64_t tick_ns_;
    std::uint64_t now_ns_ = 1'000'000;
    std::multimap<std::uint64_t, std::function<void()>> events_;
};

class SimulatedTimeline final : public device::Timeline {
public:
    using Pump = std::function<void()>;
    SimulatedTimeline(SimulatedClock& clock, const SimulatedTimes& times, Pump pump)
        : clock_(clock), times_(times), pump_(std::move(pump)) {}

    struct Signal {
        std::uint64_t at_ns = 0;
        std::uint64_t value = 0;
        std::optional<std::uint32_t> queue;  // empty: the host's
    };
    void add(const Signal& signal) { signals_.push_back(signal); }

    // The first signal that satisfies a wait for the value.
    [[nodiscard]] std::optional<Signal> reached(TimelineValue value) const {
        std::optional<Signal> first;
        for (const Signal& signal : signals_) {
            if (signal.value >= value.value && (!first || signal.at_ns < first->at_ns)) first = signal;
        }
        return first;
    }

    Result<TimelineValue> completed() override {
        std::uint64_t value = 0;
        for (const Signal& signal : signals_) {
            if (signal.at_ns <= clock_.time_ns()) value = std::max(value, signal.value);
        }
        return TimelineValue{value};
    }
    Status signal(TimelineValue value) override {
        add({.at_ns = clock_.time_ns(), .value = value.value, .queue = {}});
        pump_();
        return {};
    }
    Status wait(TimelineValue value, std::uint64_t timeout_ns) override {
        const auto signal = reached(value);
        if (!signal) {
            clock_.advance_to(clock_.time_ns() + timeout_ns);
            return fail(ErrorCode::kTimeLimit, "nothing signals it");
        }
        if (clock_.time_ns() >= signal->at_ns + times_.signal_shows_ns) return {};
        clock_.sleep_until(signal->at_ns + times_.engine_to_host_ns);
        return {};
    }
    Status signal_event(TimelineValue, CompletionEvent) override {
        return fail(ErrorCode::kNotSupported, "the measurements need no events");
    }

private:
    SimulatedClock& clock_;
    const SimulatedTimes& times_;
    Pump pump_;
    std::vector<Signal> signals_;
};

class SimulatedDevice final : public device::Device,
                              private device::MemorySource,
                              private device::ResourceBinder,
                              private device::Submitter,
                              private device::TimestampSource,
                              private device::DescriptorHeapSource {
public:
    SimulatedDevice(std::vector<SimulatedEngine> engines, const SimulatedTimes& times)
        : engines_(std::move(engines)), times_(times), clock_(times.tick_ns) {
        for (const SimulatedEngine& engine : engines_) infos_.push_back(engine.info);
        constexpr model::Flags kHost = model::memory_property::kHostVisible | model::memory_property::kHostCoherent;
        facts_.identity = {.api = model::Api::kVulkan, .name = "Simulated engines"};
        facts_.heaps = {{.size_bytes = 1ull << 34, .flags = model::memory_heap::kDeviceLocal},
                        {.size_bytes = 1ull << 34}};
        facts_.memory_types = {{.heap_index = 0, .property_flags = model::memory_property::kDeviceLocal},
                               {.heap_index = 1, .property_flags = kHost},
                               {.heap_index = 1, .property_flags = kHost | model::memory_property::kHostCached}};
    }

    [[nodiscard]] SimulatedClock& clock() { return clock_; }
    [[nodiscard]] model::DeviceReport& mutable_facts() { return facts_; }
    [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }
    // Copies of no more bytes never land.
    // For a while from now, all work but copies takes so many times longer.
    void slow_down(double times, std::uint64_t for_ns) {
        slow_times_ = times;
        slow_until_ns_ = clock_.time_ns() + for_ns;
    }
    void lose_copies_up_to(std::uint64_t bytes) { lost_bytes_ = bytes; }

    [[nodiscard]] const model::DeviceReport& facts() const override { return facts_; }
    [[nodiscard]] bool is_real() const override { return true; }
    [[nodiscard]] device::MemorySource& memory() override { return *this; }
    [[nodiscard]] device::ResourceBinder& resources() override { return *this; }
    [[nodiscard]] device::Submitter& submitter() override { return *this; }
    [[nodiscard]] device::DescriptorHeapSource* descriptors() override { return this; }
    [[nodiscard]] device::TimestampSource* timestamps() override { return this; }
    // From the first copy by a shader on: copies that wrote what another one of their submission wrote.
    [[nodiscard]] std::size_t overlapping_copies() const { return overlapping_copies_; }
    [[nodiscard]] std::size_t timestamp_pairs() const { return pairs_.size(); }
    [[nodiscard]] Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t) override {
        return std::make_unique<SimulatedTimeline>(clock_, times_, [this] { pump(); });
    }
    [[nodiscard]] std::vector<std::string> take_validation_messages() override { return {}; }

private:
    struct Allocation {
        std::uint64_t size_bytes = 0;
        std::uint32_t memory_type = 0;
        std::vector<std::byte> bytes;
    };
    struct Resource {
        model::ResourceDescription description;
        std::uint64_t allocation = 0;
    };
    struct Pending {
        std::uint32_t engine = 0;
        std::uint64_t submitted_ns = 0;
        std::vector<device::TimelinePoint> waits;
        std::vector<device::Work> work;
        std::vector<device::TimelinePoint> signals;
        std::optional<device::TimestampPairId> timestamps;
    };

    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        Allocation made{.size_bytes = request.size_bytes, .memory_type = request.memory_type.value, .bytes = {}};
        const model::Flags flags = facts_.memory_types.at(request.memory_type.value).property_flags;
        if ((flags & model::memory_property::kHostVisible) != 0) made.bytes.resize(request.size_bytes);
        live_bytes_ += request.size_bytes;
        peak_bytes_ = std::max(peak_bytes_, live_bytes_);
        allocations_[++last_id_] = std::move(made);
        return device::AllocationId{last_id_};
    }
    void free(device::AllocationId memory) override {
        live_bytes_ -= allocations_.at(memory.value).size_bytes;
        allocations_.erase(memory.value);
    }
    Result<std::span<std::byte>> map(device::AllocationId memory) override {
        return std::span(allocations_.at(memory.value).bytes);
    }
    Status flush(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Status invalidate(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Result<std::vector<model::HeapBudget>> budgets() override {
        return std::vector<model::HeapBudget>{{.budget_bytes = 1ull << 34}, {.budget_bytes = 1ull << 34}};
    }

    Result<model::MemoryRequirements> requirements(const model::ResourceDescription& resource) override {
        const auto* buffer = std::get_if<model::BufferDescription>(&resource);
        const std::uint64_t size =
            buffer != nullptr ? buffer->size_bytes : packed_size_bytes(std::get<model::ImageDescription>(resource));
        return model::MemoryRequirements{
            .size_bytes = size, .alignment_bytes = 256, .memory_type_bits = (1u << facts_.memory_types.size()) - 1};
    }
    Result<device::ResourceId> create_placed(const model::ResourceDescription& resource, device::AllocationId memory,
                                             std::uint64_t) override {
        resources_[++last_id_] = {.description = resource, .allocation = memory.value};
        return device::ResourceId{last_id_};
    }
    Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource, MemoryTypeIndex,
                                                float) override {
        resources_[++last_id_] = {.description = resource, .allocation = 0};
        return device::ResourceId{last_id_};
    }
    void destroy(device::ResourceId resource) override { resources_.erase(resource.value); }
    Result<std::span<std::byte>> map_dedicated(device::ResourceId) override {
        return fail(ErrorCode::kNotSupported, "not host visible");
    }

    [[nodiscard]] std::span<const device::EngineInfo> engines() const override { return infos_; }
    [[nodiscard]] bool accepts_early_waits() const override { return true; }
    Status submit(const device::Submission& submission) override {
        const std::uint32_t queue = queue_of(submission.engine.value);
        queues_[queue].push_back({.engine = submission.engine.value,
                                  .submitted_ns = clock_.time_ns(),
                                  .waits = {submission.waits.begin(), submission.waits.end()},
                                  .work = {submission.work.begin(), submission.work.end()},
                                  .signals = {submission.signals.begin(), submission.signals.end()},
                                  .timestamps = submission.timestamps});
        pump();
        return {};
    }
    Status wait_idle() override {
        for (const auto& [queue, free_ns] : free_ns_) clock_.advance_to(free_ns);
        return {};
    }

    [[nodiscard]] Result<device::TimestampUnits> units(device::EngineId engine) const override {
        if (!times_.timestamps || engines_[engine.value].no_timestamps)
            return fail(ErrorCode::kNotSupported, "the simulated engines have no clock");
        return *times_.timestamps;
    }
    [[nodiscard]] bool compare_across_submissions() const override { return times_.timestamps_compare; }
    Result<device::TimestampPairId> create(device::EngineId) override {
        pairs_[++last_id_] = {};
        return device::TimestampPairId{last_id_};
    }
    void destroy(device::TimestampPairId pair) override { pairs_.erase(pair.value); }
    Result<device::TimestampPair> read(device::TimestampPairId pair) override {
        if (times_.timestamps_fail) return fail(ErrorCode::kDriverFailure, "the simulated timestamps are not there");
        std::optional<device::TimestampPair>& written = pairs_.at(pair.value);
        if (!written) throw std::logic_error("timestamps are read that no submission wrote");
        return *std::exchange(written, std::nullopt);
    }
    void write_timestamps(device::TimestampPairId pair, std::uint64_t begin_ns, std::uint64_t end_ns) {
        std::optional<device::TimestampPair>& written = pairs_.at(pair.value);
        if (written) throw std::logic_error("timestamps are written again that were not read");
        written = {.begin_ticks = ticks_at(begin_ns), .end_ticks = ticks_at(end_ns)};
    }
    Result<device::ClockMoment> calibrate(device::EngineId) override {
        if (!times_.calibrates) return fail(ErrorCode::kNotSupported, "the simulated engines do not tell");
        return device::ClockMoment{.device_ticks = ticks_at(clock_.time_ns()),
                                   .host_ns = clock_.time_ns(),
                                   .deviation_ns = times_.deviation_ns};
    }
    // Their clock goes round a little after the device was made.
    [[nodiscard]] std::uint64_t ticks_at(std::uint64_t time_ns) const {
        const std::uint32_t bits = times_.timestamps->valid_bits;
        const std::uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
        const double ticks = static_cast<double>(time_ns) * times_.timestamps_run / times_.timestamps->period_ns;
        return (mask - 10'000 + static_cast<std::uint64_t>(ticks)) & mask;
    }

    [[nodiscard]] const device::DescriptorFormChoice& form() const override { return form_; }
    [[nodiscard]] std::optional<std::uint64_t> stated_limit(device::DescriptorHeapKind, bool) const override {
        return std::nullopt;
    }
    Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest&) override {
        return device::DescriptorHeapId{++last_id_};
    }
    void destroy(device::DescriptorHeapId) override {}
    [[nodiscard]] device::DescriptorHeapAddresses addresses(device::DescriptorHeapId) const override { return {}; }
    Status write(device::DescriptorHeapId, std::uint32_t, const device::Descriptor&) override { return {}; }
    Status copy(device::DescriptorHeapId, std::uint32_t, device::DescriptorHeapId, std::uint32_t,
                std::uint32_t) override {
        return {};
    }

    [[nodiscard]] std::uint32_t queue_of(std::uint32_t engine) const {
        return infos_[engine].queue_family.value * 16 + infos_[engine].queue;
    }
    [[nodiscard]] bool in_host_memory(device::ResourceId resource) const {
        const auto memory = allocations_.find(resources_.at(resource.value).allocation);
        if (memory == allocations_.end()) return false;
        const model::Flags flags = facts_.memory_types.at(memory->second.memory_type).property_flags;
        return (flags & model::memory_property::kDeviceLocal) == 0;
    }

    [[nodiscard]] std::uint64_t cost_ns(std::uint32_t engine, const device::Work& work) {
        if (const auto* transform = std::get_if<device::TransformBuffer>(&work)) {
            if (transform->rounds > 0) return transform->rounds * times_.round_ns;
            const bool by_host = in_host_memory(transform->source) || in_host_memory(transform->destination);
            const double rate = rate_of(engine, transform->source, transform->destination);
            return copied_ns(transform->size_bytes, rate * (by_host ? 1 : times_.shader_copies_faster));
        }
        if (std::holds_alternative<device::DrawBuffer>(work)) return times_.draw_ns;
        if (std::holds_alternative<device::ClearRenderTarget>(work)) return times_.clear_ns;
        if (std::holds_alternative<device::ClearImage>(work)) return times_.clear_ns;
        if (const auto* copied = std::get_if<device::CopyImage>(&work))
            return copied_ns(image_bytes(copied->source), rate_of(engine, copied->source, copied->destination));
        if (const auto* copied = std::get_if<device::CopyBufferToImage>(&work))
            return copied_ns(image_bytes(copied->image), rate_of(engine, copied->buffer, copied->image));
        if (const auto* copied = std::get_if<device::CopyImageToBuffer>(&work))
            return copied_ns(image_bytes(copied->image), rate_of(engine, copied->image, copied->buffer));
        if (const auto* filled = std::get_if<device::FillBuffer>(&work))
            return copied_ns(filled->size_bytes, engines_[engine].device_bytes_per_ns);
        const auto& copied = std::get<device::CopyBuffer>(work);
        if (in_host_memory(copied.source) && is_cached(copied)) return 0;
        return copied_ns(copied.size_bytes, rate_of(engine, copied.source, copied.destination));
    }

    [[nodiscard]] std::uint64_t copied_ns(std::uint64_t bytes, double rate) const {
        return times_.copy_ns + static_cast<std::uint64_t>(static_cast<double>(bytes) / rate);
    }
    [[nodiscard]] std::uint64_t image_bytes(device::ResourceId image) const {
        return packed_size_bytes(std::get<model::ImageDescription>(resources_.at(image.value).description));
    }
    [[nodiscard]] double rate_of(std::uint32_t engine, device::ResourceId from, device::ResourceId to) const {
        const SimulatedEngine& speed = engines_[engine];
        return in_host_memory(from) ? speed.upload_bytes_per_ns
               : in_host_memory(to) ? speed.download_bytes_per_ns
                                    : speed.device_bytes_per_ns;
    }

    // Whether the device has the source of a copy in its cache of the host's memory; now it has, and what was used
    // longest ago makes room.
    [[nodiscard]] bool is_cached(const device::CopyBuffer& copied) {
        const std::pair source(copied.source.value, copied.source_offset_bytes);
        const auto found = std::ranges::find(cached_, source, &Cached::source);
        const bool is_cached = found != cached_.end();
        if (is_cached) cached_.erase(found);
        cached_.push_back({.source = source, .size_bytes = copied.size_bytes});
        std::uint64_t bytes = 0;
        for (const Cached& one : cached_) bytes += one.size_bytes;
        for (; bytes > times_.host_cache_bytes; cached_.erase(cached_.begin())) bytes -= cached_.front().size_bytes;
        return is_cached;
    }

    // Small copies between host memories carry their bytes.
    void land(std::uint64_t at_ns, const device::CopyBuffer& copied) {
        if (copied.size_bytes <= lost_bytes_ || copied.size_bytes > 256) return;
        if (!in_host_memory(copied.source) || !in_host_memory(copied.destination)) return;
        const std::uint64_t source = resources_.at(copied.source.value).allocation;
        const std::uint64_t destination = resources_.at(copied.destination.value).allocation;
        clock_.at(at_ns, [this, source, destination, copied] {
            std::memcpy(allocations_.at(destination).bytes.data() + copied.destination_offset_bytes,
                        allocations_.at(source).bytes.data() + copied.source_offset_bytes, copied.size_bytes);
        });
    }

    // When the submission can start; nothing while a wait's signal is not known.
    [[nodiscard]] std::optional<std::uint64_t> start_ns(std::uint32_t queue, const Pending& pending) {
        std::uint64_t start = std::max(free_ns_[queue], pending.submitted_ns);
        for (const device::TimelinePoint& wait : pending.waits) {
            const auto signal = static_cast<SimulatedTimeline*>(wait.timeline)->reached(wait.value);
            if (!signal) return std::nullopt;
            const std::uint64_t delay = !signal->queue            ? times_.host_to_engine_ns
                                        : *signal->queue == queue ? 0
                                                                  : times_.engine_to_engine_ns;
            start = std::max(start, signal->at_ns + delay);
        }
        return start;
    }

    void pump() {
        for (bool moved = true; moved;) {
            moved = false;
            for (auto& [queue, waiting] : queues_) {
                while (!waiting.empty()) {
                    const auto start = start_ns(queue, waiting.front());
                    if (!start) break;
                    run(queue, waiting.front(), *start);
                    waiting.erase(waiting.begin());
                    moved = true;
                }
            }
        }
    }

    // How many copies before this one in its submission write what it writes.
    [[nodiscard]] static std::size_t hazards(const Pending& pending, const device::Work& work) {
        std::size_t found = 0;
        for (const device::Work& other : pending.work) {
            if (&other == &work) break;
            const auto* one = std::get_if<device::CopyBuffer>(&other);
            const auto* two = std::get_if<device::CopyBuffer>(&work);
            if (one == nullptr || two == nullptr || one->destination != two->destination) continue;
            if (one->destination_offset_bytes < two->destination_offset_bytes + two->size_bytes &&
                two->destination_offset_bytes < one->destination_offset_bytes + one->size_bytes)
                ++found;
        }
        return found;
    }

    void run(std::uint32_t queue, const Pending& pending, std::uint64_t start) {
        slowness_ *= 1 + times_.slower_each;
        std::uint64_t end = start;
        std::uint64_t& worked_ns = worked_ns_[pending.engine];
        const double warmth = worked_ns >= times_.warm_after_ns
                                  ? 1
                                  : static_cast<double>(worked_ns) / static_cast<double>(times_.warm_after_ns);
        std::set<std::pair<std::uint64_t, std::uint64_t>> written;
        for (const device::Work& work : pending.work) {
            const std::size_t overlapping = hazards(pending, work);
            const auto* transform = std::get_if<device::TransformBuffer>(&work);
            copied_by_shader_ = copied_by_shader_ || (transform != nullptr && transform->rounds == 0);
            if (copied_by_shader_) overlapping_copies_ += overlapping;
            if (overlapping > 0) end += times_.hazard_ns;
            const auto* copy = std::get_if<device::CopyBuffer>(&work);
            const bool is_new = copy == nullptr || !in_host_memory(copy->destination) ||
                                written.emplace(copy->destination.value, copy->destination_offset_bytes).second;
            if (times_.joins_writes && !is_new) continue;
            const bool is_slow = start < slow_until_ns_ && !std::holds_alternative<device::CopyBuffer>(work);
            const double slowness = slowness_ * (1 + times_.cold * (1 - warmth)) * (is_slow ? slow_times_ : 1);
            end += static_cast<std::uint64_t>(static_cast<double>(cost_ns(pending.engine, work)) * slowness);
            if (const auto* copied = std::get_if<device::CopyBuffer>(&work)) land(end, *copied);
        }
        worked_ns += end - start;
        free_ns_[queue] = end;
        if (pending.timestamps)
            write_timestamps(*pending.timestamps, start + engines_[pending.engine].clock_ahead_ns,
                             end + engines_[pending.engine].clock_ahead_ns);
        for (const device::TimelinePoint& signal : pending.signals) {
            static_cast<SimulatedTimeline*>(signal.timeline)
                ->add({.at_ns = end, .value = signal.value.value, .queue = queue});
        }
    }

    std::vector<SimulatedEngine> engines_;
    std::vector<device::EngineInfo> infos_;
    SimulatedTimes times_;
    SimulatedClock clock_;
    model::DeviceReport facts_;
    device::DescriptorFormChoice form_;
    struct Cached {
        std::pair<std::uint64_t, std::uint64_t> source;  // resource and offset
        std::uint64_t size_bytes = 0;
    };
    std::vector<Cached> cached_;  // used longest ago first
    bool copied_by_shader_ = false;
    std::size_t overlapping_copies_ = 0;
    std::map<std::uint64_t, Allocation> allocations_;
    std::map<std::uint64_t, Resource> resources_;
    std::map<std::uint64_t, std::optional<device::TimestampPair>> pairs_;
    std::map<std::uint32_t, std::vector<Pending>> queues_;
    std::map<std::uint32_t, std::uint64_t> free_ns_;
    std::map<std::uint32_t, std::uint64_t> worked_ns_;  // by engine
    double slow_times_ = 1;
    std::uint64_t slow_until_ns_ = 0;
    std::uint64_t last_id_ = 0;
    std::uint64_t live_bytes_ = 0;
    std::uint64_t peak_bytes_ = 0;
    double slowness_ = 1;
    std::uint64_t lost_bytes_ = 0;
};

}  // namespace heapwright::test
