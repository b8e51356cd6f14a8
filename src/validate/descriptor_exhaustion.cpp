// Descriptor heaps to the last descriptor, and back: min(1,000,000, the device's limit) shader-visible CBV_SRV_UAV
// descriptors live at once, static and dynamic ones, every table of both written and a sample of them proven by
// dispatches; the samplers that a heap, and that the device, can hold. Every refusal must say its figures, and
// afterwards everything can be had again.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "validate/binding_scenario.hpp"

namespace heapwright::validate {
namespace {

using device::DescriptorHeapKind;

constexpr std::uint64_t kWantedDescriptors = 1'000'000;
constexpr std::uint32_t kRows = 64;     // different tables that the heap is filled with
constexpr std::uint32_t kProven = 512;  // static tables
constexpr std::uint64_t kDynamicTablesForOneProof = 128;
constexpr std::uint32_t kMostSamplers = 65'536;
constexpr std::uint32_t kSamplerPage = 4096;

class Exhaustion {
public:
    explicit Exhaustion(BindingScene& scene) : scene_(scene) {}

    Status play() {
        frame::RenderDeviceOptions options = scene_.render_options();
        options.visible_capacity = kWantedDescriptors;
        std::string stated = ", no limit stated";
        if (device::DescriptorHeapSource* heaps = scene_.device.descriptors()) {
            if (const auto limit = heaps->stated_limit(DescriptorHeapKind::kCbvSrvUav, true)) {
                options.visible_capacity = std::min(kWantedDescriptors, *limit);
                stated = fmt::format(" of the {} that the device states", *limit);
            }
        }
        HEAPWRIGHT_TRY(scene_.set_up(options));
        note(fmt::format("CBV_SRV_UAV: {}{}", options.visible_capacity, stated));
        scene_.figures.recording_contexts = 1;
        HEAPWRIGHT_TRY(fill_static_part());
        HEAPWRIGHT_TRY(fill_dynamic_part_too());
        HEAPWRIGHT_TRY(release_static_part());
        HEAPWRIGHT_TRY(fill_dynamic_part());
        HEAPWRIGHT_TRY(fill_sampler_cache());
        HEAPWRIGHT_TRY(find_sampler_heap_limit());
        return find_sampler_limit();
    }

private:
    struct Row {
        SceneTables tables;
        frame::DescriptorHeapAllocation views;  // the three of a table in a row
    };
    struct Table {
        frame::DescriptorHeapAllocation table;
        std::uint32_t row = 0;
    };

    void note(const std::string& text) { scene_.figures.limits += (scene_.figures.limits.empty() ? "" : "; ") + text; }
    void expect_figures(const Error& error, const char* what) {
        if ((error.code == ErrorCode::kExhausted || error.code == ErrorCode::kTooManyObjects) && error.value &&
            !error.message.empty())
            return;
        scene_.log.add(model::Fault::kApiError, what,
                       "the last one is refused without its figures: " + to_string(error));
    }
    void lost(const char* what, const std::string& statement) { scene_.log.add(model::Fault::kLeak, what, statement); }

    Status make_rows() {
        frame::RenderDevice& render = scene_.render();
        for (std::uint32_t i = 0; i < kRows; ++i) {
            Row row{.tables = {.static_constant = i * 3, .static_buffer = i * 5, .image = i % BindingScene::kImages},
                    .views = {}};
            HEAPWRIGHT_ASSIGN(row.views, render.cpu_heap(DescriptorHeapKind::kCbvSrvUav).allocate(3));
            std::uint32_t place = row.views.first_index();
            for (const device::Descriptor& descriptor :
                 {scene_.constant_view(row.tables.static_constant), scene_.buffer_view(row.tables.static_buffer),
                  scene_.image_view(row.tables.image)})
                HEAPWRIGHT_TRY(render.descriptors().write(row.views.heap(), place++, descriptor));
            rows_.push_back(std::move(row));
        }
        return {};
    }

    // The three descriptors of row `row` at `place` of the shader-visible heap.
    Status copy_row(std::uint32_t row, std::uint32_t place) {
        frame::RenderDevice& render = scene_.render();
        return render.descriptors().copy(render.resource_heap().heap(), place, rows_[row].views.heap(),
                                         rows_[row].views.first_index(), device::kStaticTableSize);
    }

