/* The memory pool on the Vulkan device that a program opened itself.
 *
 *   heapwright_pool_device device = { .struct_size = sizeof device, ... };
 *   heapwright_pool* pool = NULL;
 *   heapwright_pool_create(&device, NULL, &pool, NULL);
 *   heapwright_pool_create_buffer(pool, &buffer_info, NULL, &buffer, &allocation, NULL, NULL);
 *   ...
 *   heapwright_pool_free_after(pool, allocation, frame);   (the last frame that uses it)
 *   heapwright_pool_collect(pool, completed_frame);        (once a frame)
 *   heapwright_pool_destroy(pool);                         (the device is idle)
 *
 * The policy: JSON text or a file, such as what heapwright_policy_document() of policy_loader.h gives; without one it
 * is made here, from what the physical device tells: no memory is allocated and no resource made.
 *
 * Sizes in bytes, text in UTF-8. C99. Vulkan 1.1 at least. Every call of Vulkan goes through the function pointers that
 * are given; nothing is opened and no queue is touched.
 * Ownership: instance, physical device and device stay the caller's and outlive the pool. A buffer or image that the
 * pool created goes with its allocation; one that the caller made and had bound stays the caller's. Strings live as
 * long as their pool. What the caller passes is read during the call alone.
 * Threads: any number at once in one pool, with different allocations; of one allocation nobody frees while another
 * thread uses it. Creation and destruction are one thread's.
 * Errors: a status, and, where the caller passes one, a message. Out parameters are written on success alone, and a
 * failure leaves everything as it was. No function ends the process or throws.
 * ABI: version HEAPWRIGHT_POOL_ABI. A structure with struct_size may grow at its end: the caller sets struct_size to
 * its own sizeof, and members beyond it are taken as 0 and not written. One whose struct_size was not set is refused.
 */
#ifndef HEAPWRIGHT_POOL_H
#define HEAPWRIGHT_POOL_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#if defined(HEAPWRIGHT_POOL_BUILD) && defined(__GNUC__)
#define HEAPWRIGHT_POOL_API __attribute__((visibility("default")))
#else
#define HEAPWRIGHT_POOL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HEAPWRIGHT_POOL_ABI 2u

typedef int32_t heapwright_pool_status;
enum {
    HEAPWRIGHT_POOL_OK = 0,
    HEAPWRIGHT_POOL_INVALID_ARGUMENT = 1, /* a NULL, an allocation that is not live, a policy that contradicts itself */
    HEAPWRIGHT_POOL_IO_ERROR = 2,         /* a file cannot be read */
    HEAPWRIGHT_POOL_NO_POLICY = 3,        /* the policy is for other devices, or is none */
    HEAPWRIGHT_POOL_NOT_SUPPORTED = 4,    /* sparse resources, no memory type for this use, an older Vulkan */
    HEAPWRIGHT_POOL_OUT_OF_HOST_MEMORY = 5,
    HEAPWRIGHT_POOL_OUT_OF_DEVICE_MEMORY = 6, /* no memory type has room, by the driver's word or by a limit's */
    HEAPWRIGHT_POOL_OVER_BUDGET = 7,          /* other programs use the heap, too */
    HEAPWRIGHT_POOL_REFUSED = 8,              /* larger than the policy lets in; ask with HEAPWRIGHT_POOL_DEDICATED */
    HEAPWRIGHT_POOL_DEVICE_LOST = 9,
    HEAPWRIGHT_POOL_DRIVER_FAILURE = 10, /* another VkResult, which the message names */
    HEAPWRIGHT_POOL_INTERNAL_ERROR = 11
};

/* The status' name, as above without its prefix. */
HEAPWRIGHT_POOL_API const char* heapwright_pool_status_name(heapwright_pool_status status);

/* Why a call failed, cut to fit and always terminated. */
typedef struct heapwright_pool_message {
    char text[1024];
} heapwright_pool_message;

typedef struct heapwright_pool heapwright_pool;
typedef uint64_t heapwright_pool_allocation; /* 0: none */

