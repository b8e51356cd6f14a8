/* The header alone, as C99: every type, constant and function can be named. */
#include "heapwright/policy_loader.h"

int heapwright_c99_check(const char* folder);

int heapwright_c99_check(const char* folder) {
    heapwright_policies* set = NULL;
    heapwright_policy* policy = NULL;
    heapwright_message message;
    heapwright_heap heap = {1024u * 1024u * 1024u, 0, 1, 0};
    heapwright_memory_type type = {0, 7};
    heapwright_device device = {0};
    heapwright_fallback fallback = {0};
    heapwright_policy_info info = {0};
    heapwright_bucket bucket = {0};
    uint32_t index = 0;
    int ok = 0;

    if (heapwright_loader_abi() != HEAPWRIGHT_LOADER_ABI) return 1;
    if (heapwright_policies_open(folder, &set, &message) != HEAPWRIGHT_OK) return 2;
    device.struct_size = (uint32_t)sizeof(device);
    device.api = HEAPWRIGHT_API_VULKAN;
    device.vendor_id = 0x10005;
    device.name = "a device that nobody knows";
    device.heaps = &heap;
    device.heap_count = 1;
    device.memory_types = &type;
    device.memory_type_count = 1;
    fallback.struct_size = (uint32_t)sizeof(fallback);
    fallback.workload = "2d-ui";
    if (heapwright_policy_select(set, &device, &fallback, &policy, &message) == HEAPWRIGHT_OK) {
        info.struct_size = (uint32_t)sizeof(info);
        bucket.struct_size = (uint32_t)sizeof(bucket);
        ok = heapwright_policy_get_info(policy, &info) == HEAPWRIGHT_OK && info.match == HEAPWRIGHT_MATCH_COMPUTED &&
             heapwright_policy_find_bucket(policy, HEAPWRIGHT_USE_UPLOAD, HEAPWRIGHT_CLASS_LINEAR, 16, ~0u, &index) ==
                 HEAPWRIGHT_OK &&
             heapwright_policy_get_bucket(policy, index, &bucket) == HEAPWRIGHT_OK && bucket.chunk_size_bytes > 0;
    }
    heapwright_policy_free(policy);
    heapwright_policies_close(set);
    return ok ? 0 : 3;
}
