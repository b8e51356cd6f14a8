#include "whatif/ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/text.hpp"
#include "policy/article_rule.hpp"

namespace heapwright::whatif {
namespace {

constexpr std::array<std::string_view, 7> kRules{"vma-default", "vma:SIZE", "d3d12ma-default", "fixed:SIZE",
                                                 "article",     "one-each", "as-dumped"};
constexpr std::array<std::string_view, 5> kSettings{"chunk", "first-chunk", "dedicated", "humongous", "ahead"};

// The word before a mark, and what stands behind it; empty where the mark is missing.
std::optional<std::pair<std::string_view, std::string_view>> parted(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    return std::pair(text.substr(0, at), text.substr(at + mark.size()));
}

tl::unexpected<Error> no_such(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
    std::string all;
    for (const std::string_view name : known) all += (all.empty() ? "" : ", ") + std::string(name);
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no {} \"{}\"{}; there are {}", what, word, nearest_word_hint(word, known), all),
                "what-if");
}

Result<std::uint64_t> size_of(std::string_view text) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t bytes, parse_byte_count(text));
    if (bytes == 0)
        return fail({.code = ErrorCode::kOutOfRange,
                     .message = "a size of 0 bytes",
                     .where = "what-if",
                     .value = 0,
                     .limit = 1});
    return bytes;
}

void set_chunk(model::BucketPolicy& bucket, std::uint64_t bytes) {
    bucket.chunk_size_bytes.value = bytes;
    if (bucket.growth && bucket.growth->first_chunk_bytes.value >= bytes) bucket.growth.reset();
}

// SIZE, or "off" for none.
Status change(model::DevicePolicy& policy, std::string_view setting, std::string_view value) {
    if (setting == "ahead") {
        std::uint64_t count = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
        constexpr std::uint64_t kMost = 1024;
        if (error != std::errc{} || end != value.data() + value.size() || count > kMost)
            return fail(ErrorCode::kInvalidArgument,
                        fmt::format("\"{}\" is not a number of chunks from 0 to {}", value, kMost), "ahead");
        for (model::BucketPolicy& bucket : policy.buckets) {
            bucket.chunks_ahead.reset();
            if (count != 0) bucket.chunks_ahead.emplace().value = count;
        }
        return {};
    }
    const bool is_off = value == "off" && (setting == "first-chunk" || setting == "dedicated");
    std::uint64_t bytes = 0;
    if (!is_off) {
        HEAPWRIGHT_ASSIGN(bytes, size_of(value));
    }
    if (setting == "humongous") {
        policy.humongous_threshold_bytes.value = bytes;
        return {};
    }
    for (model::BucketPolicy& bucket : policy.buckets) {
        if (setting == "chunk") {
            set_chunk(bucket, bytes);
        } else if (setting == "first-chunk") {
            if (is_off || bytes >= bucket.chunk_size_bytes.value) {
                bucket.growth.reset();
                continue;
            }
            constexpr std::uint64_t kUsualDivisor = 8;
            if (!bucket.growth) bucket.growth.emplace().divisor.value = kUsualDivisor;
            bucket.growth->first_chunk_bytes.value = bytes;
        } else {
            bucket.dedicated_threshold_bytes.reset();
            if (!is_off) bucket.dedicated_threshold_bytes.emplace().value = bytes;
        }
    }
    return {};
}

Result<std::pair<std::string_view, std::string_view>> setting_of(std::string_view text) {
    const auto parts = parted(text, "=");
    if (!parts)
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\" changes nothing: it is SETTING=VALUE, as chunk=64MiB", text), "what-if");
    if (std::ranges::find(kSettings, parts->first) == kSettings.end())
        return no_such("setting", parts->first, kSettings);
    return *parts;
}

Way fixed(std::uint64_t bytes, std::string name, const Way& base) {
    model::DevicePolicy policy = *base.policy;
    for (model::BucketPolicy& bucket : policy.buckets) {
        bucket.chunk_size_bytes.value = bytes;
        bucket.growth.reset();
        bucket.chunks_ahead.reset();
        bucket.dedicated_threshold_bytes.reset();
    }
    policy.humongous_threshold_bytes.value = std::max<std::uint64_t>(1, bytes / 2);
    policy.humongous.emplace().value = model::HumongousRule::kOwnMemory;
    return way_of_policy(std::move(name),
                         fmt::format("The buckets of {} with chunks of {}, each taken when a request needs it; above "
                                     "half a chunk memory of its own.",
                                     base.name, byte_text(bytes)),
                         std::move(policy));
}

}  // namespace

std::span<const std::string_view> rule_names() {
    return kRules;
}

Way way_of_policy(std::string name, std::string how, model::DevicePolicy policy) {
    return {.name = std::move(name),
            .how = std::move(how),
            .kind = Way::Kind::kPolicy,
            .policy = std::make_shared<const model::DevicePolicy>(std::move(policy)),
            .not_played = {}};
}

