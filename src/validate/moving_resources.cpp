// The memory pool and the render device together: buffers of the pool are read by dispatches, freed through the frame
// stack, written anew and moved by the defragmenter, all while frames are in flight. What comes back, by a free or by a
// move, is used again at once, so that what comes back too early shows in what the device read.
// A gate, which the host opens frame by frame, keeps the newest frames from starting at all.
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "device/gate.hpp"
#include "pool/defragmenter.hpp"
#include "validate/binding_scenario.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastMovingFrames = 24;
constexpr std::uint64_t kMostMovingFrames = 200;
constexpr std::size_t kLiveBuffers = 128;
constexpr std::size_t kFreedOfFrame = 12;
constexpr std::size_t kReadOfFrame = 24;
constexpr std::size_t kWrittenOfFrame = 4;
constexpr std::uint64_t kUnitBytes = 256;
constexpr std::uint64_t kMostUnits = 64;  // of one buffer
constexpr SceneTables kTables{.static_constant = 8, .static_buffer = 9, .image = 10};

class MovingResources final : public frame::MemoryRangeOwner {
public:
    MovingResources(BindingScene& scene, std::unique_ptr<pool::MemoryPool> pool)
        : scene_(scene),
          pool_(std::move(pool)),
          defragmenter_(*pool_, table_,
                        {.strategy = suballoc::DefragmentationStrategy::kSortBySize,
                         .limits = {.bytes = 16 * kMostUnits * kUnitBytes, .moves = 16}}) {}

    // All uses are over, says the frame stack.
    void free_range(std::uint64_t, std::uint64_t, suballoc::SuballocationHandle handle) override {
        if (!table_.erase({.index = handle.index, .generation = handle.generation}))
            scene_.log.add(model::Fault::kInvariant, "resource table", "a range came back twice");
    }

    Status record(std::uint32_t static_table);
    // Behind what was recorded: the device is given copies, and what completed ones leave comes back.
    Status move();
    void free_all();
    // The device is idle.
    Status end();
    [[nodiscard]] pool::BudgetedMemory& accounts() { return pool_->accounts(); }
    [[nodiscard]] const pool::DefragmentationTotals& totals() const { return defragmenter_.totals(); }

private:
    struct Live {
        pool::ResourceHandle handle;
        frame::DescriptorHeapAllocation view;
        std::uint32_t word = 0;
    };

    frame::RenderDevice& render() { return scene_.render(); }
    // What the list that is recorded next will signal.
    TimelineValue next_list() { return TimelineValue{render().clock().next() + 1}; }
    std::size_t any() { return static_cast<std::size_t>(scene_.random.below(live_.size())); }

    Status make();
    Status write(Live& live);
    Status look(Live& live);
    Status read(const Live& live, std::uint32_t static_table);
    void free(std::size_t index);

    BindingScene& scene_;
    std::unique_ptr<pool::MemoryPool> pool_;
    pool::ResourceTable table_;
    pool::Defragmenter defragmenter_;
    std::vector<Live> live_;
    std::uint32_t next_word_ = 0x4000'0000u;
};

// A view of where it is now.
Status MovingResources::look(Live& live) {
    HEAPWRIGHT_ASSIGN(
        live.view,
        render().create_view(device::ConstantBufferView{
            .buffer = table_.find(live.handle)->resource.id(), .offset_bytes = 0, .size_bytes = kUnitBytes}));
    return {};
}

Status MovingResources::write(Live& live) {
    const pool::ResourceTable::Entry& entry = *table_.find(live.handle);
    live.word = next_word_++;
    render().immediate().record(
        device::FillBuffer{.buffer = entry.resource.id(),
                           .offset_bytes = 0,
                           .size_bytes = std::get<model::BufferDescription>(entry.description).size_bytes,
                           .value = live.word});
    table_.note_write(live.handle);
    return {};
}

Status MovingResources::make() {
    const model::ResourceDescription description =
        BindingScene::bindable_buffer((1 + scene_.random.below(kMostUnits)) * kUnitBytes);
    HEAPWRIGHT_ASSIGN(pool::Resource made, pool_->create(description, model::MemoryUse::kDeviceOnly));
    Live& live = live_.emplace_back();
    live.handle = table_.insert(std::move(made), description);
    HEAPWRIGHT_TRY(write(live));
    return look(live);
}

void MovingResources::free(std::size_t index) {
    Live& live = live_[index];
    pool::ResourceTable::Entry& entry = *table_.find(live.handle);
    entry.is_pinned = true;  // a copy of it would be a use that comes after its release
    frame::DeviceContext& context = render().immediate();
    context.release(frame::MemoryRange{.owner = this,
                                       .handle = {.index = live.handle.index, .generation = live.handle.generation}});
    context.release(std::move(live.view));
    live = std::move(live_.back());
    live_.pop_back();
}

