// Which class each field of a document has, and which direction is better, by path patterns; the first rule that
// matches decides. A field that no rule names is exact: what is added to a document later is compared from the start.
// Limits have the direction that the Vulkan registry gives them (limittype in vk.xml), but for those whose text says
// otherwise, and Direct3D 12's are listed. Paths are relative to the device. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/comparison.hpp"

namespace heapwright::compare {

enum class Better : std::uint8_t {
    kNeither,
    kMore,
    kLess,
    kMoreBits,      // a number as a set of bits
    kLaterVersion,  // "1.3.230"
    kFinerExtent,   // of texels; 0 stands for a whole mip level
    kBetterVerdict,
    kNotBroken,  // a promise; between other verdicts there is no difference
    kMilder,     // a finding's severity
};

// What it means that only one document has a field.
enum class Absence : std::uint8_t {
    kCounts,     // gone: missing; come: new
    kIsBetter,   // the entry is a fault: gone is an improvement, come a regression
    kOfTheHost,  // the host decides whether it is there: expected
};

struct FieldRule {
    std::string_view pattern;
    model::FieldClass field_class = model::FieldClass::kExact;
    Better better = Better::kNeither;
    Absence absence = Absence::kCounts;
};

[[nodiscard]] FieldRule rule_of(model::DocumentKind kind, std::string_view path);

}  // namespace heapwright::compare
