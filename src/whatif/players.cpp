// Players whose rule is another allocator's: device memory by blocks or by resources, and frees that wait for the
// frames in flight.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "policy/memory_types.hpp"
#include "policy/played_pool.hpp"
#include "whatif/player.hpp"

namespace heapwright::whatif {

namespace {

// What one resource has.
struct Taken {
    policy::VmaAllocator::Place place;
    device::AllocationId own;      // where it has no place in a block
    std::uint64_t used_bytes = 0;  // as the driver asks
};

class RulePlayer : public Player {
public:
    RulePlayer(const Stage& stage, const model::DevicePolicy& policy)
        : stage_(stage), memory_(stage.facts, stage.memory), types_(policy), given_up_(stage.frames_in_flight + 1) {}

    Status play(std::span<const Step> steps) override {
        for (const Step& step : steps) {
            if (step.kind == Step::Kind::kCreate)
                create(step);
            else if (step.kind == Step::Kind::kDestroy)
                destroy(step.slot);
            else
                end_frame();
        }
        return {};
    }

protected:
    // In one of the types, best first.
    virtual Result<Taken> take(std::span<const std::uint32_t> types, const Step& step) = 0;
    virtual void give_back(const Taken& taken) = 0;

    [[nodiscard]] policy::CountedMemory& memory() { return memory_; }
    [[nodiscard]] Result<device::AllocationId> take_own(std::uint32_t type, std::uint64_t size_bytes, bool is_optimal) {
        return memory_.take({.memory_type = MemoryTypeIndex{type}, .size_bytes = size_bytes}, is_optimal);
    }

private:
    struct Live {
        Taken taken;
        bool is_alive = false;
    };

    void create(const Step& step) {
        const pool::MemoryPlacer::Request& request = step.request;
        const auto types = types_.of(request.requirements.memory_type_bits, request.use, request.resource_class);
        auto taken = take(types, step);
        if (memory_.has_unread_calls()) read_calls();
        if (!taken) {
            ++frame_.failed_requests;
            return;
        }
        if (taken->place.memory_type != types.front()) ++frame_.missed_types;
        taken->used_bytes = request.requirements.size_bytes;
        used_bytes_ += taken->used_bytes;
        if (live_.size() <= step.slot) live_.resize(step.slot + std::size_t{1});
        live_[step.slot] = {.taken = *taken, .is_alive = true};
    }

    void destroy(std::uint32_t slot) {
        if (slot >= live_.size() || !std::exchange(live_[slot].is_alive, false)) return;
        given_up_[frame_number_ % given_up_.size()].push_back(live_[slot].taken);
    }

    void end_frame() {
        frame_.is_load = frame_number_ == 0;
        frame_.reserved_bytes = reserved_bytes_;
        frame_.used_bytes = used_bytes_;
        std::vector<Taken>& free_now = given_up_[(frame_number_ + 1) % given_up_.size()];
        for (const Taken& taken : free_now) {
            used_bytes_ -= taken.used_bytes;
            give_back(taken);
        }
        free_now.clear();
        read_calls();
        ++frame_number_;
        account_.add(
            std::exchange(frame_, {.most_reserved_bytes = reserved_bytes_, .most_allocations = alive_allocations_}));
    }

    void read_calls() {
        memory_.read_calls([&](const policy::DeviceMemoryCall& call) {
            frame_.own_ns += stage_.price_ns(call);
            if (call.takes) {
                reserved_bytes_ += call.size_bytes;
                ++alive_allocations_;
                ++frame_.allocations;
                frame_.most_reserved_bytes = std::max(frame_.most_reserved_bytes, reserved_bytes_);
                frame_.most_allocations = std::max(frame_.most_allocations, alive_allocations_);
            } else {
                reserved_bytes_ -= call.size_bytes;
                --alive_allocations_;
            }
        });
    }

    const Stage& stage_;
    policy::CountedMemory memory_;
    policy::RankedTypes types_;
    std::vector<Live> live_;                    // by slot
    std::vector<std::vector<Taken>> given_up_;  // by frame, of those in flight and of the one that is recorded
    std::uint64_t frame_number_ = 0;
    std::uint64_t reserved_bytes_ = 0;
    std::uint64_t used_bytes_ = 0;
    std::uint64_t alive_allocations_ = 0;
    FrameFigures frame_;
};

class VmaBlocksOfNumbers final : public policy::VmaAllocator::Blocks {
public:
    explicit VmaBlocksOfNumbers(policy::CountedMemory& memory) : memory_(memory) {}

