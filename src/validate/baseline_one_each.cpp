// One device allocation for every resource: the least bytes and the most calls that there can be.
#include <utility>
#include <vector>

#include "validate/baseline_memory.hpp"
#include "validate/baselines.hpp"

namespace heapwright::validate {
namespace {

class OneEach final : public AllocatorUnderTest {
public:
    OneEach(device::Device& device, const model::DevicePolicy& policy, std::uint64_t limit_bytes)
        : memory_(device, policy, limit_bytes) {}

    ~OneEach() override { (void)release_completed(TimelineValue{~0ull}); }

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use,
                           model::OwnMemory /*own_memory*/) override {
        HEAPWRIGHT_ASSIGN(const auto requirements, memory_.device().resources().requirements(description));
        Error last{.code = ErrorCode::kNotSupported, .message = "no memory type serves this use"};
        for (const std::uint32_t type : memory_.types(requirements, use, description)) {
            auto made = memory_.create_dedicated(description, type, requirements.size_bytes);
            if (made) {
                sizes_.push_back({.resource = *made, .size_bytes = requirements.size_bytes});
                return Created{.resource = *made, .token = sizes_.size() - 1};
            }
            last = std::move(made.error());
        }
        return fail(std::move(last));
    }
    Result<Created> create_dedicated(const model::ResourceDescription& description, model::MemoryUse use) override {
        return create(description, use, model::OwnMemory::kAlways);
    }
    void release(const Created& created, TimelineValue last_use) override { releases_.add(last_use, created.token); }
    Status release_completed(TimelineValue completed) override {
        releases_.release_completed(completed, [this](std::uint64_t token) {
            memory_.destroy_dedicated(sizes_[token].resource, sizes_[token].size_bytes);
        });
        return {};
    }
    Status validate_invariants() const override { return {}; }

private:
    struct Made {
        device::ResourceId resource;
        std::uint64_t size_bytes = 0;
    };

    BaselineMemory memory_;
    std::vector<Made> sizes_;
    DelayedReleases releases_;
};

}  // namespace

Result<std::unique_ptr<AllocatorUnderTest>> make_one_each(device::Device& device, const model::DevicePolicy& policy,
                                                          std::uint64_t memory_limit_bytes) {
    return std::make_unique<OneEach>(device, policy, memory_limit_bytes);
}

}  // namespace heapwright::validate
