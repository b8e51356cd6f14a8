/* Picks an allocation policy for the device that an engine runs on.
 *
 *   heapwright_policies* set = NULL;
 *   heapwright_policy* policy = NULL;
 *   heapwright_policies_open("policies", &set, NULL);
 *   heapwright_policy_select(set, &device, &fallback, &policy, NULL);
 *   ... heapwright_policy_get_info(), heapwright_policy_get_bucket(), ...
 *   heapwright_policy_free(policy);
 *   heapwright_policies_close(set);
 *
 * Selection, best first: a policy for this device and this driver version; for this device and driver in another
 * version, the nearest one; for another device of the same vendor and driver with the same memory types; a policy
 * computed here from the heaps, memory types and limits that the caller gives, or from a report. What depends on the
 * size of a heap is scaled to the running device's. The explanation says what was picked, what was not, and why.
 *
 * Sizes in bytes, text in UTF-8. C99; no header of a graphics API is needed, flags have Vulkan's values (Direct3D 12:
 * a DEFAULT heap is DEVICE_LOCAL, an UPLOAD heap HOST_VISIBLE | HOST_COHERENT, a READBACK heap HOST_VISIBLE |
 * HOST_COHERENT | HOST_CACHED; a memory type is a row of the report).
 *
 * Ownership: a handle belongs to the caller until it is closed or freed; NULL may be. Strings and arrays that come from
 * a handle live as long as the handle. What the caller passes is copied. A policy does not need its set.
 * Threads: functions may be called at the same time on different handles, and on one handle as long as nobody closes
 * or frees it.
 * Errors: a status, and, where the caller passes one, a message. Out parameters are written on success alone. No
 * function ends the process or throws.
 * ABI: version HEAPWRIGHT_LOADER_ABI. A structure with struct_size may grow at its end: the caller sets struct_size to
 * its own sizeof, and members beyond it are taken as 0 and not written. The others never change within an ABI version.
 */
#ifndef HEAPWRIGHT_POLICY_LOADER_H
#define HEAPWRIGHT_POLICY_LOADER_H

#include <stddef.h>
#include <stdint.h>

#if defined(HEAPWRIGHT_LOADER_SHARED) && defined(_WIN32)
#define HEAPWRIGHT_LOADER_API __declspec(dllimport)
#elif defined(HEAPWRIGHT_LOADER_BUILD) && defined(__GNUC__)
#define HEAPWRIGHT_LOADER_API __attribute__((visibility("default")))
#else
#define HEAPWRIGHT_LOADER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HEAPWRIGHT_LOADER_ABI 1u

typedef int32_t heapwright_status;
enum {
    HEAPWRIGHT_OK = 0,
    HEAPWRIGHT_INVALID_ARGUMENT = 1, /* a NULL, an index, a structure that contradicts itself */
    HEAPWRIGHT_IO_ERROR = 2,         /* the folder cannot be read */
    HEAPWRIGHT_NO_POLICY = 3,        /* none fits, and none was to be computed or could be */
    HEAPWRIGHT_NOT_FOUND = 4,        /* no bucket, no memory type for this use */
    HEAPWRIGHT_OUT_OF_MEMORY = 5,
    HEAPWRIGHT_INTERNAL_ERROR = 6
};

/* Why a call failed, cut to fit and always terminated. */
typedef struct heapwright_message {
    char text[1024];
} heapwright_message;

enum { HEAPWRIGHT_API_VULKAN = 0, HEAPWRIGHT_API_D3D12 = 1 };

/* How a policy was found, best first. */
enum {
    HEAPWRIGHT_MATCH_EXACT = 1,   /* this device, this driver version */
    HEAPWRIGHT_MATCH_DRIVER = 2,  /* this device, another version of its driver */
    HEAPWRIGHT_MATCH_FAMILY = 3,  /* same vendor, driver and memory types */
    HEAPWRIGHT_MATCH_COMPUTED = 4 /* computed for this device just now */
};

