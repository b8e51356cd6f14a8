// The devices that the descriptor tests run on. Each program has one API and says which devices it has.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/capability_source.hpp"
#include "device/device.hpp"

namespace heapwright::test {

struct Opened {
    std::unique_ptr<device::CapabilitySource> source;  // outlives the device; null for a replayed one
    std::unique_ptr<device::Device> device;
    bool is_validated = false;
    std::function<std::string(const device::Device&)> living;  // what lives, in words; empty when nothing does
};

enum class Layers { kOff, kOn };

struct Backend {
    std::string name;
    std::function<Result<Opened>(std::optional<device::DescriptorForm> form, Layers layers)> open;
    // What open() does with each form, in the order of kForms: whether the device can have it.
    std::vector<bool> can;
    std::optional<device::DescriptorForm> own;  // the form taken when none is asked for; empty: whichever it is
    // Descriptors that do not suit their resource or program come out as messages, as a validation layer's would.
    bool only_reports = false;
};

inline constexpr const char* kNamedDriver = "HEAPWRIGHT_ICD_DEVICE";

inline bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

// The driver alone that kNamedDriver names where that is set: a test that skips another driver counts as skipped,
// whatever it did on this one. Else those of the environment; `missing` names the variables that are not set. A driver
// that was opened stays loaded (kept_driver.hpp).
[[nodiscard]] std::vector<Backend> backends(std::vector<std::string>& missing);

// The forms to force.
[[nodiscard]] const std::vector<device::DescriptorForm>& forms();

}  // namespace heapwright::test
