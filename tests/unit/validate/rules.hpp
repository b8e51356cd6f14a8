// The rules of the two source documents as rows: each with a sabotage that breaks it, and what must say so. A run with
// the sabotage and one without it are the same otherwise. rules_test.cpp checks the rows, docs/rules.md prints them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "replay/device.hpp"
#include "validate/binding_scenario.hpp"

namespace heapwright::rules {

// The bodies of the two runs, as scenarios have them.
struct Plays {
    validate::BindingBody clean = nullptr;
    validate::BindingBody sabotaged = nullptr;
};

// A scenario of heapwright: what is sabotaged stands before the device or in its place.
inline Plays scenario(validate::BindingBody body) {
    return {.clean = body, .sabotaged = body};
}

using Body = Status (*)(validate::BindingScene& scene, bool is_sabotaged);

template <Body kBody>
Plays body() {
    return {.clean = [](validate::BindingScene& scene) { return kBody(scene, false); },
            .sabotaged = [](validate::BindingScene& scene) { return kBody(scene, true); }};
}

// What the runs stand on.
struct Stage {
    replay::ReplayMode mode = replay::ReplayMode::kManual;
    void (*change_report)(model::DeviceReport& report) = nullptr;
    // In both runs.
    std::unique_ptr<device::Device> (*device)(device::Device& inner) = nullptr;
    // In the sabotaged run alone.
    std::unique_ptr<device::Device> (*lie)(device::Device& inner) = nullptr;
    frame::VisibleHeapFactory heap = {};
    void (*change_policy)(model::DevicePolicy& policy) = nullptr;
};

template <class Double, auto... kArguments>
std::unique_ptr<device::Device> before(device::Device& inner) {
    return std::make_unique<Double>(inner, kArguments...);
}

struct Rule {
    const char* rule;
    const char* section;   // of the document
    const char* sabotage;  // in words
    Plays plays;           // none: the types forbid it
    Stage stage;
    const char* says;  // a regular expression; what it matches is the example
    bool is_forbidden_by_types = false;
};

// What a scene says of a word that its dispatch did not find.
inline constexpr const char* kWrongWord =
    "descriptor [0-9]+ .[a-z ]+. of context [0-9]+: frame [0-9]+, command list [0-9]+: the device read 0x[0-9a-f]+ "
    "through it where resource [0-9]+ holds 0x[0-9a-f]+";

// What the replayed device says of a resource that goes too early, and of a descriptor that is written too early.
inline constexpr const char* kStillUsed = "destroy: [0-9]+ pending submissions still use resource [0-9]+";
inline constexpr const char* kRewritten =
    "descriptor [0-9]+ of heap [0-9]+ is rewritten while [0-9]+ pending dispatches may read it";

std::span<const Rule> descriptor_rules();
std::span<const Rule> lifetime_rules();
std::span<const Rule> frame_rules();

}  // namespace heapwright::rules
