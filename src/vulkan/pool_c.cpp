// The C border: checks arguments, turns errors into statuses, lets nothing be thrown through.
#include "heapwright/pool.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/file.hpp"
#include "heapwright/vulkan/device_pool.hpp"

using namespace heapwright;

struct heapwright_pool {
    std::unique_ptr<vulkan::DevicePool> pool;
    std::string document;
};

namespace {

constexpr const char* kPoolStatusNames[] = {"OK",
                                            "INVALID_ARGUMENT",
                                            "IO_ERROR",
                                            "NO_POLICY",
                                            "NOT_SUPPORTED",
                                            "OUT_OF_HOST_MEMORY",
                                            "OUT_OF_DEVICE_MEMORY",
                                            "OVER_BUDGET",
                                            "REFUSED",
                                            "DEVICE_LOST",
                                            "DRIVER_FAILURE",
                                            "INTERNAL_ERROR"};

heapwright_pool_status pool_status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::kInvalidArgument:
        case ErrorCode::kOutOfRange: return HEAPWRIGHT_POOL_INVALID_ARGUMENT;
        case ErrorCode::kIoError: return HEAPWRIGHT_POOL_IO_ERROR;
        case ErrorCode::kParseError:
        case ErrorCode::kSchemaViolation:
        case ErrorCode::kUnsupportedVersion:
        case ErrorCode::kDeviceMismatch: return HEAPWRIGHT_POOL_NO_POLICY;
        case ErrorCode::kNotSupported: return HEAPWRIGHT_POOL_NOT_SUPPORTED;
        case ErrorCode::kOutOfHostMemory: return HEAPWRIGHT_POOL_OUT_OF_HOST_MEMORY;
        case ErrorCode::kOutOfDeviceMemory:
        case ErrorCode::kTooManyObjects:
        case ErrorCode::kExhausted: return HEAPWRIGHT_POOL_OUT_OF_DEVICE_MEMORY;
        case ErrorCode::kOverBudget: return HEAPWRIGHT_POOL_OVER_BUDGET;
        case ErrorCode::kRefused: return HEAPWRIGHT_POOL_REFUSED;
        case ErrorCode::kDeviceLost: return HEAPWRIGHT_POOL_DEVICE_LOST;
        case ErrorCode::kDriverFailure: return HEAPWRIGHT_POOL_DRIVER_FAILURE;
        default: return HEAPWRIGHT_POOL_INTERNAL_ERROR;
    }
}

void tell_pool(heapwright_pool_message* message, std::string_view text) {
    if (message == nullptr) return;
    const std::size_t size = std::min(text.size(), sizeof(message->text) - 1);
    std::memcpy(message->text, text.data(), size);
    message->text[size] = '\0';
}

heapwright_pool_status refuse_pool(heapwright_pool_message* message, const Error& error) {
    tell_pool(message, to_string(error));
    return pool_status_of(error.code);
}

// call() gives a Status.
template <class Call>
heapwright_pool_status guarded_pool(heapwright_pool_message* message, Call call) noexcept {
    try {
        const Status done = call();
        return done ? HEAPWRIGHT_POOL_OK : refuse_pool(message, done.error());
    } catch (const std::bad_alloc&) {
        tell_pool(message, "out of memory");
        return HEAPWRIGHT_POOL_OUT_OF_HOST_MEMORY;
    } catch (const std::exception& error) {
        tell_pool(message, error.what());
        return HEAPWRIGHT_POOL_INTERNAL_ERROR;
    } catch (...) {
        tell_pool(message, "an exception of an unknown type");
        return HEAPWRIGHT_POOL_INTERNAL_ERROR;
    }
}

// The caller's structure may be of an older header (shorter) or of a newer one (longer). struct_size comes first.
template <class T>
Status check_size(const T* given, const char* name) {
    if (given->struct_size >= sizeof(std::uint32_t)) return {};
    return fail({.code = ErrorCode::kInvalidArgument,
                 .message = "struct_size is not set: it is the structure's own sizeof",
                 .where = name,
                 .value = given->struct_size});
}

template <class T>
Result<T> taken_whole(const T& given, const char* name) {
    HEAPWRIGHT_TRY(check_size(&given, name));
    T whole{};
    std::memcpy(&whole, &given, std::min<std::size_t>(given.struct_size, sizeof(T)));
    return whole;
}

template <class T>
Status hand_out(T* out, T whole) {
    if (out == nullptr) return fail(ErrorCode::kInvalidArgument, "the structure to fill is NULL");
    HEAPWRIGHT_TRY(check_size(out, "the structure to fill"));
    whole.struct_size = out->struct_size;
    std::memcpy(out, &whole, std::min<std::size_t>(out->struct_size, sizeof(T)));
    return {};
}

