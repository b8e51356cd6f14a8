// Resources that need memory of a kind, and memory that is not as usual.
#include <catch2/catch_test_macros.hpp>

#include "made_up_memory.hpp"
#include "resources.hpp"

namespace heapwright::test {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags kProtected = VK_MEMORY_PROPERTY_PROTECTED_BIT;
constexpr VkMemoryPropertyFlags kAmdCoherent = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;

// A pool on made-up memory, with what its device is said to have switched on.
class Scene {
public:
    explicit Scene(std::vector<VkMemoryPropertyFlags> types) : memory_{.types = std::move(types)} {
        vulkan11_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
        vulkan12_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
        vulkan13_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
        created_.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        created_.pNext = &vulkan11_;
        vulkan11_.pNext = &vulkan12_;
        vulkan12_.pNext = &vulkan13_;
        vulkan12_.bufferDeviceAddress = VK_TRUE;
        vulkan13_.maintenance4 = VK_TRUE;
    }

    void open(const pool::PoolOptions& options = {}) {
        auto made = vulkan::DevicePool::create_without_policy(with_memory(engine_, memory_, created_), "general-engine",
                                                              options);
        if (!made) FAIL(to_string(made.error()));
        pool_ = std::move(*made);
    }
    ~Scene() {
        pool_.reset();
        CHECK(call_counts().memories == 0);
        CHECK(call_counts().buffers == 0);
        CHECK(call_counts().images == 0);
    }

