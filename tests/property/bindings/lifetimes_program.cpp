#include "lifetimes_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "../../unit/frame/render_scene.hpp"
#include "core/random.hpp"
#include "lifetimes_model.hpp"

namespace lifetimes {

namespace {

constexpr std::size_t kMostDeferred = 5;
constexpr std::size_t kMostBundles = 60;
constexpr std::uint32_t kChunk = 64;
constexpr std::uint32_t kTable = 3;
const model::ResourceDescription kBuffer = model::BufferDescription{.size_bytes = 64, .usage = test::kBindableUsage};
constexpr std::array kFailing{replay::SeamCall::kSubmit, replay::SeamCall::kRecord, replay::SeamCall::kFlush,
                              replay::SeamCall::kTimelineCompleted};

class Program final : public frame::MemoryRangeOwner {
public:
    Program(std::uint64_t seed, Machine machine) : random_(seed), advance_(std::move(machine.advance)) {
        replay::FaultPlan plan;
        if (random_.below(2) == 0) {
            plan.only = kFailing[random_.below(kFailing.size())];
            plan.fail_at = 1 + random_.below(200);
        }
        device_ = replay::inject_faults(std::move(machine.device), plan);
        const auto needed = device_->resources().requirements(kBuffer);
        REQUIRE(needed);
        memory_type_ = MemoryTypeIndex{static_cast<std::uint32_t>(std::countr_zero(needed->memory_type_bits))};
        const auto count = [](std::uint64_t value) { return test::chosen<std::uint64_t>(value); };
        machine.policy.descriptors.resources = {count(1024), count(256), count(kChunk)};
        frame::RenderDeviceOptions options;
        if (random_.below(2) == 0 && device_->submitter().engines().size() > 1)
            options.queues = {device::EngineId{0}, device::EngineId{1}};
        options.frames_in_flight = 1 + static_cast<std::uint32_t>(random_.below(3));
        options.reports_lifetimes = true;
        options.on_submitted = [this](std::uint32_t context, std::uint64_t list) { submitted(context, list); };
        auto made = frame::RenderDevice::create(*device_, machine.policy, options);
        if (!made) FAIL(to_string(made.error()));
        render_ = std::move(*made);
        for (std::size_t queue = 0; queue < render_->queue_count(); ++queue) {
            contexts_.push_back(&render_->immediate(queue));
            queue_of_[contexts_.back()->number()] = queue;
        }
    }

    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { is_over_ = true; }

    void play(std::uint64_t steps) {
        for (std::uint64_t step = 0; step < steps; ++step) {
            this->step();
            check();
        }
        end();
    }

    Totals totals;

private:
    using Completed = std::array<std::uint64_t, 2>;

    [[nodiscard]] Completed completed() {
        Completed all{};
        for (std::size_t queue = 0; queue < render_->queue_count(); ++queue)
            all[queue] = value_of(render_->fence(queue));
        return all;
    }
    // A reading that fails is repeated: the fault was the device's, not the model's.
    [[nodiscard]] std::uint64_t value_of(device::Timeline& fence) {
        auto value = fence.completed();
        if (!value) value = fence.completed();
        REQUIRE(value);
        return value->value;
    }
    template <class T>
    [[nodiscard]] T& any_of(std::vector<T>& all) {
        return all[random_.below(all.size())];
    }

    // --- what happens to uses

    void submitted(std::uint32_t context, std::uint64_t list) {
        if (is_over_) return;
        const std::size_t queue = queue_of_.at(context);
        const auto move = [&](Uses& uses) {
            if (uses.open.erase(context) != 0) uses.ends[queue] = std::max(uses.ends[queue], list + 1);
        };
        for (auto& [id, bundle] : bundles_) move(bundle.uses);
        for (Space& space : spaces_) move(space.uses);
        for (Wait wait : std::exchange(waits_of_[context], {})) {
            wait.end = list + 1;
            waits_[queue].push_back(wait);
        }
    }
    // Without commands, or thrown away: nothing was used.
    void dropped(std::uint32_t context) {
        for (auto& [id, bundle] : bundles_) bundle.uses.open.erase(context);
        for (Space& space : spaces_) space.uses.open.erase(context);
    }
    void settle(const frame::DeviceContext& context) {
        if (context.is_recording()) return;
        REQUIRE(waits_of_[context.number()].empty());
        dropped(context.number());
    }

