#include "compare/matrix_driver.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "compare/detail/matrix_fields.hpp"
#include "model/detail/read.hpp"

namespace heapwright::compare {

namespace {

// The later entry of a name is the one that counts.
void set(std::vector<EnvironmentEntry>& environment, const EnvironmentEntry& entry) {
    const auto found = std::ranges::find(environment, entry.name, &EnvironmentEntry::name);
    if (found == environment.end()) {
        environment.push_back(entry);
    } else {
        found->value = entry.value;
    }
}

}  // namespace

Result<std::vector<MatrixDriver>> read_drivers(std::string_view text, std::string_view source) {
    HEAPWRIGHT_ASSIGN(DriverList list, model::detail::read_shape<DriverList>(text, source));
    std::set<std::string_view> known;
    for (std::size_t index = 0; index < list.drivers.size(); ++index) {
        if (!known.insert(list.drivers[index].id).second) {
            return fail(ErrorCode::kSchemaViolation,
                        "two drivers have the id '" + list.drivers[index].id + "', which names the report's file",
                        model::detail::place(source, "/drivers/" + std::to_string(index) + "/id"));
        }
    }
    return std::move(list.drivers);
}

std::vector<EnvironmentEntry> environment_of(const MatrixDriver& driver) {
    std::vector<EnvironmentEntry> environment;
    if (driver.icd) environment = {{"VK_DRIVER_FILES", driver.icd}, {"VK_ICD_FILENAMES", driver.icd}};
    for (const EnvironmentEntry& entry : driver.environment) set(environment, entry);
    return environment;
}

std::vector<std::string> probe_arguments(const MatrixDriver& driver) {
    std::vector<std::string> arguments{"probe", "-q", "--api", std::string(model::name_of(driver.api))};
    if (!driver.timing) arguments.emplace_back("--no-timing");
    return arguments;
}

namespace {

bool contains(const std::vector<std::string>& texts, const std::string& text) {
    return std::ranges::find(texts, text) != texts.end();
}

Status check_known(const std::vector<std::string>& asked, const std::vector<std::string>& known, std::string_view what,
                   std::string_view option) {
    for (const std::string& name : asked) {
        if (contains(known, name)) continue;
        std::string names;
        for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
        return fail(
            ErrorCode::kInvalidArgument,
            fmt::format("no {} '{}' in the list of drivers; there are: {}", what, name, names.empty() ? "none" : names),
            std::string(option));
    }
    return {};
}

void add_new(std::vector<std::string>& names, const std::string& name) {
    if (!contains(names, name)) names.push_back(name);
}

}  // namespace

Result<std::vector<MatrixDriver>> choose_drivers(const std::vector<MatrixDriver>& drivers,
                                                 const DriverSelection& selection) {
    std::vector<std::string> families;
    std::vector<std::string> gpus;
    for (const MatrixDriver& driver : drivers) {
        add_new(families, driver.family);
        if (driver.gpu) add_new(gpus, *driver.gpu);
    }
    HEAPWRIGHT_TRY(check_known(selection.families, families, "family", "--only"));
    // Without one played GPU the shim is missing, which the list's rows say.
    if (!gpus.empty()) HEAPWRIGHT_TRY(check_known(selection.gpus, gpus, "played GPU", "--gpus"));
    std::vector<MatrixDriver> chosen;
    for (const MatrixDriver& driver : drivers) {
        if (!selection.families.empty() && !contains(selection.families, driver.family)) continue;
        if (!selection.gpus.empty() && driver.gpu && !contains(selection.gpus, *driver.gpu)) continue;
        chosen.push_back(driver);
    }
    return chosen;
}

}  // namespace heapwright::compare