    [[nodiscard]] vulkan::DevicePool& pool() { return *pool_; }
    [[nodiscard]] MadeUpMemory& memory() { return memory_; }
    [[nodiscard]] const Engine& engine() const { return engine_; }
    VkPhysicalDeviceVulkan11Features vulkan11_{};

private:
    Engine engine_{kAdoptDrivers[0], false};
    MadeUpMemory memory_;
    VkPhysicalDeviceVulkan12Features vulkan12_{};
    VkPhysicalDeviceVulkan13Features vulkan13_{};
    VkDeviceCreateInfo created_{};
    std::unique_ptr<vulkan::DevicePool> pool_;
};

VkBufferCreateInfo plain_buffer(VkBufferCreateFlags flags = 0, const void* chain = nullptr) {
    return {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
            .pNext = chain,
            .flags = flags,
            .size = 1000,
            .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
            .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
            .queueFamilyIndexCount = 0,
            .pQueueFamilyIndices = nullptr};
}

template <class Made>
void check_refused(const Made& made, std::string_view where) {
    REQUIRE_FALSE(made);
    CHECK(made.error().code == ErrorCode::kNotSupported);
    CHECK(made.error().where == where);
}

TEST_CASE("what is to be exported gets exportable memory of its own", "[device]") {
    Scene scene({kLocal, kHost});
    scene.open();
    VkExternalMemoryBufferCreateInfo external{};
    external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    const auto buffer = scene.pool().create_buffer(plain_buffer(0, &external));
    REQUIRE(buffer);
    CHECK(buffer->info.dedicated);
    REQUIRE(scene.memory().allocated.size() == 1);
    CHECK(scene.memory().allocated[0].exported_as == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
    CHECK(scene.memory().allocated[0].is_dedicated);

    VkExternalMemoryImageCreateInfo of_image{};
    of_image.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO;
    of_image.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    ImageInfo image(64, 64);
    image.info.pNext = &of_image;
    const auto created = scene.pool().create_image(image.info);
    REQUIRE(created);
    CHECK(created->info.dedicated);
    CHECK(scene.memory().allocated.back().exported_as == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
    CHECK(scene.pool().bucket_of(image.info)->dedicated);

    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    check_refused(scene.pool().create_buffer(plain_buffer(0, &external)),
                  "VkExternalMemoryBufferCreateInfo::handleTypes");
}

TEST_CASE("a captured address needs memory with that flag, a replayed one is refused", "[device]") {
    Scene scene({kLocal, kHost});
    scene.open();
    const auto captured = scene.pool().create_buffer(plain_buffer(VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT));
    REQUIRE(captured);
    CHECK(captured->info.dedicated);
    CHECK(scene.memory().allocated.back().flags ==
          (VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT | VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT));

    VkBufferOpaqueCaptureAddressCreateInfo address{};
    address.sType = VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO;
    address.opaqueCaptureAddress = 0x10000;
    check_refused(
        scene.pool().create_buffer(plain_buffer(VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT, &address)),
        "VkBufferOpaqueCaptureAddressCreateInfo::opaqueCaptureAddress");
}

TEST_CASE("sparse and disjoint resources of the engine's are refused as its own creations are", "[device]") {
    Scene scene({kLocal, kHost});
    scene.open();
    const auto buffer = scene.pool().create_buffer(plain_buffer());
    const auto image = scene.pool().create_image(ImageInfo(64, 64).info);
    REQUIRE(buffer);
    REQUIRE(image);
    const VkBufferCreateInfo sparse = plain_buffer(VK_BUFFER_CREATE_SPARSE_BINDING_BIT);
    check_refused(scene.pool().create_buffer(sparse), "VkBufferCreateInfo::flags");
    check_refused(scene.pool().bind_buffer(buffer->buffer, sparse), "VkBufferCreateInfo::flags");
    for (const VkImageCreateFlags flags :
         {VkImageCreateFlags{VK_IMAGE_CREATE_SPARSE_BINDING_BIT}, VkImageCreateFlags{VK_IMAGE_CREATE_DISJOINT_BIT}}) {
        ImageInfo info(64, 64);
        info.info.flags = flags;
        check_refused(scene.pool().create_image(info.info), "VkImageCreateInfo::flags");
        check_refused(scene.pool().bind_image(image->image, info.info), "VkImageCreateInfo::flags");
    }
}

TEST_CASE("memory is mapped when the host is to touch it", "[device]") {
    Scene scene({kLocal | kHost});
    scene.open();
    const auto device_only = scene.pool().create_buffer(plain_buffer());
    REQUIRE(device_only);
    CHECK(device_only->info.mapped == nullptr);
    CHECK(scene.memory().maps == 0);
    const auto upload = scene.pool().create_buffer(plain_buffer(), {.use = model::MemoryUse::kUpload});
    REQUIRE(upload);
    CHECK(upload->info.mapped != nullptr);
    CHECK(scene.memory().maps == 1);
    const auto mapped = scene.pool().map(device_only->allocation);
    REQUIRE(mapped);
    CHECK(scene.pool().info(device_only->allocation)->mapped == mapped->data());
    const auto alone = scene.pool().create_buffer(plain_buffer(), {.dedicated = true});
    REQUIRE(alone);
    CHECK(alone->info.mapped == nullptr);
    REQUIRE(scene.pool().map(alone->allocation));
    CHECK(scene.pool().info(alone->allocation)->mapped != nullptr);
    CHECK(scene.pool().flush(alone->allocation, 0, VK_WHOLE_SIZE));
    CHECK(scene.pool().invalidate(alone->allocation, 10, VK_WHOLE_SIZE));
    CHECK_FALSE(scene.pool().flush(alone->allocation, 1u << 20, VK_WHOLE_SIZE));
}

TEST_CASE("where memory cannot be mapped the next type is tried, and what is not mapped does not mind", "[device]") {
    Scene scene({kLocal, kLocal | kHost, kHost, kHost | kCached});
    scene.open();
    for (const model::MemoryUse use :
         {model::MemoryUse::kUpload, model::MemoryUse::kReadback, model::MemoryUse::kStreaming}) {
        scene.memory().unmappable_types = 0;
        const auto usual = scene.pool().create_buffer(plain_buffer(), {.use = use, .dedicated = true});
        REQUIRE(usual);
        scene.memory().unmappable_types = 1u << usual->info.memory_type;
        const auto other = scene.pool().create_buffer(plain_buffer(), {.use = use, .dedicated = true});
        if (!other) FAIL(to_string(other.error()));
        CHECK(other->info.memory_type != usual->info.memory_type);
        CHECK(other->info.mapped != nullptr);
        scene.memory().unmappable_types = ~0u;
        const auto none = scene.pool().create_buffer(plain_buffer(), {.use = use, .dedicated = true});
        REQUIRE_FALSE(none);
        CHECK(none.error().where == "vkMapMemory");
    }
    CHECK(scene.pool().create_buffer(plain_buffer()));
    CHECK(scene.pool().validate_invariants());
}

TEST_CASE("protected resources get protected memory where the device has it switched on", "[device]") {
    const VkBufferCreateInfo guarded = plain_buffer(VK_BUFFER_CREATE_PROTECTED_BIT);
    {
        Scene scene({kLocal, kHost, kLocal | kProtected});
        scene.vulkan11_.protectedMemory = VK_TRUE;
        scene.open();
        const auto buffer = scene.pool().create_buffer(guarded);
        if (!buffer) FAIL(to_string(buffer.error()));
        CHECK(buffer->info.memory_type == 2);
        CHECK(buffer->info.dedicated);
        CHECK((buffer->info.memory_properties & kProtected) != 0);
        REQUIRE(scene.pool().free(buffer->allocation));
        CHECK(scene.pool().validate_invariants());
    }
    Scene scene({kLocal, kHost, kLocal | kProtected});
    scene.open();
    const auto buffer = scene.pool().create_buffer(guarded);
    REQUIRE_FALSE(buffer);
    CHECK(buffer.error().code == ErrorCode::kNotSupported);
    CHECK(buffer.error().message.find("protectedMemory") != std::string::npos);
}

TEST_CASE("AMD's device coherent memory is nobody's choice", "[device]") {
    Scene scene({kLocal | kAmdCoherent, kLocal, kHost | kAmdCoherent, kHost});
    scene.open();
    for (const model::MemoryUse use : {model::MemoryUse::kDeviceOnly, model::MemoryUse::kUpload}) {
        const auto buffer = scene.pool().create_buffer(plain_buffer(), {.use = use});
        REQUIRE(buffer);
        CHECK((buffer->info.memory_properties & kAmdCoherent) == 0);
    }
}

TEST_CASE("no chain goes to a question that forbids it", "[device]") {
    Scene scene({kLocal, kHost});
    scene.open();
    VkImageSwapchainCreateInfoKHR swapchain{};
    swapchain.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
    VkImageDrmFormatModifierExplicitCreateInfoEXT modifier{};
    modifier.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT;
    for (const void* chain : {static_cast<const void*>(&swapchain), static_cast<const void*>(&modifier)}) {
        ImageInfo image(64, 64);
        image.info.pNext = chain;
        CHECK(scene.pool().bucket_of(image.info));
    }
    CHECK(scene.memory().forbidden_questions == 0);
    CHECK(call_counts().images == 0);
}

TEST_CASE("each queue's timeline frees its own, and what several use waits for all", "[device]") {
    Scene scene({kLocal, kHost});
    scene.open({.timelines = 2});
    vulkan::DevicePool& pool = scene.pool();
    const auto made = [&] { return pool.create_buffer(plain_buffer())->allocation; };
    const auto waiting = [&] { return pool.figures().pending_releases; };
    const auto collect = [&](std::uint64_t graphics, std::uint64_t compute) {
        const TimelineValue values[] = {TimelineValue{graphics}, TimelineValue{compute}};
        CHECK(pool.collect(values));
    };
    const auto after = [](std::uint32_t timeline, std::uint64_t value) {
        return vulkan::TimelineUse{.timeline = timeline, .value = TimelineValue{value}};
    };
    const vulkan::TimelineUse of_graphics[] = {after(0, 1000)};
    const vulkan::TimelineUse of_compute[] = {after(1, 3)};
    const vulkan::TimelineUse of_both[] = {after(0, 1000), after(1, 4)};
    const vulkan::TimelineUse of_none[] = {after(2, 1)};
    REQUIRE(pool.free_after(made(), of_graphics));
    REQUIRE(pool.free_after(made(), of_compute));
    const vulkan::PoolAllocation shared = made();
    const auto refused = pool.free_after(shared, of_none);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kOutOfRange);
    REQUIRE(pool.free_after(shared, of_both));
    CHECK_FALSE(pool.info(shared));
    CHECK(pool.live_allocations() == 0);
    CHECK(waiting() == 3);
    collect(0, 3);
    CHECK(waiting() == 2);
    collect(999, 4);
    CHECK(waiting() == 2);
    collect(1000, 3);
    CHECK(waiting() == 1);
    collect(1000, 4);
    CHECK(waiting() == 0);
    CHECK(call_counts().buffers == 0);
    CHECK(pool.validate_invariants());

    pool::PoolOptions none;
    none.timelines = 0;
    CHECK_FALSE(vulkan::DevicePool::create_without_policy(scene.engine().device(), "general-engine", none));
}

}  // namespace
}  // namespace heapwright::test
