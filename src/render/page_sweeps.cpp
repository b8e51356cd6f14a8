#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "heapwright/model/flags.hpp"
#include "heapwright/model/format.hpp"
#include "model/names.hpp"
#include "render/detail/chart_parts.hpp"
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

namespace {

bool same_case(const model::ImageCase& a, const model::ImageCase& b) {
    return a.format == b.format && a.tiling == b.tiling && a.dimension == b.dimension && a.usage == b.usage &&
           a.full_mips == b.full_mips && a.array_layers == b.array_layers && a.samples == b.samples;
}

// The points that the page draws at first: none where the device does not support the case.
std::vector<ImagePoint> source_points(const model::ImageSweep& sweep, const model::ImageCase& wanted) {
    const auto found = std::find_if(sweep.cases.begin(), sweep.cases.end(), [&](const model::ImageCase& each) {
        return each.table && same_case(each, wanted);
    });
    if (found == sweep.cases.end()) return {};
    std::vector<ImagePoint> points = image_points_of(sweep, *found);
    std::erase_if(points, [](const ImagePoint& point) { return !is_in_article(point); });
    return points;
}

// The case that `is_source` takes for the memory article's, where some device supports it; else the first that one
// does.
template <class Sweep, class IsSource>
auto first_case(std::span<const ChartDevice> devices, Sweep model::DeviceReport::*sweep, const IsSource& is_source) {
    std::optional<typename decltype(Sweep::cases)::value_type> first;
    for (const ChartDevice& device : devices) {
        if (device.report == nullptr) continue;
        for (const auto& each : (device.report->*sweep).cases) {
            if (!each.table) continue;
            if (is_source(each)) return std::optional(each);
            if (!first) first = each;
        }
    }
    return first;
}

// Whether the driver answered some case.
template <class Sweep>
bool has_answers(const ChartDevice& device, Sweep model::DeviceReport::*sweep) {
    return device.report != nullptr &&
           std::ranges::any_of((device.report->*sweep).cases, [](const auto& each) { return each.table.has_value(); });
}

void add_requirements(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables) {
    CsvTable table{.name = "image-requirements",
                   .columns = {"device", "format", "tiling", "dimension", "usage", "full_mips", "array_layers",
                               "samples", "width", "height", "texel_bytes", "alignment_bytes", "size_bytes"}};
    for (const ChartDevice& device : devices) {
        if (device.report == nullptr) continue;
        for (const model::ImageCase& each : device.report->image_sweep.cases) {
            if (!each.table) continue;
            const std::string usage = model::flags_text(each.usage, model::image_usage_names());
            for (const ImagePoint& point : image_points_of(device.report->image_sweep, each)) {
                table.rows.push_back({device.label, std::string(model::name_of(each.format)),
                                      std::string(model::name_of(each.tiling)),
                                      std::string(model::name_of(each.dimension)), usage, each.full_mips,
                                      each.array_layers, each.samples, point.width, point.height, point.texel_bytes,
                                      point.alignment_bytes, point.size_bytes});
            }
        }
    }
    tables.push_back(std::move(table));
}

void add_heat_maps(const ChartDevice& device, const std::vector<ImagePoint>& points, std::vector<CsvTable>& tables) {
    CsvTable alignment{.name = fmt::format("heat-alignment-{}", device.index),
                       .columns = {"width", "height", "alignment_bytes"}};
    CsvTable overhead{.name = fmt::format("heat-overhead-{}", device.index),
                      .columns = {"width", "height", "overhead"}};
    for (const ImagePoint& point : points) {
        if (!point.on_grid) continue;
        alignment.rows.push_back({point.width, point.height, point.alignment_bytes});
        overhead.rows.push_back({point.width, point.height, overhead_of(point)});
    }
    tables.push_back(std::move(alignment));
    tables.push_back(std::move(overhead));
}

}  // namespace

std::vector<ImagePoint> image_points_of(const model::ImageSweep& sweep, const model::ImageCase& entry) {
    std::vector<ImagePoint> points;
    const model::SweepTable& table = sweep.tables[*entry.table];
    const std::size_t grid_points = sweep.grid.widths.size() * sweep.grid.heights.size();
    for (std::size_t i = 0; i < table.size_bytes.size(); ++i) {
        const auto answer = answer_at(sweep.requirements, table, i);
        if (!answer) continue;
        const auto [width, height] = sweep.grid.point(i);
        points.push_back({.width = width,
                          .height = height,
                          .on_grid = i < grid_points,
                          .texel_bytes = model::packed_size_bytes(entry.description(width, height)),
                          .alignment_bytes = answer->alignment_bytes,
                          .size_bytes = answer->size_bytes});
    }
    return points;
}

