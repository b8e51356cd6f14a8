// The player of a policy: the pool over numbers, a frame at a time.
#include <utility>

#include "policy/memory_types.hpp"
#include "policy/played_pool.hpp"
#include "whatif/player.hpp"

namespace heapwright::whatif {
namespace {

class PoolPlayer final : public Player {
public:
    PoolPlayer(const Stage& stage, const model::DevicePolicy& policy) : types_(policy) {
        options_.memory_limit_bytes = stage.memory_limit_bytes;
        options_.frames_in_flight = stage.frames_in_flight;
        options_.frame_budget_ns = stage.frame_budget_ns;
        options_.memory = stage.memory;
        options_.price = [&stage](const policy::DeviceMemoryCall& call) {
            const double price = stage.price_ns(call);
            return policy::SimulatedPrice{.late_ns = price, .least_ns = price, .median_ns = price};
        };
    }

    Status start(const Stage& stage, const model::DevicePolicy& policy) {
        HEAPWRIGHT_ASSIGN(pool_, policy::PlayedPool::create(stage.facts, policy, options_));
        return {};
    }

    Status play(std::span<const Step> steps) override {
        for (const Step& step : steps) {
            if (step.kind == Step::Kind::kCreate)
                create(step);
            else if (step.kind == Step::Kind::kDestroy)
                pool_->destroy(step.slot);
            else
                HEAPWRIGHT_TRY(end_frame());
        }
        return {};
    }

    Status finish() override { return pool_->finish(); }

private:
    void create(const Step& step) {
        pool::MemoryPlacer::Request request = step.request;
        if (request.resource_class == model::ResourceClass::kOptimalRenderTarget && !pool_->separates_render_targets())
            request.resource_class = model::ResourceClass::kOptimal;
        const policy::SimulatedPlace place = pool_->create(step.slot, request);
        if (place.error) {
            ++frame_.failed_requests;
            return;
        }
        const auto types = types_.of(request.requirements.memory_type_bits, request.use, request.resource_class);
        // A transient attachment has lazily allocated memory before the ranked types.
        if (!types.empty() && place.memory_type != types.front() && !request.transient_attachment)
            ++frame_.missed_types;
    }

    Status end_frame() {
        HEAPWRIGHT_ASSIGN(const policy::PlayedFrame played, pool_->end_frame());
        frame_.is_load = played.is_load;
        frame_.reserved_bytes = played.reserved_bytes;
        frame_.used_bytes = played.used_bytes;
        frame_.most_reserved_bytes = played.most_reserved_bytes;
        frame_.most_allocations = played.most_alive_allocations;
        frame_.own_ns = played.spent.median_ns + played.waited_ns;
        frame_.background_ns = pool_->background_ns() - std::exchange(background_ns_, pool_->background_ns());
        frame_.allocations = played.allocations;
        account_.add(std::exchange(frame_, {}));
        return {};
    }

    policy::SimulatedPoolOptions options_;
    policy::RankedTypes types_;
    std::unique_ptr<policy::PlayedPool> pool_;
    FrameFigures frame_;
    double background_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<Player>> make_pool_player(const Stage& stage, const model::DevicePolicy& policy) {
    auto player = std::make_unique<PoolPlayer>(stage, policy);
    HEAPWRIGHT_TRY(player->start(stage, policy));
    return player;
}

}  // namespace heapwright::whatif
