// Fields of the comparison.
#pragma once

#include "heapwright/model/comparison.hpp"
#include "heapwright/model/detail/fields_report.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<NoisyTest> {
    using S = NoisyTest;
    static constexpr std::string_view kName = "noisy_test";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("p_value", &S::p_value, RealCodec{.max = 1}),
                                            field("alarm_below", &S::alarm_below, RealCodec{.max = 1}),
                                            field("ratio", &S::ratio), field("points", &S::points)};
};

template <>
struct Fields<FieldChange> {
    using S = FieldChange;
    static constexpr std::string_view kName = "field_change";
    static constexpr auto list = std::tuple{field("path", &S::path, TextCodec{.min_length = 1}),
                                            field("class", &S::field_class),
                                            field("status", &S::status),
                                            field("from", &S::from),
                                            field("to", &S::to),
                                            field("reason", &S::reason, Presence::kOptional),
                                            field("test", &S::test)};
};

template <>
struct Fields<SweepChange> {
    using S = SweepChange;
    static constexpr std::string_view kName = "sweep_change";
    static constexpr auto list = std::tuple{field("property", &S::property, TextCodec{.min_length = 1}),
                                            field("status", &S::status),
                                            field("from", &S::from),
                                            field("to", &S::to),
                                            field("condition", &S::condition),
                                            field("statement", &S::statement),
                                            field("reason", &S::reason, Presence::kOptional),
                                            field("changed_points", &S::changed_points),
                                            field("compared_points", &S::compared_points),
                                            field("cases", &S::cases),
                                            field("points", &S::points)};
};

template <>
struct Fields<PolicyNumberChange> {
    using S = PolicyNumberChange;
    static constexpr std::string_view kName = "policy_number_change";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("path", &S::path), field("from", &S::from), field("to", &S::to)};
};

template <>
struct Fields<PolicyImpact> {
    using S = PolicyImpact;
    static constexpr std::string_view kName = "policy_impact";
    static constexpr auto list =
        std::tuple{field("workload", &S::workload), field("waste_from", &S::waste_from),
                   field("waste_to", &S::waste_to), field("numbers", &S::numbers), field("statement", &S::statement)};
};

template <>
struct Fields<DeviceComparison> {
    using S = DeviceComparison;
    static constexpr std::string_view kName = "device_comparison";
    static constexpr auto list = std::tuple{field("baseline", &S::baseline), field("other", &S::other),
                                            field("status", &S::status),     field("same_fields", &S::same_fields),
                                            field("fields", &S::fields),     field("sweeps", &S::sweeps),
                                            field("impact", &S::impact)};
};

template <>
struct Fields<ComparedDocument> {
    using S = ComparedDocument;
    static constexpr std::string_view kName = "compared_document";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("file", &S::file), field("stable_hash", &S::stable_hash, Presence::kOptional),
                   field("host", &S::host, Presence::kOptional)};
};

template <>
struct Fields<DocumentComparison> {
    using S = DocumentComparison;
    static constexpr std::string_view kName = "document_comparison";
    static constexpr auto list = std::tuple{field("baseline", &S::baseline), field("other", &S::other),
                                            field("across_devices", &S::across_devices), field("devices", &S::devices)};
};

template <>
struct Fields<AllowListNote> {
    using S = AllowListNote;
    static constexpr std::string_view kName = "allow_list_note";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("file", &S::file), field("line", &S::line), field("statement", &S::statement)};
};

template <>
struct Fields<DeviceKind> {
    using S = DeviceKind;
    static constexpr std::string_view kName = "device_kind";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("name", &S::name), field("driver", &S::driver), field("reports", &S::reports)};
};

template <>
struct Fields<BehaviourGroup> {
    using S = BehaviourGroup;
    static constexpr std::string_view kName = "behaviour_group";
    static constexpr auto list = std::tuple{field("fingerprint", &S::fingerprint, kHashCodec),
                                            field("reports", &S::reports),
                                            field("representative", &S::representative),
                                            field("representative_device", &S::representative_device),
                                            field("smallest_heap_bytes", &S::smallest_heap_bytes),
                                            field("largest_heap_bytes", &S::largest_heap_bytes),
                                            field("outlier", &S::outlier),
                                            field("devices", &S::devices),
                                            field("served_by", &S::served_by),
                                            field("waste", &S::waste),
                                            field("not_served", &S::not_served, Presence::kOptional)};
};

template <>
struct Fields<CoveringPolicy> {
    using S = CoveringPolicy;
    static constexpr std::string_view kName = "covering_policy";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("made_for", &S::made_for, kHashCodec), field("file", &S::file),
                                            field("groups", &S::groups), field("reports", &S::reports)};
};

template <>
struct Fields<VersionChange> {
    using S = VersionChange;
    static constexpr std::string_view kName = "version_change";
    static constexpr auto list =
        std::tuple{field("device", &S::device), field("driver", &S::driver), field("versions", &S::versions),
                   field("fingerprints", &S::fingerprints), field("statement", &S::statement)};
};

template <>
struct Fields<SkippedFile> {
    using S = SkippedFile;
    static constexpr std::string_view kName = "skipped_file";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("file", &S::file), field("reason", &S::reason)};
};

template <>
struct Fields<Clusters> {
    using S = Clusters;
    static constexpr std::string_view kName = "clusters";
    static constexpr auto list =
        std::tuple{field("reports", &S::reports),         field("devices", &S::devices),
                   field("workload", &S::workload),       field("allowed_waste", &S::allowed_waste),
                   field("groups", &S::groups),           field("policies", &S::policies),
                   field("cover_bound", &S::cover_bound), field("version_changes", &S::version_changes),
                   field("skipped", &S::skipped)};
};

template <>
struct Fields<Comparison> {
    using S = Comparison;
    static constexpr std::string_view kName = "comparison";
    static constexpr DocumentKind kKind = DocumentKind::kComparison;
    static constexpr auto list = std::tuple{tool_field<S>(),
                                            sources_field<S>(),
                                            field("documents", &S::documents),
                                            field("allow_list", &S::allow_list),
                                            field("clusters", &S::clusters),
                                            volatile_field(&S::run)};
};

}  // namespace heapwright::model::detail
