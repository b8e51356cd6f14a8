#include <atomic>
#include <barrier>
#include <chrono>
#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "render_scene.hpp"

using namespace heapwright;
using device::DescriptorHeapKind;
using frame::DescriptorHeapAllocation;

namespace {

struct Source {
    Source() : device(*replay::open_replay(test::bindable_report(), {.interpolate = true})) {}
    [[nodiscard]] device::DescriptorHeapSource& operator*() const { return *device->descriptors(); }

    std::unique_ptr<replay::ReplayDevice> device;
    frame::FrameClock clock;
};

// Heaps with addresses, as Direct3D 12 has them: 32 bytes a descriptor, a page of addresses for each heap.
class AddressedSource final : public device::DescriptorHeapSource {
public:
    const device::DescriptorFormChoice& form() const override { return form_; }
    std::optional<std::uint64_t> stated_limit(DescriptorHeapKind, bool) const override { return std::nullopt; }
    Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest& request) override {
        is_visible_.push_back(request.shader_visible);
        return device::DescriptorHeapId{is_visible_.size()};
    }
    void destroy(device::DescriptorHeapId) override {}
    device::DescriptorHeapAddresses addresses(device::DescriptorHeapId heap) const override {
        return {.cpu_start = heap.value * 0x10'0000,
                .gpu_start = is_visible_[heap.value - 1] ? std::optional(heap.value * 0x1'0000'0000) : std::nullopt,
                .increment_bytes = 32};
    }
    Status write(device::DescriptorHeapId, std::uint32_t, const device::Descriptor&) override { return {}; }
    Status copy(device::DescriptorHeapId, std::uint32_t, device::DescriptorHeapId, std::uint32_t,
                std::uint32_t) override {
        return {};
    }

private:
    device::DescriptorFormChoice form_;
    std::vector<bool> is_visible_;
};

}  // namespace

