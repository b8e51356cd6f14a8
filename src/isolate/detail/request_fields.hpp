// The fields of the request to a worker. Those of the stages' own requests stand beside their structs.
#pragma once

#include <tuple>

#include "isolate/messages.hpp"
#include "model/detail/fields_common.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<isolate::Target> {
    using S = isolate::Target;
    static constexpr std::string_view kName = "target";
    static constexpr auto list =
        std::tuple{field("api", &S::api), field("icd_files", &S::icd_files),
                   field("vulkan_device_index", &S::vulkan_device_index), field("vulkan_device", &S::vulkan_device)};
};
static_assert(kHasRowForEveryMember<isolate::Target>);

template <>
struct Fields<isolate::SkippedStep> {
    using S = isolate::SkippedStep;
    static constexpr std::string_view kName = "skipped_step";
    static constexpr auto list =
        std::tuple{field("position", &S::position), field("stage", &S::stage), field("index", &S::index),
                   field("and_later", &S::and_later), field("reason", &S::reason)};
};
static_assert(kHasRowForEveryMember<isolate::SkippedStep>);

template <>
struct Fields<isolate::WorkerRequest> {
    using S = isolate::WorkerRequest;
    static constexpr std::string_view kName = "worker_request";
    static constexpr auto list = std::tuple{
        field("target", &S::target), field("selectors", &S::selectors),         field("first_index", &S::first_index),
        field("skip", &S::skip),     field("skipped_steps", &S::skipped_steps), field("limits", &S::limits),
        field("probe", &S::probe),   field("validation", &S::validation),       field("workload", &S::workload),
        field("policy", &S::policy)};
};
static_assert(kHasRowForEveryMember<isolate::WorkerRequest>);

}  // namespace heapwright::model::detail