typedef struct heapwright_pool_device {
    uint32_t struct_size;
    uint32_t api_version; /* VkApplicationInfo::apiVersion */
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    PFN_vkGetDeviceProcAddr get_device_proc_addr;
    /* What the device was created with: its extensions and feature structures say what the pool may use
     * (VK_EXT_memory_budget, VK_EXT_memory_priority, maintenance4, buffer device addresses, protected memory, AMD's
     * device coherent memory). NULL: none of them. */
    const VkDeviceCreateInfo* created_with;
} heapwright_pool_device;

/* At most one of the two policies. NULL, 0: the default. */
typedef struct heapwright_pool_options {
    uint32_t struct_size;
    uint32_t timelines;          /* on which resources have their last uses, such as one a queue; 0: one */
    const char* policy_document; /* JSON text */
    const char* policy_file;     /* its path */
    const char* workload;        /* without a policy: a preset's name; NULL: "general-engine" */
    uint64_t memory_limit_bytes; /* over all heaps, beside the policy's limits; 0: none */
} heapwright_pool_options;

/* Who touches the memory. */
enum {
    HEAPWRIGHT_POOL_DEVICE_ONLY = 0, /* the device alone */
    HEAPWRIGHT_POOL_UPLOAD = 1,      /* the host writes once, the device copies from it */
    HEAPWRIGHT_POOL_READBACK = 2,    /* the device writes, the host reads */
    HEAPWRIGHT_POOL_STREAMING = 3    /* the host writes every frame, the device reads in place */
};

/* Bits of heapwright_pool_allocation_options::flags. */
enum { HEAPWRIGHT_POOL_DEDICATED = 1 /* a device allocation of its own, whatever the policy says */ };

/* Which resources memory alone is for. */
enum { HEAPWRIGHT_POOL_LINEAR = 0 /* buffers, linear images */, HEAPWRIGHT_POOL_OPTIMAL = 1 /* optimal images */ };

/* NULL instead: for the device only, no flags. */
typedef struct heapwright_pool_allocation_options {
    uint32_t struct_size;
    uint32_t use;
    uint32_t flags;
    uint32_t reserved; /* 0 */
} heapwright_pool_allocation_options;

typedef struct heapwright_pool_allocation_info {
    uint32_t struct_size;
    uint32_t memory_type;
    VkBuffer buffer; /* at most one of the two; both VK_NULL_HANDLE: memory alone */
    VkImage image;
    VkDeviceMemory memory;
    uint64_t offset_bytes;
    uint64_t size_bytes;
    void* mapped;           /* its first byte; NULL: not mapped */
    uint32_t dedicated;     /* 1: a device allocation of its own */
    uint32_t owns_resource; /* 1: the pool made buffer or image, and destroys it */
    uint32_t bucket;        /* position in the policy's buckets; of no meaning where dedicated is 1 */
    VkMemoryPropertyFlags memory_properties;
} heapwright_pool_allocation_info;

/* The last use on one of the engine's timelines, counted from 0. */
typedef struct heapwright_pool_use {
    uint32_t timeline;
    uint32_t reserved; /* 0 */
    uint64_t value;
} heapwright_pool_use;

#define HEAPWRIGHT_POOL_NONE 0xffffffffu

/* Where a resource would go as long as there is memory. */
typedef struct heapwright_pool_answer {
    uint32_t struct_size;
    uint32_t dedicated;   /* 1: a device allocation of its own */
    uint32_t refused;     /* 1: larger than the policy lets in */
    uint32_t bucket;      /* HEAPWRIGHT_POOL_NONE: dedicated, refused, or nothing serves it */
    uint32_t memory_type; /* HEAPWRIGHT_POOL_NONE: refused, or nothing serves it */
    uint32_t memory_type_bits;
    uint64_t size_bytes;
    uint64_t alignment_bytes;
} heapwright_pool_answer;

typedef struct heapwright_pool_figures {
    uint32_t struct_size;
    uint32_t heap_count;
    uint32_t bucket_count;
    uint32_t reserved;
    uint64_t live_allocations;
    uint64_t reserved_bytes; /* taken from the device */
    uint64_t used_bytes;     /* of them, by allocations; those that wait for their value count as used */
    uint64_t device_allocations;
    uint64_t device_allocation_calls; /* ever made */
    uint64_t dedicated_allocations;
    uint64_t pending_releases; /* freed, waiting for their value */
    uint64_t pending_bytes;
} heapwright_pool_figures;

