// What the rules of engines read of a report's measurements, each with the pointer that cites it. A view: the context
// outlives it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// "graphics", "compute" and "copy" are the kinds of a report's engines.
inline constexpr std::string_view kGraphicsEngine = "graphics";
inline constexpr std::string_view kComputeEngine = "compute";
inline constexpr std::string_view kCopyEngine = "copy";

class EngineFacts {
public:
    // `measured` is the context's device's.
    EngineFacts(const Context& context, const model::EngineMeasurements& measured)
        : context_(context), measured_(measured) {}

    [[nodiscard]] const Context& context() const { return context_; }
    [[nodiscard]] const model::EngineMeasurements& measured() const { return measured_; }
    [[nodiscard]] const model::EngineDescription& engine(std::size_t index) const { return measured_.engines[index]; }

    // The engines of a kind and priority, in the report's order.
    [[nodiscard]] std::vector<std::size_t> engines(std::string_view kind, std::string_view priority = "normal") const;
    [[nodiscard]] std::optional<std::size_t> first(std::string_view kind) const;

    // The figures of a pair, of a copy, of a pipeline; nothing where they were not measured.
    [[nodiscard]] std::optional<std::size_t> overlap(std::size_t first, std::size_t second) const;
    [[nodiscard]] std::optional<std::size_t> copy(std::size_t engine, model::CopyDirection direction) const;
    [[nodiscard]] std::optional<std::size_t> pipeline(std::string_view name) const;

    // `member` is relative to the measurements: "engines/0/kind".
    [[nodiscard]] model::DecisionInput cite(std::string_view member, model::Figure value) const;
    [[nodiscard]] model::DecisionInput cite_ns(std::string_view member, std::uint64_t ns) const;
    [[nodiscard]] model::DecisionInput cite_engine(std::size_t index, std::string_view member) const;

private:
    const Context& context_;
    const model::EngineMeasurements& measured_;
};

}  // namespace heapwright::policy
