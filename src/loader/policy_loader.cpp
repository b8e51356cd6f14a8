// The C border: checks arguments, turns errors into statuses, lets nothing be thrown through.
#include "heapwright/policy_loader.h"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <new>

#include "contract/bucket_choice.hpp"
#include "core/path.hpp"
#include "heapwright/model/claim_text.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "loader/compute.hpp"
#include "loader/match.hpp"
#include "loader/policy_folder.hpp"
#include "loader/running_device.hpp"
#include "model/claims.hpp"

using namespace heapwright;

struct heapwright_policies {
    loader::PolicyFolder folder;
};

struct heapwright_policy {
    loader::MatchLevel match = loader::MatchLevel::kExact;
    loader::StoredPolicy stored;
    contract::BucketIndex buckets;  // of the stored policy, once it is scaled
    bool scaled = false;
    std::string explanation;
    std::string document;
};

namespace {

void tell(heapwright_message* message, std::string_view text) {
    if (message == nullptr) return;
    const std::size_t size = std::min(text.size(), sizeof(message->text) - 1);
    std::memcpy(message->text, text.data(), size);
    message->text[size] = '\0';
}

heapwright_status status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::kInvalidArgument: return HEAPWRIGHT_INVALID_ARGUMENT;
        case ErrorCode::kIoError: return HEAPWRIGHT_IO_ERROR;
        case ErrorCode::kOutOfHostMemory: return HEAPWRIGHT_OUT_OF_MEMORY;
        default: return HEAPWRIGHT_NO_POLICY;
    }
}

heapwright_status refuse(heapwright_message* message, const Error& error) {
    tell(message, to_string(error));
    return status_of(error.code);
}

template <class Call>
heapwright_status guarded(heapwright_message* message, Call call) noexcept {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        tell(message, "out of memory");
        return HEAPWRIGHT_OUT_OF_MEMORY;
    } catch (const std::exception& error) {
        tell(message, error.what());
        return HEAPWRIGHT_INTERNAL_ERROR;
    } catch (...) {
        tell(message, "an exception of an unknown type");
        return HEAPWRIGHT_INTERNAL_ERROR;
    }
}

// The caller's structure may be of an older header (shorter) or of a newer one (longer). struct_size comes first.
template <class T>
T taken(const T& given) {
    T whole{};
    std::memcpy(&whole, &given, std::min<std::size_t>(given.struct_size, sizeof(T)));
    return whole;
}

template <class T>
heapwright_status given(T* out, T whole) {
    if (out == nullptr || out->struct_size < sizeof(std::uint32_t)) return HEAPWRIGHT_INVALID_ARGUMENT;
    whole.struct_size = out->struct_size;
    std::memcpy(out, &whole, std::min<std::size_t>(out->struct_size, sizeof(T)));
    return HEAPWRIGHT_OK;
}

std::string document_of(const loader::StoredPolicy& stored) {
    model::Policy policy;
    policy.header = stored.header;
    policy.workload_name = stored.workload_name;
    policy.devices = {stored.device};
    return model::write(policy);
}

std::string explanation_of(const heapwright_policy& policy, std::string_view reason,
                           const std::vector<std::string>& changes, const std::vector<std::string>& passed_over,
                           const std::vector<std::string>& skipped) {
    std::string text =
        policy.stored.file.empty() ? fmt::format("{}\n", reason) : fmt::format("{}: {}\n", policy.stored.file, reason);
    for (const std::string& change : changes) text += fmt::format("scaled: {}\n", change);
    for (const std::string& line : passed_over) text += fmt::format("not {}\n", line);
    for (const std::string& line : skipped) text += fmt::format("skipped {}\n", line);
    const auto& capacity = policy.stored.device.capacity;
    if (capacity && !capacity->fits) text += fmt::format("warning: {}\n", model::statement_of(*capacity));
    for (const model::Claim& warning : policy.stored.device.warnings.claims())
        text += fmt::format("warning: {}\n", model::text_of(warning));
    return text;
}

