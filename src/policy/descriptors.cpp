#include "heapwright/policy/descriptors.hpp"

#include <algorithm>
#include <bit>

#include "heapwright/model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::uint64_t kPagesInUse = 8;

struct PageRule {
    const char* type;
    const char* hint;  // of the workload
    std::uint64_t kept = 0;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};

model::Decided<std::uint64_t> decide_page(const Context& context, const PageRule& rule) {
    const std::uint64_t share = std::max<std::uint64_t>(1, (rule.kept + kPagesInUse - 1) / kPagesInUse);
    const std::uint64_t rounded = std::bit_ceil(share);
    model::Decided<std::uint64_t> page;
    page.value = std::clamp(rounded, rule.least, rule.most);
    const auto least = model::count(rule.least);
    const auto most = model::count(rule.most);
    page.why.reason = claim<ClaimId::kPageEighth>(rule.type, model::count(rule.kept));
    page.why.reason += page.value == rounded ? claim<ClaimId::kPowerWithin>(model::count(rounded), least, most)
                                             : claim<ClaimId::kPowerHeld>(model::count(rounded), least, most);
    page.why.inputs = {context.cite_workload(rule.hint, model::count(rule.kept))};
    page.why.alternatives = {{.value = model::count(std::max<std::uint64_t>(1, page.value / 4)),
                              .reason = claim<ClaimId::kSmallerPageLost>()},
                             {.value = model::count(page.value * 4), .reason = claim<ClaimId::kLargerPageLost>()}};
    return page;
}

void decide_pages(const Context& context, model::DescriptorPolicy& policy) {
    const model::BindingHint& hint = context.workload.bindings;
    policy.cbv_srv_uav_page = decide_page(context, {.type = "CBV_SRV_UAV",
                                                    .hint = "/bindings/static_descriptors",
                                                    .kept = hint.static_descriptors,
                                                    .least = 256,
                                                    .most = 65'536});
    policy.sampler_page = decide_page(context, {.type = "sampler",
                                                .hint = "/bindings/static_samplers_visible",
                                                .kept = hint.static_samplers_visible,
                                                .least = 64,
                                                .most = 2048});
    policy.rtv_page = decide_page(context, {.type = "RTV",
                                            .hint = "/bindings/render_target_views",
                                            .kept = hint.render_target_views,
                                            .least = 32,
                                            .most = 4096});
    policy.dsv_page = decide_page(context, {.type = "DSV",
                                            .hint = "/bindings/depth_stencil_views",
                                            .kept = hint.depth_stencil_views,
                                            .least = 16,
                                            .most = 4096});
}

}  // namespace

model::DescriptorPolicy decide_descriptors(const Context& context, std::uint64_t frames_in_flight,
                                           model::Statement& warnings) {
    model::DescriptorPolicy policy;
    decide_pages(context, policy);
    policy.resources = decide_resource_heap(context, frames_in_flight, warnings);
    policy.samplers = decide_sampler_heap(context, frames_in_flight, warnings);
    decide_descriptor_suballocators(context, policy);
    return policy;
}

}  // namespace heapwright::policy
