#include "validate/observed_device.hpp"

#include <optional>
#include <variant>

namespace heapwright::validate {
namespace {

class Stopwatch {
public:
    Stopwatch(Clock& clock, std::atomic<std::uint64_t>& sum) : clock_(clock), sum_(sum), from_(clock.now_ns()) {}
    ~Stopwatch() { sum_.fetch_add(clock_.now_ns() - from_, std::memory_order_relaxed); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    Clock& clock_;
    std::atomic<std::uint64_t>& sum_;
    std::uint64_t from_;
};

// One call that takes or frees device memory.
class DeviceCall {
public:
    DeviceCall(Clock& clock, CallTimes& times) : clock_(clock), times_(times), from_(clock.now_ns()) {}
    ~DeviceCall() {
        const std::uint64_t taken_ns = clock_.now_ns() - from_;
        times_.device_ns.fetch_add(taken_ns, std::memory_order_relaxed);
        std::uint64_t slowest_ns = times_.slowest_device_ns.load(std::memory_order_relaxed);
        while (slowest_ns < taken_ns && !times_.slowest_device_ns.compare_exchange_weak(slowest_ns, taken_ns)) {
        }
    }
    DeviceCall(const DeviceCall&) = delete;
    DeviceCall& operator=(const DeviceCall&) = delete;

private:
    Clock& clock_;
    CallTimes& times_;
    std::uint64_t from_;
};

tl::unexpected<Error> withheld(const model::ResourceDescription& description) {
    return fail(ErrorCode::kInvariantBroken,
                "the placement breaks the device's rules, so the device was not asked for " +
                    model::resource_text(description));
}

template <class Visit>
void visit_resources(const device::Work& work, Visit&& visit) {
    std::visit(
        [&](const auto& item) {
            if constexpr (requires { item.source; }) visit(item.source);
            if constexpr (requires { item.destination; }) visit(item.destination);
            if constexpr (requires { item.buffer; }) visit(item.buffer);
            if constexpr (requires { item.image; }) visit(item.image);
            if constexpr (requires { item.reads; }) {
                for (const device::ResourceId id : item.reads) visit(id);
                for (const device::ResourceId id : item.writes) visit(id);
            }
        },
        work);
}

}  // namespace

class ObservedDevice::Memory final : public device::MemorySource {
public:
    Memory(device::Device& inner, ShadowChecker& checker, CallTimes& times, Clock& clock)
        : inner_(inner.memory()), resources_(inner.resources()), checker_(checker), times_(times), clock_(clock) {}

    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        auto memory = [&] {
            const DeviceCall call(clock_, times_);
            return inner_.allocate(request);
        }();
        const Stopwatch checking(clock_, times_.checking_ns);
        if (memory) checker_.memory_allocated(*memory, request);
        return memory;
    }
    void free(device::AllocationId memory) override {
        {
            const Stopwatch checking(clock_, times_.checking_ns);
            for (const device::ResourceId resource : checker_.take_ended(false)) resources_.destroy(resource);
            checker_.memory_freed(memory);
        }
        const DeviceCall call(clock_, times_);
        inner_.free(memory);
    }
    Result<std::span<std::byte>> map(device::AllocationId memory) override { return inner_.map(memory); }
    Status flush(device::AllocationId memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) override {
        return inner_.flush(memory, offset_bytes, size_bytes);
    }
    Status invalidate(device::AllocationId memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) override {
        return inner_.invalidate(memory, offset_bytes, size_bytes);
    }
    Result<std::vector<model::HeapBudget>> budgets() override { return inner_.budgets(); }

private:
    device::MemorySource& inner_;
    device::ResourceBinder& resources_;
    ShadowChecker& checker_;
    CallTimes& times_;
    Clock& clock_;
};

class ObservedDevice::Binder final : public device::ResourceBinder {
public:
    Binder(device::Device& inner, ShadowChecker& checker, CallTimes& times, Clock& clock)
        : inner_(inner.resources()), checker_(checker), times_(times), clock_(clock) {}