// Those that a use ranks are alike by then; what no use ranks may differ between devices of a family.
void take_memory_types(model::DevicePolicy& policy, const std::vector<model::MemoryType>& running) {
    std::vector<model::MemoryType> types = running;
    for (std::uint32_t i = 0; i < types.size(); ++i) {
        const model::MemoryType* stored = model::memory_type_of(policy, i);
        if (stored == nullptr || stored->heap_index != types[i].heap_index) continue;
        if (stored->property_flags == types[i].property_flags) types[i] = *stored;
    }
    policy.memory_types = std::move(types);
}

Result<heapwright_policy> select(const heapwright_policies* set, const loader::RunningDevice& device,
                                 const heapwright_fallback* fallback) {
    const loader::PolicyFolder nothing;
    const loader::PolicyFolder& folder = set == nullptr ? nothing : set->folder;
    const heapwright_fallback request = fallback == nullptr ? heapwright_fallback{} : taken(*fallback);
    const std::string workload = request.workload == nullptr ? "" : request.workload;
    const loader::MatchResult found = loader::find_match(folder.policies, device, workload);
    heapwright_policy policy;
    std::vector<std::string> changes;
    std::string reason;
    if (found.best) {
        policy.match = found.best->level;
        policy.stored = folder.policies[found.best->policy];
        reason = found.best->reason;
        changes = loader::scale(policy.stored.device, device);
    } else if (fallback != nullptr) {
        HEAPWRIGHT_ASSIGN(
            loader::Computed computed,
            loader::compute(device, {.report_file = request.report_file == nullptr ? "" : request.report_file,
                                     .workload = workload}));
        policy.match = loader::MatchLevel::kComputed;
        policy.stored = std::move(computed.policy);
        reason = std::move(computed.reason);
        // A report may hold other budgets than the device has now.
        changes = loader::scale(policy.stored.device, device);
    } else {
        std::string why = fmt::format("none of {} fits and none was to be computed",
                                      counted(folder.policies.size(), "policy", "policies"));
        for (const std::string& line : found.passed_over) why += "; not " + line;
        return fail(ErrorCode::kNotSupported, std::move(why));
    }
    policy.scaled = !changes.empty();
    policy.explanation = explanation_of(policy, reason, changes, found.passed_over, folder.skipped);
    // The document is for this device now; where it comes from stands in its warnings.
    if (policy.match != loader::MatchLevel::kExact && policy.match != loader::MatchLevel::kComputed) {
        policy.stored.device.warnings +=
            model::claim<model::ClaimId::kTakenFrom>(policy.stored.file, std::move(reason));
        model::DeviceIdentity& identity = policy.stored.device.identity;
        const std::string api_version = identity.api_version;
        identity = device.identity;
        identity.api_version = api_version;
        take_memory_types(policy.stored.device, device.memory_types);
    }
    policy.buckets = contract::BucketIndex::of(policy.stored.device);
    policy.document = document_of(policy.stored);
    return policy;
}

std::uint32_t class_bits(const std::vector<model::ResourceClass>& classes) {
    std::uint32_t bits = 0;
    for (const model::ResourceClass held : classes) bits |= 1u << static_cast<unsigned>(held);
    return bits;
}

const model::MemoryUsePolicy* find_use(const heapwright_policy& policy, std::uint32_t use) {
    for (const model::MemoryUsePolicy& ranked : policy.stored.device.memory_uses) {
        if (static_cast<std::uint32_t>(ranked.use) == use) return &ranked;
    }
    return nullptr;
}

heapwright_descriptor_sizes descriptor_sizes(const model::DescriptorPolicy& descriptors) {
    return {.cbv_srv_uav_page = descriptors.cbv_srv_uav_page.value,
            .sampler_page = descriptors.sampler_page.value,
            .rtv_page = descriptors.rtv_page.value,
            .dsv_page = descriptors.dsv_page.value,
            .resource_capacity = descriptors.resources.capacity.value,
            .resource_dynamic_capacity = descriptors.resources.dynamic_capacity.value,
            .resource_dynamic_chunk = descriptors.resources.dynamic_chunk.value,
            .sampler_capacity = descriptors.samplers.capacity.value,
            .sampler_dynamic_capacity = descriptors.samplers.dynamic_capacity.value,
            .sampler_dynamic_chunk = descriptors.samplers.dynamic_chunk.value};
}

