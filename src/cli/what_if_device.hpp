// `what-if --on-device`: a child opens the driver, so that one that crashes or hangs ends alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "model/what_if.hpp"

namespace heapwright::cli {

// Of the child: that option of the command line has it open the device itself, which no person asks for.
inline constexpr const char* kOpenDevice = "--open-device";

struct OpenedDevice {
    std::shared_ptr<void> driver;  // outlives the device
    std::unique_ptr<device::Device> device;
};

// The device that a report is of, with the driver that it names. Errors: kNoDevice, kNoLoader, kDriverFailure.
[[nodiscard]] Result<OpenedDevice> open_reported_device(const model::DeviceIdentity& identity,
                                                        const std::vector<std::string>& icd_files);

// `arguments`: of the command, whole. What the child and the driver say goes on to the screen. Errors: kDriverFailure
// with what the child ended by, the child's own.
[[nodiscard]] Result<model::WhatIf> what_if_in_child(std::vector<std::string> arguments, std::uint64_t time_limit_ns,
                                                     const OutputOptions& output);

}  // namespace heapwright::cli
