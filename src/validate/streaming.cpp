#include "validate/memory_scenario.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "workload/draw.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint32_t kVisibleCells = 16;
constexpr std::uint64_t kFramesPerCell = 8;
// Enough for a cell in the frames that the camera takes to cross one, with room for a heavy one.
constexpr double kBudgetSlack = 1.25;
constexpr std::uint32_t kMostChurnSteps = 6000;
constexpr PopulationLimit kMostStreamed{.images = 600, .buffers = 1200};

class CellStream {
public:
    CellStream(const model::Workload& workload, std::uint64_t seed) : workload_(workload), random_(seed) {
        for (std::size_t hints = workload_.images.size() + workload_.buffers.size(); hints != 0; --hints)
            phases_.push_back(random_.below(kVisibleCells));
        for (std::uint32_t cell = 0; cell < kVisibleCells; ++cell) {
            cells_.emplace_back();
            for (workload::Create& created : draw_cell()) {
                loaded_bytes_ += workload::packed_size_bytes(created.resource);
                cells_.back().push_back(created.id);
                planned_.emplace_back(std::move(created));
            }
        }
        upload_budget_bytes_ = static_cast<std::uint64_t>(static_cast<double>(loaded_bytes_) * kBudgetSlack /
                                                          (kVisibleCells * kFramesPerCell)) +
                               1;
        planned_.emplace_back(workload::EndFrame{});
    }

    std::optional<workload::Operation> next() {
        if (planned_.empty()) plan_frame();
        if (planned_.empty()) return std::nullopt;
        workload::Operation operation = std::move(planned_.front());
        planned_.pop_front();
        return operation;
    }

private:
    // A cell's share of every hint: the visible cells together hold each hint's count, wherever the camera is.
    std::vector<workload::Create> draw_cell() {
        std::vector<workload::Create> cell;
        const std::uint64_t drawn = drawn_cells_++;
        const auto share = [&](std::uint64_t count, std::uint64_t phase) {
            return ((drawn + 1) * count + phase) / kVisibleCells - (drawn * count + phase) / kVisibleCells;
        };
        std::uint32_t position = 0;
        const auto add = [&](const auto& hints, auto&& draw) {
            for (const auto& hint : hints) {
                for (std::uint64_t left = share(hint.count, phases_[position]); left != 0; --left) {
                    cell.push_back({.id = next_id_++,
                                    .resource = draw(hint, random_),
                                    .memory_use = hint.memory_use,
                                    .lifetime = model::Lifetime::kLevel,
                                    .hint = position});
                }
                ++position;
            }
        };
        add(workload_.images, workload::draw_image);
        add(workload_.buffers, workload::draw_buffer);
        return cell;
    }

    void plan_frame() {
        if (waiting_.empty()) {
            if (creations_ >= workload_.churn_steps) return;
            if (frame_ % kFramesPerCell == 0) enter_cell();
        }
        ++frame_;
        // At least one, so that a resource larger than the budget does not stop the world.
        std::uint64_t uploaded = 0;
        while (!waiting_.empty()) {
            const std::uint64_t bytes = workload::packed_size_bytes(waiting_.front().resource);
            if (uploaded != 0 && uploaded + bytes > upload_budget_bytes_) break;
            uploaded += bytes;
            cells_.back().push_back(waiting_.front().id);
            planned_.emplace_back(std::move(waiting_.front()));
            waiting_.pop_front();
            ++creations_;
        }
        planned_.emplace_back(workload::EndFrame{});
    }

    void enter_cell() {
        for (const std::uint64_t id : cells_.front()) planned_.emplace_back(workload::Destroy{id});
        cells_.pop_front();
        cells_.emplace_back();
        for (workload::Create& created : draw_cell()) waiting_.push_back(std::move(created));
        // A cell that is empty by chance counts, so that a tiny workload ends.
        if (waiting_.empty()) ++creations_;
    }

    model::Workload workload_;
    Random random_;
    std::vector<std::uint64_t> phases_;  // by hint: so that rare hints of one count do not all come with one cell
    std::uint64_t drawn_cells_ = 0;
    std::deque<std::vector<std::uint64_t>> cells_;  // the ids of each, in the order of their entry
    std::deque<workload::Create> waiting_;          // of the newest cell, still to be uploaded
    std::deque<workload::Operation> planned_;
    std::uint64_t loaded_bytes_ = 0;
    std::uint64_t upload_budget_bytes_ = 0;
    std::uint64_t next_id_ = 1;
    std::uint64_t frame_ = 0;
    std::uint64_t creations_ = 0;
};

Result<OperationSource> cell_stream(const model::Workload& fitted, std::uint64_t seed) {
    const auto shared = std::make_shared<CellStream>(fitted, seed);
    return [shared] { return shared->next(); };
}

}  // namespace

Result<model::ScenarioResult> run_streaming(device::Device& device, const model::DevicePolicy& policy,
                                            const model::Workload& workload, const ValidateOptions& options) {
    model::Workload world = workload;
    world.churn_steps = std::min(world.churn_steps, kMostChurnSteps);
    lower_counts(world, kMostStreamed);
    ValidateOptions scaled = options;
    scaled.churn_steps = std::min<std::uint64_t>(options.churn_steps, kMostChurnSteps);
    return play_operations({.name = kStreaming, .source = cell_stream}, device, policy, world, scaled);
}

}  // namespace heapwright::validate
