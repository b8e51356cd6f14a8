#include "heapwright/compare/field_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "heapwright/compare/detail/device_json.hpp"
#include "heapwright/compare/field_rules.hpp"

namespace heapwright::compare {
namespace {

using detail::Tree;
using model::ChangeStatus;
using model::FieldClass;

int verdict_rank(const Tree& verdict) {
    static constexpr std::array<std::string_view, 5> kWorstFirst{"failed", "not_supported", "inconclusive", "replayed",
                                                                 "validated"};
    const auto found = std::ranges::find(kWorstFirst, detail::text_of(verdict));
    return static_cast<int>(found - kWorstFirst.begin());
}

// "1.3.230" as numbers.
std::vector<int> version_parts(const std::string& text) {
    std::vector<int> parts;
    for (std::size_t at = 0; at < text.size();) {
        int part = 0;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && part < 100'000'000; ++at)
            part = part * 10 + (text[at] - '0');
        parts.push_back(part);
        while (at < text.size() && (text[at] < '0' || text[at] > '9')) ++at;
    }
    return parts;
}

// Positive: `to` is more. Nothing when the two cannot be ordered.
std::optional<int> direction(Better better, const Tree& from, const Tree& to) {
    if (better == Better::kBetterVerdict) return verdict_rank(to) - verdict_rank(from);
    if (better == Better::kLaterVersion) {
        const auto one = version_parts(detail::text_of(from));
        const auto other = version_parts(detail::text_of(to));
        if (one == other) return std::nullopt;
        return one < other ? 1 : -1;
    }
    if (better == Better::kMoreBits) {
        const auto one = detail::bits_of(from);
        const auto other = detail::bits_of(to);
        if (!one || !other) return std::nullopt;
        if ((*one & ~*other) == 0) return 1;
        if ((*other & ~*one) == 0) return -1;
        return std::nullopt;
    }
    const auto one = detail::number_of(from);
    const auto other = detail::number_of(to);
    if (!one || !other || *one == *other) return std::nullopt;
    return *one < *other ? 1 : -1;
}

ChangeStatus status_of(int more, Better better) {
    if (more == 0 || better == Better::kNeither) return ChangeStatus::kChanged;
    const bool improved = (more > 0) != (better == Better::kLess);
    return improved ? ChangeStatus::kImproved : ChangeStatus::kRegressed;
}

class Walk {
public:
    Walk(model::DocumentKind kind, const std::vector<std::string>& unknown) : kind_(kind), unknown_(unknown) {}

    void compare(const Tree& from, const Tree& to, const std::string& path) {
        const FieldRule rule = rule_of(kind_, path);
        if (rule.field_class == FieldClass::kVolatile) return;
        if (from.is_object() && to.is_object()) return compare_objects(from, to, path);
        const bool records = from.is_array() && to.is_array() && holds_records(from) && holds_records(to);
        if (records && rule.field_class != FieldClass::kSet) return compare_arrays(from, to, path);
        if (rule.field_class == FieldClass::kSet) return compare_sets(from, to, path, rule);
        if (from == to) {
            ++result_.same_fields;
            return;
        }
        model::FieldChange change{
            .path = path, .field_class = rule.field_class, .from = detail::text_of(from), .to = detail::text_of(to)};
        if (rule.field_class == FieldClass::kHostDependent) {
            change.status = ChangeStatus::kExpected;
            change.reason = "host-dependent";
        } else if (rule.field_class == FieldClass::kOrdered) {
            change.status = status_of(direction(rule.better, from, to).value_or(0), rule.better);
        }
        result_.changes.push_back(std::move(change));
    }

    [[nodiscard]] FieldDifferences take() { return std::move(result_); }

private:
    static bool holds_records(const Tree& array) {
        return !array.empty() && std::ranges::all_of(array, [](const Tree& entry) { return entry.is_object(); });
    }

    static std::string child_path(const std::string& path, std::string key) {
        for (std::size_t at = 0; (at = key.find_first_of("~/", at)) != std::string::npos; at += 2)
            key.replace(at, 1, key[at] == '~' ? "~0" : "~1");
        return path + "/" + key;
    }

