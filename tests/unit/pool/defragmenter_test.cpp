// Defragmentation on a replayed device, whose bytes are real: what was written before is read after, chunks go back,
// budgets hold, and what may not move stays.
#include <cstring>

#include "core/random.hpp"
#include "pool/defragmenter.hpp"
#include "pool_scene.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using pool::Defragmenter;
using pool::ResourceHandle;

namespace {

constexpr std::uint64_t kBufferBytes = 65536;

// Buffers that hold their own number, half of them gone again at random; one timeline for all work.
struct FragmentedScene : PoolScene {
    explicit FragmentedScene(const replay::FaultPlan& plan = {}) : PoolScene(policy_of_small_chunks(), plan) {
        auto made = replay->create_timeline(0);
        REQUIRE(made);
        timeline = std::move(*made);
    }
    ~FragmentedScene() { table.reset(); }

    static model::DevicePolicy policy_of_small_chunks() {
        model::DevicePolicy policy = pool_policy();
        policy.buckets[kBuffers].chunk_size_bytes.value = kMib;
        return policy;
    }

    void fill(std::uint64_t count) {
        Random random(5);
        std::vector<device::Work> work;
        std::vector<ResourceHandle> all;
        model::BufferDescription buffer = buffer_of(kBufferBytes);
        buffer.usage |= more_usage;
        for (std::uint64_t i = 0; i < count; ++i) {
            auto made = pool->create(buffer, MemoryUse::kDeviceOnly);
            REQUIRE(made);
            work.push_back(device::FillBuffer{
                .buffer = made->id(), .size_bytes = kBufferBytes, .value = static_cast<std::uint32_t>(i + 1)});
            all.push_back(table->insert(std::move(*made), buffer));
        }
        submit(work);
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            if (random.below(2) == 0) {
                REQUIRE(table->erase(all[i]));
            } else {
                live.emplace_back(all[i], i + 1);
            }
        }
        REQUIRE(pool->release_completed(recording()));
    }

    [[nodiscard]] TimelineValue recording() const { return TimelineValue{submitted + 1}; }
    void submit(const std::vector<device::Work>& work) {
        const device::TimelinePoint signal{timeline.get(), recording()};
        REQUIRE(replay->submitter().submit({.work = work, .signals = {&signal, 1}}));
        ++submitted;
    }

    void check_bytes() {
        auto target = pool->create(buffer_of(kBufferBytes), MemoryUse::kReadback);
        REQUIRE(target);
        for (const auto& [handle, number] : live) {
            REQUIRE(table->find(handle) != nullptr);
            submit({device::CopyBuffer{.source = table->find(handle)->resource.id(),
                                       .destination = target->id(),
                                       .size_bytes = kBufferBytes}});
            const auto bytes = pool->map(*target);
            REQUIRE(bytes);
            for (std::size_t at = 0; at < kBufferBytes; at += 4096) {
                std::uint32_t word = 0;
                std::memcpy(&word, bytes->data() + at, sizeof word);
                REQUIRE(word == number);
            }
        }
    }

    model::Flags more_usage = 0;  // of what fill() makes
    std::unique_ptr<device::Timeline> timeline;
    std::optional<pool::ResourceTable> table = pool::ResourceTable();
    std::vector<std::pair<ResourceHandle, std::uint32_t>> live;
    std::uint64_t submitted = 0;
};

// One frame; false when there was nothing to do.
bool frame(FragmentedScene& scene, Defragmenter& defragmenter) {
    std::vector<device::Work> work;
    const auto report = defragmenter.record_step(scene.recording(), work);
    if (!report) return false;
    const bool recorded = report->has_value();
    scene.submit(work);
    (void)defragmenter.finish(TimelineValue{scene.submitted}, scene.recording());
    REQUIRE(scene.pool->release_completed(scene.recording()));
    return recorded;
}

}  // namespace

TEST_CASE("defragmentation frees chunks within its budget and keeps every byte") {
    for (const auto strategy :
         {suballoc::DefragmentationStrategy::kFreeChunks, suballoc::DefragmentationStrategy::kSortBySize}) {
        FragmentedScene scene;
        scene.fill(160);
        const auto before = scene.pool->figures().buckets[kBuffers];
        CHECK(before.chunks == 10);
        Defragmenter defragmenter(*scene.pool, *scene.table,
                                  {.strategy = strategy, .limits = {.bytes = 3 * kBufferBytes, .moves = 2}});
        int frames = 0;
        while (!defragmenter.is_done() && frames < 500) {
            std::vector<device::Work> work;
            const auto report = defragmenter.record_step(scene.recording(), work);
            REQUIRE(report);
            if (*report) {
                CHECK((*report)->moves.size() <= 2);
                CHECK((*report)->moved_bytes <= 3 * kBufferBytes);
                CHECK((*report)->moves.size() == work.size());
            }
            scene.submit(work);
            (void)defragmenter.finish(TimelineValue{scene.submitted}, scene.recording());
            REQUIRE(scene.pool->release_completed(scene.recording()));
            check_sound(*scene.pool);
            ++frames;
        }
        CHECK(defragmenter.is_done());
        (void)frame(scene, defragmenter);
        const auto after = scene.pool->figures().buckets[kBuffers];
        CHECK(after.suballocations.used == before.suballocations.used);
        CHECK(after.chunks == (after.suballocations.used + kMib - 1) / kMib);
        CHECK(defragmenter.totals().moved_bytes > 0);
        CHECK(defragmenter.totals().abandoned_moves == 0);
        CHECK(defragmenter.totals().emptied_chunks >= before.chunks - after.chunks);
        scene.check_bytes();
        CHECK(scene.replay->take_validation_messages().empty());
    }
}

