#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "model/names.hpp"
#include "probe/examine.hpp"

namespace heapwright::probe {
namespace {

// Images whose memoryTypeBits are one: by tiling and transient usage, and depth/stencil ones by format.
std::string group_of(const model::ImageDescription& image) {
    const model::FormatInfo& format = model::info(image.format);
    return fmt::format("{}:{}{}", format.is_depth_stencil() ? format.name : std::string_view("color"),
                       model::name_of(image.tiling),
                       (image.usage & model::image_usage::kTransientAttachment) != 0 ? ":transient" : "");
}

struct Group {
    const Answer* reference = nullptr;
    const Answer* different = nullptr;
    std::size_t answers = 0;
    std::size_t differing = 0;
};

void check_memory_types(const std::vector<Answer>& answers, std::vector<DetailedFinding>& findings) {
    std::map<std::string, Group> groups;
    for (const Answer& answer : answers) {
        Group& group = groups[group_of(std::get<model::ImageDescription>(answer.query.resource))];
        ++group.answers;
        if (group.reference == nullptr) group.reference = &answer;
        if (answer.query.answer.memory_type_bits == group.reference->query.answer.memory_type_bits) continue;
        if (group.different == nullptr) group.different = &answer;
        ++group.differing;
    }
    for (const auto& [name, group] : groups) {
        if (group.different == nullptr) continue;
        const bool color = name.starts_with("color");
        findings.push_back(pair_finding(
            {.id = fmt::format("image-memory-type-bits-differ:{}", name),
             .statement = fmt::format("images that must have one set of memory types have several: {} of {} answers "
                                      "differ from the first",
                                      group.differing, group.answers),
             .clause =
                 color ? "VkMemoryRequirements: for images created with a color format, memoryTypeBits is identical "
                         "for all VkImage objects created with the same tiling, sparse binding, protected and "
                         "split instance flags, handle types and transient attachment usage"
                       : "VkMemoryRequirements: for images created with a depth/stencil format, memoryTypeBits is "
                         "identical for all VkImage objects created with the same format, tiling, sparse binding, "
                         "protected and split instance flags, handle types and transient attachment usage",
             .violated = "first.memoryTypeBits != second.memoryTypeBits"},
            *group.reference, *group.different));
    }
}

// Sizes of one case over the grid: never smaller for a larger extent.
class SizeCheck {
public:
    SizeCheck(const model::ImageSweep& sweep, std::size_t image_case)
        : sweep_(sweep),
          case_(image_case),
          full_mips_(sweep.cases[image_case].full_mips),
          sizes_(sweep.tables[*sweep.cases[image_case].table].size_bytes) {}

    // The first (smaller extent, larger extent) whose sizes fall, and how many there are.
    void run() {
        const std::size_t columns = sweep_.grid.heights.size();
        const std::size_t rows = sweep_.grid.widths.size();
        // Neighbours are enough inside the grid; a point without an answer breaks the chain into two.
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                const std::size_t point = row * columns + column;
                if (column + 1 < columns) compare(point, point + 1);
                if (row + 1 < rows) compare(point, point + columns);
            }
        }
        for (std::size_t extra = rows * columns; extra < sizes_.size(); ++extra) {
            for (std::size_t point = 0; point < extra; ++point) {
                if (dominates(extra, point)) compare(point, extra);
                if (dominates(point, extra)) compare(extra, point);
            }
        }
    }

    [[nodiscard]] std::size_t falls() const { return falls_; }
    [[nodiscard]] std::size_t smaller() const { return smaller_; }
    [[nodiscard]] std::size_t larger() const { return larger_; }

private:
    [[nodiscard]] bool dominates(std::size_t a, std::size_t b) const {
        const auto x = sweep_.grid.point(a);
        const auto y = sweep_.grid.point(b);
        return x[0] >= y[0] && x[1] >= y[1];
    }

    [[nodiscard]] std::uint32_t mips(std::size_t point) const {
        const auto [width, height] = sweep_.grid.point(point);
        return full_mips_ ? model::full_mip_chain(width, height) : 1;
    }

    void compare(std::size_t smaller, std::size_t larger) {
        if (sizes_[smaller] == 0 || sizes_[larger] == 0 || sizes_[smaller] <= sizes_[larger]) return;
        if (mips(smaller) != mips(larger)) return;
        if (falls_ == 0) {
            smaller_ = smaller;
            larger_ = larger;
        }
        ++falls_;
    }

    const model::ImageSweep& sweep_;
    std::size_t case_;
    bool full_mips_;
    const std::vector<std::uint64_t>& sizes_;
    std::size_t falls_ = 0;
    std::size_t smaller_ = 0;
    std::size_t larger_ = 0;
};

void check_sizes(const model::ImageSweep& sweep, std::vector<DetailedFinding>& findings) {
    std::set<std::tuple<std::uint32_t, bool>> checked;
    std::size_t falls = 0;
    std::optional<std::pair<Answer, Answer>> shown;
    for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
        const model::ImageCase& entry = sweep.cases[i];
        if (!entry.table || !checked.emplace(*entry.table, entry.full_mips).second) continue;
        SizeCheck check(sweep, i);
        check.run();
        falls += check.falls();
        if (check.falls() == 0 || shown) continue;
        shown.emplace(image_answer(sweep, i, check.smaller()), image_answer(sweep, i, check.larger()));
    }
    if (!shown) return;
    findings.push_back(pair_finding(
        {.id = "image-size-falls-with-extent",
         .statement =
             fmt::format("an image takes more bytes than a larger one: {} pairs of neighbouring extents", falls),
         .clause =
             "VkMemoryRequirements, maintenance4: for a VkImage, the size memory requirement is never greater than "
             "that of another VkImage created with a greater or equal value in each of extent.width, "
             "extent.height and extent.depth; all other creation parameters being identical",
         .violated = "first.size > second.size"},
        shown->first, shown->second));
}

}  // namespace

void check_images(const model::DeviceReport& device, const std::vector<Answer>& answers,
                  std::vector<DetailedFinding>& findings) {
    check_memory_types(answers, findings);
    if (device.feature("maintenance4")) check_sizes(device.image_sweep, findings);
}

}  // namespace heapwright::probe