/* Who touches the memory. */
enum {
    HEAPWRIGHT_USE_DEVICE_ONLY = 0,
    HEAPWRIGHT_USE_UPLOAD = 1,
    HEAPWRIGHT_USE_READBACK = 2,
    HEAPWRIGHT_USE_STREAMING = 3
};

/* Bits. Vulkan: LINEAR is every buffer and linear image, OPTIMAL every optimal image. Direct3D 12: buffers, textures
 * that are neither render target nor depth stencil, and those that are. */
enum { HEAPWRIGHT_CLASS_LINEAR = 1, HEAPWRIGHT_CLASS_OPTIMAL = 2, HEAPWRIGHT_CLASS_OPTIMAL_RENDER_TARGET = 4 };

enum { HEAPWRIGHT_CHUNK_FULLEST = 0, HEAPWRIGHT_CHUNK_TIGHTEST = 1 };

enum {
    HEAPWRIGHT_SUBALLOCATOR_TLSF = 0,
    HEAPWRIGHT_SUBALLOCATOR_FIXED_BLOCKS = 1,
    HEAPWRIGHT_SUBALLOCATOR_SLOTS = 2,
    HEAPWRIGHT_SUBALLOCATOR_LINEAR = 3,
    HEAPWRIGHT_SUBALLOCATOR_RING = 4
};

typedef struct heapwright_heap {
    uint64_t size_bytes;
    uint64_t budget_bytes; /* what this process may use now, 0: unknown */
    uint32_t flags;        /* VkMemoryHeapFlags */
    uint32_t reserved;     /* 0 */
} heapwright_heap;

typedef struct heapwright_memory_type {
    uint32_t heap_index;
    uint32_t property_flags; /* VkMemoryPropertyFlags */
} heapwright_memory_type;

/* The running device. 0 and NULL: unknown, but for api, vendor_id, device_id, heaps and memory types. */
typedef struct heapwright_device {
    uint32_t struct_size;
    uint32_t api;
    uint32_t vendor_id;
    uint32_t device_id;
    uint32_t driver_version; /* as the driver encodes it */
    uint32_t device_type;    /* VkPhysicalDeviceType */
    const char* name;
    const char* driver_id; /* "NVIDIA_PROPRIETARY": VkDriverId's name without VK_DRIVER_ID_; NULL: driver_name tells */
    const char* driver_name; /* VkPhysicalDeviceDriverProperties::driverName */
    const char* driver_info;
    const heapwright_heap* heaps;
    const heapwright_memory_type* memory_types;
    uint32_t heap_count;
    uint32_t memory_type_count;
    uint64_t max_memory_allocation_bytes; /* maxMemoryAllocationSize */
    uint64_t max_memory_allocation_count; /* maxMemoryAllocationCount */
    uint64_t buffer_image_granularity;
    uint64_t non_coherent_atom_bytes;
} heapwright_device;

/* What the engine does, and from what a policy is computed where none fits. */
typedef struct heapwright_fallback {
    uint32_t struct_size;
    uint32_t reserved;       /* 0 */
    const char* report_file; /* a report of this device, as `heapwright probe` writes it; NULL: heaps, memory types and
                                limits alone */
    const char* workload;    /* a preset's name, or a workload file; NULL: "general-engine". Of stored policies that fit
                                alike the one for this workload is taken */
} heapwright_fallback;

typedef struct heapwright_policies heapwright_policies;
typedef struct heapwright_policy heapwright_policy;

/* Counts of descriptors; 0: the policy has no value. */
typedef struct heapwright_descriptor_sizes {
    uint64_t cbv_srv_uav_page;
    uint64_t sampler_page;
    uint64_t rtv_page;
    uint64_t dsv_page;
    uint64_t resource_capacity;
    uint64_t resource_dynamic_capacity;
    uint64_t resource_dynamic_chunk;
    uint64_t sampler_capacity;
    uint64_t sampler_dynamic_capacity;
    uint64_t sampler_dynamic_chunk;
} heapwright_descriptor_sizes;

