/* usage: loader_program POLICY_FOLDER. Every file of the folder must load. For a device that no policy knows one is
 * computed, and what it says is printed. */
#include <heapwright/policy_loader.h>

#include <stdio.h>

int main(int argc, char** argv) {
    heapwright_policies* set = NULL;
    heapwright_policy* policy = NULL;
    heapwright_message message = {{0}};
    heapwright_heap heap = {8ull << 30, 0, 1, 0};
    heapwright_memory_type type = {0, 7};
    heapwright_device device = {0};
    heapwright_fallback fallback = {0};
    heapwright_policy_info info = {0};

    if (argc != 2 || heapwright_loader_abi() != HEAPWRIGHT_LOADER_ABI) return 2;
    if (heapwright_policies_open(argv[1], &set, &message) != HEAPWRIGHT_OK) {
        fprintf(stderr, "%s\n", message.text);
        return 1;
    }
    printf("%lu policies, %lu skipped\n", (unsigned long)heapwright_policies_count(set),
           (unsigned long)heapwright_policies_skipped_count(set));
    if (heapwright_policies_count(set) == 0 || heapwright_policies_skipped_count(set) != 0) return 1;
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
    if (heapwright_policy_select(set, &device, &fallback, &policy, &message) != HEAPWRIGHT_OK) {
        fprintf(stderr, "%s\n", message.text);
        return 1;
    }
    info.struct_size = (uint32_t)sizeof(info);
    if (heapwright_policy_get_info(policy, &info) != HEAPWRIGHT_OK) return 1;
    printf("match %u, %u buckets\n%s", (unsigned)info.match, (unsigned)info.bucket_count, info.explanation);
    heapwright_policy_free(policy);
    heapwright_policies_close(set);
    return info.match == HEAPWRIGHT_MATCH_COMPUTED && info.bucket_count > 0 ? 0 : 1;
}
