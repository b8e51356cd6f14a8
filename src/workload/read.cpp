#include "workload/read.hpp"

#include <fmt/format.h>

#include <utility>

#include "heapwright/model/json.hpp"
#include "workload/creation_rules.hpp"
#include "workload/stream.hpp"

namespace heapwright::workload {

Result<model::Workload> read_checked_workload(std::string_view text, std::string_view source) {
    HEAPWRIGHT_ASSIGN(model::Workload read, model::read_workload(text, source));
    Status checked = check_workload(read);
    if (checked) checked = check_creation(read);
    if (checked) return read;
    Error error = std::move(checked.error());
    error.where = fmt::format("{}: {}", source, error.where);
    return fail(std::move(error));
}

}  // namespace heapwright::workload
