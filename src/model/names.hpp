// The names that the documents use for the values of every enumeration: lower_snake words; formats keep the Vulkan
// specification's spelling. Pure and thread-safe.
#pragma once

#include <span>
#include <string_view>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model {

// One name per value, in the order of the values. Specialised for every enumeration of the documents.
template <class E>
[[nodiscard]] std::span<const std::string_view> names_of();

template <>
std::span<const std::string_view> names_of<DocumentKind>();
template <>
std::span<const std::string_view> names_of<Api>();
template <>
std::span<const std::string_view> names_of<DeviceType>();
template <>
std::span<const std::string_view> names_of<ReportOrigin>();
template <>
std::span<const std::string_view> names_of<D3d12HeapType>();
template <>
std::span<const std::string_view> names_of<FindingSeverity>();
template <>
std::span<const std::string_view> names_of<FailureKind>();
template <>
std::span<const std::string_view> names_of<Format>();
template <>
std::span<const std::string_view> names_of<ImageTiling>();
template <>
std::span<const std::string_view> names_of<ImageDimension>();
template <>
std::span<const std::string_view> names_of<ResourceClass>();
template <>
std::span<const std::string_view> names_of<Dedicated>();
template <>
std::span<const std::string_view> names_of<AlignmentCondition>();
template <>
std::span<const std::string_view> names_of<MemoryUse>();
template <>
std::span<const std::string_view> names_of<Lifetime>();
template <>
std::span<const std::string_view> names_of<HostAccess>();
template <>
std::span<const std::string_view> names_of<Capability>();
template <>
std::span<const std::string_view> names_of<OwnMemory>();
template <>
std::span<const std::string_view> names_of<SizeDistribution>();
template <>
std::span<const std::string_view> names_of<SuballocatorKind>();
template <>
std::span<const std::string_view> names_of<ChunkChoice>();
template <>
std::span<const std::string_view> names_of<DedicatedRule>();
template <>
std::span<const std::string_view> names_of<HumongousRule>();
template <>
std::span<const std::string_view> names_of<PromiseKind>();
template <>
std::span<const std::string_view> names_of<PromiseVerdict>();
template <>
std::span<const std::string_view> names_of<Verdict>();
template <>
std::span<const std::string_view> names_of<Fault>();
template <>
std::span<const std::string_view> names_of<WaitRole>();
template <>
std::span<const std::string_view> names_of<Steadiness>();
template <>
std::span<const std::string_view> names_of<SteadinessSource>();
template <>
std::span<const std::string_view> names_of<CopyDirection>();
template <>
std::span<const std::string_view> names_of<CopyMeans>();
template <>
std::span<const std::string_view> names_of<MeasuredBy>();
template <>
std::span<const std::string_view> names_of<CreatedObject>();
template <>
std::span<const std::string_view> names_of<Baseline>();

template <class E>
[[nodiscard]] std::string_view name_of(E value) {
    return names_of<E>()[static_cast<std::size_t>(value)];
}

}  // namespace heapwright::model