    Result<model::MemoryRequirements> requirements(const model::ResourceDescription& resource) override {
        const Stopwatch binding(clock_, times_.binder_ns);
        return inner_.requirements(resource);
    }

    Result<device::ResourceId> create_placed(const model::ResourceDescription& resource, device::AllocationId memory,
                                             std::uint64_t offset_bytes) override {
        model::MemoryRequirements requirements;
        {
            const Stopwatch checking(clock_, times_.checking_ns);
            HEAPWRIGHT_ASSIGN(requirements, inner_.requirements(resource));
            if (!checker_.check_placed(resource, requirements, memory, offset_bytes)) return withheld(resource);
        }
        const Stopwatch binding(clock_, times_.binder_ns);
        auto id = inner_.create_placed(resource, memory, offset_bytes);
        if (id) checker_.placed(*id, resource, requirements, memory, offset_bytes);
        return id;
    }

    Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource, MemoryTypeIndex memory_type,
                                                float priority) override {
        model::MemoryRequirements requirements;
        {
            const Stopwatch checking(clock_, times_.checking_ns);
            HEAPWRIGHT_ASSIGN(requirements, inner_.requirements(resource));
            if (!checker_.check_dedicated(resource, requirements, memory_type)) return withheld(resource);
        }
        auto id = [&] {
            const DeviceCall call(clock_, times_);
            return inner_.create_dedicated(resource, memory_type, priority);
        }();
        const Stopwatch checking(clock_, times_.checking_ns);
        if (id) checker_.dedicated(*id, resource, requirements, memory_type);
        return id;
    }

    void destroy(device::ResourceId resource) override {
        bool is_over = false;
        bool is_dedicated = false;
        {
            const Stopwatch checking(clock_, times_.checking_ns);
            is_dedicated = checker_.is_dedicated(resource);
            is_over = checker_.destroyed(resource);
        }
        // What frees device memory with the resource costs the frame as a freed chunk does.
        std::optional<Stopwatch> binding;
        std::optional<DeviceCall> call;
        if (is_dedicated && is_over) call.emplace(clock_, times_);
        if (!is_dedicated) binding.emplace(clock_, times_.binder_ns);
        if (is_over) inner_.destroy(resource);
    }

    Result<std::span<std::byte>> map_dedicated(device::ResourceId resource) override {
        return inner_.map_dedicated(resource);
    }

private:
    device::ResourceBinder& inner_;
    ShadowChecker& checker_;
    CallTimes& times_;
    Clock& clock_;
};

class ObservedDevice::Queue final : public device::Submitter {
public:
    Queue(device::Device& inner, ShadowChecker& checker) : inner_(inner.submitter()), checker_(checker) {}

    std::span<const device::EngineInfo> engines() const override { return inner_.engines(); }
    bool accepts_early_waits() const override { return inner_.accepts_early_waits(); }

    Status submit(const device::Submission& submission) override {
        HEAPWRIGHT_TRY(inner_.submit(submission));
        if (submission.signals.empty()) return {};
        for (const device::Work& work : submission.work) {
            visit_resources(work, [&](device::ResourceId id) { checker_.used(id, submission.signals.front()); });
        }
        return {};
    }

    Status wait_idle() override { return inner_.wait_idle(); }

private:
    device::Submitter& inner_;
    ShadowChecker& checker_;
};

ObservedDevice::ObservedDevice(device::Device& inner, ShadowChecker& checker, Clock& clock)
    : inner_(inner),
      checker_(checker),
      memory_(std::make_unique<Memory>(inner, checker, times_, clock)),
      binder_(std::make_unique<Binder>(inner, checker, times_, clock)),
      queue_(std::make_unique<Queue>(inner, checker)) {}

ObservedDevice::~ObservedDevice() = default;

device::MemorySource& ObservedDevice::memory() {
    return *memory_;
}
device::ResourceBinder& ObservedDevice::resources() {
    return *binder_;
}
device::Submitter& ObservedDevice::submitter() {
    return *queue_;
}

void ObservedDevice::destroy_ended(bool all) {
    for (const device::ResourceId resource : checker_.take_ended(all)) inner_.resources().destroy(resource);
}

}  // namespace heapwright::validate