static_assert(static_cast<int>(model::MemoryUse::kStreaming) == HEAPWRIGHT_USE_STREAMING);
static_assert(1 << static_cast<int>(model::ResourceClass::kOptimalRenderTarget) ==
              HEAPWRIGHT_CLASS_OPTIMAL_RENDER_TARGET);
static_assert(static_cast<int>(model::ChunkChoice::kTightest) == HEAPWRIGHT_CHUNK_TIGHTEST);
static_assert(static_cast<int>(model::Dedicated::kRequired) == HEAPWRIGHT_DEDICATED_REQUIRED);
static_assert(static_cast<int>(model::SuballocatorKind::kRing) == HEAPWRIGHT_SUBALLOCATOR_RING);
static_assert(static_cast<int>(loader::MatchLevel::kComputed) == HEAPWRIGHT_MATCH_COMPUTED);

}  // namespace

extern "C" {

std::uint32_t heapwright_loader_abi(void) {
    return HEAPWRIGHT_LOADER_ABI;
}

heapwright_status heapwright_policies_open(const char* folder, heapwright_policies** set, heapwright_message* message) {
    return guarded(message, [&]() -> heapwright_status {
        if (folder == nullptr || set == nullptr) {
            tell(message, "folder or set is NULL");
            return HEAPWRIGHT_INVALID_ARGUMENT;
        }
        auto read = loader::read_policy_folder(path_of(folder));
        if (!read) return refuse(message, read.error());
        *set = new heapwright_policies{.folder = std::move(*read)};
        return HEAPWRIGHT_OK;
    });
}

void heapwright_policies_close(heapwright_policies* set) {
    delete set;
}

std::size_t heapwright_policies_count(const heapwright_policies* set) {
    return set == nullptr ? 0 : set->folder.policies.size();
}

std::size_t heapwright_policies_skipped_count(const heapwright_policies* set) {
    return set == nullptr ? 0 : set->folder.skipped.size();
}

const char* heapwright_policies_skipped(const heapwright_policies* set, std::size_t index) {
    if (set == nullptr || index >= set->folder.skipped.size()) return nullptr;
    return set->folder.skipped[index].c_str();
}

heapwright_status heapwright_policy_select(const heapwright_policies* set, const heapwright_device* device,
                                           const heapwright_fallback* fallback, heapwright_policy** policy,
                                           heapwright_message* message) {
    return guarded(message, [&]() -> heapwright_status {
        if (device == nullptr || policy == nullptr) {
            tell(message, "device or policy is NULL");
            return HEAPWRIGHT_INVALID_ARGUMENT;
        }
        const auto running = loader::running_device(taken(*device));
        if (!running) return refuse(message, running.error());
        auto selected = select(set, *running, fallback);
        if (!selected) return refuse(message, selected.error());
        *policy = new heapwright_policy(std::move(*selected));
        return HEAPWRIGHT_OK;
    });
}

void heapwright_policy_free(heapwright_policy* policy) {
    delete policy;
}

heapwright_status heapwright_policy_get_info(const heapwright_policy* policy, heapwright_policy_info* info) {
    if (policy == nullptr) return HEAPWRIGHT_INVALID_ARGUMENT;
    const model::DevicePolicy& device = policy->stored.device;
    heapwright_policy_info whole{};
    whole.match = static_cast<std::uint32_t>(policy->match);
    whole.file = policy->stored.file.empty() ? nullptr : policy->stored.file.c_str();
    whole.explanation = policy->explanation.c_str();
    whole.scaled = policy->scaled ? 1 : 0;
    whole.heap_count = static_cast<std::uint32_t>(device.heaps.size());
    whole.bucket_count = static_cast<std::uint32_t>(device.buckets.size());
    whole.follow_dedicated_preference = device.dedicated.value == model::DedicatedRule::kWhenPreferred ? 1 : 0;
    whole.separate_linear_and_optimal = device.separate_linear_and_optimal.value ? 1 : 0;
    whole.frames_in_flight = static_cast<std::uint32_t>(device.frames_in_flight.value);
    whole.largest_ordinary_bytes = device.largest_ordinary_bytes.value;
    whole.humongous_threshold_bytes = device.humongous_threshold_bytes.value;
    whole.max_device_allocations = device.max_chunks.value;
    whole.upload_ring_bytes = device.uploads.ring_bytes.value;
    whole.upload_page_bytes = device.uploads.page_bytes.value;
    whole.descriptors = descriptor_sizes(device.descriptors);
    const auto number = [](model::SuballocatorKind kind) { return static_cast<std::uint32_t>(kind); };
    whole.cpu_descriptor_suballocator = number(model::cpu_suballocator_of(device.descriptors));
    whole.resource_static_suballocator = number(model::static_suballocator_of(device.descriptors.resources));
    whole.resource_dynamic_suballocator = number(model::dynamic_suballocator_of(device.descriptors.resources));
    whole.sampler_static_suballocator = number(model::static_suballocator_of(device.descriptors.samplers));
    whole.sampler_dynamic_suballocator = number(model::dynamic_suballocator_of(device.descriptors.samplers));
    whole.refuses_humongous = model::humongous_rule_of(device) == model::HumongousRule::kRefuse ? 1 : 0;
    whole.largest_buffer_bytes = device.largest_buffer_bytes ? device.largest_buffer_bytes->value : 0;
    whole.frame_budget_ns = device.frame_budget_ns;
    whole.largest_storage_buffer_bytes =
        device.largest_storage_buffer_bytes ? device.largest_storage_buffer_bytes->value : 0;
    return given(info, whole);
}

heapwright_status heapwright_policy_get_heap(const heapwright_policy* policy, std::uint32_t index,
                                             heapwright_heap_limit* heap) {
    if (policy == nullptr || index >= policy->stored.device.heaps.size()) return HEAPWRIGHT_INVALID_ARGUMENT;
    const model::HeapPolicy& stored = policy->stored.device.heaps[index];
    heapwright_heap_limit whole{};
    whole.heap_index = stored.heap;
    whole.size_bytes = stored.size_bytes;
    whole.usable_bytes = stored.usable_bytes.value;
    whole.base_bytes = stored.base_bytes;
    whole.parts = stored.parts.value;
    whole.reserve_share = stored.reserve_share ? stored.reserve_share->value : 0;
    return given(heap, whole);
}

heapwright_status heapwright_policy_get_bucket(const heapwright_policy* policy, std::uint32_t index,
                                               heapwright_bucket* bucket) {
    if (policy == nullptr || index >= policy->stored.device.buckets.size()) return HEAPWRIGHT_INVALID_ARGUMENT;
    const model::BucketPolicy& stored = policy->stored.device.buckets[index];
    heapwright_bucket whole{};
    whole.memory_type = stored.memory_type;
    whole.id = stored.id.c_str();
    whole.resource_classes = class_bits(stored.resource_classes);
    whole.chunk_choice = static_cast<std::uint32_t>(stored.chunk_choice.value);
    whole.suballocator = static_cast<std::uint32_t>(stored.suballocator.value);
    whole.alignment_bytes = stored.alignment_bytes;
    whole.chunk_size_bytes = stored.chunk_size_bytes.value;
    whole.first_chunk_bytes = stored.growth ? stored.growth->first_chunk_bytes.value : 0;
    whole.growth_divisor = stored.growth ? stored.growth->divisor.value : 0;
    whole.dedicated_threshold_bytes = stored.dedicated_threshold_bytes ? stored.dedicated_threshold_bytes->value : 0;
    whole.granule_bytes = stored.granule_bytes.value;
    whole.expected_bytes = stored.expected_bytes;
    whole.chunks_ahead = stored.chunks_ahead ? stored.chunks_ahead->value : 0;
    whole.priority = stored.priority ? stored.priority->value : 0.5;
    return given(bucket, whole);
}

heapwright_status heapwright_policy_get_memory_types(const heapwright_policy* policy, std::uint32_t use,
                                                     const std::uint32_t** types, std::uint32_t* count) {
    if (policy == nullptr || types == nullptr || count == nullptr || use > HEAPWRIGHT_USE_STREAMING) {
        return HEAPWRIGHT_INVALID_ARGUMENT;
    }
    const model::MemoryUsePolicy* ranked = find_use(*policy, use);
    if (ranked == nullptr || ranked->memory_types.value.empty()) return HEAPWRIGHT_NOT_FOUND;
    *types = ranked->memory_types.value.data();
    *count = static_cast<std::uint32_t>(ranked->memory_types.value.size());
    return HEAPWRIGHT_OK;
}

heapwright_status heapwright_policy_find_bucket(const heapwright_policy* policy, std::uint32_t use,
                                                std::uint32_t resource_class, std::uint64_t alignment_bytes,
                                                std::uint32_t memory_type_bits, std::uint32_t* index) {
    const bool one_class = resource_class == HEAPWRIGHT_CLASS_LINEAR || resource_class == HEAPWRIGHT_CLASS_OPTIMAL ||
                           resource_class == HEAPWRIGHT_CLASS_OPTIMAL_RENDER_TARGET;
    if (policy == nullptr || index == nullptr || use > HEAPWRIGHT_USE_STREAMING || !one_class) {
        return HEAPWRIGHT_INVALID_ARGUMENT;
    }
    // The size is not known here, so that a bucket of slots is taken to hold it.
    const auto found =
        contract::destination_of(policy->stored.device, policy->buckets,
                                 {.requirements = {.alignment_bytes = std::max<std::uint64_t>(1, alignment_bytes),
                                                   .memory_type_bits = memory_type_bits},
                                  .resource_class = static_cast<model::ResourceClass>(std::countr_zero(resource_class)),
                                  .use = static_cast<model::MemoryUse>(use),
                                  .own_memory = model::OwnMemory::kNever});
    if (!found.bucket) return HEAPWRIGHT_NOT_FOUND;
    *index = *found.bucket;
    return HEAPWRIGHT_OK;
}

heapwright_status heapwright_policy_choose(const heapwright_policy* policy, const heapwright_request* request,
                                           heapwright_choice* choice) {
    if (policy == nullptr || request == nullptr || choice == nullptr) return HEAPWRIGHT_INVALID_ARGUMENT;
    const heapwright_request asked = taken(*request);
    const bool one_class =
        std::has_single_bit(asked.resource_class) && asked.resource_class <= HEAPWRIGHT_CLASS_OPTIMAL_RENDER_TARGET;
    if (!one_class || asked.use > HEAPWRIGHT_USE_STREAMING || asked.dedicated > HEAPWRIGHT_DEDICATED_REQUIRED ||
        asked.size_bytes == 0 || !std::has_single_bit(asked.alignment_bytes)) {
        return HEAPWRIGHT_INVALID_ARGUMENT;
    }
    const auto found = contract::destination_of(
        policy->stored.device, policy->buckets,
        {.requirements = {.size_bytes = asked.size_bytes,
                          .alignment_bytes = asked.alignment_bytes,
                          .memory_type_bits = asked.memory_type_bits,
                          .dedicated = static_cast<model::Dedicated>(asked.dedicated)},
         .resource_class = static_cast<model::ResourceClass>(std::countr_zero(asked.resource_class)),
         .use = static_cast<model::MemoryUse>(asked.use)});
    if (!found.memory_type) return HEAPWRIGHT_NOT_FOUND;
    heapwright_choice whole{};
    whole.memory_type = *found.memory_type;
    whole.bucket = found.bucket.value_or(HEAPWRIGHT_NO_BUCKET);
    whole.refused = found.refused ? 1 : 0;
    return given(choice, whole);
}

const char* heapwright_policy_document(const heapwright_policy* policy) {
    return policy == nullptr ? nullptr : policy->document.c_str();
}

}  // extern "C"
