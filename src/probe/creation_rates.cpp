#include "probe/creation_rates.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/interrupt.hpp"
#include "core/units.hpp"
#include "device/measurement_session.hpp"
#include "model/names.hpp"
#include "probe/cost_fit.hpp"

namespace heapwright::probe {
namespace {

using model::CreatedObject;

// The clock is read once a batch: a batch of this length costs no rate, and ends soon after its span.
constexpr std::uint64_t kBatchNs = 20'000;
constexpr std::uint32_t kMostPairs = 1024;  // of one batch
constexpr std::uint64_t kAllocationBytes = 64 * kKiB;

// Creates and destroys so many times.
using Pairs = std::function<Status(std::uint32_t times)>;

struct Subject {
    CreatedObject object;
    std::string description;
    Pairs pairs;
};

// One, two, four and so on, and as many as there are.
std::vector<std::uint32_t> numbers_of_threads(std::uint32_t most) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t threads = 1; threads < most; threads *= 2) numbers.push_back(threads);
    numbers.push_back(most);
    return numbers;
}

// Threads that make pairs for a span, all at once.
class Crew {
public:
    Crew(const Pairs& pairs, std::uint32_t threads, std::uint64_t span_ns, Clock& clock)
        : pairs_(pairs), threads_(threads), span_ns_(span_ns), clock_(clock) {}

    // Of all together a second. Errors: the first of any thread.
    Result<double> rate() {
        {
            std::vector<std::jthread> crew;
            for (std::uint32_t i = 1; i < threads_; ++i) crew.emplace_back([this] { work(); });
            work();
        }
        if (error_) return fail(std::move(*error_));
        return rate_;
    }

private:
    void work() {
        // The first of a thread may set up what the driver keeps for it.
        Status done = pairs_(1);
        ready_.fetch_add(1);
        while (ready_.load() < threads_) std::this_thread::yield();
        const std::uint64_t start_ns = clock_.now_ns();
        std::uint64_t now_ns = start_ns;
        std::uint64_t made = 0;
        std::uint32_t batch = 1;
        while (done && now_ns - start_ns < span_ns_ && !failed_.load(std::memory_order_relaxed)) {
            done = pairs_(batch);
            made += batch;
            const std::uint64_t taken_ns = clock_.now_ns() - now_ns;
            now_ns += taken_ns;
            if (taken_ns < kBatchNs / 2)
                batch = std::min(batch * 2, kMostPairs);
            else if (taken_ns > kBatchNs * 2)
                batch = std::max(batch / 2, 1u);
        }
        const std::scoped_lock lock(mutex_);
        if (!done && !error_) error_ = std::move(done.error());
        if (!done) failed_.store(true);
        const double seconds = static_cast<double>(std::max<std::uint64_t>(now_ns - start_ns, 1)) / 1e9;
        rate_ += static_cast<double>(made) / seconds;
    }

    const Pairs& pairs_;
    const std::uint32_t threads_;
    const std::uint64_t span_ns_;
    Clock& clock_;
    std::atomic<std::uint32_t> ready_{0};
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    double rate_ = 0;
    std::optional<Error> error_;
};

class CreationRun {
public:
    CreationRun(device::Device& device, const CreationOptions& options, model::CreationMeasurements& result)
        : device_(device),
          options_(options),
          clock_(options.clock != nullptr ? *options.clock : steady_),
          start_ns_(clock_.now_ns()),
          result_(result) {
        std::uint32_t processors = options.processors;
        if (processors == 0) processors = std::max(std::thread::hardware_concurrency(), 1u);
        result_.processors = processors;
        numbers_ = numbers_of_threads(std::min(processors, kMostThreads));
    }

    CreationRun(const CreationRun&) = delete;
    CreationRun& operator=(const CreationRun&) = delete;
    ~CreationRun() {
        for (const device::AllocationId memory : places_) device_.memory().free(memory);
    }

    Status run() {
        const device::TrainingWork work{.run = [] { return Status(); },
                                        .drain = [this] { return device_.submitter().wait_idle(); }};
        HEAPWRIGHT_ASSIGN(auto session, device::MeasurementSession::begin(device_.background_processing(), work));
        const Status measured = measure_all();
        HEAPWRIGHT_TRY(session.end());
        result_.total_ns += clock_.now_ns() - start_ns_;
        return measured;
    }

private:
    Status measure_all() {
        const model::ImageDescription image{
            .usage = model::image_usage::kSampled | model::image_usage::kTransferDst, .width = 256, .height = 256};
        const model::BufferDescription buffer{.size_bytes = kAllocationBytes, .usage = model::buffer_usage::kVertex};
        HEAPWRIGHT_TRY(measure(CreatedObject::kImage, resource(CreatedObject::kImage, image)));
        HEAPWRIGHT_TRY(measure(CreatedObject::kBuffer, resource(CreatedObject::kBuffer, buffer)));
        HEAPWRIGHT_TRY(measure(CreatedObject::kMemory, memory()));
        if (!options_.memory_priority) HEAPWRIGHT_TRY(measure(CreatedObject::kDescriptors, descriptors()));
        return {};
    }

    [[nodiscard]] bool has_memory_bound() const { return device_.facts().identity.api == model::Api::kD3d12; }

