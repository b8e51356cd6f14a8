#include "workload/renewal.hpp"

namespace heapwright::workload {
namespace {

template <class Visit>
void for_each_hint(const model::Workload& workload, Visit visit) {
    for (const model::ImageHint& hint : workload.images) visit(hint.lifetime, hint.count);
    for (const model::BufferHint& hint : workload.buffers) visit(hint.lifetime, hint.count);
}

}  // namespace

std::vector<double> renewed_in_frame(const model::Workload& workload) {
    double all = 0;
    for_each_hint(workload, [&](model::Lifetime lifetime, std::uint32_t count) {
        if (is_renewed(lifetime)) all += count;
    });
    const double steps =
        workload.churn_steps == 0 ? 0 : std::min(all, static_cast<double>(std::max(1u, workload.steps_per_frame)));
    std::vector<double> renewed;
    for_each_hint(workload, [&](model::Lifetime lifetime, std::uint32_t count) {
        renewed.push_back(is_renewed(lifetime) && count != 0 ? steps * count / all : 0);
    });
    return renewed;
}

std::vector<double> held_in_flight(const model::Workload& workload) {
    const auto frames = static_cast<double>(std::max(1u, workload.frames_in_flight));
    std::vector<double> held = renewed_in_frame(workload);
    std::size_t at = 0;
    for_each_hint(workload, [&](model::Lifetime lifetime, std::uint32_t count) {
        if (lifetime == model::Lifetime::kFrame && workload.churn_steps != 0) held[at] = count;
        held[at++] *= frames;
    });
    return held;
}

}  // namespace heapwright::workload