typedef struct heapwright_policy_info {
    uint32_t struct_size;
    uint32_t match;
    const char* file;        /* NULL: computed */
    const char* explanation; /* several lines */
    uint32_t scaled;         /* 1: a value differs from the file's, because a heap's size or budget does */
    uint32_t heap_count;
    uint32_t bucket_count;
    uint32_t
        follow_dedicated_preference; /* 1: memory of its own where the driver prefers it, 0: where it requires it */
    uint32_t separate_linear_and_optimal; /* 1: never in one chunk */
    uint32_t frames_in_flight;            /* 0: the policy has no value */
    uint64_t largest_ordinary_bytes;
    uint64_t humongous_threshold_bytes; /* a larger request gets memory of its own, on its own interface */
    uint64_t max_device_allocations;
    uint64_t upload_ring_bytes; /* 0: the policy has no value */
    uint64_t upload_page_bytes; /* 0: the policy has no value */
    heapwright_descriptor_sizes descriptors;
    /* HEAPWRIGHT_SUBALLOCATOR values. Slots of a dynamic part are its chunks: three quarters of it, the rest serves
     * larger requests. */
    uint32_t cpu_descriptor_suballocator;
    uint32_t resource_static_suballocator;
    uint32_t resource_dynamic_suballocator;
    uint32_t sampler_static_suballocator;
    uint32_t sampler_dynamic_suballocator;
    uint32_t refuses_humongous;    /* 1: larger than humongous_threshold_bytes only by a call of its own */
    uint64_t largest_buffer_bytes; /* larger data is split into buffers of this size; 0: the policy has no value */
    uint64_t frame_budget_ns;      /* under which the decisions stand */
    uint64_t largest_storage_buffer_bytes; /* the same of storage buffers; 0: largest_buffer_bytes holds for them */
} heapwright_policy_info;

typedef struct heapwright_heap_limit {
    uint32_t struct_size;
    uint32_t heap_index;
    uint64_t size_bytes;
    uint64_t usable_bytes; /* what the application may reserve */
    uint64_t base_bytes;   /* what usable_bytes is a share of: the smaller of the heap's size and its budget */
    uint64_t parts;        /* into how many chunks the heap is divided */
    double reserve_share;  /* of the device's budget at run time, left to other processes; 0: none */
} heapwright_heap_limit;

typedef struct heapwright_bucket {
    uint32_t struct_size;
    uint32_t memory_type;
    const char* id;
    uint32_t resource_classes; /* HEAPWRIGHT_CLASS bits */
    uint32_t chunk_choice;
    uint32_t suballocator;
    uint32_t reserved;
    uint64_t alignment_bytes; /* every resource in it needs at most this */
    uint64_t chunk_size_bytes;
    uint64_t first_chunk_bytes;         /* 0: every chunk takes chunk_size_bytes */
    uint64_t growth_divisor;            /* a new chunk: at most what the bucket's chunks hold over this */
    uint64_t dedicated_threshold_bytes; /* larger ones get memory of their own; 0: no such size */
    uint64_t granule_bytes;             /* offsets and sizes are multiples of it */
    uint64_t expected_bytes;
    uint64_t chunks_ahead; /* to keep allocated in the background, beyond those in use */
    double priority;       /* 0 to 1 (VK_EXT_memory_priority); 0.5, the API's own, where the policy has no value */
} heapwright_bucket;

/* The version of the library that runs; it must be HEAPWRIGHT_LOADER_ABI. */
HEAPWRIGHT_LOADER_API uint32_t heapwright_loader_abi(void);

/* Reads every *.json file of the folder, not of folders below. A file that is no policy, is damaged or too new is
 * skipped and named. A folder without any is no error. */
HEAPWRIGHT_LOADER_API heapwright_status heapwright_policies_open(const char* folder, heapwright_policies** set,
                                                                 heapwright_message* message);
HEAPWRIGHT_LOADER_API void heapwright_policies_close(heapwright_policies* set);

/* Policies for one device each: a file may hold several. */
HEAPWRIGHT_LOADER_API size_t heapwright_policies_count(const heapwright_policies* set);
HEAPWRIGHT_LOADER_API size_t heapwright_policies_skipped_count(const heapwright_policies* set);
/* "FILE: WHY"; NULL beyond the last. */
HEAPWRIGHT_LOADER_API const char* heapwright_policies_skipped(const heapwright_policies* set, size_t index);

