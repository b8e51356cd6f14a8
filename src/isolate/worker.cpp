#include "isolate/worker.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/clock.hpp"
#include "core/interrupt.hpp"
#include "core/machine_load.hpp"
#include "core/path.hpp"
#include "core/system.hpp"
#include "d3d12/capability_source.hpp"
#include "d3d12/wsl.hpp"
#include "device/capability_source.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "isolate/child_process.hpp"
#include "isolate/failed_parts.hpp"
#include "isolate/memory_limit.hpp"
#include "isolate/messages.hpp"
#include "model/selection.hpp"
#include "model/workload_identity.hpp"
#include "probe/creation_rates.hpp"
#include "probe/engine_measurements.hpp"
#include "probe/memory_cost.hpp"
#include "validate/validate.hpp"
#include "vulkan/capability_source.hpp"

namespace heapwright::isolate {
namespace {

using SourceHandle = std::unique_ptr<device::CapabilitySource>;

model::Report report_of(model::DeviceReport device) {
    model::Report report;
    report.header.tool_version = kVersion;
    report.devices.push_back(std::move(device));
    return report;
}

std::string adapters_document(const std::vector<model::DeviceIdentity>& adapters) {
    model::Report report;
    report.header.tool_version = kVersion;
    for (const model::DeviceIdentity& identity : adapters) {
        model::DeviceReport device;
        device.identity = identity;
        report.devices.push_back(std::move(device));
    }
    return model::write(report);
}

Result<SourceHandle> open_d3d12_source(const Target& target) {
#ifndef _WIN32
    if (!target.vulkan_device_index && wsl::has_direct3d12()) return wsl::create_direct3d12_source();
#endif
    return d3d12::create_capability_source({.icd_files = paths_of(target.icd_files),
                                            .vulkan_device_index = target.vulkan_device_index,
                                            .vulkan_device = target.vulkan_device});
}

Result<SourceHandle> open_source(const Target& target, bool validation_layers) {
    if (target.api == model::Api::kD3d12) return open_d3d12_source(target);
    return vulkan::create_capability_source({.icd_files = paths_of(target.icd_files),
                                             .validation_layers = validation_layers,
                                             .synchronization_validation = validation_layers});
}

class Worker {
public:
    Worker(WorkerChannel& channel, WorkerRequest request) : channel_(channel), request_(std::move(request)) {}

    Status run() {
        leave_breadcrumb("loading the driver");
        auto source = open_source(request_.target, request_.validation && request_.validation->validation_layers);
        if (!source) return send_error(source.error());
        const auto& adapters = (*source)->adapters();
        HEAPWRIGHT_TRY(channel_.send(kFrameAdapters, adapters_document(adapters)));
        if (!request_.probe && !request_.validation) return {};
        for (std::uint32_t position = 0; position < adapters.size(); ++position) {
            HEAPWRIGHT_TRY(check_interrupted());
            if (!wanted(adapters[position], position)) continue;
            HEAPWRIGHT_TRY(channel_.send(kFrameStarted, std::to_string(position)));
            const Status done = request_.validation ? validate(**source, position, *request_.validation)
                                                    : probe(**source, position, *request_.probe);
            if (!done) HEAPWRIGHT_TRY(send_error(done.error()));
        }
        leave_breadcrumb("closing the driver");
        // Its devices are still open.
        if (leaves_open_) device::leave_open(std::move(*source));
        return {};
    }

private:
    [[nodiscard]] bool wanted(const model::DeviceIdentity& device, std::uint32_t position) const {
        if (std::find(request_.skip.begin(), request_.skip.end(), position) != request_.skip.end()) return false;
        if (request_.selectors.empty()) return true;
        return std::any_of(request_.selectors.begin(), request_.selectors.end(), [&](const std::string& selector) {
            return model::matches(selector, device, request_.first_index + position);
        });
    }

    // Why the driver must not be asked; else the step is under way from here on.
    [[nodiscard]] std::string objection(std::uint32_t position, std::string_view stage, std::size_t index) const {
        for (const SkippedStep& skipped : request_.skipped_steps) {
            if (skipped.position != position || skipped.stage != stage) continue;
            if (index == skipped.index || (skipped.and_later && index > skipped.index)) return skipped.reason;
        }
        leave_step(fmt::format("{}/{}", stage, index));
        return {};
    }

    Status send_error(const Error& error) { return channel_.send(kFrameError, encode(error)); }

    void progress(std::string_view stage, double share) {
        // A parent that is gone ends this process with its next result; progress alone need not.
        (void)channel_.send(kFrameProgress, fmt::format("{:.4f} {}", share, stage));
    }

    // A driver that crashes from here on must not take what is known with it.
    Status tell(const model::DeviceReport& known) { return channel_.send(kFrameFacts, model::write(report_of(known))); }