    Status prove_table(std::uint32_t row, std::uint32_t place, std::uint32_t number) {
        BindingScene::Use use{.tables = rows_[row].tables, .static_table = place};
        use.tables.dynamic_constant = number % BindingScene::kSlots;
        use.tables.dynamic_buffer = (number + 1) % BindingScene::kSlots;
        return scene_.dispatch(scene_.render().immediate(), use);
    }

    Status fill_static_part() {
        frame::RenderDevice& render = scene_.render();
        HEAPWRIGHT_TRY(make_rows());
        while (true) {
            auto table = render.resource_heap().allocate(device::kStaticTableSize);
            if (!table) {
                expect_figures(table.error(), "the static part");
                break;
            }
            const auto row = static_cast<std::uint32_t>(tables_.size()) % kRows;
            HEAPWRIGHT_TRY(copy_row(row, table->first_index()));
            tables_.push_back({.table = std::move(*table), .row = row});
        }
        while (true) {
            auto single = render.resource_heap().allocate(1);
            if (!single) break;
            singles_.push_back(std::move(*single));
        }
        const frame::DescriptorManagerFigures full = render.resource_heap().static_figures();
        if (full.live != full.capacity)
            lost("the static part", fmt::format("{} of {} descriptors could be had", full.live, full.capacity));

        HEAPWRIGHT_TRY(scene_.begin_frame());
        for (std::uint32_t i = 0; i < kProven && !tables_.empty(); ++i) {
            const std::size_t index = i == 0   ? 0
                                      : i == 1 ? tables_.size() - 1
                                               : static_cast<std::size_t>(scene_.random.below(tables_.size()));
            HEAPWRIGHT_TRY(prove_table(tables_[index].row, tables_[index].table.first_index(), i));
        }
        HEAPWRIGHT_TRY(scene_.end_frame());
        return scene_.drain();
    }

    // Beside the static descriptors, which are all taken: now every descriptor of the heap is.
    Status fill_dynamic_part_too() {
        frame::RenderDevice& render = scene_.render();
        frame::DeviceContext& context = render.immediate();
        HEAPWRIGHT_TRY(scene_.begin_frame());
        std::uint32_t proven = 0;
        for (std::uint64_t number = 0;; ++number) {
            const auto row = context.allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, device::kStaticTableSize);
            if (!row) {
                expect_figures(row.error(), "the dynamic part");
                break;
            }
            const auto content = static_cast<std::uint32_t>(number) % kRows;
            HEAPWRIGHT_TRY(copy_row(content, row->first));
            if (number % kDynamicTablesForOneProof != 0 || proven + 1 >= BindingScene::kMostDispatches) continue;
            if (Status dispatched = prove_table(content, row->first, proven); !dispatched) {
                // Its own table is the one that finds no place.
                if (dispatched.error().code != ErrorCode::kExhausted) return dispatched;
                break;
            }
            ++proven;
        }
        std::vector<frame::DescriptorHeapAllocation> rest;
        while (true) {
            auto single = render.resource_heap().allocate_dynamic(1);
            if (!single) break;
            rest.push_back(std::move(*single));
        }
        const frame::DescriptorManagerFigures fixed = render.resource_heap().static_figures();
        const frame::DescriptorManagerFigures dynamic = render.resource_heap().dynamic_figures();
        if (fixed.live + dynamic.live != fixed.capacity + dynamic.capacity)
            lost("the heap", fmt::format("{} of {} descriptors are live at once", fixed.live + dynamic.live,
                                         fixed.capacity + dynamic.capacity));
        if (proven == 0 && dynamic.capacity >= 2 * device::kStaticTableSize)
            lost("the dynamic part", "no table of it could be proven");
        scene_.figures.descriptors_reached = fixed.live + dynamic.live;
        rest.clear();
        return scene_.end_frame();
    }

    Status release_static_part() {
        frame::RenderDevice& render = scene_.render();
        tables_.clear();
        singles_.clear();
        rows_.clear();
        HEAPWRIGHT_TRY(scene_.drain());
        const std::uint64_t capacity = render.resource_heap().static_figures().capacity;
        auto whole = render.resource_heap().allocate(static_cast<std::uint32_t>(capacity));
        if (!whole) lost("the static part", "after everything was released: " + to_string(whole.error()));
        return {};
    }

