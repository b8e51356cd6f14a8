#include "compare/matrix_driver.hpp"

#include <algorithm>
#include <set>

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

}  // namespace heapwright::compare
