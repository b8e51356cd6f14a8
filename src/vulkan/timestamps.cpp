#include "vulkan/timestamps.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "vulkan/call.hpp"

namespace heapwright::vulkan {
namespace {

constexpr std::uint32_t kQueries = 2;  // begin, end

// The clock that SteadyClock reads.
constexpr VkTimeDomainEXT kHostDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;

bool calibrates_host_clock(const OpenDevice& context) {
    const auto& domains_of = context.instance->functions().get_calibrateable_time_domains;
    if (!context.enabled.calibrated_timestamps || domains_of == nullptr) return false;
    std::uint32_t count = 0;
    if (domains_of(context.physical, &count, nullptr) != VK_SUCCESS) return false;
    std::vector<VkTimeDomainEXT> domains(count);
    if (domains_of(context.physical, &count, domains.data()) < VK_SUCCESS) return false;
    domains.resize(count);
    const auto has = [&](VkTimeDomainEXT domain) { return std::ranges::find(domains, domain) != domains.end(); };
    return has(kHostDomain) && has(VK_TIME_DOMAIN_DEVICE_EXT);
}

}  // namespace

Timestamps::Timestamps(const OpenDevice& context) : context_(context), calibrates_(calibrates_host_clock(context)) {}

Timestamps::~Timestamps() {
    pairs_.for_each(
        [this](const Pair& pair) { context_.call.vkDestroyQueryPool(context_.handle, pair.pool, nullptr); });
}

Result<device::TimestampUnits> Timestamps::units(device::EngineId engine) const {
    if (engine.value >= context_.queues.size())
        return fail(ErrorCode::kInvalidArgument, "the device has no such engine");
    const std::uint32_t valid_bits = context_.queues[engine.value].timestamp_valid_bits;
    if (valid_bits == 0) return fail(ErrorCode::kNotSupported, "its queue family has timestampValidBits 0");
    if (!(context_.limits.timestampPeriod > 0)) return fail(ErrorCode::kNotSupported, "timestampPeriod is 0");
    if (!context_.enabled.host_query_reset) {
        return fail(ErrorCode::kNotSupported,
                    "the device has no hostQueryReset, and a copy queue cannot reset queries");
    }
    return device::TimestampUnits{.valid_bits = valid_bits, .period_ns = context_.limits.timestampPeriod};
}

Result<device::TimestampPairId> Timestamps::create(device::EngineId engine) {
    HEAPWRIGHT_TRY(units(engine));
    const VkQueryPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .pNext = nullptr,
                                     .flags = 0,
                                     .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                     .queryCount = kQueries,
                                     .pipelineStatistics = 0};
    Pair pair{.pool = VK_NULL_HANDLE, .engine = engine};
    HEAPWRIGHT_TRY(
        check(context_.call.vkCreateQueryPool(context_.handle, &info, nullptr, &pair.pool), "vkCreateQueryPool"));
    context_.call.vkResetQueryPool(context_.handle, pair.pool, 0, kQueries);
    return device::TimestampPairId{pairs_.insert(pair)};
}

void Timestamps::destroy(device::TimestampPairId pair) {
    if (const auto taken = pairs_.take(pair.value))
        context_.call.vkDestroyQueryPool(context_.handle, taken->pool, nullptr);
}

Result<device::TimestampPair> Timestamps::read(device::TimestampPairId id) {
    Pair* pair = pairs_.find(id.value);
    if (pair == nullptr) return fail(ErrorCode::kInvalidArgument, "no such pair of timestamps");
    std::array<std::uint64_t, kQueries> ticks{};
    const VkResult got =
        context_.call.vkGetQueryPoolResults(context_.handle, pair->pool, 0, kQueries, sizeof ticks, ticks.data(),
                                            sizeof ticks.front(), VK_QUERY_RESULT_64_BIT);
    if (got == VK_NOT_READY) {
        return fail(ErrorCode::kDriverFailure, "the submission is over, and its timestamps are not there",
                    "vkGetQueryPoolResults");
    }
    HEAPWRIGHT_TRY(check(got, "vkGetQueryPoolResults"));
    context_.call.vkResetQueryPool(context_.handle, pair->pool, 0, kQueries);
    pair->is_written = false;
    return device::TimestampPair{.begin_ticks = ticks[0], .end_ticks = ticks[1]};
}

Result<device::ClockMoment> Timestamps::calibrate(device::EngineId engine) {
    HEAPWRIGHT_TRY(units(engine));
    if (!calibrates_) {
        return fail(ErrorCode::kNotSupported,
                    "the device does not compare its clock with CLOCK_MONOTONIC (VK_KHR_calibrated_timestamps)");
    }
    const auto info = [](VkTimeDomainEXT domain) {
        return VkCalibratedTimestampInfoEXT{
            .sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .pNext = nullptr, .timeDomain = domain};
    };
    const std::array infos{info(VK_TIME_DOMAIN_DEVICE_EXT), info(kHostDomain)};
    std::array<std::uint64_t, 2> moments{};
    std::uint64_t deviation_ns = 0;
    HEAPWRIGHT_TRY(check(
        context_.call.vkGetCalibratedTimestampsEXT(context_.handle, 2, infos.data(), moments.data(), &deviation_ns),
        "vkGetCalibratedTimestampsEXT"));
    return device::ClockMoment{.device_ticks = moments[0], .host_ns = moments[1], .deviation_ns = deviation_ns};
}

Result<VkQueryPool> Timestamps::pool_of(device::TimestampPairId id, device::EngineId engine) {
    const Pair* pair = pairs_.find(id.value);
    if (pair == nullptr || pair->engine != engine) {
        return fail(ErrorCode::kInvalidArgument, "a submission names timestamps that are not of its engine");
    }
    if (pair->is_written) {
        return fail(ErrorCode::kInvalidArgument, "a submission names timestamps that were not read since another did");
    }
    return pair->pool;
}

void Timestamps::note_named(device::TimestampPairId id) {
    if (Pair* pair = pairs_.find(id.value)) pair->is_written = true;
}

// Once all earlier commands are over: the first would otherwise stand for when the queue read the command.
void Timestamps::write_begin(VkCommandBuffer commands, VkQueryPool pool) const {
    context_.call.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
}

void Timestamps::write_end(VkCommandBuffer commands, VkQueryPool pool) const {
    context_.call.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
}

}  // namespace heapwright::vulkan