    Status take(std::uint64_t block, std::uint32_t memory_type, std::uint64_t size_bytes) override {
        HEAPWRIGHT_ASSIGN(const device::AllocationId taken,
                          memory_.allocate({.memory_type = MemoryTypeIndex{memory_type}, .size_bytes = size_bytes}));
        taken_.emplace(block, taken);
        return {};
    }
    void give_back(std::uint64_t block, std::uint32_t, std::uint64_t) override {
        const auto entry = taken_.find(block);
        memory_.free(entry->second);
        taken_.erase(entry);
    }
    std::uint64_t allocations() const override { return memory_.alive(); }

private:
    policy::CountedMemory& memory_;
    std::unordered_map<std::uint64_t, device::AllocationId> taken_;
};

// D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT
constexpr std::uint64_t kPlacementAlignment = 64ull << 10;
constexpr std::uint64_t kD3d12maBlockBytes = 64ull << 20;  // D3D12MA_DEFAULT_BLOCK_SIZE

// As Direct3D 12 places a linear resource, and which buffers D3D12MA would rather have committed: by the width of their
// description.
void place_as_d3d12(model::MemoryRequirements& buffer, std::uint64_t width_bytes) {
    if (buffer.dedicated == model::Dedicated::kNone && width_bytes != 0 && width_bytes <= kPlacementAlignment / 2)
        buffer.dedicated = model::Dedicated::kPreferred;
    buffer.alignment_bytes = std::max(buffer.alignment_bytes, kPlacementAlignment);
    buffer.size_bytes = align_up(buffer.size_bytes, kPlacementAlignment);
}

class BlockPlayer final : public RulePlayer {
public:
    enum class Rule : std::uint8_t { kVma, kD3d12ma };

    BlockPlayer(const Stage& stage, const model::DevicePolicy& policy, policy::VmaAllocator::BlockSizes sizes,
                Rule rule)
        : RulePlayer(stage, policy), blocks_(memory()), allocator_(stage.facts, blocks_, sizes), rule_(rule) {}

private:
    Result<Taken> take(std::span<const std::uint32_t> types, const Step& step) override {
        const pool::MemoryPlacer::Request& request = step.request;
        policy::VmaAllocator::Request asked{.requirements = request.requirements,
                                            .is_optimal = request.resource_class != model::ResourceClass::kLinear};
        // VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT, ALLOCATION_FLAG_COMMITTED
        if (request.own_memory == model::OwnMemory::kAlways) asked.requirements.dedicated = model::Dedicated::kRequired;
        if (rule_ == Rule::kD3d12ma && !asked.is_optimal) place_as_d3d12(asked.requirements, step.buffer_bytes);
        asked_ = &asked;
        HEAPWRIGHT_ASSIGN(const policy::VmaAllocator::Place place,
                          allocator_.allocate(types, asked, [this](std::uint32_t type) -> Status {
                              HEAPWRIGHT_ASSIGN(own_,
                                                take_own(type, asked_->requirements.size_bytes, asked_->is_optimal));
                              return {};
                          }));
        return Taken{.place = place, .own = own_, .used_bytes = 0};
    }
    void give_back(const Taken& taken) override {
        if (!taken.place.in_block) memory().free(taken.own);
        allocator_.free(taken.place);
    }

    VmaBlocksOfNumbers blocks_;
    policy::VmaAllocator allocator_;
    Rule rule_;
    // Of the request that is served.
    const policy::VmaAllocator::Request* asked_ = nullptr;
    device::AllocationId own_;
};

class OneEachPlayer final : public RulePlayer {
public:
    using RulePlayer::RulePlayer;

private:
    Result<Taken> take(std::span<const std::uint32_t> types, const Step& step) override {
        const pool::MemoryPlacer::Request& request = step.request;
        Error last{.code = ErrorCode::kNotSupported, .message = "no memory type serves this use"};
        for (const std::uint32_t type : types) {
            auto own = take_own(type, request.requirements.size_bytes,
                                request.resource_class != model::ResourceClass::kLinear);
            if (own) {
                return Taken{
                    .place = {.memory_type = type, .size_bytes = request.requirements.size_bytes, .in_block = {}},
                    .own = *own,
                    .used_bytes = 0};
            }
            last = std::move(own.error());
        }
        return fail(std::move(last));
    }
    void give_back(const Taken& taken) override { memory().free(taken.own); }
};

}  // namespace

std::unique_ptr<Player> make_vma_player(const Stage& stage, const model::DevicePolicy& policy,
                                        std::uint64_t large_heap_block_bytes) {
    return std::make_unique<BlockPlayer>(stage, policy,
                                         policy::VmaAllocator::BlockSizes{.large_heap_bytes = large_heap_block_bytes},
                                         BlockPlayer::Rule::kVma);
}

std::unique_ptr<Player> make_d3d12ma_player(const Stage& stage, const model::DevicePolicy& policy) {
    return std::make_unique<BlockPlayer>(
        stage, policy, policy::VmaAllocator::BlockSizes{.large_heap_bytes = kD3d12maBlockBytes, .of_small_heaps = true},
        BlockPlayer::Rule::kD3d12ma);
}

std::unique_ptr<Player> make_one_each_player(const Stage& stage, const model::DevicePolicy& policy) {
    return std::make_unique<OneEachPlayer>(stage, policy);
}

// The player of a policy: the pool over numbers, a frame at a time.

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