Result<Way> way_of_rule(std::string_view rule, const model::DeviceReport& facts, const model::Workload& workload,
                        const Way& base) {
    Way way{.name = std::string(rule), .how = {}, .policy = base.policy, .not_played = {}};
    const auto with_size = parted(rule, ":");
    std::uint64_t bytes = 0;
    if (with_size && (with_size->first == "vma" || with_size->first == "fixed")) {
        HEAPWRIGHT_ASSIGN(bytes, size_of(with_size->second));
    }
    if (rule == "vma-default") {
        way.kind = Way::Kind::kVma;
        way.block_bytes = policy::kVmaLargeHeapBlockBytes;
        way.how = "The default pools of the Vulkan Memory Allocator 3.2.1 (vk_mem_alloc.h), step by step.";
    } else if (bytes != 0 && with_size->first == "vma") {
        way.kind = Way::Kind::kVma;
        way.block_bytes = bytes;
        way.how =
            fmt::format("The same with a preferredLargeHeapBlockSize of {}; heaps of at most 1 GiB keep an eighth.",
                        byte_text(bytes));
    } else if (bytes != 0) {
        return fixed(bytes, std::string(rule), base);
    } else if (rule == "d3d12ma-default") {
        way.kind = Way::Kind::kD3d12ma;
        way.how =
            "The default pools of the D3D12 Memory Allocator 3 from its published rules: blocks of 64 MiB, buffers of "
            "at most 32 KiB committed. Not compared with the library.";
    } else if (rule == "article") {
        auto policy = policy::policy_by_source_rule(facts, workload, *base.policy);
        if (!policy) {
            way.not_played = policy.error().message;
            return way;
        }
        return way_of_policy(way.name,
                             "The rule of \"Vulkan Memory Allocation (Part 1 of N)\": chunks of max(M, H / K), buckets "
                             "by class and alignment.",
                             std::move(*policy));
    } else if (rule == "one-each") {
        way.kind = Way::Kind::kOneEach;
        way.how = "A device allocation for every resource.";
    } else if (rule == "as-dumped") {
        way.kind = Way::Kind::kAsDumped;
        way.how = "The blocks that the dump lists: what the program itself had at that moment.";
    } else {
        // What stands for the size says nothing of the word.
        return no_such("rule", with_size ? std::string(with_size->first) + ":SIZE" : std::string(rule), kRules);
    }
    return way;
}

Result<Way> way_of_change(std::string_view changes, const Way& base) {
    model::DevicePolicy policy = *base.policy;
    std::string_view left = changes;
    while (true) {
        const auto comma = parted(left, ",");
        HEAPWRIGHT_ASSIGN(const auto setting, setting_of(comma ? comma->first : left));
        HEAPWRIGHT_TRY(change(policy, setting.first, setting.second));
        if (!comma) break;
        left = comma->second;
    }
    return way_of_policy(fmt::format("{} with {}", base.name, changes), fmt::format("{} with {}.", base.name, changes),
                         std::move(policy));
}

Result<SweptWays> ways_of_sweep(std::string_view sweep, const Way& base) {
    HEAPWRIGHT_ASSIGN(const auto setting, setting_of(sweep));
    const auto ends = parted(setting.second, "..");
    if (!ends || setting.first == "ahead")
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\" is no sweep: it is SETTING=SIZE..SIZE, as chunk=1MiB..256MiB", sweep),
                    "what-if");
    HEAPWRIGHT_ASSIGN(const std::uint64_t first, size_of(ends->first));
    HEAPWRIGHT_ASSIGN(const std::uint64_t last, size_of(ends->second));
    if (first > last)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "a sweep ascends, from its smaller size to its larger",
                     .where = "what-if",
                     .value = first,
                     .limit = last});
    SweptWays swept{.setting = std::string(setting.first), .sizes = {}, .ways = {}};
    for (std::uint64_t size = first; size <= last; size *= 2) {
        model::DevicePolicy policy = *base.policy;
        HEAPWRIGHT_TRY(change(policy, setting.first, std::to_string(size)));
        swept.sizes.push_back(size);
        swept.ways.push_back(
            way_of_policy(fmt::format("{}, {}={}", base.name, setting.first, byte_text(size)), {}, std::move(policy)));
        if (size > last / 2) break;
    }
    return swept;
}

Result<std::unique_ptr<Player>> make_player(const Way& way, const Stage& stage) {
    switch (way.kind) {
        case Way::Kind::kPolicy: return make_pool_player(stage, *way.policy);
        case Way::Kind::kVma: return make_vma_player(stage, *way.policy, way.block_bytes);
        case Way::Kind::kD3d12ma: return make_d3d12ma_player(stage, *way.policy);
        case Way::Kind::kOneEach: return make_one_each_player(stage, *way.policy);
        case Way::Kind::kAsDumped: break;
    }
    return fail(ErrorCode::kInvalidArgument, "what the program had is not played", way.name);
}

}  // namespace heapwright::whatif