template <class... Pointers>
Status need(const Pointers*... pointers) {
    if (((pointers != nullptr) && ...)) return {};
    return fail(ErrorCode::kInvalidArgument, "a pointer that is needed is NULL");
}

Result<vulkan::AllocationOptions> options_of(const heapwright_pool_allocation_options* given) {
    if (given == nullptr) return vulkan::AllocationOptions{};
    HEAPWRIGHT_ASSIGN(const heapwright_pool_allocation_options options,
                      taken_whole(*given, "heapwright_pool_allocation_options"));
    if (options.use > HEAPWRIGHT_POOL_STREAMING) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "options.use is unknown",
                     .value = options.use,
                     .limit = HEAPWRIGHT_POOL_STREAMING});
    }
    if ((options.flags & ~static_cast<std::uint32_t>(HEAPWRIGHT_POOL_DEDICATED)) != 0) {
        return fail(
            {.code = ErrorCode::kInvalidArgument, .message = "options.flags has unknown bits", .value = options.flags});
    }
    return vulkan::AllocationOptions{.use = static_cast<model::MemoryUse>(options.use),
                                     .dedicated = (options.flags & HEAPWRIGHT_POOL_DEDICATED) != 0};
}

Result<std::unique_ptr<vulkan::DevicePool>> make_pool(const heapwright_pool_device& given,
                                                      const heapwright_pool_options& options) {
    const vulkan::PoolDevice device{.instance = given.instance,
                                    .physical_device = given.physical_device,
                                    .device = given.device,
                                    .get_instance_proc_addr = given.get_instance_proc_addr,
                                    .get_device_proc_addr = given.get_device_proc_addr,
                                    .api_version = given.api_version,
                                    .created_with = given.created_with};
    pool::PoolOptions pool_options{.timelines = std::max(options.timelines, 1u)};
    if (options.memory_limit_bytes != 0) pool_options.memory_limit_bytes = options.memory_limit_bytes;
    if (options.policy_document != nullptr && options.policy_file != nullptr) {
        return fail(ErrorCode::kInvalidArgument, "two policies: policy_document and policy_file");
    }
    if (options.policy_document != nullptr) {
        return vulkan::DevicePool::create_from_document(device, options.policy_document, "policy_document",
                                                        pool_options);
    }
    if (options.policy_file != nullptr) {
        HEAPWRIGHT_ASSIGN(const std::string text, read_file(options.policy_file));
        return vulkan::DevicePool::create_from_document(device, text, options.policy_file, pool_options);
    }
    const std::string workload = options.workload == nullptr ? "general-engine" : options.workload;
    return vulkan::DevicePool::create_without_policy(device, workload, pool_options);
}

heapwright_pool_allocation_info info_of(const vulkan::AllocationInfo& found) {
    heapwright_pool_allocation_info whole{};
    whole.memory_type = found.memory_type;
    whole.buffer = found.buffer;
    whole.image = found.image;
    whole.memory = found.memory;
    whole.offset_bytes = found.offset_bytes;
    whole.size_bytes = found.size_bytes;
    whole.mapped = found.mapped;
    whole.dedicated = found.dedicated ? 1 : 0;
    whole.owns_resource = found.owns_resource ? 1 : 0;
    whole.bucket = found.bucket;
    whole.memory_properties = found.memory_properties;
    return whole;
}

// What every way into memory has in common. make(AllocationOptions) -> a Result with `allocation` and `info`, whose
// handle, where it has one, goes to `resource`.
template <class Make, class GiveHandle>
heapwright_pool_status allocated(const heapwright_pool_allocation_options* options,
                                 heapwright_pool_allocation* allocation, heapwright_pool_allocation_info* placed,
                                 heapwright_pool_message* message, Make make, GiveHandle give_handle) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(allocation));
        if (placed != nullptr) HEAPWRIGHT_TRY(check_size(placed, "heapwright_pool_allocation_info"));
        HEAPWRIGHT_ASSIGN(const vulkan::AllocationOptions chosen, options_of(options));
        HEAPWRIGHT_ASSIGN(const auto made, make(chosen));
        give_handle(made);
        *allocation = made.allocation.value;
        return placed == nullptr ? Status() : hand_out(placed, info_of(made.info));
    });
}