TEST_CASE("buffers move by a shader where that is asked for and they are storage buffers, with every byte") {
    constexpr model::Flags kStorage = model::buffer_usage::kStorage;
    for (const auto& [asked, usage] : {std::pair(false, kStorage), {true, model::Flags{0}}, {true, kStorage}}) {
        const bool by_shader = asked && usage == kStorage;
        FragmentedScene scene;
        scene.more_usage = usage;
        scene.fill(160);
        Defragmenter defragmenter(*scene.pool, *scene.table,
                                  {.limits = {.bytes = 3 * kBufferBytes, .moves = 2}, .buffers_by_shader = asked});
        std::size_t moves = 0;
        while (!defragmenter.is_done()) {
            std::vector<device::Work> work;
            const auto report = defragmenter.record_step(scene.recording(), work);
            REQUIRE(report);
            for (const device::Work& each : work) {
                CHECK(std::holds_alternative<device::TransformBuffer>(each) == by_shader);
                ++moves;
            }
            scene.submit(work);
            (void)defragmenter.finish(TimelineValue{scene.submitted}, scene.recording());
            REQUIRE(scene.pool->release_completed(scene.recording()));
        }
        CHECK(moves > 0);
        CHECK(defragmenter.totals().moves == moves);
        scene.check_bytes();
        CHECK(scene.replay->take_validation_messages().empty());
    }
}

TEST_CASE("a resource released, written or found wrong while its copy is under way stays or goes as it should") {
    FragmentedScene scene;
    scene.fill(64);
    std::optional<ResourceHandle> rejected;
    Defragmenter defragmenter(
        *scene.pool, *scene.table,
        {.limits = {.moves = 4}, .check = [&](const pool::ResourceMove& move) { return move.handle != *rejected; }});
    std::vector<device::Work> work;
    const auto report = defragmenter.record_step(scene.recording(), work);
    REQUIRE(report);
    REQUIRE(report->has_value());
    const auto& moves = (*report)->moves;
    REQUIRE(moves.size() == 4);
    REQUIRE(scene.table->erase(moves[0].handle));
    std::erase_if(scene.live, [&](const auto& one) { return one.first == moves[0].handle; });
    scene.table->note_write(moves[1].handle);
    rejected = moves[2].handle;
    CHECK_FALSE(defragmenter.finish(TimelineValue{scene.submitted}, scene.recording()));
    scene.submit(work);
    const auto finished = defragmenter.finish(TimelineValue{scene.submitted}, scene.recording());
    REQUIRE(finished);
    CHECK(finished->abandoned.size() == 3);
    REQUIRE(finished->moved.size() == 1);
    CHECK(scene.table->find(moves[1].handle)->resource.id() == moves[1].from);
    CHECK(scene.table->find(moves[2].handle)->resource.id() == moves[2].from);
    CHECK(scene.table->find(moves[3].handle)->resource.id() == moves[3].to);
    REQUIRE(scene.pool->release_completed(scene.recording()));
    CHECK(scene.replay->counters().resources == scene.live.size());
    scene.check_bytes();
    check_sound(*scene.pool);
}

TEST_CASE("a chunk counts as emptied only when all that was to leave it left") {
    FragmentedScene scene;
    scene.fill(160);
    std::optional<ResourceHandle> rejected;
    Defragmenter defragmenter(*scene.pool, *scene.table,
                              {.check = [&](const pool::ResourceMove& move) { return move.handle != *rejected; }});
    std::vector<device::Work> work;
    const auto report = defragmenter.record_step(scene.recording(), work);
    REQUIRE(report);
    REQUIRE(report->has_value());
    const auto planned = (*report)->after.empty_chunk_count - (*report)->before.empty_chunk_count;
    REQUIRE(planned >= 2);
    rejected = (*report)->moves.front().handle;
    scene.submit(work);
    REQUIRE(defragmenter.finish(TimelineValue{scene.submitted}, scene.recording()));
    CHECK(defragmenter.totals().emptied_chunks == planned - 1);
    scene.check_bytes();
}

TEST_CASE("pinned, aliasing and dedicated resources never move") {
    FragmentedScene scene;
    scene.fill(64);
    scene.table->for_each([](ResourceHandle, pool::ResourceTable::Entry& entry) { entry.is_pinned = true; });
    Defragmenter defragmenter(*scene.pool, *scene.table, {});
    CHECK_FALSE(frame(scene, defragmenter));
    CHECK(defragmenter.is_done());
}

TEST_CASE("whatever creation fails, a step keeps nothing and the next one goes on") {
    for (std::uint64_t nth = 65; nth <= 72; ++nth) {
        CAPTURE(nth);
        FragmentedScene scene({.fail_at = nth, .only = replay::SeamCall::kCreatePlaced});
        scene.fill(64);
        const std::uint64_t resources = scene.faulty->counters().resources;
        Defragmenter defragmenter(*scene.pool, *scene.table, {.limits = {.moves = 4}});
        std::uint64_t failures = 0;
        for (int i = 0; i < 100 && !defragmenter.is_done(); ++i) {
            std::vector<device::Work> work;
            const auto report = defragmenter.record_step(scene.recording(), work);
            if (!report) {
                ++failures;
                CHECK(work.empty());
            }
            scene.submit(work);
            (void)defragmenter.finish(TimelineValue{scene.submitted}, scene.recording());
            REQUIRE(scene.pool->release_completed(scene.recording()));
            CHECK(scene.faulty->counters().resources == resources);
            check_sound(*scene.pool);
        }
        CHECK(failures == 1);
        CHECK(defragmenter.is_done());
        scene.check_bytes();
    }
}
