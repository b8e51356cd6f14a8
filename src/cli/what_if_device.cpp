#include "cli/what_if_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/exit_code.hpp"
#include "core/path.hpp"
#include "d3d12/capability_source.hpp"
#include "isolate/command.hpp"
#include "vulkan/capability_source.hpp"

namespace heapwright::cli {
namespace {

using Source = std::shared_ptr<device::CapabilitySource>;

// Empty: this source has no such device.
Result<OpenedDevice> open_of(const Source& source, const model::DeviceIdentity& identity) {
    const auto& adapters = source->adapters();
    const auto own = std::ranges::find_if(adapters, [&](const model::DeviceIdentity& adapter) {
        return model::same_device_and_driver(adapter, identity);
    });
    if (own == adapters.end()) return OpenedDevice{};
    OpenedDevice opened{.driver = source, .device = {}};
    HEAPWRIGHT_ASSIGN(opened.device, source->open(static_cast<std::size_t>(own - adapters.begin()), {}));
    return opened;
}

}  // namespace

Result<OpenedDevice> open_reported_device(const model::DeviceIdentity& identity,
                                          const std::vector<std::string>& icd_files) {
    OpenedDevice opened;
#ifdef _WIN32
    if (identity.api == model::Api::kD3d12) {
        HEAPWRIGHT_ASSIGN(const Source direct3d, d3d12::create_capability_source({}));
        HEAPWRIGHT_ASSIGN(opened, open_of(direct3d, identity));
    }
#endif
    if (!opened.device) {
        HEAPWRIGHT_ASSIGN(const Source vulkan, vulkan::create_capability_source({.icd_files = paths_of(icd_files)}));
        if (identity.api == model::Api::kVulkan) {
            HEAPWRIGHT_ASSIGN(opened, open_of(vulkan, identity));
        } else {
            const auto& adapters = vulkan->adapters();
            for (std::uint32_t position = 0; position < adapters.size() && !opened.device; ++position) {
                HEAPWRIGHT_ASSIGN(const Source direct3d,
                                  d3d12::create_capability_source({.icd_files = paths_of(icd_files),
                                                                   .vulkan_device_index = position,
                                                                   .vulkan_device = adapters[position]}));
                HEAPWRIGHT_ASSIGN(opened, open_of(direct3d, identity));
            }
        }
    }
    if (opened.device) return opened;
    return fail(
        ErrorCode::kNoDevice,
        fmt::format("{} with the report's driver is not here: its own memory cannot be played on", identity.name),
        "what-if");
}

Result<model::WhatIf> what_if_in_child(std::vector<std::string> arguments, std::uint64_t time_limit_ns,
                                       const OutputOptions& output) {
    for (const char* argument : {kOpenDevice, "--json"})
        arguments.insert(arguments.begin() + 1, argument);  // before the inputs
    HEAPWRIGHT_ASSIGN(
        const isolate::CommandOutcome outcome,
        isolate::run_command({.program = {}, .arguments = std::move(arguments), .timeout_ns = time_limit_ns}));
    const auto broken = [](std::string message) {
        return fail(ErrorCode::kDriverFailure, std::move(message), "what-if --on-device");
    };
    switch (outcome.end) {
        case isolate::ChildEnd::kSignalled:
            return broken(
                fmt::format("the process that opened the driver ended by {}", isolate::signal_text(outcome.code)));
        case isolate::ChildEnd::kTimedOut:
        case isolate::ChildEnd::kStalled:
            return fail({.code = ErrorCode::kTimeLimit,
                         .message = "the driver took longer than the time limit, in ns",
                         .where = "what-if --on-device",
                         .value = outcome.elapsed_ns,
                         .limit = time_limit_ns});
        case isolate::ChildEnd::kExited: break;
    }
    if (outcome.output.empty()) {
        std::string_view said = outcome.diagnostics;
        constexpr std::string_view kProgram = "heapwright: ";
        if (const std::size_t last = said.rfind(kProgram); last != std::string_view::npos)
            said.remove_prefix(last + kProgram.size());
        // The child named the place.
        return fail(outcome.code == static_cast<int>(ExitCode::kNoDevice) ? ErrorCode::kNoDevice
                    : outcome.code == static_cast<int>(ExitCode::kUsage)  ? ErrorCode::kInvalidArgument
                                                                          : ErrorCode::kDriverFailure,
                    std::string(said.substr(0, said.find('\n'))));
    }
    std::string_view said = outcome.diagnostics;
    while (said.ends_with('\n')) said.remove_suffix(1);
    if (!said.empty()) print_summary(said, output);
    return model::read_what_if(outcome.output, "the process that opened the driver");
}

}  // namespace heapwright::cli