    // What is known is told before. Whether the device may be closed at all.
    bool may_close(std::uint32_t position, const model::DeviceReport& known) {
        (void)tell(known);
        if (objection(position, kClosing, 0).empty()) return true;
        leaves_open_ = true;
        return false;
    }

    void close(std::unique_ptr<device::Device> device, std::uint32_t position, const model::DeviceReport& known) {
        if (!may_close(position, known)) device::leave_open(std::move(device));
    }

    Status probe(device::CapabilitySource& source, std::uint32_t position, const ProbeRequest& request) {
        SteadyClock clock;
        const std::uint64_t start_ns = clock.now_ns();
        device::ReadOptions options;
        options.time_limit_ns = request_.limits.time_limit_ns;
        options.progress = [this](std::string_view stage, double share) { progress(stage, share); };
        std::optional<model::Workload> workload;
        if (!request_.workload.empty()) {
            HEAPWRIGHT_ASSIGN(workload, model::read_workload(request_.workload, "workload"));
            options.workload = &*workload;
        }
        options.objection = [this, position](std::string_view stage, std::size_t index) {
            return objection(position, stage, index);
        };
        options.on_facts = [this](const model::DeviceReport& facts) { (void)tell(facts); };
        options.may_close = [this, position](const model::DeviceReport& known) { return may_close(position, known); };
        HEAPWRIGHT_ASSIGN(model::DeviceReport device, source.read(position, options));
        leave_step({});
        const auto left_ns = [&] {
            const std::uint64_t elapsed_ns = clock.now_ns() - start_ns;
            return request_.limits.time_limit_ns - std::min(request_.limits.time_limit_ns, elapsed_ns);
        };
        for (const auto& [measure, out_of_time] : {std::pair{&Worker::measure_memory, model::kCostOutOfTime},
                                                   std::pair{&Worker::measure_engines, model::kEnginesOutOfTime},
                                                   std::pair{&Worker::measure_creations, model::kCreationsOutOfTime}}) {
            if (!request.timing) break;
            if (left_ns() == 0) {
                HEAPWRIGHT_TRY(note_failure({.code = ErrorCode::kRefused, .message = std::string(model::kTimeWasUp)},
                                            out_of_time, device));
                continue;
            }
            HEAPWRIGHT_TRY((this->*measure)(source, position, left_ns(), device));
            leave_step({});
        }
        return channel_.send(kFrameDevice, model::write(report_of(std::move(device))));
    }

    Status measure_memory(device::CapabilitySource& source, std::uint32_t position, std::uint64_t time_limit_ns,
                          model::DeviceReport& report) {
        leave_breadcrumb("opening the device", "memory cost");
        if (std::string why = objection(position, "memory cost", 0); !why.empty())
            return note_failure({.code = ErrorCode::kDriverFailure, .message = std::move(why)}, model::kCostNotMeasured,
                                report);
        std::unique_ptr<device::Device> device;
        auto measured = [&]() -> Result<std::vector<model::MemoryCostCurve>> {
            HEAPWRIGHT_ASSIGN(device, source.open(position, {}));
            const auto ram_bytes = available_ram_bytes();
            probe::MemoryCostOptions options;
            options.time_budget_ns = std::min(options.time_budget_ns, time_limit_ns);
            options.memory_limit_bytes = memory_limit_bytes(report, request_.limits.memory_limit_bytes, ram_bytes);
            if (ram_bytes) options.host_visible_limit_bytes = *ram_bytes / 4;
            options.progress = [this](std::string_view stage, double share) { progress(stage, share); };
            options.on_failure = note_failures(model::kCostNotMeasured, report);
            leave_breadcrumb("measuring the cost of memory");
            return probe::measure_memory_cost(*device, options);
        }();
        if (measured) {
            report.run.memory_cost = std::move(*measured);
        } else {
            HEAPWRIGHT_TRY(note_failure(std::move(measured.error()), model::kCostNotMeasured, report));
        }
        close(std::move(device), position, report);
        return {};
    }

