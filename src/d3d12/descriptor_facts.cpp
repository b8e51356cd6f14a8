#include "d3d12/descriptor_facts.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "d3d12/com.hpp"

namespace heapwright::d3d12 {
namespace {

constexpr const char* kIncrementGroup = "ID3D12Device::GetDescriptorHandleIncrementSize";
constexpr const char* kHeapGroup = "ID3D12Device::CreateDescriptorHeap";

struct HeapKind {
    D3D12_DESCRIPTOR_HEAP_TYPE type;
    model::FactName name;
    bool shader_visible;
    std::uint32_t documented;  // the limit that the specification gives; where it gives none, a common size
    std::uint32_t most;        // where the search stops
};

constexpr HeapKind kKinds[] = {
    {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV", true,
     D3D12_MAX_SHADER_VISIBLE_DESCRIPTOR_HEAP_SIZE_TIER_2, 1u << 20},
    {D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER, "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER", true,
     D3D12_MAX_SHADER_VISIBLE_SAMPLER_HEAP_SIZE, 1u << 16},
    {D3D12_DESCRIPTOR_HEAP_TYPE_RTV, "D3D12_DESCRIPTOR_HEAP_TYPE_RTV", false, 1024, 1u << 16},
    {D3D12_DESCRIPTOR_HEAP_TYPE_DSV, "D3D12_DESCRIPTOR_HEAP_TYPE_DSV", false, 1024, 1u << 16},
};

class HeapSearch {
public:
    HeapSearch(ID3D12Device* device, const HeapKind& kind, std::uint32_t increment)
        : device_(device),
          kind_(kind),
          most_(static_cast<std::uint32_t>(
              std::clamp<std::uint64_t>(kMostDescriptorBytes / std::max(1u, increment), 1, kind.most))) {}

    void run() {
        std::uint32_t next = std::min(kind_.documented, most_);
        while (creates(next)) {
            largest_ = next;
            if (next == most_) return;
            next = next > most_ / 2 ? most_ : next * 2;
        }
        while (next - largest_ > 1) {
            const std::uint32_t middle = largest_ + (next - largest_) / 2;
            (creates(middle) ? largest_ : next) = middle;
        }
        refused_ = next;
    }

    [[nodiscard]] std::uint32_t largest() const { return largest_; }
    [[nodiscard]] std::optional<std::uint32_t> refused() const { return refused_; }

private:
    [[nodiscard]] bool creates(std::uint32_t count) const {
        D3D12_DESCRIPTOR_HEAP_DESC desc{};
        desc.Type = kind_.type;
        desc.NumDescriptors = count;
        desc.Flags = kind_.shader_visible ? D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE : D3D12_DESCRIPTOR_HEAP_FLAG_NONE;
        leave_breadcrumb(kHeapGroup, fmt::format("{} {}", count, kind_.name.text()));
        Com<ID3D12DescriptorHeap> heap;
        return SUCCEEDED(device_->CreateDescriptorHeap(&desc, IID_ID3D12DescriptorHeap, heap.out()));
    }

    ID3D12Device* device_;
    const HeapKind& kind_;
    std::uint32_t most_;
    std::uint32_t largest_ = 0;
    std::optional<std::uint32_t> refused_;
};

}  // namespace

void read_descriptor_facts(ID3D12Device* device, model::DeviceReport& report) {
    std::vector<std::uint32_t> increments;
    for (const HeapKind& kind : kKinds) {
        leave_breadcrumb(kIncrementGroup, kind.name.text());
        increments.push_back(device->GetDescriptorHandleIncrementSize(kind.type));
        report.limits.push_back({kIncrementGroup, std::string(kind.name.text()), increments.back()});
    }
    std::vector<std::string> unlimited;
    for (std::size_t i = 0; i < std::size(kKinds); ++i) {
        HeapSearch search(device, kKinds[i], increments[i]);
        search.run();
        report.limits.push_back({kHeapGroup, std::string(kKinds[i].name.text()), search.largest()});
        if (const auto refused = search.refused()) {
            report.limits.push_back({kHeapGroup, fmt::format("{} refused", kKinds[i].name.text()), *refused});
        } else {
            unlimited.push_back(fmt::format("{}: {} descriptors were created, {} are documented", kKinds[i].name.text(),
                                            search.largest(), kKinds[i].documented));
        }
    }
    if (unlimited.empty()) return;
    report.findings.push_back(
        {.id = "descriptor-heap-limit-not-enforced",
         .severity = model::FindingSeverity::kNote,
         .statement =
             fmt::format("CreateDescriptorHeap enforces no limit for {} of the {} heap types up to the size at "
                         "which the search stopped",
                         unlimited.size(), std::size(kKinds)),
         .clause = "Direct3D 12 hardware tiers",
         .evidence = std::move(unlimited)});
}

}  // namespace heapwright::d3d12
