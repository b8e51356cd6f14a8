#include "cases.hpp"

#include <catch2/catch_test_macros.hpp>

namespace heapwright::test {

std::string_view name_of(std::optional<device::DescriptorForm> form) {
    if (!form) return "own";
    switch (*form) {
        case device::DescriptorForm::kDescriptorHeap: return "descriptor heap";
        case device::DescriptorForm::kDescriptorBuffer: return "descriptor buffer";
        case device::DescriptorForm::kUpdateAfterBindSet: return "update-after-bind set";
        case device::DescriptorForm::kLargeSet: return "large set";
        case device::DescriptorForm::kPooledSets: return "pooled sets";
        case device::DescriptorForm::kShadow: return "shadow";
    }
    return "unknown";
}

std::vector<Case> cases() {
    std::vector<std::string> missing;
    std::vector<Case> found;
    for (const Backend& backend : backends(missing)) {
        if (backend.can.empty()) {
            // Not known beforehand: what the device refuses is left out.
            found.push_back({.backend = backend, .form = std::nullopt});
            for (const device::DescriptorForm form : forms()) {
                if (backend.open(form, Layers::kOff)) found.push_back({.backend = backend, .form = form});
            }
            continue;
        }
        for (std::size_t i = 0; i < forms().size(); ++i) {
            if (backend.can[i]) found.push_back({.backend = backend, .form = forms()[i]});
        }
    }
    if (found.empty()) {
        std::string names;
        for (const std::string& name : missing) names += name + " ";
        SKIP("not set: " << names);
    }
    return found;
}

}  // namespace heapwright::test