    // One by one, twice: the last one of it can be had, again and again.
    Status fill_dynamic_part() {
        frame::RenderDevice& render = scene_.render();
        HEAPWRIGHT_TRY(scene_.drain());
        const std::uint64_t capacity = render.resource_heap().dynamic_figures().capacity;
        for (int round = 0; round < 2; ++round) {
            HEAPWRIGHT_TRY(scene_.begin_frame());
            std::uint64_t taken = 0;
            while (taken <= capacity) {
                auto row = render.immediate().allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, 1);
                if (!row) {
                    expect_figures(row.error(), "the dynamic part");
                    break;
                }
                ++taken;
            }
            // What is left is less than a chunk: larger ranges and chunks share the part.
            std::vector<frame::DescriptorHeapAllocation> rest;
            while (true) {
                auto single = render.resource_heap().allocate_dynamic(1);
                if (!single) break;
                rest.push_back(std::move(*single));
            }
            taken += rest.size();
            if (taken != capacity)
                lost("the dynamic part",
                     fmt::format("{} of {} descriptors could be had in round {}", taken, capacity, round));
            rest.clear();
            HEAPWRIGHT_TRY(scene_.end_frame());
            HEAPWRIGHT_TRY(scene_.drain());
        }
        return {};
    }

    // Distinct by what no sample here reads.
    static device::SamplerDescription distinct_sampler(std::uint32_t number) {
        return {.address_u = static_cast<device::AddressMode>(number % 4),
                .address_v = device::AddressMode::kClampToEdge,
                .max_lod = 1.0f + static_cast<float>(number) / 4096.0f};
    }

    Status prove_samplers(const std::vector<frame::SamplerCache::Reference>& samplers) {
        frame::RenderDevice& render = scene_.render();
        const SceneTables tables{.static_constant = 7, .static_buffer = 8, .image = 9};
        HEAPWRIGHT_ASSIGN(const auto table, scene_.make_static_table(tables));
        HEAPWRIGHT_TRY(scene_.begin_frame());
        for (const std::size_t i : {std::size_t{0}, samplers.size() / 2, samplers.size() - 1}) {
            HEAPWRIGHT_TRY(scene_.dispatch(render.immediate(),
                                           {.tables = tables,
                                            .static_table = table.first_index(),
                                            .address_u = distinct_sampler(static_cast<std::uint32_t>(i)).address_u,
                                            .sampler = samplers[i].visible_index()}));
        }
        // A static sampler needs no descriptor, so it works when there are none left.
        HEAPWRIGHT_TRY(scene_.dispatch(render.immediate(), {.tables = tables, .static_table = table.first_index()}));
        return scene_.end_frame();
    }

    Status fill_sampler_cache() {
        frame::RenderDevice& render = scene_.render();
        std::vector<frame::SamplerCache::Reference> samplers;
        const std::uint64_t capacity = render.sampler_heap().static_figures().capacity;
        for (std::uint32_t number = 0; number <= capacity; ++number) {
            auto sampler = render.samplers().get(distinct_sampler(number));
            if (!sampler) {
                expect_figures(sampler.error(), "the sampler heap");
                note(fmt::format("sampler heap: full with {}", counted(samplers.size(), "distinct sampler")));
                break;
            }
            samplers.push_back(std::move(*sampler));
        }
        if (samplers.empty()) return {};
        auto shared = render.samplers().get(distinct_sampler(0));
        if (!shared || shared->visible_index() != samplers[0].visible_index())
            lost("the sampler cache", "an identical sampler does not share the descriptor of a full heap");
        HEAPWRIGHT_TRY(prove_samplers(samplers));
        scene_.figures.peak_samplers = samplers.size();
        const std::size_t count = samplers.size();
        shared = tl::unexpected(Error{});
        samplers.clear();
        HEAPWRIGHT_TRY(scene_.drain());
        for (std::uint32_t number = 0; number < count; ++number) {
            auto again = render.samplers().get(distinct_sampler(kMostSamplers + number));
            if (!again) {
                lost("the sampler heap", "after every sampler was released: " + to_string(again.error()));
                break;
            }
            samplers.push_back(std::move(*again));
        }
        samplers.clear();
        return scene_.drain();
    }