TEST_CASE("an allocation knows the address of each of its descriptors, on the host and on the device") {
    AddressedSource source;
    const frame::FrameClock clock;
    frame::CPUDescriptorHeap host(source, clock, DescriptorHeapKind::kCbvSrvUav, 16);
    const auto first = host.allocate(5);
    const auto second = host.allocate(3);
    REQUIRE((first && second));
    CHECK(second->cpu_address() == 0x10'0000 + 5 * 32);
    CHECK(second->cpu_address(2) == 0x10'0000 + 7 * 32);
    CHECK_FALSE(second->gpu_address());
    CHECK_FALSE(second->is_shader_visible());
    const auto page = host.allocate(16);  // a heap of its own
    CHECK(page->cpu_address() == 0x20'0000);

    const auto visible =
        frame::GPUDescriptorHeap::create(source, clock, {.capacity = 64, .dynamic_capacity = 32, .dynamic_chunk = 8});
    REQUIRE(visible);
    const auto table = (*visible)->allocate(4);
    const auto chunk = (*visible)->allocate_dynamic(8);
    REQUIRE((table && chunk));
    CHECK(table->gpu_address(1) == 0x3'0000'0000 + 32);
    CHECK(chunk->cpu_address() == 0x30'0000 + std::uint64_t{chunk->first_index()} * 32);
    CHECK(chunk->gpu_address() == 0x3'0000'0000 + std::uint64_t{chunk->first_index()} * 32);
    CHECK(chunk->first_index() >= 32);
}

TEST_CASE("an allocation gives its range back exactly once, whoever holds it last") {
    Source source;
    frame::CPUDescriptorHeap heap(*source, source.clock, DescriptorHeapKind::kRtv, 8);
    {
        auto first = heap.allocate(3);
        REQUIRE(first);
        DescriptorHeapAllocation moved = std::move(*first);
        CHECK(first->is_null());
        CHECK(moved.count() == 3);
        CHECK(heap.figures().live == 3);
        DescriptorHeapAllocation other;
        other = std::move(moved);
        other = DescriptorHeapAllocation();
        CHECK(heap.figures().live == 0);
        CHECK(heap.figures().stale == 3);
    }
    CHECK(heap.figures().stale == 3);
    CHECK(heap.release_completed(TimelineValue{0}) == 0);
    CHECK(heap.release_completed(TimelineValue{1}) == 3);
    REQUIRE(heap.validate_invariants());
}

TEST_CASE("a CPU heap grows by pages, and a full manager is asked again only when descriptors are really free") {
    Source source;
    frame::CPUDescriptorHeap heap(*source, source.clock, DescriptorHeapKind::kCbvSrvUav, 4);
    std::vector<DescriptorHeapAllocation> held;
    for (int i = 0; i < 8; ++i) held.push_back(std::move(*heap.allocate()));
    CHECK(heap.figures().managers == 2);
    CHECK(heap.figures().capacity == 8);
    CHECK(held[7].manager_id() == 1);

    held[0].reset();
    CHECK(heap.allocate()->manager_id() == 2);  // stale is not free
    CHECK(heap.figures().managers == 3);
    source.clock.advance();
    heap.release_completed(TimelineValue{1});
    auto again = heap.allocate();
    CHECK(again->manager_id() == 0);
    CHECK(again->first_index() == 0);

    SECTION("a request larger than a page gets a heap as large as itself") {
        const auto large = heap.allocate(100);
        REQUIRE(large);
        CHECK(large->count() == 100);
        CHECK(heap.figures().capacity == 12 + 100);
    }
    SECTION("heaps that hold nothing go back, and their place is used again") {
        held.clear();
        again->reset();
        heap.release_completed(TimelineValue{9});
        CHECK(heap.trim() == 3);
        CHECK(heap.figures().capacity == 0);
        CHECK(heap.figures().peak == 9);
        CHECK(heap.figures().peak_capacity == 12);
        CHECK(heap.allocate()->manager_id() == 0);
    }
    REQUIRE(heap.validate_invariants());
}

TEST_CASE("the descriptor article's example: five descriptors in a row go to the manager that has them") {
    Source source;
    frame::CPUDescriptorHeap heap(*source, source.clock, DescriptorHeapKind::kDsv, 8);
    std::vector<DescriptorHeapAllocation> held;
    for (int i = 0; i < 8; ++i) held.push_back(std::move(*heap.allocate()));
    const auto second = heap.allocate(3);
    for (const std::size_t i : {0u, 1u, 4u, 5u}) held[i].reset();  // two and two in a row in the first manager
    heap.release_completed(TimelineValue{1});
    CHECK(heap.allocate(5)->manager_id() == 1);
    const auto third = heap.allocate(3);  // neither has three in a row
    CHECK(third->manager_id() == 2);
}

TEST_CASE("a shader-visible heap has a static part with id 0 and a dynamic part with id 1, apart") {
    Source source;
    const auto heap = frame::GPUDescriptorHeap::create(
        *source, source.clock, {.capacity = 1024, .dynamic_capacity = 512, .dynamic_chunk = 64});
    REQUIRE(heap);
    auto fixed = (*heap)->allocate(512);
    REQUIRE(fixed);
    CHECK(fixed->manager_id() == 0);
    CHECK(fixed->first_index() == 0);
    CHECK(fixed->is_shader_visible());
    const auto refused = (*heap)->allocate(1);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kExhausted);
    CHECK(to_string(refused.error()).find("512 of 512 are live") != std::string::npos);

    std::vector<DescriptorHeapAllocation> chunks;
    for (int i = 0; i < 8; ++i) {
        auto chunk = (*heap)->allocate_dynamic(64);
        REQUIRE(chunk);
        CHECK(chunk->manager_id() == 1);
        CHECK(chunk->first_index() >= 512);
        chunks.push_back(std::move(*chunk));
    }
    CHECK_FALSE((*heap)->allocate_dynamic(64));
    chunks.clear();
    CHECK((*heap)->dynamic_figures().stale == 512);
    CHECK((*heap)->release_completed(TimelineValue{1}) == 512);
    const auto large = (*heap)->allocate_dynamic(100);  // larger than a chunk: the general part
    REQUIRE(large);
    CHECK(large->first_index() >= 512 + 384);
    REQUIRE((*heap)->validate_invariants());
    CHECK((*heap)->dynamic_figures().peak == 512);
    CHECK_FALSE(frame::GPUDescriptorHeap::create(*source, source.clock, {.capacity = 8, .dynamic_capacity = 8}));
}

TEST_CASE("dynamic descriptors are walked through chunk by chunk and go back as a whole") {
    Source source;
    const auto heap = frame::GPUDescriptorHeap::create(
        *source, source.clock, {.capacity = 1024, .dynamic_capacity = 512, .dynamic_chunk = 32});
    REQUIRE(heap);
    frame::DynamicSuballocationsManager context(**heap, 7);
    const auto first = context.allocate(10);
    const auto second = context.allocate(22);
    REQUIRE((first && second));
    CHECK(second->first == first->first + 10);
    CHECK(second->context == 7);
    CHECK(context.chunk_count() == 1);
    REQUIRE(context.allocate(1));
    CHECK(context.chunk_count() == 2);
    const auto large = context.allocate(100);
    REQUIRE(large);
    CHECK(large->count == 100);
    CHECK(context.chunk_count() == 3);
    CHECK(context.peak_used() == 133);
    CHECK(context.peak_reserved() == 164);

    context.discard(TimelineValue{5});
    CHECK(context.chunk_count() == 0);
    CHECK((*heap)->release_completed(TimelineValue{4}) == 0);
    CHECK((*heap)->release_completed(TimelineValue{5}) == 164);
    REQUIRE(context.allocate(1));
}

TEST_CASE("a context takes the chunks of its last submission ahead, under one lock") {
    Source source;
    const auto heap = frame::GPUDescriptorHeap::create(
        *source, source.clock, {.capacity = 8192, .dynamic_capacity = 4096, .dynamic_chunk = 32});
    REQUIRE(heap);
    frame::DynamicSuballocationsManager context(**heap, 0);
    const auto play = [&](std::uint32_t chunks) {
        const std::uint64_t before = context.locks_taken();
        std::set<std::uint32_t> begun;
        for (std::uint32_t row = 0; row < chunks * 4; ++row) {
            const auto made = context.allocate(8);
            REQUIRE(made);
            begun.insert(made->first);
        }
        CHECK(begun.size() == chunks * 4);  // no row twice
        return context.locks_taken() - before;
    };
    CHECK(play(6) == 6);
    context.discard(TimelineValue{1});
    CHECK(play(6) == 1);
    CHECK(context.chunk_count() == 6);
    context.discard(TimelineValue{2});
    CHECK(play(7) == 2);
    context.discard(TimelineValue{3});
    // Seven are expected; what is not used goes back with the rest.
    CHECK(play(2) == 1);
    CHECK(context.chunk_count() == 7);
    CHECK(context.peak_used() == 7 * 32);
    context.discard(TimelineValue{4});
    CHECK((*heap)->release_completed(TimelineValue{4}) == 26 * 32);
    CHECK((*heap)->release_completed(TimelineValue{4}) == 0);
    CHECK((*heap)->dynamic_figures().live == 0);
    REQUIRE((*heap)->validate_invariants());
    // One larger than a chunk is none of those that are expected.
    REQUIRE(context.allocate(40));
    CHECK(context.chunk_count() == 1);
}

TEST_CASE("nobody has to do without a chunk that another context took ahead") {
    Source source;
    // Three quarters of the dynamic part are equal chunks: 24.
    const auto heap = frame::GPUDescriptorHeap::create(
        *source, source.clock, {.capacity = 2048, .dynamic_capacity = 1024, .dynamic_chunk = 32});
    REQUIRE(heap);
    frame::DynamicSuballocationsManager greedy(**heap, 0);
    for (int row = 0; row < 20; ++row) REQUIRE(greedy.allocate(32));
    greedy.discard(TimelineValue{1});
    CHECK((*heap)->release_completed(TimelineValue{1}) == 20 * 32);
    REQUIRE(greedy.allocate(32));
    CHECK(greedy.chunk_count() == 12);
    frame::DynamicSuballocationsManager other(**heap, 1);
    for (int row = 0; row < 12; ++row) REQUIRE(other.allocate(32));
    other.discard(TimelineValue{2});
    CHECK((*heap)->release_completed(TimelineValue{2}) == 12 * 32);
    // Half of them are taken: nothing is taken ahead.
    REQUIRE(other.allocate(32));
    CHECK(other.chunk_count() == 1);
}

TEST_CASE("a full dynamic part waits for the device, and only as long as something is stale") {
    Source source;
    const auto fence = source.device->create_timeline(0);
    REQUIRE(fence);
    const auto heap = frame::GPUDescriptorHeap::create(*source, source.clock,
                                                       {.capacity = 64, .dynamic_capacity = 32, .dynamic_chunk = 8});
    REQUIRE(heap);
    (*heap)->wait_on(**fence);
    frame::DynamicSuballocationsManager submitted(**heap, 1);
    for (int i = 0; i < 3; ++i) REQUIRE(submitted.allocate(8));
    submitted.discard(TimelineValue{1});
    frame::DynamicSuballocationsManager recording(**heap, 2);
    REQUIRE(recording.allocate(8));
    std::jthread device([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        (void)(*fence)->signal(TimelineValue{1});
    });
    for (int i = 0; i < 3; ++i) REQUIRE(recording.allocate(8));
    CHECK((*heap)->stall_count() == 1);
    const auto refused = recording.allocate(8);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kExhausted);
    REQUIRE((*heap)->validate_invariants());
}

TEST_CASE("nobody waits for descriptors whose commands only the one who waits could submit") {
    const test::RenderScene scene;
    const auto capacity = static_cast<std::uint32_t>(scene.render->resource_heap().dynamic_figures().capacity);
    std::vector<DescriptorHeapAllocation> held;
    for (const std::uint32_t count : {128u, 1u}) {
        while (auto made = scene.render->resource_heap().allocate_dynamic(count)) held.push_back(std::move(*made));
    }
    REQUIRE(scene.render->resource_heap().dynamic_figures().live == capacity);
    held.clear();  // as if the list that is submitted next read them
    const auto refused = scene.render->immediate().allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, 3);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kExhausted);
    CHECK(to_string(refused.error()).find(std::to_string(capacity) + " wait for the device") != std::string::npos);
    CHECK(scene.render->resource_heap().stall_count() == 0);
    REQUIRE(scene.render->finish_frame());
    REQUIRE(scene.render->immediate().allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, 3));
}

