#include "export/export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "core/text.hpp"
#include "export/target.hpp"
#include "heapwright/model/json.hpp"

// clang-format off
namespace heapwright::exporting::vma { extern const Target kTarget; }
namespace heapwright::exporting::d3d12ma { extern const Target kTarget; }
namespace heapwright::exporting::diligent_vulkan { extern const Target kTarget; }
namespace heapwright::exporting::diligent_d3d12 { extern const Target kTarget; }
namespace heapwright::exporting::gpu_allocator { extern const Target kTarget; }
namespace heapwright::exporting::wgpu { extern const Target kTarget; }
namespace heapwright::exporting::llama_cpp { extern const Target kTarget; }
namespace heapwright::exporting::o3de { extern const Target kTarget; }
namespace heapwright::exporting::godot { extern const Target kTarget; }
namespace heapwright::exporting::bgfx { extern const Target kTarget; }
namespace heapwright::exporting::nvrhi { extern const Target kTarget; }
namespace heapwright::exporting::dawn { extern const Target kTarget; }
namespace heapwright::exporting::dxvk { extern const Target kTarget; }
namespace heapwright::exporting::vkd3d_proton { extern const Target kTarget; }
namespace heapwright::exporting::vulkano { extern const Target kTarget; }
namespace heapwright::exporting::cpp_header { extern const Target kTarget; }
namespace heapwright::exporting::markdown { extern const Target kTarget; }
// clang-format on

namespace heapwright::exporting {
namespace {

// In the order of --list.
const std::array kTargets{
    &vma::kTarget,           &d3d12ma::kTarget,      &diligent_vulkan::kTarget, &diligent_d3d12::kTarget,
    &gpu_allocator::kTarget, &wgpu::kTarget,         &llama_cpp::kTarget,       &o3de::kTarget,
    &godot::kTarget,         &bgfx::kTarget,         &nvrhi::kTarget,           &dawn::kTarget,
    &dxvk::kTarget,          &vkd3d_proton::kTarget, &vulkano::kTarget,         &cpp_header::kTarget,
    &markdown::kTarget};

Result<const Target*> find(std::string_view name) {
    std::vector<std::string_view> known;
    for (const Target* target : kTargets) {
        if (target->summary.name == name) return target;
        known.push_back(target->summary.name);
    }
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no target has this name: {}; known: {}{}", name, fmt::join(known, ", "),
                            nearest_word_hint(name, known)),
                "--target");
}

std::string_view api_name(model::Api api) {
    return api == model::Api::kVulkan ? "Vulkan" : "Direct3D 12";
}

}  // namespace

std::vector<TargetSummary> targets() {
    std::vector<TargetSummary> summaries;
    for (const Target* target : kTargets) summaries.push_back(target->summary);
    return summaries;
}

Result<std::string> settings_table(std::string_view name) {
    HEAPWRIGHT_ASSIGN(const Target* target, find(name));
    std::string text = fmt::format("{} ({}), checked against {}\n", target->summary.title, target->summary.form,
                                   target->summary.checked_against);
    for (const std::string& row : setting_rows(target->settings)) text += row + "\n";
    return text;
}

Result<Exported> export_policy(const model::Policy& policy, std::size_t device, std::string_view name) {
    HEAPWRIGHT_ASSIGN(const Target* target, find(name));
    if (device >= policy.devices.size()) {
        return fail({.code = ErrorCode::kOutOfRange,
                     .message = "the policy holds no device of this index",
                     .where = "/devices",
                     .value = device,
                     .limit = policy.devices.size()});
    }
    const model::Api api = policy.devices[device].identity.api;
    if (target->summary.api && *target->summary.api != api) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("the policy is for {}, but {} configures {}", api_name(api), target->summary.title,
                                api_name(*target->summary.api)),
                    "--target");
    }
    // Buckets for what no hint names would be pools that stay empty; they stand behind all others, whose positions
    // keep.
    model::Policy in_use = policy;
    std::erase_if(in_use.devices[device].buckets,
                  [](const model::BucketPolicy& bucket) { return !model::is_in_use(bucket); });
    Sheet sheet(target->summary.title, in_use, device, model::stable_hash(policy));
    Exported exported;
    exported.text = target->write(*target, sheet);
    exported.changes = sheet.changes();
    exported.not_expressible = sheet.not_expressible();
    exported.left_out = sheet.left_out();
    exported.account = account_of(*target, sheet);
    return exported;
}

}  // namespace heapwright::exporting
