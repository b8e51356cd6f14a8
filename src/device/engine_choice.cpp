#include "device/engine_choice.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace heapwright::device {
namespace {

using namespace model::queue_flag;
using Family = std::optional<QueueFamilyIndex>;

// A copy family that can decode video too is taken only when there is no plain one.
Family plainest(std::span<const model::QueueFamily> families, model::Flags required, model::Flags excluded) {
    Family best;
    int best_abilities = 0;
    for (std::uint32_t i = 0; i < families.size(); ++i) {
        const model::Flags flags = families[i].flags;
        if (families[i].queue_count == 0 || (flags & required) != required || (flags & excluded) != 0) continue;
        const int abilities = std::popcount(flags);
        if (best && abilities >= best_abilities) continue;
        best = QueueFamilyIndex{i};
        best_abilities = abilities;
    }
    return best;
}

class Choice {
public:
    explicit Choice(std::span<const model::QueueFamily> families) : families_(families), used_(families.size()) {}

    // The engine takes the next queue of the first family that has one left.
    void add(std::string_view name, EngineKind kind, EnginePriority priority, std::initializer_list<Family> preferred) {
        for (const Family& family : preferred) {
            if (!family || used_[family->value] == families_[family->value].queue_count) continue;
            engines_.push_back({.kind = kind,
                                .queue_family = *family,
                                .queue = used_[family->value]++,
                                .name = std::string(name),
                                .priority = priority,
                                .dedicated = (families_[family->value].flags & kGraphics) == 0});
            return;
        }
    }

    [[nodiscard]] bool has(EngineKind kind) const {
        return std::ranges::any_of(engines_, [kind](const EngineInfo& engine) { return engine.kind == kind; });
    }

    [[nodiscard]] Family family_of(EngineKind kind) const {
        const auto found = std::ranges::find(engines_, kind, &EngineInfo::kind);
        return found == engines_.end() ? Family{} : found->queue_family;
    }

    [[nodiscard]] bool is_empty() const { return engines_.empty(); }
    [[nodiscard]] std::vector<EngineInfo> take() && { return std::move(engines_); }

private:
    std::span<const model::QueueFamily> families_;
    std::vector<std::uint32_t> used_;  // queues, by family
    std::vector<EngineInfo> engines_;
};

}  // namespace

std::vector<EngineInfo> choose_engines(std::span<const model::QueueFamily> families) {
    constexpr auto kNormal = EnginePriority::kNormal;
    Family general = plainest(families, kGraphics | kCompute, 0);
    const Family shared_compute = general;
    if (!general) general = plainest(families, kGraphics, 0);
    const Family compute = plainest(families, kCompute, kGraphics);
    const Family copy = plainest(families, kTransfer, kGraphics | kCompute);

    Choice choice(families);
    choice.add("graphics", EngineKind::kGraphics, kNormal, {general});
    choice.add("compute", EngineKind::kCompute, kNormal, {compute});
    if (choice.is_empty()) return {};
    choice.add("copy", EngineKind::kCopy, kNormal, {copy});

    if (!choice.has(EngineKind::kCompute)) choice.add("compute", EngineKind::kCompute, kNormal, {shared_compute});
    if (!choice.has(EngineKind::kCopy)) choice.add("copy", EngineKind::kCopy, kNormal, {compute, general});
    choice.add("compute-low", EngineKind::kCompute, EnginePriority::kLow, {compute, shared_compute});
    choice.add("compute-high", EngineKind::kCompute, EnginePriority::kHigh, {compute, shared_compute});
    choice.add("copy-2", EngineKind::kCopy, kNormal, {choice.family_of(EngineKind::kCopy)});
    return std::move(choice).take();
}

std::array<EngineInfo, kDirect3d12EngineCount> direct3d12_engines() {
    const auto engine = [](std::uint32_t queue, EngineKind kind, const char* name,
                           EnginePriority priority = EnginePriority::kNormal) {
        return EngineInfo{.kind = kind,
                          .queue_family = {0},
                          .queue = queue,
                          .name = name,
                          .priority = priority,
                          .dedicated = kind != EngineKind::kGraphics};
    };
    std::array engines{engine(0, EngineKind::kGraphics, "graphics"),
                       engine(1, EngineKind::kCompute, "compute"),
                       engine(2, EngineKind::kCopy, "copy"),
                       engine(3, EngineKind::kCompute, "compute-low", EnginePriority::kLow),
                       engine(4, EngineKind::kCompute, "compute-high", EnginePriority::kHigh),
                       engine(5, EngineKind::kCopy, "copy-2")};
    engines[3].priority_note = "Direct3D 12 has no queue priority below the normal one";
    return engines;
}

}  // namespace heapwright::device