    void free_range(std::uint64_t offset_bytes, std::uint64_t, suballoc::SuballocationHandle) override {
        if (is_over_) return;
        const auto found = bundles_.find(offset_bytes);
        REQUIRE(found != bundles_.end());
        REQUIRE(found->second.is_released);
        REQUIRE(found->second.uses.are_over(completed()));
        bundles_.erase(found);
        ++totals.ended;
    }

    // --- steps

    void step() {
        switch (random_.below(18)) {
            case 0: return create();
            case 1:
            case 2:
            case 3: return use(*any_of(contexts_));
            case 4:
            case 5: return take_rows(*any_of(contexts_));
            case 6:
            case 7: return take_space(*any_of(contexts_));
            case 8:
            case 9: return release();
            case 10: return take_deferred();
            case 11: return submit(*any_of(contexts_));
            case 12: return give_back(*any_of(contexts_));
            case 13: advance_(1 + random_.below(4)); return;
            case 14: return finish_frame();
            case 15: return wait_for(*any_of(contexts_));
            case 16: return submit_now();
            default:
                if (random_.below(10) == 0) return wait_idle();
                return flush();
        }
    }

    void create() {
        if (bundles_.size() >= kMostBundles) return;
        Bundle bundle;
        const auto buffer = device_->resources().create_dedicated(kBuffer, memory_type_, 0.5f);
        const auto pipeline = device_->recorder()->create_pipeline(device::ComputeProgram::kReadTables);
        auto table = render_->resource_heap().allocate(kTable);
        auto view = render_->cpu_heap(device::DescriptorHeapKind::kCbvSrvUav).allocate(1);
        REQUIRE((buffer && pipeline && table && view));
        for (const auto& [id, other] : bundles_) {
            if (other.table.is_null()) continue;
            REQUIRE(other.table.first_index() != table->first_index());
        }
        for (const auto& [first, uses_of] : released_tables_)
            REQUIRE((first != table->first_index() || !bundles_.contains(uses_of)));
        bundle.buffer = *buffer;
        bundle.pipeline = *pipeline;
        bundle.table = std::move(*table);
        bundle.view = std::move(*view);
        bundles_.emplace(next_bundle_++, std::move(bundle));
    }

    [[nodiscard]] std::optional<std::uint64_t> any_bundle() {
        std::vector<std::uint64_t> alive;
        for (const auto& [id, bundle] : bundles_) {
            if (!bundle.is_released) alive.push_back(id);
        }
        if (alive.empty()) return std::nullopt;
        return any_of(alive);
    }

    void record_use(frame::DeviceContext& context, Bundle& bundle) {
        context.record(device::FillBuffer{.buffer = bundle.buffer, .offset_bytes = 0, .size_bytes = 16, .value = 1});
        bundle.uses.open.insert(context.number());
    }
    void use(frame::DeviceContext& context) {
        if (const auto id = any_bundle()) record_use(context, bundles_.at(*id));
    }

    // Of the spaces of this place none that may be read lies in [begin, end).
    void take(std::uint64_t place, std::uint64_t begin, std::uint64_t end, std::uint32_t context) {
        const Completed now = completed();
        std::erase_if(spaces_, [&](const Space& space) { return space.uses.are_over(now); });
        for (const Space& space : spaces_) REQUIRE((space.place != place || space.end <= begin || end <= space.begin));
        Space made{.place = place, .begin = begin, .end = end, .uses = {}};
        made.uses.open.insert(context);
        spaces_.push_back(std::move(made));
    }

    void take_rows(frame::DeviceContext& context) {
        // Rows of a list that came to its end since the last purge are stale and can be had at once.
        const Completed now = completed();
        bool are_some_over = false;
        for (const Space& space : spaces_) {
            if (space.place != 0 || !space.uses.are_over(now)) continue;
            for (std::size_t queue = 0; queue < now.size(); ++queue)
                are_some_over = are_some_over || space.uses.ends[queue] > purged_[queue];
        }
        const std::uint64_t stalls = render_->resource_heap().stall_count();
        const auto count = 1 + static_cast<std::uint32_t>(random_.below(kChunk));
        const auto rows = context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, count);
        if (render_->resource_heap().stall_count() != stalls) {
            CHECK_FALSE(are_some_over);
            purged_ = completed();
        }
        if (!rows) {
            ++totals.failed;
            purged_ = completed();
            return;
        }
        take(0, rows->first, rows->first + std::uint64_t{rows->count}, context.number());
        use(context);
    }