TEST_CASE("the waits for stale dynamic descriptors stand in the render device's figures") {
    model::DevicePolicy policy = test::render_policy();
    policy.descriptors.resources = {test::chosen<std::uint64_t>(512), test::chosen<std::uint64_t>(256),
                                    test::chosen<std::uint64_t>(64)};
    const test::RenderScene scene({.interpolate = true, .mode = replay::ReplayMode::kManual}, {}, policy);
    const auto buffer = scene.buffer(64);
    for (int list = 0; list < 4; ++list) {
        REQUIRE(scene.render->immediate().allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, 64));
        scene.submit_fill(buffer);
    }
    CHECK(scene.render->figures().dynamic_stalls == 0);
    REQUIRE(scene.render->immediate().allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, 64));
    CHECK(scene.render->figures().dynamic_stalls == 1);
    CHECK(scene.render->fence().completed()->value == 1);
    scene.render->release(buffer);
}

TEST_CASE("threads that wait for stale descriptors at once all get theirs") {
    for (int round = 0; round < 200; ++round) {
        Source source;
        const auto fence = source.device->create_timeline(0);
        const auto heap = frame::GPUDescriptorHeap::create(
            *source, source.clock, {.capacity = 256, .dynamic_capacity = 128, .dynamic_chunk = 8});
        REQUIRE((fence && heap));
        (*heap)->wait_on(**fence);
        frame::DynamicSuballocationsManager submitted(**heap, 0);
        for (int i = 0; i < 16; ++i) REQUIRE(submitted.allocate(8));
        submitted.discard(TimelineValue{1});
        std::atomic<int> refused{0};
        {
            std::barrier together(16);
            std::vector<std::jthread> threads;
            for (std::uint32_t thread = 1; thread <= 16; ++thread) {
                threads.emplace_back([&, thread] {
                    frame::DynamicSuballocationsManager context(**heap, thread);
                    together.arrive_and_wait();
                    if (thread == 1) (void)(*fence)->signal(TimelineValue{1});
                    if (!context.allocate(8)) ++refused;
                    together.arrive_and_wait();
                });
            }
        }
        REQUIRE(refused == 0);
    }
}

