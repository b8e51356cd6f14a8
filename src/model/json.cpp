#include "heapwright/model/json.hpp"

#include <fmt/format.h>

#include "core/hash.hpp"
#include "model/detail/check.hpp"
#include "model/detail/fields_policy.hpp"
#include "model/detail/fields_validation.hpp"
#include "model/detail/read.hpp"
#include "model/detail/write.hpp"

namespace heapwright::model {
namespace detail {

template Result<Report> read_shape(std::string_view text, std::string_view source);
template Result<Workload> read_shape(std::string_view text, std::string_view source);
template Result<Policy> read_shape(std::string_view text, std::string_view source);
template Result<Validation> read_shape(std::string_view text, std::string_view source);

}  // namespace detail
namespace {

template <class T>
Result<T> read_document(std::string_view text, std::string_view source) {
    HEAPWRIGHT_ASSIGN(T document, detail::read_shape<T>(text, source));
    HEAPWRIGHT_TRY(detail::check(document, source));
    return document;
}

}  // namespace

Result<Report> read_report(std::string_view text, std::string_view source) {
    return read_document<Report>(text, source);
}
Result<Workload> read_workload(std::string_view text, std::string_view source) {
    return read_document<Workload>(text, source);
}
Result<Policy> read_policy(std::string_view text, std::string_view source) {
    return read_document<Policy>(text, source);
}
Result<Validation> read_validation(std::string_view text, std::string_view source) {
    return read_document<Validation>(text, source);
}

Result<DocumentKind> document_kind(std::string_view text, std::string_view source) {
    HEAPWRIGHT_ASSIGN(const detail::JsonTape tape, detail::JsonTape::parse(text, source, true));
    if (tape.node(0).kind != detail::NodeKind::kObject) {
        return fail(ErrorCode::kSchemaViolation,
                    fmt::format("expected an object, found {}", detail::to_string(tape.node(0).kind)),
                    std::string(source));
    }
    const auto id = detail::find_key(tape, 0, "$schema", 1);
    if (!id) return fail(ErrorCode::kSchemaViolation, "missing key \"$schema\"", std::string(source));
    const std::string where = detail::place(source, "/$schema");
    const detail::Node& node = tape.node(*id);
    if (node.kind != detail::NodeKind::kString) {
        return fail(ErrorCode::kSchemaViolation,
                    fmt::format("expected a string, found {}", detail::to_string(node.kind)), where);
    }
    if (const auto kind = detail::kind_of_id(tape.text(node))) {
        if (detail::document_id(*kind) == tape.text(node)) return *kind;
        return fail(ErrorCode::kUnsupportedVersion,
                    detail::other_version(*kind, detail::version_of_id(tape.text(node))), where);
    }
    return fail(ErrorCode::kUnsupportedVersion,
                fmt::format("\"{}\" is no document of this version, such as \"{}\"", tape.text(node),
                            detail::document_id(DocumentKind::kReport)),
                where);
}

std::string write(const Report& report) {
    return detail::write_document(report, true);
}
std::string write(const Workload& workload) {
    return detail::write_document(workload, true);
}
std::string write(const Policy& policy) {
    return detail::write_document(policy, true);
}
std::string write(const Validation& validation) {
    return detail::write_document(validation, true);
}

std::string stable_hash(const Report& report) {
    return hash_hex(detail::write_document(report, false));
}
std::string stable_hash(const Workload& workload) {
    return hash_hex(detail::write_document(workload, false));
}
std::string stable_hash(const Policy& policy) {
    return hash_hex(detail::write_document(policy, false, false));
}

std::string without_volatile(const Report& report) {
    return detail::write_document(report, false);
}

std::vector<std::string_view> volatile_paths(DocumentKind kind) {
    switch (kind) {
        case DocumentKind::kReport: return {"/volatile", "/devices/*/volatile"};
        case DocumentKind::kWorkload: return {};
        case DocumentKind::kPolicy: return {"/volatile"};
        case DocumentKind::kValidation: return {"/volatile", "/devices/*/scenarios/*/volatile"};
        case DocumentKind::kComparison:
        case DocumentKind::kWhatIf: return {"/volatile"};
    }
    return {};
}

}  // namespace heapwright::model
