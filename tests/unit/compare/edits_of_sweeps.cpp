#include <algorithm>
#include <utility>

#include "edits.hpp"

namespace heapwright::test {
namespace {

using model::DeviceReport;
using model::Report;

template <class Sweep>
Sweep& sweep_of(Report& report);
template <>
model::ImageSweep& sweep_of(Report& report) {
    return first(report).image_sweep;
}
template <>
model::BufferSweep& sweep_of(Report& report) {
    return first(report).buffer_sweep;
}

template <class Sweep>
std::function<void(Report&)> of_requirements(std::function<void(model::RequirementClass&)> edit) {
    return [edit = std::move(edit)](Report& r) {
        for (model::RequirementClass& each : sweep_of<Sweep>(r).requirements) edit(each);
    };
}

template <class Sweep>
std::vector<Edit<Report>> of_sweep(const std::string& what) {
    const auto cases = [](std::function<void(std::vector<typename decltype(Sweep::cases)::value_type>&)> edit) {
        return [edit = std::move(edit)](Report& r) { edit(sweep_of<Sweep>(r).cases); };
    };
    return {
        {what + " case gone", cases([](auto& list) { list.pop_back(); }), true, false},
        {what + " cases all gone", [](Report& r) { sweep_of<Sweep>(r) = {}; }, true, false},
        {what + " cases reordered",
         cases([](auto& list) { std::rotate(list.begin(), list.begin() + (list.size() > 1 ? 1 : 0), list.end()); })},
        {what + " case no longer supported", cases([](auto& list) {
             const auto supported = std::ranges::find_if(list, [](const auto& each) { return each.table.has_value(); });
             supported->table.reset();
             supported->not_supported = "the driver says so";
         }),
         true, false},
        {what + " alignments doubled",
         of_requirements<Sweep>([](model::RequirementClass& each) { each.alignment_bytes *= 2; }), true, false},
        {what + " sizes doubled",
         [](Report& r) {
             for (model::SweepTable& table : sweep_of<Sweep>(r).tables) {
                 for (std::uint64_t& size : table.size_bytes) size *= 2;
             }
         },
         true, false},
        {what + " points refused",
         [](Report& r) {
             for (model::SweepTable& table : sweep_of<Sweep>(r).tables) table.size_bytes.back() = 0;
         },
         true, false},
        {what + " memory types fewer", of_requirements<Sweep>([](model::RequirementClass& each) {
             const std::uint32_t fewer = each.memory_type_bits & (each.memory_type_bits - 1);
             if (fewer != 0) each.memory_type_bits = fewer;
         }),
         true, false},
        {what + " memory required to be dedicated",
         of_requirements<Sweep>([](model::RequirementClass& each) { each.dedicated = model::Dedicated::kRequired; }),
         true, false},
    };
}

// Of the device, which has given an error, and of the driver, which has crashed.
std::function<void(Report&)> of_failures(std::function<void(model::ProbeFailure&, model::ProbeFailure&)> edit) {
    return [edit = std::move(edit)](Report& r) { edit(r.failures.at(0), r.failures.at(1)); };
}

}  // namespace

std::vector<Edit<Report>> edits_of_sweeps() {
    std::vector<Edit<Report>> table = of_sweep<model::ImageSweep>("image");
    std::ranges::move(of_sweep<model::BufferSweep>("buffer"), std::back_inserter(table));
    table.push_back({"image grid without its largest width",
                     [](Report& r) {
                         model::ImageSweep& sweep = first(r).image_sweep;
                         const std::size_t row = sweep.grid.heights.size();
                         const std::size_t at = (sweep.grid.widths.size() - 1) * row;
                         sweep.grid.widths.pop_back();
                         for (model::SweepTable& each : sweep.tables) {
                             const auto offset = static_cast<std::ptrdiff_t>(at);
                             const auto end = offset + static_cast<std::ptrdiff_t>(row);
                             each.size_bytes.erase(each.size_bytes.begin() + offset, each.size_bytes.begin() + end);
                             each.requirement.erase(each.requirement.begin() + offset, each.requirement.begin() + end);
                         }
                     },
                     true, false});
    table.push_back({"buffer sweep without its largest size",
                     [](Report& r) {
                         model::BufferSweep& sweep = first(r).buffer_sweep;
                         sweep.sizes.pop_back();
                         for (model::SweepTable& each : sweep.tables) {
                             each.size_bytes.pop_back();
                             each.requirement.pop_back();
                         }
                     },
                     true, false});
    return table;
}

void add_failures(Report& report) {
    report.failures = {{.driver = first(report).identity.name,
                        .api = first(report).identity.api,
                        .device = first(report).identity,
                        .step = "memory cost",
                        .last_call = "vkQueueSubmit",
                        .kind = model::FailureKind::kError,
                        .reason = "VK_ERROR_DEVICE_LOST",
                        .code = -4},
                       {.driver = "/a/icd.json",
                        .last_call = "vkDestroyInstance",
                        .kind = model::FailureKind::kCrash,
                        .reason = "the driver crashed with SIGSEGV (signal 11)",
                        .code = 11}};
}

std::vector<Edit<Report>> edits_of_failures() {
    using model::FailureKind;
    return {
        {"nothing", [](Report&) {}},
        {"failure of another call",
         [](Report& r) {
             r.failures.push_back(r.failures.front());
             r.failures.back().last_call = "vkCreateImage";
         },
         true, false},
        {"failure twice", [](Report& r) { r.failures.push_back(r.failures.front()); }, true, false},
        {"failures reordered", [](Report& r) { std::ranges::reverse(r.failures); }},
        {"device's failure gone", [](Report& r) { r.failures.erase(r.failures.begin()); }, false, true},
        {"driver's failure gone", [](Report& r) { r.failures.pop_back(); }, false, true},
        {"error becomes a crash", of_failures([](auto& device, auto&) { device.kind = FailureKind::kCrash; }), true,
         false},
        {"error becomes a hang", of_failures([](auto& device, auto&) { device.kind = FailureKind::kHang; }), true,
         false},
        {"crash becomes a hang", of_failures([](auto&, auto& driver) { driver.kind = FailureKind::kHang; }), true,
         true},
        {"failure in another call", of_failures([](auto& device, auto&) { device.last_call = "vkMapMemory"; }), true,
         true},
        {"failure in another step", of_failures([](auto& device, auto&) { device.step = "engines"; }), true, true},
        {"failure told in other words", of_failures([](auto& device, auto&) { device.reason = "lost"; })},
        {"failure of another code", of_failures([](auto&, auto& driver) { driver.code = 6; })},
        {"driver in another folder", of_failures([](auto&, auto& driver) { driver.driver = "/b/icd.json"; })},
        {"failures of an older report", of_failures([](auto& device, auto& driver) {
             for (auto* failure : {&device, &driver}) {
                 failure->device.reset();
                 failure->step.clear();
                 failure->kind.reset();
             }
         })},
        {"driver updated, device and failure renamed",
         [](Report& r) {
             first(r).identity.name += ", renamed";
             ++first(r).identity.driver_version;
             first(r).identity.driver_info += ".1";
             r.failures.at(0).driver = first(r).identity.name;
             r.failures.at(0).device = first(r).identity;
         }},
        {"failure of a device that gave nothing",
         [](Report& r) {
             r.failures.at(0).device->device_id += 1;
             r.failures.at(0).driver = "another device";
         },
         true, true},
    };
}

}  // namespace heapwright::test
