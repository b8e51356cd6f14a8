#include "probe/time_series.hpp"

#include "probe/cost_fit.hpp"

namespace heapwright::probe {

model::MeasuredTime TimeSeries::measured() const {
    const auto counted = ns();
    const Spread seen = spread({counted.begin(), counted.end()});
    model::MeasuredTime time{.ns = seen.median,
                             .min_ns = seen.min,
                             .p90_ns = seen.p90,
                             .clock = by_device() ? model::MeasuredBy::kDevice : model::MeasuredBy::kHost,
                             .host_ns = {}};
    if (by_device() && !host_ns_.empty()) time.host_ns = spread(host_ns_).median;
    return time;
}

}  // namespace heapwright::probe