/* fallback NULL: no policy is computed. set NULL: one is computed at once. */
HEAPWRIGHT_LOADER_API heapwright_status heapwright_policy_select(const heapwright_policies* set,
                                                                 const heapwright_device* device,
                                                                 const heapwright_fallback* fallback,
                                                                 heapwright_policy** policy,
                                                                 heapwright_message* message);
HEAPWRIGHT_LOADER_API void heapwright_policy_free(heapwright_policy* policy);

HEAPWRIGHT_LOADER_API heapwright_status heapwright_policy_get_info(const heapwright_policy* policy,
                                                                   heapwright_policy_info* info);
HEAPWRIGHT_LOADER_API heapwright_status heapwright_policy_get_heap(const heapwright_policy* policy, uint32_t index,
                                                                   heapwright_heap_limit* heap);
HEAPWRIGHT_LOADER_API heapwright_status heapwright_policy_get_bucket(const heapwright_policy* policy, uint32_t index,
                                                                     heapwright_bucket* bucket);

/* Memory types for a use, best first; *types lives as long as the policy. NOT_FOUND: there is none. */
HEAPWRIGHT_LOADER_API heapwright_status heapwright_policy_get_memory_types(const heapwright_policy* policy,
                                                                           uint32_t use, const uint32_t** types,
                                                                           uint32_t* count);

/* The bucket that takes a resource of one class with these requirements: of the memory types for the use, best first,
 * the bucket of its class with the smallest alignment that is not below the resource's; where all are below it the one
 * with the largest, whose chunks take the resource at an offset of its own alignment. */
HEAPWRIGHT_LOADER_API heapwright_status heapwright_policy_find_bucket(const heapwright_policy* policy, uint32_t use,
                                                                      uint32_t resource_class, uint64_t alignment_bytes,
                                                                      uint32_t memory_type_bits, uint32_t* index);

/* What a driver asks for one resource. */
typedef struct heapwright_request {
    uint32_t struct_size;
    uint32_t use;              /* HEAPWRIGHT_USE */
    uint32_t resource_class;   /* one HEAPWRIGHT_CLASS bit */
    uint32_t memory_type_bits; /* VkMemoryRequirements::memoryTypeBits */
    uint64_t size_bytes;
    uint64_t alignment_bytes;
    uint32_t dedicated; /* HEAPWRIGHT_DEDICATED */
    uint32_t reserved;  /* 0 */
} heapwright_request;

/* What the driver says of memory of its own for the resource. */
enum { HEAPWRIGHT_DEDICATED_NONE = 0, HEAPWRIGHT_DEDICATED_PREFERRED = 1, HEAPWRIGHT_DEDICATED_REQUIRED = 2 };

#define HEAPWRIGHT_NO_BUCKET 0xffffffffu

typedef struct heapwright_choice {
    uint32_t struct_size;
    uint32_t memory_type; /* the first that serves the request; the next ones are for when it is full */
    uint32_t bucket;      /* HEAPWRIGHT_NO_BUCKET: memory of its own */
    uint32_t refused;     /* 1: humongous, and the policy refuses those; asked for by name it gets memory of its own */
} heapwright_choice;

/* Where a request goes as long as there is memory: its size, the thresholds and the driver's wish count, beyond what
 * heapwright_policy_find_bucket() knows. NOT_FOUND: no memory type for it. */
HEAPWRIGHT_LOADER_API heapwright_status heapwright_policy_choose(const heapwright_policy* policy,
                                                                 const heapwright_request* request,
                                                                 heapwright_choice* choice);

/* The policy as a document (JSON text, urn:heapwright:schema:policy), scaled, for the running device. It names the
 * workload and does not hold it. */
HEAPWRIGHT_LOADER_API const char* heapwright_policy_document(const heapwright_policy* policy);

#ifdef __cplusplus
}
#endif

#endif /* HEAPWRIGHT_POLICY_LOADER_H */
