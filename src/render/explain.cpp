#include "render/explain.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "heapwright/model/claim_text.hpp"
#include "model/decisions.hpp"
#include "model/names.hpp"
#include "render/detail/page_data.hpp"
#include "render/detail/policy_rows.hpp"
#include "render/detail/screen.hpp"

namespace heapwright::render {
namespace {

using Json = nlohmann::ordered_json;
using detail::columns_of;
using model::ListedDecision;
using model::text_of;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// "chunk_size", "Chunk size:" and "/chunk/size" are one name.
std::string plain_name(std::string_view name) {
    std::string plain;
    for (const char letter : name) {
        if (letter == ':') continue;
        plain +=
            letter == '_' || letter == '/' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return plain;
}

// Those that most people ask for, in the order of asking; of heaps and buckets the first few.
std::vector<const model::Decision*> main_decisions(const model::DevicePolicy& device) {
    constexpr std::size_t kHeaps = 2;
    constexpr std::size_t kBuckets = 3;
    std::vector<const model::Decision*> asked;
    if (device.expectations) asked.push_back(&device.expectations->mean_waste.why);
    for (std::size_t heap = 0; heap < std::min(device.heaps.size(), kHeaps); ++heap)
        asked.push_back(&device.heaps[heap].usable_bytes.why);
    const auto used = detail::used_buckets(device);
    for (std::size_t bucket = 0; bucket < std::min(used.size(), kBuckets); ++bucket)
        asked.push_back(&used[bucket]->chunk_size_bytes.why);
    asked.push_back(&device.humongous_threshold_bytes.why);
    for (const model::HintSplit& split : device.split) asked.push_back(&split.part_bytes.why);
    asked.push_back(&device.dedicated.why);
    asked.push_back(&device.uploads.ring_bytes.why);
    return asked;
}

std::vector<ListedDecision> numbers_of(const model::DevicePolicy& device, const ExplainOptions& options) {
    std::vector<ListedDecision> numbers = model::list_decisions(device);
    if (options.main) {
        std::vector<ListedDecision> main;
        for (const model::Decision* asked : main_decisions(device))
            main.push_back(*std::ranges::find(numbers, asked, &ListedDecision::why));
        return main;
    }
    const auto keep = [&](const std::vector<std::string>& parts) {
        std::vector<ListedDecision> kept;
        std::ranges::copy_if(numbers, std::back_inserter(kept), [&](const ListedDecision& each) {
            const std::string text = plain_name(each.path + "\n" + each.name + "\n" + text_of(each.figure));
            return std::ranges::all_of(parts,
                                       [&](const std::string& part) { return text.find(part) != std::string::npos; });
        });
        return kept;
    };
    const std::string wanted = plain_name(options.why);
    std::vector<ListedDecision> kept = keep({wanted});
    if (!kept.empty()) return kept;
    std::istringstream split(wanted);
    const std::vector<std::string> words{std::istream_iterator<std::string>(split), {}};
    return words.empty() ? kept : keep(words);
}

using TextLines = std::vector<std::string>;

void add_wrapped(std::string_view first, std::string_view text, TextLines& lines, std::size_t most = kAll) {
    for (std::string& line : detail::wrapped(text, first, most)) lines.push_back(std::move(line));
}

// Below `title` as many rows as may be, columns below each other and the last wrapped; of the rest how many there are.
void add_table(std::string_view title, std::vector<TextLines> rows, std::size_t most, TextLines& lines) {
    if (rows.empty()) return;
    lines.emplace_back(title);
    const std::size_t left = rows.size() - std::min(most, rows.size());
    rows.resize(rows.size() - left);
    std::vector<std::size_t> widths;
    for (const TextLines& row : rows) {
        widths.resize(row.size());
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], columns_of(row[column]));
    }
    for (const TextLines& row : rows) {
        std::string first = "  ";
        for (std::size_t column = 0; column + 1 < row.size(); ++column)
            first += row[column] + std::string(widths[column] - columns_of(row[column]) + 2, ' ');
        add_wrapped(first, row.back(), lines);
    }
    if (left != 0) lines.push_back(fmt::format("  and {} more (--all)", left));
}

void add_list(std::string_view title, const model::Statement& statement, TextLines& lines) {
    if (!statement.empty()) lines.emplace_back(title);
    for (const model::Claim& claim : statement.claims()) add_wrapped("  - ", text_of(claim), lines);
}

void tell_in_short(const ListedDecision& number, TextLines& lines) {
    add_wrapped("", fmt::format("{}: {}", number.name, text_of(number.figure)), lines);
    const auto& claims = number.why->reason.claims();
    if (!claims.empty()) add_wrapped("  ", text_of(claims.front()), lines);
}

// Why, from which inputs, and what lost; unless it is all, no more than a screen has.
void tell_in_full(const ListedDecision& number, bool all, TextLines& lines) {
    constexpr std::size_t kMostClaimLines = 7;
    constexpr std::size_t kMostInputs = 2;
    constexpr std::size_t kMostLosers = 3;
    add_wrapped("", fmt::format("{}: {}", number.name, text_of(number.figure)), lines);
    const std::size_t begin = lines.size();
    const auto& claims = number.why->reason.claims();
    for (std::size_t i = 0; i < claims.size(); ++i) {
        TextLines claim;
        add_wrapped("  - ", text_of(claims[i]), claim, all ? kAll : kMostClaimLines);
        if (!all && i != 0 && lines.size() + claim.size() > begin + kMostClaimLines) {
            lines.push_back(fmt::format("  - and {} more (--all)", claims.size() - i));
            break;
        }
        lines.insert(lines.end(), claim.begin(), claim.end());
    }
    std::vector<TextLines> inputs;
    for (const model::DecisionInput& input : number.why->inputs)
        inputs.push_back({std::string(model::name_of(input.document)), input.path, text_of(input.value)});
    add_table("From", std::move(inputs), all ? kAll : kMostInputs, lines);
    std::vector<TextLines> losers;
    for (const model::Alternative& other : number.why->alternatives) {
        const auto& lost = other.reason.claims();
        losers.push_back({text_of(other.value), all || lost.empty() ? text_of(other.reason) : text_of(lost.front())});
    }
    add_table("Rejected", std::move(losers), all ? kAll : kMostLosers, lines);
}

void tell_others(const model::DevicePolicy& device, bool all, TextLines& lines) {
    for (const model::MemoryUsePolicy& use : device.memory_uses) {
        for (const model::ExcludedMemoryType& excluded : use.excluded) {
            if (all)
                add_wrapped("",
                            fmt::format("{} memory never takes type {}: {}", model::name_of(use.use),
                                        excluded.memory_type, text_of(excluded.reason)),
                            lines);
        }
    }
    for (const model::HeapFeasibility& heap : device.feasibility)
        add_wrapped(
            "",
            fmt::format("heap {}: one chunk for {} that the workload uses takes {} of {}: {}", heap.heap,
                        each_counted(heap.buckets, "the", "bucket"), text_of(model::bytes(heap.one_chunk_each_bytes)),
                        text_of(model::bytes(heap.usable_bytes)),
                        heap.fits ? "no bucket is starved by the others" : "they do not all fit"),
            lines);
    if (device.capacity && !device.capacity->fits) add_wrapped("", model::statement_of(*device.capacity), lines);
    add_list("Assumed, not measured", device.assumed, lines);
    add_list("Warnings", device.warnings, lines);
}

}  // namespace