TEST_CASE("threads allocate and free views and tables at once without sharing one") {
    Source source;
    frame::CPUDescriptorHeap cpu(*source, source.clock, DescriptorHeapKind::kCbvSrvUav, 256);
    const auto heap = frame::GPUDescriptorHeap::create(
        *source, source.clock, {.capacity = 1 << 16, .dynamic_capacity = 1 << 15, .dynamic_chunk = 64});
    std::vector<std::uint32_t> owner(1 << 16, 0);
    std::atomic<bool> shared{false};
    {
        std::vector<std::jthread> threads;
        for (std::uint32_t thread = 1; thread <= 16; ++thread) {
            threads.emplace_back([&, thread] {
                frame::DynamicSuballocationsManager context(**heap, thread);
                std::vector<DescriptorHeapAllocation> held;
                for (int round = 0; round < 200; ++round) {
                    held.push_back(std::move(*cpu.allocate(1 + thread % 3)));
                    auto table = (*heap)->allocate(3);
                    auto row = context.allocate(3);
                    if (!table || !row) continue;
                    for (const std::uint32_t first : {table->first_index(), row->first}) {
                        for (std::uint32_t i = first; i < first + 3; ++i) {
                            if (owner[i] != 0) shared = true;
                            owner[i] = thread;
                        }
                    }
                    held.push_back(std::move(*table));  // never released: every index has one owner
                }
            });
        }
    }
    CHECK_FALSE(shared);
    REQUIRE(cpu.validate_invariants());
    REQUIRE((*heap)->validate_invariants());
}