    void compare_objects(const Tree& from, const Tree& to, const std::string& path) {
        for (const auto& [key, value] : from.items()) {
            const std::string child = child_path(path, key);
            if (const auto other = to.find(key); other != to.end())
                compare(value, *other, child);
            else
                one_sided(value, child, true);
        }
        for (const auto& [key, value] : to.items()) {
            if (!from.contains(key)) one_sided(value, child_path(path, key), false);
        }
    }

    void compare_arrays(const Tree& from, const Tree& to, const std::string& path) {
        const std::size_t common = std::min(from.size(), to.size());
        for (std::size_t index = 0; index < common; ++index)
            compare(from[index], to[index], path + "/" + std::to_string(index));
        for (std::size_t index = common; index < std::max(from.size(), to.size()); ++index) {
            const bool gone = index < from.size();
            one_sided(gone ? from[index] : to[index], path + "/" + std::to_string(index), gone);
        }
    }

    void compare_sets(const Tree& from, const Tree& to, const std::string& path, const FieldRule& rule) {
        const auto elements = [](const Tree& array) {
            std::set<std::string> texts;
            for (const Tree& entry : array) texts.insert(detail::text_of(entry));
            return texts;
        };
        const auto one = elements(from);
        const auto other = elements(to);
        if (one == other) {
            ++result_.same_fields;
            return;
        }
        int more = 0;
        if (std::ranges::includes(other, one)) more = 1;
        if (std::ranges::includes(one, other)) more = -1;
        result_.changes.push_back({.path = path,
                                   .field_class = FieldClass::kSet,
                                   .status = status_of(more, rule.better),
                                   .from = detail::text_of(from),
                                   .to = detail::text_of(to)});
    }

    void one_sided(const Tree& value, const std::string& path, bool gone) {
        const FieldRule rule = rule_of(kind_, path);
        if (rule.field_class == FieldClass::kVolatile) return;
        model::FieldChange change{.path = path,
                                  .field_class = rule.field_class,
                                  .status = gone ? ChangeStatus::kMissing : ChangeStatus::kNew};
        (gone ? change.from : change.to) = detail::text_of(value);
        const bool unknown = std::ranges::any_of(
            unknown_, [&](const std::string& pointer) { return path == pointer || path.starts_with(pointer + "/"); });
        if (unknown) {
            change.status = ChangeStatus::kInconclusive;
            change.reason = "one of the documents comes from a source that does not hold this";
        } else if (path.starts_with("/findings/") && value.is_object() && value.value("severity", "") != "note") {
            change.status = gone ? ChangeStatus::kImproved : ChangeStatus::kRegressed;
            change.reason = detail::text_of(value.at("statement"));
            (gone ? change.from : change.to) = value.value("severity", "");
        }
        result_.changes.push_back(std::move(change));
    }

    model::DocumentKind kind_;
    const std::vector<std::string>& unknown_;
    FieldDifferences result_;
};

template <class Device>
FieldDifferences compare_trees(model::DocumentKind kind, const Device& baseline, const Device& other,
                               const std::vector<std::string>& unknown) {
    Walk walk(kind, unknown);
    walk.compare(detail::tree_of(baseline), detail::tree_of(other), "");
    return walk.take();
}

}  // namespace

FieldDifferences compare_fields(const model::DeviceReport& baseline, const model::DeviceReport& other) {
    std::vector<std::string> unknown = baseline.absent;
    unknown.insert(unknown.end(), other.absent.begin(), other.absent.end());
    return compare_trees(model::DocumentKind::kReport, baseline, other, unknown);
}

FieldDifferences compare_fields(const model::DevicePolicy& baseline, const model::DevicePolicy& other) {
    return compare_trees(model::DocumentKind::kPolicy, baseline, other, {});
}

FieldDifferences compare_fields(const model::DeviceValidation& baseline, const model::DeviceValidation& other) {
    return compare_trees(model::DocumentKind::kValidation, baseline, other, {});
}

}  // namespace heapwright::compare
