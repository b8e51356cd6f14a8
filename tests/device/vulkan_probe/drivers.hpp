// The drivers that these tests run on, by the variables that scripts/drivers --export sets. An absent one is a skip.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/capability_source.hpp"
#include "heapwright/model/report.hpp"

namespace probe_test {

struct Driver {
    const char* name;
    const char* variable;
};

inline constexpr Driver kLavapipe{"lavapipe", "HEAPWRIGHT_ICD_LAVAPIPE"};
inline constexpr Driver kLavapipeBackports{"lavapipe of backports", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS"};
inline constexpr Driver kSwiftShader{"SwiftShader", "HEAPWRIGHT_ICD_SWIFTSHADER"};

// The driver's manifest; skips the running test when its variable is unset or empty.
[[nodiscard]] std::string icd_or_skip(const Driver& driver);

// A source with this driver alone and at least one adapter; fails the running test otherwise.
[[nodiscard]] std::unique_ptr<heapwright::device::CapabilitySource> open_source(const std::string& icd);

[[nodiscard]] heapwright::model::DeviceReport read(heapwright::device::CapabilitySource& source,
                                                   const heapwright::device::ReadOptions& options = {});

}  // namespace probe_test