TEST_CASE("identical samplers share one descriptor; a full heap says its figures and loses nothing") {
    model::DevicePolicy policy = test::render_policy();
    policy.descriptors.samplers = {test::chosen<std::uint64_t>(8), test::chosen<std::uint64_t>(4),
                                   test::chosen<std::uint64_t>(2)};
    const test::RenderScene scene({.interpolate = true}, {}, policy);
    frame::SamplerCache& samplers = scene.render->samplers();
    auto first = samplers.get({.max_lod = 1.0f});
    auto same = samplers.get({.max_lod = 1.0f});
    REQUIRE((first && same));
    CHECK(first->visible_index() == same->visible_index());
    CHECK(samplers.figures().shared == 1);
    std::vector<frame::SamplerCache::Reference> others;
    for (int i = 2; i <= 4; ++i) others.push_back(std::move(*samplers.get({.max_lod = static_cast<float>(i)})));

    const auto refused = samplers.get({.max_lod = 9.0f});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kExhausted);
    CHECK(to_string(refused.error()).find("4 distinct samplers are in use by 5 users") != std::string::npos);
    CHECK(samplers.figures().distinct == 4);
    REQUIRE(samplers.get({.max_lod = 2.0f}));

    others.pop_back();
    CHECK_FALSE(samplers.get({.max_lod = 9.0f}));  // the device may still read it
    REQUIRE(scene.render->wait_idle());
    REQUIRE(samplers.get({.max_lod = 9.0f}));
    CHECK(samplers.figures().peak_distinct == 4);
}

TEST_CASE("a sampler with a level of detail that is not a number is refused, and leaves nothing behind") {
    const test::RenderScene scene;
    frame::SamplerCache& samplers = scene.render->samplers();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const auto kept = samplers.get({.max_lod = 1.0f});
    for (const device::SamplerDescription& sampler :
         {device::SamplerDescription{.min_lod = kNan}, device::SamplerDescription{.max_lod = kNan},
          device::SamplerDescription{.lod_bias = kNan}}) {
        const auto refused = samplers.get(sampler);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    }
    CHECK(samplers.figures().distinct == 1);
    CHECK(samplers.figures().users == 1);
    CHECK(scene.render->figures().static_samplers.live == 1);
}

TEST_CASE("the device's limit on samplers is an error with its figure, and a replaced sampler counts once") {
    model::DeviceReport report = test::bindable_report();
    test::set_fact(report, "maxSamplerAllocationCount", 3);
    const auto device = replay::open_replay(report, {.interpolate = true});
    device::DescriptorHeapSource& source = *(*device)->descriptors();
    const auto heap = source.create({.kind = DescriptorHeapKind::kSampler, .capacity = 8});
    for (std::uint32_t i = 0; i < 3; ++i) REQUIRE(source.write(*heap, i, device::SamplerDescription{}));
    REQUIRE(source.write(*heap, 2, device::SamplerDescription{.max_lod = 1}));
    const Status refused = source.write(*heap, 3, device::SamplerDescription{});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kTooManyObjects);
    CHECK(refused.error().limit == 3);
    source.destroy(*heap);
    const auto again = source.create({.kind = DescriptorHeapKind::kSampler, .capacity = 8});
    REQUIRE(source.write(*again, 0, device::SamplerDescription{}));
}
