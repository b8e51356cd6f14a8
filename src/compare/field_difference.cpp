#include "compare/field_difference.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "compare/detail/device_json.hpp"
#include "compare/field_rules.hpp"
#include "model/names.hpp"

namespace heapwright::compare {

namespace {

using detail::Tree;
using model::ChangeStatus;
using model::FieldClass;

// Where a word stands among these, the worst first.
int rank(std::span<const std::string_view> words, const Tree& word) {
    return static_cast<int>(std::ranges::find(words, detail::text_of(word)) - words.begin());
}
constexpr std::string_view kVerdicts[] = {
    "failed", "not_supported", "inconclusive", "replayed_in_part", "validated_in_part", "replayed", "validated"};
constexpr std::string_view kSeverities[] = {"violation", "warning", "note"};
constexpr std::string_view kBroken[] = {"broken"};

// Positive: `to` has the finer one in every direction that differs. A whole mip level (0) is coarser than any block.
int finer(const Tree& from, const Tree& to) {
    bool is_finer = false;
    bool is_coarser = false;
    for (std::size_t at = 0; at < std::min(from.size(), to.size()); ++at) {
        const auto texels = [](const Tree& extent) {
            const auto count = extent.get<std::uint32_t>();
            return count == 0 ? ~std::uint32_t{0} : count;
        };
        is_finer |= texels(to[at]) < texels(from[at]);
        is_coarser |= texels(to[at]) > texels(from[at]);
    }
    return is_finer == is_coarser ? 0 : is_finer ? 1 : -1;
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
    if (better == Better::kBetterVerdict) return rank(kVerdicts, to) - rank(kVerdicts, from);
    if (better == Better::kNotBroken) return rank(kBroken, to) - rank(kBroken, from);
    if (better == Better::kMilder) return rank(kSeverities, to) - rank(kSeverities, from);
    if (better == Better::kFinerExtent) return finer(from, to);
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

bool is_record_list(const Tree& value) {
    return value.is_array() && std::ranges::all_of(value, [](const Tree& entry) { return entry.is_object(); });
}

std::string child_path(const std::string& path, std::string key) {
    for (std::size_t at = 0; (at = key.find_first_of("~/", at)) != std::string::npos; at += 2)
        key.replace(at, 1, key[at] == '~' ? "~0" : "~1");
    return path + "/" + key;
}

void add_paths(model::DocumentKind kind, const Tree& value, const std::string& path, std::vector<std::string>& paths) {
    if (rule_of(kind, path).field_class == FieldClass::kVolatile) return;
    paths.push_back(path);
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) add_paths(kind, member, child_path(path, key), paths);
    } else if (is_record_list(value)) {
        for (const Tree& entry : value) add_paths(kind, entry, child_path(path, detail::record_key(entry)), paths);
    }
}

class Walk {
public:
    Walk(model::DocumentKind kind, const std::vector<std::string>& unknown) : kind_(kind), unknown_(unknown) {}

