#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "heapwright/model/flags.hpp"
#include "heapwright/model/format.hpp"
#include "model/names.hpp"
#include "render/detail/image_points.hpp"
#include "render/detail/page_data.hpp"
#include "render/image_facts.hpp"

namespace heapwright::render::detail {
namespace {

// One entry a point; 0 where the driver gave no answer.
PageJson decoded_tables(const std::vector<model::RequirementClass>& requirements,
                        const std::vector<model::SweepTable>& tables) {
    PageJson list = PageJson::array();
    for (const model::SweepTable& table : tables) {
        PageJson sizes = PageJson::array();
        PageJson alignments = PageJson::array();
        for (std::size_t point = 0; point < table.size_bytes.size(); ++point) {
            const auto answer = model::answer_at(requirements, table, point);
            sizes.push_back(exact_number(answer ? answer->size_bytes : 0));
            alignments.push_back(exact_number(answer ? answer->alignment_bytes : 0));
        }
        list.push_back({{"size", std::move(sizes)}, {"alignment", std::move(alignments)}});
    }
    return list;
}

// The texels' bytes of every point, each list of them once.
class TexelLists {
public:
    explicit TexelLists(const model::ImageGrid& grid, std::size_t points) : grid_(grid), points_(points) {}
    std::size_t of(const model::ImageCase& entry) {
        std::vector<std::uint64_t> bytes;
        bytes.reserve(points_);
        for (std::size_t point = 0; point < points_; ++point) {
            const auto [width, height] = grid_.point(point);
            bytes.push_back(model::packed_size_bytes(entry.description(width, height)));
        }
        const auto [found, is_new] = seen_.try_emplace(bytes, seen_.size());
        if (is_new) {
            PageJson list = PageJson::array();
            for (const std::uint64_t each : bytes) list.push_back(exact_number(each));
            lists_.push_back(std::move(list));
        }
        return found->second;
    }
    [[nodiscard]] PageJson take() { return std::move(lists_); }

private:
    const model::ImageGrid& grid_;
    std::size_t points_;
    std::map<std::vector<std::uint64_t>, std::size_t> seen_;
    PageJson lists_ = PageJson::array();
};

PageJson facts_json(const std::vector<ImagePoint>& points) {
    if (points.empty()) return nullptr;
    const ImageFacts facts = image_facts(points);
    PageJson json{{"alignment", facts.alignment},
                  {"largest_alignment", facts.largest_alignment},
                  {"smallest", exact_number(facts.smallest_bytes)},
                  {"squares", facts.square_points},
                  {"powers", facts.square_powers}};
    if (facts.example) json["example"] = {exact_number((*facts.example)[0]), exact_number((*facts.example)[1])};
    if (facts.equal) json["equal"] = {(*facts.equal)[0], exact_number((*facts.equal)[1])};
    if (!facts.overhead) return json;
    json["overhead"] = {{"most", facts.overhead->most}, {"at", facts.overhead->most_at}};
    if (facts.overhead->large_average) json["overhead"]["large"] = *facts.overhead->large_average;
    return json;
}

// What the points of each pair of a table and a list of texels show, each pair once: the article's and all of them.
class FactLists {
public:
    explicit FactLists(const model::ImageSweep& sweep) : sweep_(sweep) {}
    std::size_t of(const model::ImageCase& entry, std::size_t texels) {
        const auto [found, is_new] = seen_.try_emplace({*entry.table, texels}, seen_.size());
        if (is_new) {
            std::vector<ImagePoint> points = image_points_of(sweep_, entry);
            PageJson all = facts_json(points);
            std::erase_if(points, [](const ImagePoint& point) { return !is_in_article(point); });
            lists_.push_back({{"source", facts_json(points)}, {"all", std::move(all)}});
        }
        return found->second;
    }
    [[nodiscard]] PageJson take() { return std::move(lists_); }

private:
    const model::ImageSweep& sweep_;
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> seen_;
    PageJson lists_ = PageJson::array();
};

// What each table of buffers shows; null where the driver answered nothing.
PageJson buffer_facts(const model::BufferSweep& sweep) {
    PageJson list = PageJson::array();
    for (const model::SweepTable& table : sweep.tables) {
        std::set<std::uint64_t> alignments;
        std::optional<std::uint64_t> smallest;
        std::uint64_t most_added = 0;
        for (std::size_t point = 0; point < table.size_bytes.size(); ++point) {
            const auto answer = model::answer_at(sweep.requirements, table, point);
            if (!answer) continue;
            alignments.insert(answer->alignment_bytes);
            smallest = std::min(smallest.value_or(answer->size_bytes), answer->size_bytes);
            if (answer->size_bytes > sweep.sizes[point])
                most_added = std::max(most_added, answer->size_bytes - sweep.sizes[point]);
        }
        if (!smallest) {
            list.push_back(nullptr);
            continue;
        }
        PageJson distinct = PageJson::array();
        for (const std::uint64_t each : alignments) distinct.push_back(exact_number(each));
        list.push_back({{"alignments", std::move(distinct)},
                        {"smallest", exact_number(*smallest)},
                        {"most_added", exact_number(most_added)}});
    }
    return list;
}

}  // namespace

PageJson exact_number(std::uint64_t value) {
    constexpr std::uint64_t kLargestExact = (std::uint64_t{1} << 53u) - 1;
    if (value <= kLargestExact) return value;
    return PageJson::array({std::to_string(value)});
}

PageJson image_points(const model::ImageSweep& sweep) {
    const std::size_t points = sweep.tables.empty() ? 0 : sweep.tables.front().size_bytes.size();
    TexelLists texels(sweep.grid, points);
    FactLists facts(sweep);
    PageJson cases = PageJson::array();
    for (const model::ImageCase& each : sweep.cases) {
        if (!each.table) continue;
        const std::size_t list = texels.of(each);
        cases.push_back({{"format", model::name_of(each.format)},
                         {"tiling", model::name_of(each.tiling)},
                         {"dimension", model::name_of(each.dimension)},
                         {"usage", model::flags_text(each.usage, model::image_usage_names())},
                         {"full_mips", each.full_mips},
                         {"array_layers", each.array_layers},
                         {"samples", each.samples},
                         {"table", *each.table},
                         {"texels", list},
                         {"facts", facts.of(each, list)}});
    }
    if (cases.empty()) return nullptr;
    PageJson widths = PageJson::array();
    PageJson heights = PageJson::array();
    PageJson source = PageJson::array();
    for (std::size_t point = 0; point < points; ++point) {
        const auto [width, height] = sweep.grid.point(point);
        widths.push_back(width);
        heights.push_back(height);
        source.push_back(is_in_article({.width = width, .height = height}));
    }
    return {{"width", std::move(widths)},
            {"height", std::move(heights)},
            {"source", std::move(source)},
            {"on_grid", sweep.grid.widths.size() * sweep.grid.heights.size()},
            {"tables", decoded_tables(sweep.requirements, sweep.tables)},
            {"texels", texels.take()},
            {"facts", facts.take()},
            {"cases", std::move(cases)}};
}

PageJson buffer_points(const model::BufferSweep& sweep) {
    PageJson cases = PageJson::array();
    for (const model::BufferCase& each : sweep.cases) {
        if (!each.table) continue;
        cases.push_back(
            {{"usage", model::flags_text(each.usage, model::buffer_usage_names())}, {"table", *each.table}});
    }
    if (cases.empty()) return nullptr;
    PageJson sizes = PageJson::array();
    for (const std::uint64_t size : sweep.sizes) sizes.push_back(exact_number(size));
    return {{"request", std::move(sizes)},
            {"tables", decoded_tables(sweep.requirements, sweep.tables)},
            {"facts", buffer_facts(sweep)},
            {"cases", std::move(cases)}};
}

}  // namespace heapwright::render::detail