heapwright_pool_answer answer_of(const vulkan::BucketAnswer& answer) {
    heapwright_pool_answer whole{};
    whole.dedicated = answer.dedicated ? 1 : 0;
    whole.refused = answer.refused ? 1 : 0;
    whole.bucket = answer.bucket.value_or(HEAPWRIGHT_POOL_NONE);
    whole.memory_type = answer.memory_type.value_or(HEAPWRIGHT_POOL_NONE);
    whole.memory_type_bits = answer.requirements.memory_type_bits;
    whole.size_bytes = answer.requirements.size_bytes;
    whole.alignment_bytes = answer.requirements.alignment_bytes;
    return whole;
}

template <class Info>
heapwright_pool_status bucket_of_resource(heapwright_pool* pool, const Info* info,
                                          const heapwright_pool_allocation_options* options,
                                          heapwright_pool_answer* answer, heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool, info, answer));
        HEAPWRIGHT_ASSIGN(const vulkan::AllocationOptions chosen, options_of(options));
        HEAPWRIGHT_ASSIGN(const vulkan::BucketAnswer found, pool->pool->bucket_of(*info, chosen));
        return hand_out(answer, answer_of(found));
    });
}

static_assert(static_cast<int>(model::MemoryUse::kStreaming) == HEAPWRIGHT_POOL_STREAMING);
static_assert(static_cast<int>(model::ResourceClass::kOptimal) == HEAPWRIGHT_POOL_OPTIMAL);

}  // namespace

extern "C" {

std::uint32_t heapwright_pool_abi(void) {
    return HEAPWRIGHT_POOL_ABI;
}

const char* heapwright_pool_status_name(heapwright_pool_status status) {
    if (status < 0 || static_cast<std::size_t>(status) >= std::size(kPoolStatusNames)) return "UNKNOWN";
    return kPoolStatusNames[status];
}

heapwright_pool_status heapwright_pool_create(const heapwright_pool_device* device,
                                              const heapwright_pool_options* options, heapwright_pool** pool,
                                              heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(device, pool));
        heapwright_pool_options chosen{};
        if (options != nullptr) {
            HEAPWRIGHT_ASSIGN(chosen, taken_whole(*options, "heapwright_pool_options"));
        }
        HEAPWRIGHT_ASSIGN(const heapwright_pool_device given, taken_whole(*device, "heapwright_pool_device"));
        HEAPWRIGHT_ASSIGN(std::unique_ptr<vulkan::DevicePool> made, make_pool(given, chosen));
        std::string document = made->policy_document();
        *pool = new heapwright_pool{.pool = std::move(made), .document = std::move(document)};
        return {};
    });
}

void heapwright_pool_destroy(heapwright_pool* pool) {
    delete pool;
}

heapwright_pool_status heapwright_pool_create_buffer(heapwright_pool* pool, const VkBufferCreateInfo* info,
                                                     const heapwright_pool_allocation_options* options,
                                                     VkBuffer* buffer, heapwright_pool_allocation* allocation,
                                                     heapwright_pool_allocation_info* placed,
                                                     heapwright_pool_message* message) {
    return allocated(
        options, allocation, placed, message,
        [&](const vulkan::AllocationOptions& chosen) -> Result<vulkan::CreatedBuffer> {
            HEAPWRIGHT_TRY(need(pool, info, buffer));
            return pool->pool->create_buffer(*info, chosen);
        },
        [&](const vulkan::CreatedBuffer& made) { *buffer = made.buffer; });
}

heapwright_pool_status heapwright_pool_create_image(heapwright_pool* pool, const VkImageCreateInfo* info,
                                                    const heapwright_pool_allocation_options* options, VkImage* image,
                                                    heapwright_pool_allocation* allocation,
                                                    heapwright_pool_allocation_info* placed,
                                                    heapwright_pool_message* message) {
    return allocated(
        options, allocation, placed, message,
        [&](const vulkan::AllocationOptions& chosen) -> Result<vulkan::CreatedImage> {
            HEAPWRIGHT_TRY(need(pool, info, image));
            return pool->pool->create_image(*info, chosen);
        },
        [&](const vulkan::CreatedImage& made) { *image = made.image; });
}

heapwright_pool_status heapwright_pool_bind_buffer(heapwright_pool* pool, VkBuffer buffer,
                                                   const VkBufferCreateInfo* info,
                                                   const heapwright_pool_allocation_options* options,
                                                   heapwright_pool_allocation* allocation,
                                                   heapwright_pool_allocation_info* placed,
                                                   heapwright_pool_message* message) {
    return allocated(
        options, allocation, placed, message,
        [&](const vulkan::AllocationOptions& chosen) -> Result<vulkan::Allocated> {
            HEAPWRIGHT_TRY(need(pool, info));
            return pool->pool->bind_buffer(buffer, *info, chosen);
        },
        [](const vulkan::Allocated&) {});
}