typedef struct heapwright_pool_heap {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t limit_bytes; /* what policy and options allow the pool */
    uint64_t reserved_bytes;
    uint64_t used_bytes;
    uint64_t dedicated_bytes;
    uint64_t budget_bytes; /* VK_EXT_memory_budget; without it the heap's size */
    uint64_t usage_bytes;  /* of the process; without it what the pool took */
} heapwright_pool_heap;

typedef struct heapwright_pool_bucket {
    uint32_t struct_size;
    uint32_t memory_type;
    const char* id;
    uint64_t alignment_bytes;
    uint64_t chunk_size_bytes;
    uint64_t chunks;
    uint64_t empty_chunks;
    uint64_t reserved_bytes;
    uint64_t used_bytes;
} heapwright_pool_bucket;

/* The version of the library that runs; it must be HEAPWRIGHT_POOL_ABI. */
HEAPWRIGHT_POOL_API uint32_t heapwright_pool_abi(void);

/* options NULL: without a policy. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_create(const heapwright_pool_device* device,
                                                                  const heapwright_pool_options* options,
                                                                  heapwright_pool** pool,
                                                                  heapwright_pool_message* message);
/* The device is idle. Destroys the resources and frees the memory that are left. NULL may be. */
HEAPWRIGHT_POOL_API void heapwright_pool_destroy(heapwright_pool* pool);

/* Created, placed and bound. placed: where, as heapwright_pool_get_allocation() has it; may be NULL, and has its
 * struct_size set. Host-visible memory for a use of the host is mapped; where that fails the next memory type is tried.
 * A resource with VkExternalMemory*CreateInfo gets exportable memory of its own, one whose address is captured and
 * replayed memory of its own with that flag, a protected one protected memory of its own. HEAPWRIGHT_POOL_NOT_SUPPORTED
 * for sparse and disjoint resources, for handles that can only be imported, and for a buffer at a captured address. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_create_buffer(
    heapwright_pool* pool, const VkBufferCreateInfo* info, const heapwright_pool_allocation_options* options,
    VkBuffer* buffer, heapwright_pool_allocation* allocation, heapwright_pool_allocation_info* placed,
    heapwright_pool_message* message);
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_create_image(
    heapwright_pool* pool, const VkImageCreateInfo* info, const heapwright_pool_allocation_options* options,
    VkImage* image, heapwright_pool_allocation* allocation, heapwright_pool_allocation_info* placed,
    heapwright_pool_message* message);

/* Memory for a resource that the caller made, with `info`, and bound nothing to. placed: as above. */
HEAPWRIGHT_POOL_API heapwright_pool_status
heapwright_pool_bind_buffer(heapwright_pool* pool, VkBuffer buffer, const VkBufferCreateInfo* info,
                            const heapwright_pool_allocation_options* options, heapwright_pool_allocation* allocation,
                            heapwright_pool_allocation_info* placed, heapwright_pool_message* message);
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_bind_image(heapwright_pool* pool, VkImage image,
                                                                      const VkImageCreateInfo* info,
                                                                      const heapwright_pool_allocation_options* options,
                                                                      heapwright_pool_allocation* allocation,
                                                                      heapwright_pool_allocation_info* placed,
                                                                      heapwright_pool_message* message);

/* Memory alone. resource_class: HEAPWRIGHT_POOL_LINEAR or HEAPWRIGHT_POOL_OPTIMAL. placed: as above. */
HEAPWRIGHT_POOL_API heapwright_pool_status
heapwright_pool_allocate(heapwright_pool* pool, const VkMemoryRequirements* requirements, uint32_t resource_class,
                         const heapwright_pool_allocation_options* options, heapwright_pool_allocation* allocation,
                         heapwright_pool_allocation_info* placed, heapwright_pool_message* message);