    void take_space(frame::DeviceContext& context) {
        const auto id = any_bundle();
        if (!id) return;
        const auto space = context.allocate_upload(16 + 16 * random_.below(4));
        if (!space) {
            ++totals.failed;
            return;
        }
        take(space->buffer.value, space->offset_bytes, space->offset_bytes + space->bytes.size(), context.number());
        Bundle& bundle = bundles_.at(*id);
        context.copy_from_upload(*space, bundle.buffer, 0);
        bundle.uses.open.insert(context.number());
    }

    // No list of the queue that uses it is open or pending.
    [[nodiscard]] bool is_free_of(const Uses& uses, std::size_t queue) {
        const auto is_of_queue = [&](std::uint32_t context) { return queue_of_.at(context) == queue; };
        return std::ranges::none_of(uses.open, is_of_queue) && uses.ends[queue] <= completed()[queue];
    }
    // Past the contexts: where none that uses it is open, perhaps with its last lists.
    void release_buffer(const Bundle& bundle) {
        if (!bundle.uses.open.empty() || random_.below(2) == 0) return render_->release(bundle.buffer);
        std::vector<frame::LastUse> last_uses;
        for (std::size_t queue = 0; queue < bundle.uses.ends.size(); ++queue) {
            if (const std::uint64_t end = bundle.uses.ends[queue]; end != 0)
                last_uses.push_back({.queue = queue, .command_list = end - 1});
        }
        REQUIRE(render_->release(bundle.buffer, last_uses));
    }
    // A list of any queue that was submitted.
    void wait_for(frame::DeviceContext& context) {
        const std::size_t queue = random_.below(render_->queue_count());
        const std::uint64_t lists = render_->clock(queue).next();
        if (lists == 0) return;
        const std::uint64_t list = random_.below(lists);
        context.wait_for(render_->end_of({.queue = queue, .command_list = list}));
        waits_of_[context.number()].push_back({.end = 0, .other = queue, .value = list + 1});
    }
    void submit_now() {
        const auto id = any_bundle();
        if (!id) return;
        Bundle& bundle = bundles_.at(*id);
        const std::size_t queue = random_.below(render_->queue_count());
        const device::Work work =
            device::FillBuffer{.buffer = bundle.buffer, .offset_bytes = 0, .size_bytes = 16, .value = 1};
        const Status done = render_->submit_now({&work, 1}, queue);
        settle(render_->immediate(queue));
        if (done)
            bundle.uses.ends[queue] = render_->clock(queue).submitted().value;
        else
            ++totals.failed;
    }

    void release() {
        const auto id = any_bundle();
        if (!id) return;
        Bundle& bundle = bundles_.at(*id);
        bundle.is_released = true;
        released_tables_[bundle.table.first_index()] = *id;
        const frame::MemoryRange range{.owner = this, .offset_bytes = *id, .size_bytes = 1};
        if (random_.below(3) == 0) {
            release_buffer(bundle);
            render_->release(bundle.pipeline);
            render_->release(range);
            bundle.table.reset();
            bundle.view.reset();
            return;
        }
        frame::DeviceContext& context = *any_of(contexts_);
        const bool is_here = is_free_of(bundle.uses, 1 - context.queue()) && random_.below(2) == 0;
        const auto used_by = is_here ? frame::UsedBy::kThisQueue : frame::UsedBy::kEveryQueue;
        context.release(bundle.buffer, used_by);
        context.release(bundle.pipeline, used_by);
        context.release(range, used_by);
        context.release(std::move(bundle.table), used_by);
        context.release(std::move(bundle.view), used_by);
    }

    void take_deferred() {
        if (contexts_.size() >= render_->queue_count() + kMostDeferred) return;
        const std::size_t queue = random_.below(render_->queue_count());
        contexts_.push_back(&render_->take_deferred(queue));
        queue_of_[contexts_.back()->number()] = queue;
    }

    [[nodiscard]] static bool is_deferred(const frame::DeviceContext& context) {
        return context.kind() == frame::ContextKind::kDeferred;
    }

    // False: it failed, and the context is as it was.
    bool submit_deferred(frame::DeviceContext& context) {
        const auto number = random_.below(2) == 0 ? render_->submit(context) : render_->execute(context);
        for (frame::DeviceContext* one : contexts_) settle(*one);
        if (!number) {
            ++totals.failed;
            return false;
        }
        std::erase(contexts_, &context);
        return true;
    }
    void submit(frame::DeviceContext& context) {
        if (is_deferred(context)) (void)submit_deferred(context);
    }
    void give_back(frame::DeviceContext& context) {
        if (!is_deferred(context)) return;
        render_->give_back(context);
        waits_of_[context.number()].clear();
        dropped(context.number());
        std::erase(contexts_, &context);
    }
    void flush() {
        const std::size_t queue = random_.below(render_->queue_count());
        if (!render_->flush(queue)) ++totals.failed;
        settle(render_->immediate(queue));
    }