heapwright_pool_status heapwright_pool_bind_image(heapwright_pool* pool, VkImage image, const VkImageCreateInfo* info,
                                                  const heapwright_pool_allocation_options* options,
                                                  heapwright_pool_allocation* allocation,
                                                  heapwright_pool_allocation_info* placed,
                                                  heapwright_pool_message* message) {
    return allocated(
        options, allocation, placed, message,
        [&](const vulkan::AllocationOptions& chosen) -> Result<vulkan::Allocated> {
            HEAPWRIGHT_TRY(need(pool, info));
            return pool->pool->bind_image(image, *info, chosen);
        },
        [](const vulkan::Allocated&) {});
}

heapwright_pool_status heapwright_pool_allocate(heapwright_pool* pool, const VkMemoryRequirements* requirements,
                                                std::uint32_t resource_class,
                                                const heapwright_pool_allocation_options* options,
                                                heapwright_pool_allocation* allocation,
                                                heapwright_pool_allocation_info* placed,
                                                heapwright_pool_message* message) {
    return allocated(
        options, allocation, placed, message,
        [&](const vulkan::AllocationOptions& chosen) -> Result<vulkan::Allocated> {
            HEAPWRIGHT_TRY(need(pool, requirements));
            if (resource_class > HEAPWRIGHT_POOL_OPTIMAL) {
                return fail({.code = ErrorCode::kInvalidArgument,
                             .message = "resource_class is unknown",
                             .value = resource_class,
                             .limit = HEAPWRIGHT_POOL_OPTIMAL});
            }
            return pool->pool->allocate(*requirements, static_cast<model::ResourceClass>(resource_class), chosen);
        },
        [](const vulkan::Allocated&) {});
}

heapwright_pool_status heapwright_pool_get_allocation(heapwright_pool* pool, heapwright_pool_allocation allocation,
                                                      heapwright_pool_allocation_info* info) {
    return guarded_pool(nullptr, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool, info));
        HEAPWRIGHT_ASSIGN(const vulkan::AllocationInfo found, pool->pool->info({allocation}));
        return hand_out(info, info_of(found));
    });
}

heapwright_pool_status heapwright_pool_map(heapwright_pool* pool, heapwright_pool_allocation allocation, void** bytes,
                                           heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool, bytes));
        HEAPWRIGHT_ASSIGN(const std::span<std::byte> mapped, pool->pool->map({allocation}));
        *bytes = mapped.data();
        return {};
    });
}

heapwright_pool_status heapwright_pool_flush(heapwright_pool* pool, heapwright_pool_allocation allocation,
                                             std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                             heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        return pool->pool->flush({allocation}, offset_bytes, size_bytes);
    });
}

heapwright_pool_status heapwright_pool_invalidate(heapwright_pool* pool, heapwright_pool_allocation allocation,
                                                  std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                                  heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        return pool->pool->invalidate({allocation}, offset_bytes, size_bytes);
    });
}

heapwright_pool_status heapwright_pool_free(heapwright_pool* pool, heapwright_pool_allocation allocation,
                                            heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        return pool->pool->free({allocation});
    });
}

heapwright_pool_status heapwright_pool_free_after(heapwright_pool* pool, heapwright_pool_allocation allocation,
                                                  std::uint64_t last_use, heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        return pool->pool->free_after({allocation}, TimelineValue{last_use});
    });
}

heapwright_pool_status heapwright_pool_free_after_all(heapwright_pool* pool, heapwright_pool_allocation allocation,
                                                      const heapwright_pool_use* uses, std::uint32_t use_count,
                                                      heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool, uses));
        std::vector<vulkan::TimelineUse> all;
        for (const heapwright_pool_use& use : std::span(uses, use_count))
            all.push_back({.timeline = use.timeline, .value = TimelineValue{use.value}});
        return pool->pool->free_after({allocation}, all);
    });
}

heapwright_pool_status heapwright_pool_collect_all(heapwright_pool* pool, const std::uint64_t* completed,
                                                   std::uint32_t timeline_count, heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool, completed));
        std::array<TimelineValue, pool::kMostTimelines> values;
        const std::size_t count = std::min<std::size_t>(timeline_count, values.size());
        for (std::size_t i = 0; i < count; ++i) values[i] = TimelineValue{completed[i]};
        return pool->pool->collect(std::span(values).first(count));
    });
}