/* Error: HEAPWRIGHT_POOL_INVALID_ARGUMENT where it is not live. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_get_allocation(heapwright_pool* pool,
                                                                          heapwright_pool_allocation allocation,
                                                                          heapwright_pool_allocation_info* info);

/* The first byte, mapped until the memory goes. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_map(heapwright_pool* pool,
                                                               heapwright_pool_allocation allocation, void** bytes,
                                                               heapwright_pool_message* message);
/* Of mapped memory; nothing to do where it is coherent. Make host writes visible to the device, device writes to the
 * host. VK_WHOLE_SIZE: to the allocation's end. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_flush(heapwright_pool* pool,
                                                                 heapwright_pool_allocation allocation,
                                                                 uint64_t offset_bytes, uint64_t size_bytes,
                                                                 heapwright_pool_message* message);
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_invalidate(heapwright_pool* pool,
                                                                      heapwright_pool_allocation allocation,
                                                                      uint64_t offset_bytes, uint64_t size_bytes,
                                                                      heapwright_pool_message* message);

/* At once: the device never used it, or its use is over. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_free(heapwright_pool* pool,
                                                                heapwright_pool_allocation allocation,
                                                                heapwright_pool_message* message);
/* Once heapwright_pool_collect() is told last_use or more: a value of the caller's own that only grows, such as that of
 * a timeline semaphore or the number of a frame. The allocation is no longer live from now on. On one timeline a value
 * below an earlier one's waits with it. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_free_after(heapwright_pool* pool,
                                                                      heapwright_pool_allocation allocation,
                                                                      uint64_t last_use,
                                                                      heapwright_pool_message* message);
/* The same after all of the uses, of which each is on another timeline of heapwright_pool_options::timelines. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_free_after_all(heapwright_pool* pool,
                                                                          heapwright_pool_allocation allocation,
                                                                          const heapwright_pool_use* uses,
                                                                          uint32_t use_count,
                                                                          heapwright_pool_message* message);
/* Frees what waits for values up to `completed`; empty chunks grow older by one step, and old ones go back. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_collect(heapwright_pool* pool, uint64_t completed,
                                                                   heapwright_pool_message* message);
/* The same with the value of each timeline, from timeline 0 on. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_collect_all(heapwright_pool* pool, const uint64_t* completed,
                                                                       uint32_t timeline_count,
                                                                       heapwright_pool_message* message);
/* Gives every empty chunk back; the bytes that went back. */
HEAPWRIGHT_POOL_API uint64_t heapwright_pool_trim(heapwright_pool* pool);

/* Which bucket takes such a resource. Creates nothing that stays. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_bucket_of_buffer(
    heapwright_pool* pool, const VkBufferCreateInfo* info, const heapwright_pool_allocation_options* options,
    heapwright_pool_answer* answer, heapwright_pool_message* message);
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_bucket_of_image(
    heapwright_pool* pool, const VkImageCreateInfo* info, const heapwright_pool_allocation_options* options,
    heapwright_pool_answer* answer, heapwright_pool_message* message);

/* Of the whole pool, of a memory heap of the device, of a bucket of the policy, each counted from 0. Error:
 * HEAPWRIGHT_POOL_INVALID_ARGUMENT for an index at or above heapwright_pool_figures' heap_count or bucket_count. */
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_get_figures(heapwright_pool* pool,
                                                                       heapwright_pool_figures* figures);
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_get_heap(heapwright_pool* pool, uint32_t index,
                                                                    heapwright_pool_heap* heap);
HEAPWRIGHT_POOL_API heapwright_pool_status heapwright_pool_get_bucket(heapwright_pool* pool, uint32_t index,
                                                                      heapwright_pool_bucket* bucket);

/* The policy in use as a document (JSON text, urn:heapwright:schema:policy), and where it comes from in words. */
HEAPWRIGHT_POOL_API const char* heapwright_pool_policy_document(const heapwright_pool* pool);
HEAPWRIGHT_POOL_API const char* heapwright_pool_policy_explanation(const heapwright_pool* pool);

#ifdef __cplusplus
}
#endif

#endif /* HEAPWRIGHT_POOL_H */
