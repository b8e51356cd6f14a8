#include "compare/matrix_selection.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace heapwright::compare {
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
