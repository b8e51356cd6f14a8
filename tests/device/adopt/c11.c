/* The whole C interface once. Gives the line that failed, or 0. */
#include <heapwright/pool.h>

#include <string.h>

#define EXPECT(condition)                  \
    do {                                   \
        if (!(condition)) return __LINE__; \
    } while (0)

int heapwright_pool_c11_check(const heapwright_pool_device* device);

static int use(heapwright_pool* pool) {
    heapwright_pool_message message;
    const VkBufferCreateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4000, .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    const VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                          .imageType = VK_IMAGE_TYPE_2D,
                                          .format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .extent = {64, 64, 1},
                                          .mipLevels = 1,
                                          .arrayLayers = 1,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .tiling = VK_IMAGE_TILING_OPTIMAL,
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    const heapwright_pool_allocation_options upload = {.struct_size = sizeof upload, .use = HEAPWRIGHT_POOL_UPLOAD};
    const heapwright_pool_allocation_options alone = {.struct_size = sizeof alone, .flags = HEAPWRIGHT_POOL_DEDICATED};
    const heapwright_pool_allocation_options unknown = {.struct_size = sizeof unknown, .use = 17};
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImage image = VK_NULL_HANDLE;
    heapwright_pool_allocation of_buffer = 0, of_image = 0, memory = 0;
    heapwright_pool_allocation_info placed = {.struct_size = sizeof placed}, unsized = {0};
    EXPECT(heapwright_pool_create_buffer(pool, &buffer_info, &unknown, &buffer, &of_buffer, NULL, &message) ==
           HEAPWRIGHT_POOL_INVALID_ARGUMENT);
    EXPECT(strstr(message.text, "options.use") != NULL);
    EXPECT(heapwright_pool_create_buffer(pool, &buffer_info, &upload, &buffer, &of_buffer, &unsized, &message) ==
           HEAPWRIGHT_POOL_INVALID_ARGUMENT);
    EXPECT(strstr(message.text, "struct_size") != NULL);
    EXPECT(heapwright_pool_create_buffer(pool, &buffer_info, &upload, &buffer, &of_buffer, NULL, &message) ==
           HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_create_image(pool, &image_info, &alone, &image, &of_image, &placed, &message) == HEAPWRIGHT_POOL_OK);
    EXPECT(placed.image == image && placed.dedicated == 1 && placed.size_bytes >= 64 * 64 * 4);
    EXPECT(placed.memory_properties != 0);
    EXPECT(buffer != VK_NULL_HANDLE && image != VK_NULL_HANDLE && of_buffer != of_image);

    heapwright_pool_allocation_info info = {.struct_size = sizeof info};
    EXPECT(heapwright_pool_get_allocation(pool, of_buffer, &info) == HEAPWRIGHT_POOL_OK);
    EXPECT(info.buffer == buffer && info.memory != VK_NULL_HANDLE && info.size_bytes >= 4000);
    EXPECT(info.mapped != NULL && info.owns_resource == 1);
    void* bytes = NULL;
    EXPECT(heapwright_pool_map(pool, of_buffer, &bytes, NULL) == HEAPWRIGHT_POOL_OK && bytes == info.mapped);
    memset(bytes, 17, 4000);
    EXPECT(heapwright_pool_flush(pool, of_buffer, 0, 4000, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_flush(pool, of_buffer, 16, VK_WHOLE_SIZE, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_invalidate(pool, of_buffer, 0, 4000, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_flush(pool, of_buffer, 0, 1u << 30, NULL) == HEAPWRIGHT_POOL_INVALID_ARGUMENT);
    EXPECT(heapwright_pool_get_allocation(pool, of_image, &info) == HEAPWRIGHT_POOL_OK);
    EXPECT(info.image == image && info.dedicated == 1 && info.mapped == NULL);

    /* An older program's structure: what is beyond it is not written. */
    heapwright_pool_allocation_info old = {.struct_size = 8, .size_bytes = 99};
    EXPECT(heapwright_pool_get_allocation(pool, of_image, &old) == HEAPWRIGHT_POOL_OK && old.size_bytes == 99);

    const VkMemoryRequirements requirements = {.size = 1000, .alignment = 256, .memoryTypeBits = ~0u};
    EXPECT(heapwright_pool_allocate(pool, &requirements, HEAPWRIGHT_POOL_LINEAR, NULL, &memory, NULL, &message) ==
           HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_allocate(pool, &requirements, 5, NULL, &memory, NULL, NULL) == HEAPWRIGHT_POOL_INVALID_ARGUMENT);

    heapwright_pool_answer answer = {.struct_size = sizeof answer};
    EXPECT(heapwright_pool_bucket_of_buffer(pool, &buffer_info, &upload, &answer, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(answer.refused == 0 && answer.size_bytes >= 4000 && answer.memory_type != HEAPWRIGHT_POOL_NONE);
    EXPECT(heapwright_pool_bucket_of_image(pool, &image_info, &alone, &answer, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(answer.dedicated == 1 && answer.bucket == HEAPWRIGHT_POOL_NONE);

    heapwright_pool_figures figures = {.struct_size = sizeof figures};
    EXPECT(heapwright_pool_get_figures(pool, &figures) == HEAPWRIGHT_POOL_OK);
    EXPECT(figures.live_allocations == 3 && figures.dedicated_allocations >= 1 && figures.used_bytes >= 5000);
    heapwright_pool_heap heap = {.struct_size = sizeof heap};
    EXPECT(heapwright_pool_get_heap(pool, 0, &heap) == HEAPWRIGHT_POOL_OK && heap.limit_bytes != 0);
    EXPECT(heapwright_pool_get_heap(pool, figures.heap_count, &heap) == HEAPWRIGHT_POOL_INVALID_ARGUMENT);
    heapwright_pool_bucket bucket = {.struct_size = sizeof bucket};
    EXPECT(heapwright_pool_get_bucket(pool, 0, &bucket) == HEAPWRIGHT_POOL_OK && bucket.id != NULL);

    EXPECT(heapwright_pool_free(pool, memory, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_free(pool, memory, &message) == HEAPWRIGHT_POOL_INVALID_ARGUMENT);
    EXPECT(heapwright_pool_free_after(pool, of_image, 3, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_collect(pool, 2, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_get_figures(pool, &figures) == HEAPWRIGHT_POOL_OK && figures.pending_releases == 1);
    EXPECT(heapwright_pool_collect(pool, 3, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_get_figures(pool, &figures) == HEAPWRIGHT_POOL_OK && figures.pending_releases == 0);
    const heapwright_pool_use uses[] = {{.timeline = 0, .value = 9}, {.timeline = 1, .value = 2}};
    const heapwright_pool_use beyond = {.timeline = 2, .value = 2};
    const uint64_t first[] = {9, 1}, second[] = {9, 2};
    EXPECT(heapwright_pool_allocate(pool, &requirements, HEAPWRIGHT_POOL_LINEAR, NULL, &memory, NULL, NULL) ==
           HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_free_after_all(pool, memory, &beyond, 1, &message) == HEAPWRIGHT_POOL_INVALID_ARGUMENT);
    EXPECT(heapwright_pool_free_after_all(pool, memory, uses, 2, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_collect_all(pool, first, 2, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_get_figures(pool, &figures) == HEAPWRIGHT_POOL_OK && figures.pending_releases == 1);
    EXPECT(heapwright_pool_collect_all(pool, second, 2, NULL) == HEAPWRIGHT_POOL_OK);
    EXPECT(heapwright_pool_get_figures(pool, &figures) == HEAPWRIGHT_POOL_OK && figures.pending_releases == 0);
    (void)heapwright_pool_trim(pool);
    return 0; /* of_buffer goes with the pool */
}

int heapwright_pool_c11_check(const heapwright_pool_device* device) {
    heapwright_pool_message message;
    heapwright_pool* pool = NULL;
    EXPECT(heapwright_pool_abi() == HEAPWRIGHT_POOL_ABI);
    EXPECT(heapwright_pool_create(NULL, NULL, &pool, &message) == HEAPWRIGHT_POOL_INVALID_ARGUMENT);
    EXPECT(strcmp(heapwright_pool_status_name(HEAPWRIGHT_POOL_REFUSED), "REFUSED") == 0);
    heapwright_pool_device unsized = *device;
    unsized.struct_size = 0;
    EXPECT(heapwright_pool_create(&unsized, NULL, &pool, &message) == HEAPWRIGHT_POOL_INVALID_ARGUMENT);
    EXPECT(strstr(message.text, "struct_size") != NULL);
    const heapwright_pool_options two_timelines = {.struct_size = sizeof two_timelines, .timelines = 2};
    EXPECT(heapwright_pool_create(device, &two_timelines, &pool, &message) == HEAPWRIGHT_POOL_OK);
    EXPECT(strstr(heapwright_pool_policy_explanation(pool), "made at start") != NULL);
    int line = use(pool);
    if (line != 0) return heapwright_pool_destroy(pool), line;

    /* The same with the document of that policy. */
    heapwright_pool* second = NULL;
    const heapwright_pool_options options = {.struct_size = sizeof options,
                                             .timelines = 2,
                                             .policy_document = heapwright_pool_policy_document(pool)};
    EXPECT(heapwright_pool_create(device, &options, &second, &message) == HEAPWRIGHT_POOL_OK);
    heapwright_pool_destroy(pool);
    line = use(second);
    heapwright_pool_destroy(second);
    if (line != 0) return line;

    const heapwright_pool_options missing = {.struct_size = sizeof missing, .policy_file = "/nowhere/policy.json"};
    EXPECT(heapwright_pool_create(device, &missing, &second, &message) == HEAPWRIGHT_POOL_IO_ERROR);
    const heapwright_pool_options wrong = {.struct_size = sizeof wrong, .policy_document = "{}"};
    EXPECT(heapwright_pool_create(device, &wrong, &second, &message) == HEAPWRIGHT_POOL_NO_POLICY);
    heapwright_pool_destroy(NULL);
    return 0;
}