heapwright_pool_status heapwright_pool_collect(heapwright_pool* pool, std::uint64_t completed,
                                               heapwright_pool_message* message) {
    return guarded_pool(message, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        return pool->pool->collect(TimelineValue{completed});
    });
}

std::uint64_t heapwright_pool_trim(heapwright_pool* pool) {
    std::uint64_t given_back = 0;
    (void)guarded_pool(nullptr, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        given_back = pool->pool->trim();
        return {};
    });
    return given_back;
}

heapwright_pool_status heapwright_pool_bucket_of_buffer(heapwright_pool* pool, const VkBufferCreateInfo* info,
                                                        const heapwright_pool_allocation_options* options,
                                                        heapwright_pool_answer* answer,
                                                        heapwright_pool_message* message) {
    return bucket_of_resource(pool, info, options, answer, message);
}

heapwright_pool_status heapwright_pool_bucket_of_image(heapwright_pool* pool, const VkImageCreateInfo* info,
                                                       const heapwright_pool_allocation_options* options,
                                                       heapwright_pool_answer* answer,
                                                       heapwright_pool_message* message) {
    return bucket_of_resource(pool, info, options, answer, message);
}

heapwright_pool_status heapwright_pool_get_figures(heapwright_pool* pool, heapwright_pool_figures* figures) {
    return guarded_pool(nullptr, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        const pool::PoolFigures all = pool->pool->figures();
        heapwright_pool_figures whole{};
        whole.heap_count = static_cast<std::uint32_t>(all.heaps.size());
        whole.bucket_count = static_cast<std::uint32_t>(all.buckets.size());
        whole.live_allocations = pool->pool->live_allocations();
        for (const pool::HeapFigures& heap : all.heaps) {
            whole.reserved_bytes += heap.reserved_bytes;
            whole.used_bytes += heap.used_bytes;
        }
        whole.device_allocations = all.device_allocations;
        whole.device_allocation_calls = all.device_allocation_calls;
        whole.dedicated_allocations = all.dedicated_allocations;
        whole.pending_releases = all.pending_releases;
        whole.pending_bytes = all.pending_bytes;
        return hand_out(figures, whole);
    });
}

heapwright_pool_status heapwright_pool_get_heap(heapwright_pool* pool, std::uint32_t index,
                                                heapwright_pool_heap* heap) {
    return guarded_pool(nullptr, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        const pool::PoolFigures all = pool->pool->figures();
        const std::vector<model::HeapBudget> budgets = pool->pool->budgets();
        if (index >= all.heaps.size() || index >= budgets.size()) {
            return fail(ErrorCode::kInvalidArgument, "there is no such heap");
        }
        heapwright_pool_heap whole{};
        whole.limit_bytes = all.heaps[index].limit_bytes;
        whole.reserved_bytes = all.heaps[index].reserved_bytes;
        whole.used_bytes = all.heaps[index].used_bytes;
        whole.dedicated_bytes = all.heaps[index].dedicated_bytes;
        whole.budget_bytes = budgets[index].budget_bytes;
        whole.usage_bytes = budgets[index].usage_bytes;
        return hand_out(heap, whole);
    });
}

heapwright_pool_status heapwright_pool_get_bucket(heapwright_pool* pool, std::uint32_t index,
                                                  heapwright_pool_bucket* bucket) {
    return guarded_pool(nullptr, [&]() -> Status {
        HEAPWRIGHT_TRY(need(pool));
        const std::vector<model::BucketPolicy>& policies = pool->pool->policy().buckets;
        if (index >= policies.size()) return fail(ErrorCode::kInvalidArgument, "there is no such bucket");
        const pool::BucketFigures held = pool->pool->figures().buckets[index];
        heapwright_pool_bucket whole{};
        whole.memory_type = policies[index].memory_type;
        whole.id = policies[index].id.c_str();
        whole.alignment_bytes = policies[index].alignment_bytes;
        whole.chunk_size_bytes = policies[index].chunk_size_bytes.value;
        whole.chunks = held.chunks;
        whole.empty_chunks = held.empty_chunks;
        whole.reserved_bytes = held.reserved_bytes;
        whole.used_bytes = held.suballocations.used;
        return hand_out(bucket, whole);
    });
}

const char* heapwright_pool_policy_document(const heapwright_pool* pool) {
    return pool == nullptr ? nullptr : pool->document.c_str();
}

const char* heapwright_pool_policy_explanation(const heapwright_pool* pool) {
    return pool == nullptr ? nullptr : pool->pool->policy_explanation().c_str();
}

}  // extern "C"
