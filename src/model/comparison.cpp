#include "model/comparison.hpp"

#include "model/detail/fields_comparison.hpp"
#include "model/detail/read.hpp"
#include "model/detail/write.hpp"

namespace heapwright::model {
namespace detail {

template Result<Comparison> read_shape(std::string_view text, std::string_view source);

}  // namespace detail
namespace {

constexpr std::array<std::string_view, 6> kFieldClassNames{"exact",          "ordered", "set",
                                                           "host_dependent", "noisy",   "volatile"};
constexpr std::array<std::string_view, 8> kChangeStatusNames{"same",     "changed", "regressed", "improved",
                                                             "expected", "missing", "new",       "inconclusive"};
constexpr std::array<std::string_view, 8> kSweepPropertyNames{"alignment_bytes", "case",   "cases",      "dedicated",
                                                              "memory_types",    "points", "size_bytes", "support"};
static_assert(kFieldClassNames.size() == static_cast<std::size_t>(FieldClass::kVolatile) + 1);
static_assert(kChangeStatusNames.size() == static_cast<std::size_t>(ChangeStatus::kInconclusive) + 1);
static_assert(kSweepPropertyNames.size() == static_cast<std::size_t>(SweepProperty::kSupport) + 1);

}  // namespace

template <>
std::span<const std::string_view> names_of<FieldClass>() {
    return kFieldClassNames;
}
template <>
std::span<const std::string_view> names_of<ChangeStatus>() {
    return kChangeStatusNames;
}
template <>
std::span<const std::string_view> names_of<SweepProperty>() {
    return kSweepPropertyNames;
}

std::string path_of(const SweepChange& change) {
    return fmt::format("{}/{}", change.cases.front(), name_of(change.property));
}

int severity(ChangeStatus status) {
    switch (status) {
        case ChangeStatus::kSame: return 0;
        case ChangeStatus::kExpected: return 1;
        case ChangeStatus::kNew: return 2;
        case ChangeStatus::kImproved: return 3;
        case ChangeStatus::kInconclusive: return 4;
        case ChangeStatus::kChanged: return 5;
        case ChangeStatus::kMissing: return 6;
        case ChangeStatus::kRegressed: return 7;
    }
    return 0;
}

bool is_failure(ChangeStatus status) {
    return status == ChangeStatus::kRegressed || status == ChangeStatus::kMissing || status == ChangeStatus::kChanged;
}

Result<Comparison> read_comparison(std::string_view text, std::string_view source) {
    return detail::read_shape<Comparison>(text, source);
}

std::string write(const Comparison& comparison) {
    return detail::write_document(comparison, true);
}

}  // namespace heapwright::model