    Result<Subject> resource(CreatedObject object, const model::ResourceDescription& description) {
        HEAPWRIGHT_ASSIGN(const model::MemoryRequirements wanted, device_.resources().requirements(description));
        device::AllocationId place;
        if (has_memory_bound()) {
            HEAPWRIGHT_ASSIGN(const MemoryTypeIndex type, memory_type(wanted.memory_type_bits));
            HEAPWRIGHT_ASSIGN(place, device_.memory().allocate({.memory_type = type, .size_bytes = wanted.size_bytes}));
            places_.push_back(place);
        }
        return Subject{.object = object,
                       .description = fmt::format("{}, {}",
                                                  object == CreatedObject::kImage
                                                      ? "2D image of 256 x 256, R8G8B8A8_UNORM, sampled"
                                                      : "buffer of 64 KiB for vertices",
                                                  has_memory_bound() ? "placed in a heap" : "without memory"),
                       .pairs = [this, description, place](std::uint32_t times) {
                           return device_.resources().create_and_destroy(description, place, 0, times);
                       }};
    }

    Result<Subject> memory() {
        HEAPWRIGHT_ASSIGN(const MemoryTypeIndex type, memory_type(~0u));
        return Subject{.object = CreatedObject::kMemory,
                       .description = fmt::format("device memory of 64 KiB, memory type {}", type.value),
                       .pairs = [this, type](std::uint32_t times) -> Status {
                           for (std::uint32_t i = 0; i < times; ++i) {
                               HEAPWRIGHT_ASSIGN(
                                   const device::AllocationId allocated,
                                   device_.memory().allocate({.memory_type = type, .size_bytes = kAllocationBytes}));
                               device_.memory().free(allocated);
                           }
                           return {};
                       }};
    }

    Result<Subject> descriptors() {
        device::DescriptorHeapSource* const source = device_.descriptors();
        if (source == nullptr) return fail(ErrorCode::kNotSupported, "the backend has no descriptors");
        return Subject{.object = CreatedObject::kDescriptors,
                       .description = has_memory_bound() ? "shader-visible descriptor heap of four descriptors"
                                                         : "descriptor pool with one set of four storage buffers",
                       .pairs = [source](std::uint32_t times) { return source->create_and_destroy(times); }};
    }

    // The first in the device's own memory, else the first.
    [[nodiscard]] Result<MemoryTypeIndex> memory_type(std::uint32_t allowed_bits) const {
        const std::vector<model::MemoryType>& types = device_.facts().memory_types;
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < types.size() && i < 32; ++i) {
            if ((allowed_bits >> i & 1) == 0 || !is_measurable(types[i])) continue;
            const bool is_local = (types[i].property_flags & model::memory_property::kDeviceLocal) != 0;
            if (is_local) return MemoryTypeIndex{static_cast<std::uint32_t>(i)};
            if (!first) first = i;
        }
        if (!first) return fail(ErrorCode::kNotSupported, "no memory type can hold it");
        return MemoryTypeIndex{static_cast<std::uint32_t>(*first)};
    }

    [[nodiscard]] bool out_of_time() const { return clock_.now_ns() - start_ns_ >= options_.time_budget_ns; }

    // What one object cannot do is told, and the next one is measured.
    Status measure(CreatedObject object, Result<Subject> subject) {
        const Status done = subject ? sample(*subject) : Status(fail(std::move(subject.error())));
        if (done) return {};
        const ErrorCode code = done.error().code;
        if (code == ErrorCode::kDeviceLost || code == ErrorCode::kInterrupted) return done;
        const std::string what = what_of(object);
        result_.skipped.push_back(fmt::format("{}: {}", what, to_string(done.error())));
        if (options_.on_failure && is_driver_failure(done.error())) options_.on_failure(what, done.error());
        return {};
    }

    [[nodiscard]] std::string what_of(CreatedObject object) const {
        return fmt::format("{}{}", model::name_of(object), options_.memory_priority ? " with memoryPriority" : "");
    }

    Status sample(const Subject& subject) {
        if (options_.progress) options_.progress("creations", static_cast<double>(subject.object) / 4);
        leave_breadcrumb("creating and destroying", model::name_of(subject.object).data());
        std::vector<std::vector<double>> rates(numbers_.size());
        for (std::uint32_t round = 0; round < options_.samples; ++round) {
            for (std::size_t i = 0; i < numbers_.size(); ++i) {
                HEAPWRIGHT_TRY(check_interrupted());
                if (out_of_time()) continue;
                HEAPWRIGHT_ASSIGN(const double rate, Crew(subject.pairs, numbers_[i], options_.span_ns, clock_).rate());
                rates[i].push_back(rate);
            }
        }
        model::CreationCurve curve{.object = subject.object,
                                   .description = subject.description,
                                   .memory_priority = options_.memory_priority,
                                   .points = {}};
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (rates[i].empty()) {
                result_.skipped.push_back(fmt::format("{} by {} thread{}: {}", what_of(subject.object), numbers_[i],
                                                      numbers_[i] == 1 ? "" : "s", model::kTimeWasUp));
                continue;
            }
            curve.points.push_back(point(numbers_[i], rates[i]));
        }
        if (!curve.points.empty()) result_.curves.push_back(std::move(curve));
        return {};
    }

    static model::CreationPoint point(std::uint32_t threads, std::vector<double>& rates) {
        std::ranges::sort(rates);
        const auto whole = [](double rate) { return static_cast<std::uint64_t>(rate); };
        return {.threads = threads,
                .samples = static_cast<std::uint32_t>(rates.size()),
                .pairs_per_s = whole(rates[rates.size() / 2]),
                .least_pairs_per_s = whole(rates.front()),
                .most_pairs_per_s = whole(rates.back())};
    }

    device::Device& device_;
    const CreationOptions& options_;
    SteadyClock steady_;
    Clock& clock_;
    std::uint64_t start_ns_;
    model::CreationMeasurements& result_;
    std::vector<std::uint32_t> numbers_;
    std::vector<device::AllocationId> places_;  // that resources are placed in
};

}  // namespace

Status measure_creations(device::Device& device, const CreationOptions& options, model::CreationMeasurements& result) {
    return CreationRun(device, options, result).run();
}

}  // namespace heapwright::probe