    // A context is submitted in its frame or the next.
    bool submit_old() {
        for (std::size_t place = render_->queue_count(); place < contexts_.size();) {
            frame::DeviceContext& context = *contexts_[place];
            const auto begun = context.begun_in_frame();
            if (!begun || (*begun == render_->frame() && random_.below(2) == 0)) {
                ++place;
            } else if (!submit_deferred(context)) {
                return false;
            }
        }
        return true;
    }
    void finish_frame() {
        if (!submit_old()) return;
        if (!render_->finish_frame()) ++totals.failed;
        settle_all();
    }
    void wait_idle() {
        if (!submit_old()) return;
        if (!render_->wait_idle()) ++totals.failed;
        settle_all();
    }
    void settle_all() {
        for (const frame::DeviceContext* context : contexts_) settle(*context);
        purged_ = completed();
    }

    // --- what has to hold

    void check() {
        const std::uint64_t alive = bundles_.size();
        REQUIRE(device_->counters().pipelines == alive);
        const auto tables = render_->resource_heap().static_figures();
        REQUIRE(tables.live + tables.stale == kTable * alive);
        const auto views = render_->cpu_heap(device::DescriptorHeapKind::kCbvSrvUav).figures();
        REQUIRE(views.live + views.stale == alive);
        const Completed now = completed();
        for (std::size_t queue = 0; queue < now.size(); ++queue) {
            // The other queue's fence is read after this one's: both go on meanwhile.
            std::erase_if(waits_[queue], [&](const Wait& wait) {
                if (wait.end > now[queue]) return false;
                REQUIRE(completed()[wait.other] >= wait.value);
                return true;
            });
        }
        check_messages();
        for (const frame::BrokenRule& rule : render_->checker().broken()) FAIL(rule.statement);
    }

    void check_messages() {
        for (const std::string& message : device_->take_validation_messages()) FAIL(message);
    }

    void end() {
        while (contexts_.size() > render_->queue_count()) give_back(*contexts_.back());
        for (auto& [id, bundle] : bundles_) {
            if (std::exchange(bundle.is_released, true)) continue;
            render_->release(bundle.buffer);
            render_->release(bundle.pipeline);
            render_->release(frame::MemoryRange{.owner = this, .offset_bytes = id, .size_bytes = 1});
            bundle.table.reset();
            bundle.view.reset();
        }
        // A fault may hit the first attempts.
        for (int attempt = 0; attempt < 3; ++attempt) {
            if (!render_->finish_frame() || !render_->wait_idle()) ++totals.failed;
            settle_all();
        }
        REQUIRE(bundles_.empty());
        check();
        REQUIRE(render_->figures().dynamic_resources.stale == 0);
        REQUIRE(render_->figures().uploads.used_bytes == 0);
        REQUIRE(render_->validate_invariants());
        render_.reset();
        REQUIRE(device_->counters().nothing_alive());
        check_messages();
    }

    bool is_over_ = false;  // what the render device still tells at its end is not the model's after a failure
    Random random_;
    std::function<void(std::uint64_t submissions)> advance_;
    std::unique_ptr<replay::FaultyDevice> device_;
    MemoryTypeIndex memory_type_;
    std::unique_ptr<frame::RenderDevice> render_;
    std::vector<frame::DeviceContext*> contexts_;    // the immediate ones, then the deferred ones that are taken
    std::map<std::uint32_t, std::size_t> queue_of_;  // by context number
    std::map<std::uint64_t, Bundle> bundles_;        // until their memory range comes back
    std::map<std::uint32_t, std::uint64_t> released_tables_;  // first descriptor -> the bundle that released it last
    std::vector<Space> spaces_;
    std::map<std::uint32_t, std::vector<Wait>> waits_of_;  // by context that is not submitted
    std::array<std::vector<Wait>, 2> waits_;               // by queue, of lists
    Completed purged_{};  // how far the queues were when stale rows were taken back last
    std::uint64_t next_bundle_ = 1;
};

}  // namespace

Totals play(std::uint64_t seed, std::uint64_t steps, Machine machine) {
    Program program(seed, std::move(machine));
    program.play(steps);
    return program.totals;
}

}  // namespace lifetimes