    Status measure_engines(device::CapabilitySource& source, std::uint32_t position, std::uint64_t time_limit_ns,
                           model::DeviceReport& report) {
        constexpr std::uint64_t kMostBytes = 3ull << 30;  // copies of a GiB, and what stays beside them
        leave_breadcrumb("opening the device", "engines");
        if (std::string why = objection(position, "engines", 0); !why.empty())
            return note_failure({.code = ErrorCode::kDriverFailure, .message = std::move(why)},
                                model::kEnginesNotMeasured, report);
        std::unique_ptr<device::Device> device;
        auto measured = [&]() -> Result<model::EngineMeasurements> {
            HEAPWRIGHT_ASSIGN(device, source.open(position, {}));
            probe::EngineMeasurementOptions options;
            options.time_budget_ns = std::min(options.time_budget_ns, time_limit_ns);
            options.time_limit_ns = time_limit_ns;
            const auto ram_bytes = available_ram_bytes();
            options.memory_limit_bytes =
                std::min(kMostBytes, memory_limit_bytes(report, request_.limits.memory_limit_bytes, ram_bytes));
            if (ram_bytes) options.host_limit_bytes = *ram_bytes / 4;
            options.progress = [this](std::string_view stage, double share) { progress(stage, share); };
            options.on_failure = note_failures(model::kEnginesNotMeasured, report);
            leave_breadcrumb("measuring the engines");
            return probe::measure_engines(*device, options);
        }();
        if (measured) {
            report.run.engines = std::move(*measured);
        } else {
            HEAPWRIGHT_TRY(note_failure(std::move(measured.error()), model::kEnginesNotMeasured, report));
        }
        close(std::move(device), position, report);
        return {};
    }

    // Without memoryPriority, and with it where the device has it.
    Status measure_creations(device::CapabilitySource& source, std::uint32_t position, std::uint64_t time_limit_ns,
                             model::DeviceReport& report) {
        model::CreationMeasurements measured;
        const LoadMeter meter;
        std::uint64_t step = 0;
        for (const bool memory_priority : {false, true}) {
            if (memory_priority && !report.feature("memoryPriority")) continue;
            leave_breadcrumb("opening the device", "creations");
            if (std::string why = objection(position, "creations", step++); !why.empty())
                return note_failure({.code = ErrorCode::kDriverFailure, .message = std::move(why)},
                                    model::kCreationsNotMeasured, report);
            std::unique_ptr<device::Device> device;
            const auto done = [&]() -> Status {
                HEAPWRIGHT_ASSIGN(device, source.open(position, {.memory_priority = memory_priority}));
                probe::CreationOptions options{.memory_priority = memory_priority};
                options.time_budget_ns = std::min(options.time_budget_ns, time_limit_ns / 2);
                options.progress = [this](std::string_view stage, double share) { progress(stage, share); };
                options.on_failure = note_failures(model::kCreationsNotMeasured, report);
                return probe::measure_creations(*device, options, measured);
            }();
            if (!done) HEAPWRIGHT_TRY(note_failure(done.error(), model::kCreationsNotMeasured, report));
            if (const auto load = meter.shares())
                measured.load = {.others_share = load->others, .waiting_share = load->waiting};
            if (!measured.curves.empty()) report.run.creations = measured;
            close(std::move(device), position, report);
        }
        return {};
    }

    Status validate(device::CapabilitySource& source, std::uint32_t position,
                    const validate::ValidationRequest& request) {
        HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(request_.policy, "policy"));
        HEAPWRIGHT_ASSIGN(const model::Workload workload, model::read_workload(request_.workload, "workload"));
        const model::DeviceIdentity& identity = source.adapters()[position];
        const auto made_for = std::find_if(policy.devices.begin(), policy.devices.end(), [&](const auto& device) {
            return request.allow_other_device || model::same_device_and_driver(device.identity, identity);
        });
        if (made_for == policy.devices.end()) return {};
        HEAPWRIGHT_ASSIGN(const std::unique_ptr<device::Device> device,
                          source.open(position, {.validation_layers = request.validation_layers}));
        validate::ValidateOptions options(request);
        options.memory_limit_bytes =
            memory_limit_bytes(device->facts(), request_.limits.memory_limit_bytes, available_ram_bytes());
        options.time_limit_ns = request_.limits.time_limit_ns;
        options.other_workload = model::other_workload_text(policy, workload);
        options.progress = [this](std::string_view stage, double share) { progress(stage, share); };
        model::Validation validation;
        validation.header.tool_version = kVersion;
        options.on_scenario = [this, head = validation.header](const model::DeviceValidation& part) {
            (void)channel_.send(kFrameScenario, model::write(model::Validation{.header = head, .devices = {part}}));
        };
        HEAPWRIGHT_ASSIGN(model::DeviceValidation result, validate::validate(*device, *made_for, workload, options));
        validation.devices.push_back(std::move(result));
        return channel_.send(kFrameValidation, model::write(validation));
    }

    WorkerChannel& channel_;
    WorkerRequest request_;
    bool leaves_open_ = false;  // devices, and the driver with them
};

}  // namespace

Status run_worker() {
    HEAPWRIGHT_ASSIGN(WorkerChannel channel, WorkerChannel::open());
    HEAPWRIGHT_ASSIGN(const std::string text, channel.read_request());
    HEAPWRIGHT_ASSIGN(WorkerRequest request, decode_request(text));
    HEAPWRIGHT_TRY(Worker(channel, std::move(request)).run());
    return channel.send(kFrameEnd, {});
}

}  // namespace heapwright::isolate