Status MovingResources::read(const Live& live, std::uint32_t static_table) {
    return scene_.dispatch(render().immediate(), {.tables = kTables,
                                                  .static_table = static_table,
                                                  .other_constant = &live.view,
                                                  .other_resource = table_.find(live.handle)->resource.id(),
                                                  .other_word = live.word});
}

Status MovingResources::record(std::uint32_t static_table) {
    for (std::size_t i = 0; i < kFreedOfFrame && !live_.empty(); ++i) free(any());
    while (live_.size() < kLiveBuffers) HEAPWRIGHT_TRY(make());
    for (std::size_t i = 0; i < kWrittenOfFrame; ++i) HEAPWRIGHT_TRY(write(live_[any()]));
    for (std::size_t i = 0; i < kReadOfFrame; ++i) HEAPWRIGHT_TRY(read(live_[any()], static_table));
    return {};
}

Status MovingResources::move() {
    HEAPWRIGHT_TRY(pool_->release_completed(render().last_completed()));
    if (const auto finished = defragmenter_.finish(render().last_completed(), next_list())) {
        for (const pool::ResourceMove& moved : finished->moved) {
            for (Live& live : live_) {
                if (live.handle == moved.handle) HEAPWRIGHT_TRY(look(live));
            }
        }
    }
    defragmenter_.restart();
    std::vector<device::Work> copies;
    HEAPWRIGHT_ASSIGN(const auto step, defragmenter_.record_step(next_list(), copies));
    if (!step) return {};
    Status submitted = render().submit_now(copies);
    if (!submitted) defragmenter_.abandon();
    return submitted;
}

void MovingResources::free_all() {
    while (!live_.empty()) free(live_.size() - 1);
}

Status MovingResources::end() {
    (void)defragmenter_.finish(render().last_completed(), {});
    HEAPWRIGHT_TRY(pool_->release_completed(render().last_completed()));
    const pool::PoolFigures figures = pool_->figures();
    if (table_.size() != 0 || figures.pending_releases != 0 || figures.suballocations.used != 0)
        scene_.log.add(model::Fault::kLeak, "memory pool", "holds buffers although all were freed");
    return pool_->validate_invariants();
}

}  // namespace

Status play_moving_resources(BindingScene& scene) {
    HEAPWRIGHT_ASSIGN(auto pool, pool::MemoryPool::create(scene.device, scene.policy,
                                                          {.memory_limit_bytes = scene.options.memory_limit_bytes}));
    MovingResources& resources = scene.keep(std::make_unique<MovingResources>(scene, std::move(pool)));
    frame::RenderDeviceOptions options = scene.render_options();
    options.accounts = &resources.accounts();
    HEAPWRIGHT_TRY(scene.set_up(options));
    frame::RenderDevice& render = scene.render();
    scene.figures.recording_contexts = 1;
    HEAPWRIGHT_ASSIGN(std::unique_ptr<device::Timeline> gate, scene.device.create_timeline(0));
    HEAPWRIGHT_ASSIGN(auto table, scene.make_static_table(kTables));
    const auto play = [&]() -> Status {
        for (std::uint64_t frame = 0;; ++frame) {
            HEAPWRIGHT_ASSIGN(const bool goes_on, scene.more(frame, kLeastMovingFrames, kMostMovingFrames));
            if (!goes_on) return {};
            HEAPWRIGHT_TRY(scene.begin_frame());
            render.set_gate(device::TimelinePoint{.timeline = gate.get(), .value = TimelineValue{frame + 1}});
            HEAPWRIGHT_TRY(resources.record(table.first_index()));
            if (frame >= render.frames_in_flight())
                HEAPWRIGHT_TRY(gate->signal(TimelineValue{frame + 1 - render.frames_in_flight()}));
            HEAPWRIGHT_TRY(scene.end_frame());
            HEAPWRIGHT_TRY(resources.move());
        }
    };
    const Status played = play();
    // Views go before the render device does, which is also where the gate does not open.
    table.reset();
    resources.free_all();
    render.set_gate({});
    HEAPWRIGHT_TRY(device::open_gate(*gate));
    if (!played) scene.abandon_frames();
    HEAPWRIGHT_TRY(scene.drain());
    HEAPWRIGHT_TRY(played);
    HEAPWRIGHT_TRY(resources.end());
    const pool::DefragmentationTotals& totals = resources.totals();
    if (totals.moves == 0)
        return fail(ErrorCode::kNotSupported, "the pool's suballocator lets no buffer choose its place",
                    "moving-resources");
    scene.figures.limits = fmt::format("{} moved and {} written or freed meanwhile, behind a gate",
                                       counted(totals.moves, "buffer"), totals.abandoned_moves);
    return {};
}

}  // namespace heapwright::validate