    void compare(const Tree& from, const Tree& to, const std::string& path) {
        const FieldRule rule = rule_of(kind_, path);
        if (rule.field_class == FieldClass::kVolatile) return;
        if (from.is_object() && to.is_object() && !detail::is_claim(from)) return compare_objects(from, to, path);
        const bool records = is_record_list(from) && is_record_list(to) && !(from.empty() && to.empty());
        if (records && rule.field_class != FieldClass::kSet) return compare_arrays(from, to, path);
        if (rule.field_class == FieldClass::kSet) return compare_sets(from, to, path, rule);
        const bool is_same_promise = rule.better == Better::kNotBroken && direction(rule.better, from, to) == 0;
        if (from == to || is_same_promise) {
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
    void compare_objects(const Tree& from, const Tree& to, const std::string& path) {
        for (const auto& [key, value] : from.items()) {
            const std::string child = child_path(path, key);
            if (const auto other = to.find(key); other != to.end())
                compare(value, *other, child);
            else
                one_member(value, child, true);
        }
        for (const auto& [key, value] : to.items()) {
            if (!from.contains(key)) one_member(value, child_path(path, key), false);
        }
    }

    // Lists that device_json.cpp turned into objects, and that a document leaves out when they are empty.
    static bool is_keyed_list(std::string_view path) {
        return path == "/unreported" || path == "/texts" || path == "/layered_apis" || path == "/sparse_images" ||
               path == "/sparse_buffers" || path == "/image_compression";
    }

    // A list that one side leaves out, because it has none, is empty there.
    void one_member(const Tree& value, const std::string& path, bool gone) {
        const FieldClass is = rule_of(kind_, path).field_class;
        const bool keyed = is_keyed_list(path) || is == FieldClass::kSet || (is_record_list(value) && !value.empty());
        if (!keyed || is == FieldClass::kVolatile) return one_sided(value, path, gone);
        const Tree none = value.is_object() ? Tree::object() : Tree::array();
        if (gone)
            compare(value, none, path);
        else
            compare(none, value, path);
    }

    // Equal entries are each other's, wherever they stand; those left go by their keys.
    void compare_arrays(const Tree& from, const Tree& to, const std::string& path) {
        std::vector<const Tree*> others;
        for (const Tree& entry : to) others.push_back(&entry);
        std::vector<const Tree*> ones;
        for (const Tree& entry : from) {
            const auto equal = std::ranges::find_if(others, [&](const Tree* other) { return *other == entry; });
            if (equal == others.end()) {
                ones.push_back(&entry);
            } else {
                others.erase(equal);
                ++result_.same_fields;
            }
        }
        const auto keyed = [](const std::vector<const Tree*>& entries) {
            std::vector<std::pair<std::string, const Tree*>> result;
            std::map<std::string, int> seen;
            for (const Tree* entry : entries) {
                std::string key = detail::record_key(*entry);
                const int count = ++seen[key];
                result.emplace_back(count == 1 ? key : fmt::format("{}#{}", key, count), entry);
            }
            return result;
        };
        const auto from_keyed = keyed(ones);
        const auto to_keyed = keyed(others);
        const auto find = [](const auto& entries, const std::string& key) {
            return std::ranges::find_if(entries, [&](const auto& entry) { return entry.first == key; });
        };
        for (const auto& [key, entry] : from_keyed) {
            const std::string child = child_path(path, key);
            if (const auto other = find(to_keyed, key); other != to_keyed.end())
                compare(*entry, *other->second, child);
            else
                one_sided(*entry, child, true);
        }
        for (const auto& [key, entry] : to_keyed) {
            if (find(from_keyed, key) == from_keyed.end()) one_sided(*entry, child_path(path, key), false);
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

    // A deviation from the specification, or a measurement that failed.
    static bool is_bad_finding(std::string_view path, const Tree& value) {
        if (!path.starts_with("/findings/") || !value.is_object()) return false;
        return value.value("severity", "") != "note" || value.value("id", "").ends_with("-not-measured");
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
        } else if (path.starts_with("/findings/") && value.is_object() &&
                   value.value("id", "").ends_with("-out-of-time")) {
            change.status = ChangeStatus::kInconclusive;
            change.reason = model::kTimeWasUp;
        } else if (is_bad_finding(path, value)) {
            change.status = gone ? ChangeStatus::kImproved : ChangeStatus::kRegressed;
            change.reason = detail::text_of(value.at("statement"));
            (gone ? change.from : change.to) = value.value("severity", "");
        } else if (rule.absence == Absence::kOfTheHost) {
            change.status = ChangeStatus::kExpected;
            change.reason = "host-dependent";
        } else if (rule.absence == Absence::kIsBetter) {
            change.status = gone ? ChangeStatus::kImproved : ChangeStatus::kRegressed;
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
    // A probe that lacks a part has lost it, whatever it says.
    std::vector<std::string> unknown;
    for (const model::DeviceReport* report : {&baseline, &other}) {
        if (report->origin == model::ReportOrigin::kImport)
            unknown.insert(unknown.end(), report->absent.begin(), report->absent.end());
    }
    return compare_trees(model::DocumentKind::kReport, baseline, other, unknown);
}

FieldDifferences compare_fields(const model::DevicePolicy& baseline, const model::DevicePolicy& other) {
    return compare_trees(model::DocumentKind::kPolicy, baseline, other, {});
}

FieldDifferences compare_fields(const model::DeviceValidation& baseline, const model::DeviceValidation& other) {
    return compare_trees(model::DocumentKind::kValidation, baseline, other, {});
}

std::vector<std::string> field_paths(const model::DeviceReport& device) {
    std::vector<std::string> paths;
    add_paths(model::DocumentKind::kReport, detail::tree_of(device), "", paths);
    return paths;
}

std::vector<std::string> field_paths(const model::DevicePolicy& device) {
    std::vector<std::string> paths;
    add_paths(model::DocumentKind::kPolicy, detail::tree_of(device), "", paths);
    return paths;
}

std::vector<std::string> field_paths(const model::DeviceValidation& device) {
    std::vector<std::string> paths;
    add_paths(model::DocumentKind::kValidation, detail::tree_of(device), "", paths);
    return paths;
}

namespace {

constexpr std::string_view kNoFlags = "NONE";

}  // namespace

std::string case_path(const model::ImageCase& entry) {
    return fmt::format("/image_sweep/{}/{}/{}/{}/{}/layers_{}/samples_{}", name_of(entry.format), name_of(entry.tiling),
                       name_of(entry.dimension), model::flags_text(entry.usage, model::image_usage_names(), kNoFlags),
                       entry.full_mips ? "full_mips" : "one_mip", entry.array_layers, entry.samples);
}

std::string case_path(const model::BufferCase& entry) {
    return fmt::format("/buffer_sweep/{}", model::flags_text(entry.usage, model::buffer_usage_names(), kNoFlags));
}

}  // namespace heapwright::compare