    // Beyond what is stated, too: what this device enforces, in its own words. No policy plans with it.
    Status find_sampler_heap_limit() {
        device::DescriptorHeapSource& source = scene_.render().descriptors();
        const auto stated = source.stated_limit(DescriptorHeapKind::kSampler, true);
        std::string text =
            stated ? fmt::format("shader-visible sampler heap: {} stated", *stated) : "shader-visible sampler heap";
        take_layer_messages(nullptr);
        std::uint32_t created = 0;
        for (std::uint32_t capacity = 2048; capacity <= kMostSamplers; capacity *= 2) {
            const bool beyond = stated && capacity > *stated;
            const auto heap = source.create({.kind = DescriptorHeapKind::kSampler,
                                             .capacity = capacity,
                                             .shader_visible = true,
                                             .beyond_stated_limit = beyond});
            if (beyond) take_layer_messages(&text);
            if (!heap) {
                if (!beyond) return tl::unexpected(heap.error());
                text += heap.error().code == ErrorCode::kOutOfRange
                            ? std::string(", more was not asked for")
                            : fmt::format(", {} refused ({})", capacity, to_string(heap.error()));
                note(text);
                return {};
            }
            created = capacity;
            source.destroy(*heap);
        }
        note(text + (stated && *stated >= created ? fmt::format(", {} created", created)
                                                  : fmt::format(", not enforced up to {}", created)));
        return {};
    }

    // A layer rightly objects to a heap beyond the specification: its words go into `text`. What it said before is of
    // the scenario, and a finding.
    void take_layer_messages(std::string* text) {
        for (const std::string& message : scene_.device.take_validation_messages()) {
            if (text == nullptr) {
                scene_.log.add(model::Fault::kValidationLayer, "validation", message);
            } else {
                *text += fmt::format(", a layer objects ({})", message);
            }
        }
    }

    // Samplers alive at once, in heaps that only the host reads.
    Status find_sampler_limit() {
        device::DescriptorHeapSource& source = scene_.render().descriptors();
        std::vector<device::DescriptorHeapId> heaps;
        std::uint32_t reached = 0;
        std::optional<Error> refused;
        bool out_of_time = false;
        while (reached < kMostSamplers && !refused && !out_of_time) {
            const auto heap = source.create(
                {.kind = DescriptorHeapKind::kSampler, .capacity = kSamplerPage, .shader_visible = false});
            if (!heap) {
                refused = heap.error();
                break;
            }
            heaps.push_back(*heap);
            for (std::uint32_t i = 0; i < kSamplerPage; ++i, ++reached) {
                if (Status written = source.write(*heap, i, distinct_sampler(reached)); !written) {
                    refused = std::move(written.error());
                    break;
                }
            }
            out_of_time = scene_.is_out_of_time();
        }
        if (refused) {
            if (refused->code != ErrorCode::kTooManyObjects && refused->code != ErrorCode::kExhausted &&
                refused->code != ErrorCode::kOutOfHostMemory && refused->code != ErrorCode::kOutOfDeviceMemory)
                scene_.log.add(model::Fault::kApiError, "samplers", to_string(*refused));
            note(fmt::format("distinct samplers: {} reached, then {}", reached, to_string(*refused)));
        } else {
            note(fmt::format("distinct samplers: not enforced up to {}", reached));
        }
        scene_.figures.peak_samplers = std::max<std::uint64_t>(scene_.figures.peak_samplers, reached);
        for (const device::DescriptorHeapId heap : heaps) source.destroy(heap);
        const auto again = scene_.render().create_view(distinct_sampler(0));
        if (!again) lost("samplers", "none can be made after all were destroyed: " + to_string(again.error()));
        return {};
    }

    BindingScene& scene_;
    std::vector<Row> rows_;
    std::vector<Table> tables_;
    std::vector<frame::DescriptorHeapAllocation> singles_;
};

}  // namespace

Status play_descriptor_exhaustion(BindingScene& scene) {
    return Exhaustion(scene).play();
}

}  // namespace heapwright::validate