Explained explain(const model::Policy& policy, const ExplainOptions& options) {
    TextLines lines;
    std::size_t told = 0;
    for (const model::DevicePolicy& device : policy.devices) {
        const std::vector<ListedDecision> numbers = numbers_of(device, options);
        if (numbers.empty()) continue;
        told += numbers.size();
        lines.push_back(fmt::format("{} ({} {}), policy for {}", device.identity.name, device.identity.driver_name,
                                    device.identity.driver_info, policy.workload_name));
        if (!options.all && !options.why.empty()) {
            tell_in_full(numbers.front(), false, lines);
            std::string others;
            for (std::size_t i = 1; i < numbers.size(); ++i)
                others += fmt::format("{}{} {}", i == 1 ? "" : "; ", numbers[i].name, text_of(numbers[i].figure));
            if (!others.empty()) add_wrapped("Also: ", others, lines, 2);
            continue;
        }
        for (const ListedDecision& number : numbers) {
            if (options.all) {
                lines.emplace_back();
                tell_in_full(number, true, lines);
            } else {
                tell_in_short(number, lines);
            }
        }
        if (options.why.empty() && !options.main) tell_others(device, options.all, lines);
    }
    if (options.main)
        lines.emplace_back("One number in full: --why chunk_size. Every number: -v. All inputs and losers: --all.");
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return {.text = std::move(text), .numbers = told};
}

namespace detail {

Json numbers_json(const model::DevicePolicy& device, const ExplainOptions& options) {
    Json numbers = Json::array();
    for (const ListedDecision& listed : numbers_of(device, options)) {
        Json inputs = Json::array();
        for (const model::DecisionInput& input : listed.why->inputs)
            inputs.push_back(
                {{"document", model::name_of(input.document)}, {"path", input.path}, {"value", text_of(input.value)}});
        Json alternatives = Json::array();
        for (const model::Alternative& other : listed.why->alternatives)
            alternatives.push_back({{"value", text_of(other.value)}, {"reason", text_of(other.reason)}});
        numbers.push_back({{"path", listed.path},
                           {"pattern", listed.pattern},
                           {"name", listed.name},
                           {"value", text_of(listed.figure)},
                           {"reasons", model::lines_of(listed.why->reason)},
                           {"inputs", std::move(inputs)},
                           {"alternatives", std::move(alternatives)}});
    }
    return numbers;
}

}  // namespace detail

std::string explanation_document(const model::Policy& policy, const ExplainOptions& options) {
    Json devices = Json::array();
    for (const model::DevicePolicy& device : policy.devices)
        devices.push_back({{"name", device.identity.name}, {"numbers", detail::numbers_json(device, options)}});
    return Json{{"workload", policy.workload_name}, {"devices", std::move(devices)}}.dump(
               2, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

}  // namespace heapwright::render