bool is_in_article(const ImagePoint& point) {
    return std::has_single_bit(point.width) && std::has_single_bit(point.height) && point.width <= kArticleLimit &&
           point.height <= kArticleLimit;
}

void add_image_tables(std::span<const ChartDevice> devices, ChartDetail detail, std::vector<CsvTable>& tables) {
    model::ImageCase source;
    source.usage = model::image_usage::kTransferDst | model::image_usage::kSampled;
    const auto drawn = first_case(devices, &model::DeviceReport::image_sweep,
                                  [&](const model::ImageCase& each) { return same_case(each, source); });
    if (!drawn) return;
    CsvTable alignment{.name = "image-alignment",
                       .columns = {"device", "width", "height", "texel_bytes", "alignment_bytes"}};
    CsvTable storage{.name = "image-storage", .columns = {"device", "width", "height", "texel_bytes", "size_bytes"}};
    for (const ChartDevice& device : devices) {
        if (!has_answers(device, &model::DeviceReport::image_sweep)) continue;
        const std::vector<ImagePoint> points = source_points(device.report->image_sweep, *drawn);
        CsvTable raw{.name = fmt::format("raw-images-{}", device.index), .columns = {"size", "alignment", "storage"}};
        for (const ImagePoint& point : points) {
            const std::vector<CsvCell> place = {device.label, point.width, point.height, point.texel_bytes};
            alignment.rows.push_back(place);
            alignment.rows.back().emplace_back(point.alignment_bytes);
            storage.rows.push_back(place);
            storage.rows.back().emplace_back(point.size_bytes);
            raw.rows.push_back(
                {fmt::format("{}x{}", point.width, point.height), point.alignment_bytes, point.size_bytes});
        }
        tables.push_back(std::move(raw));
        add_heat_maps(device, points, tables);
    }
    tables.push_back(std::move(alignment));
    tables.push_back(std::move(storage));
    if (detail == ChartDetail::kAll) add_requirements(devices, tables);
}

void add_buffer_tables(std::span<const ChartDevice> devices, ChartDetail detail, std::vector<CsvTable>& tables) {
    // The page draws what is added to a request where the sweep is dense.
    constexpr std::uint64_t kDenseUpTo = 65;
    const auto drawn = first_case(devices, &model::DeviceReport::buffer_sweep, [](const model::BufferCase& each) {
        return each.usage == model::buffer_usage::kStorage;
    });
    if (!drawn) return;
    CsvTable alignment{.name = "buffer-alignment", .columns = {"device", "request_bytes", "alignment_bytes"}};
    CsvTable storage{.name = "buffer-storage", .columns = {"device", "request_bytes", "size_bytes"}};
    CsvTable rounding{.name = "buffer-rounding", .columns = {"device", "request_bytes", "added_bytes"}};
    CsvTable all{.name = "buffer-requirements",
                 .columns = {"device", "usage", "request_bytes", "alignment_bytes", "size_bytes"}};
    for (const ChartDevice& device : devices) {
        if (!has_answers(device, &model::DeviceReport::buffer_sweep)) continue;
        const model::BufferSweep& sweep = device.report->buffer_sweep;
        CsvTable raw{.name = fmt::format("raw-buffers-{}", device.index), .columns = {"size", "alignment", "storage"}};
        bool first = true;
        for (const model::BufferCase& each : sweep.cases) {
            if (!each.table) continue;
            const bool is_drawn = first && each.usage == drawn->usage;
            if (is_drawn) first = false;
            const model::SweepTable& answers = sweep.tables[*each.table];
            for (std::size_t i = 0; i < answers.size_bytes.size(); ++i) {
                const auto answer = answer_at(sweep.requirements, answers, i);
                if (!answer) continue;
                const std::uint64_t request = sweep.sizes[i];
                const std::uint64_t aligned = answer->alignment_bytes;
                const std::uint64_t size = answer->size_bytes;
                if (detail == ChartDetail::kAll)
                    all.rows.push_back({device.label, model::flags_text(each.usage, model::buffer_usage_names()),
                                        request, aligned, size});
                if (!is_drawn) continue;
                alignment.rows.push_back({device.label, request, aligned});
                storage.rows.push_back({device.label, request, size});
                raw.rows.push_back({request, aligned, size});
                if (request <= kDenseUpTo) rounding.rows.push_back({device.label, request, size - request});
            }
        }
        tables.push_back(std::move(raw));
    }
    for (CsvTable* table : {&alignment, &storage, &rounding}) tables.push_back(std::move(*table));
    if (detail == ChartDetail::kAll) tables.push_back(std::move(all));
}

}  // namespace heapwright::render::detail
