#include "model/detail/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "model/detail/fields_comparison.hpp"
#include "model/detail/fields_policy.hpp"
#include "model/detail/fields_validation.hpp"
#include "model/detail/fields_what_if.hpp"

namespace heapwright::model {
namespace detail {

Schema described(Schema property, std::string_view description, const Schema* default_value) {
    if (description.empty() && default_value == nullptr) return property;
    if (property.contains("$ref")) property = Schema{{"allOf", Schema::array({std::move(property)})}};
    if (!description.empty()) property["description"] = description;
    if (default_value != nullptr) property["default"] = *default_value;
    return property;
}

Schema object_schema(const std::vector<std::pair<std::string, Schema>>& properties) {
    Schema schema{{"type", "object"}, {"additionalProperties", false}, {"required", Schema::array()}};
    for (const auto& [key, property] : properties) {
        schema["required"].push_back(key);
        schema["properties"][key] = property;
    }
    return schema;
}

Schema schema_of(SchemaBuilder&, const BoolCodec&) {
    return Schema{{"type", "boolean"}};
}

Schema schema_of(SchemaBuilder&, const UintCodec& codec) {
    return Schema{{"type", "integer"}, {"minimum", codec.min}, {"maximum", codec.max}};
}

Schema schema_of(SchemaBuilder& builder, const WideCodec& codec) {
    return builder.reference(codec.min == 0 ? "uint64" : fmt::format("uint64_from_{}", codec.min), [&] {
        const Schema plain{{"type", "integer"}, {"minimum", codec.min}, {"maximum", kMaxPlainInteger}};
        // 2^53 is 0x0020000000000000: the first three digits of anything from there on are at least 002.
        const Schema large{{"type", "string"},
                           {"pattern", "^0x(00[2-9a-f]|0[1-9a-f][0-9a-f]|[1-9a-f][0-9a-f]{2})[0-9a-f]{13}$"}};
        return Schema{{"anyOf", Schema::array({plain, large})}};
    });
}

Schema schema_of(SchemaBuilder& builder, const PowerOfTwoCodec& codec) {
    return builder.reference(fmt::format("power_of_two_to_{}", codec.max), [&] {
        Schema values = Schema::array();
        for (std::uint64_t value = 1; value <= codec.max; value *= 2) values.push_back(value);
        return Schema{{"enum", std::move(values)}};
    });
}

Schema schema_of(SchemaBuilder&, const SignedCodec&) {
    constexpr auto kMax = static_cast<std::int64_t>(kMaxPlainInteger);
    return Schema{{"type", "integer"}, {"minimum", -kMax}, {"maximum", kMax}};
}

Schema schema_of(SchemaBuilder&, const RealCodec& codec) {
    Schema schema{{"type", "number"}, {"minimum", codec.min}};
    if (codec.max != std::numeric_limits<double>::max()) schema["maximum"] = codec.max;
    return schema;
}

Schema schema_of(SchemaBuilder&, const TextCodec& codec) {
    Schema schema{{"type", "string"}};
    if (codec.min_length != 0) schema["minLength"] = codec.min_length;
    return schema;
}

Schema schema_of(SchemaBuilder&, const PatternCodec& codec) {
    return Schema{{"type", "string"}, {"pattern", codec.pattern}};
}

Schema schema_of(SchemaBuilder&, const PromiseNameCodec&) {
    static_assert(kMaxHeaps == 16);
    return Schema{{"type", "string"},
                  {"pattern", fmt::format("^({}/([0-9]|1[0-5]))$", fmt::join(names_of<PromiseKind>(), "|"))}};
}

Schema schema_of(SchemaBuilder& builder, const FlagsCodec& codec) {
    return builder.reference(std::string(codec.definition), [&] {
        Schema names = Schema::array();
        for (int bit = 0; bit < 32; ++bit) {
            const std::string name = flag_name(Flags{1} << bit, codec.names());
            const std::string numbered = fmt::format("BIT_{}", bit);
            if (name != numbered) names.push_back(name);
            names.push_back(numbered);
        }
        return Schema{{"type", "array"}, {"items", {{"enum", std::move(names)}}}, {"uniqueItems", true}};
    });
}

Schema schema_of(SchemaBuilder& builder, const FactsCodec& codec) {
    const Schema value = codec.max > kMaxPlainInteger ? schema_of(builder, WideCodec{})
                                                      : schema_of(builder, UintCodec{.min = 0, .max = codec.max});
    const Schema group{{"type", "object"}, {"minProperties", 1}, {"additionalProperties", value}};
    return Schema{{"type", "object"}, {"additionalProperties", group}};
}

Schema schema_of(SchemaBuilder& builder, const RunsCodec&) {
    return builder.reference("runs", [&] {
        const Schema value = schema_of(builder, UintCodec{.min = 0, .max = kMaxRunValue});
        const Schema count = schema_of(builder, UintCodec{.min = 1, .max = kMaxRunLength});
        const Schema run{{"type", "array"}, {"items", Schema::array({value, count})}, {"minItems", 2}, {"maxItems", 2}};
        return Schema{{"type", "array"}, {"items", run}};
    });
}

Schema schema_of(SchemaBuilder& builder, const ToolCodec&) {
    return object_schema(
        {{"name", Schema{{"enum", Schema::array({"heapwright"})}, {"description", "Always heapwright"}}},
         {"version", described(schema_of(builder, TextCodec{}), "Its version; empty: unknown", nullptr)}});
}

Schema schema_of(SchemaBuilder& builder, const FigureCodec&) {
    return builder.reference("figure", [&] {
        Schema units = Schema::object();
        for (const FigureUnit& unit : kFigureUnits) {
            const bool is_whole = unit.unit == Unit::kBytes || unit.unit == Unit::kCount;
            units[unit.key] = is_whole ? schema_of(builder, WideCodec{}) : schema_of(builder, kAnyReal);
        }
        return Schema{
            {"description", "A name as a string, a plain number, or a number with its unit: {\"bytes\": 65536}"},
            {"anyOf", Schema::array({Schema{{"type", "string"}}, Schema{{"type", "number"}},
                                     Schema{{"type", "object"},
                                            {"additionalProperties", false},
                                            {"minProperties", 1},
                                            {"maxProperties", 1},
                                            {"properties", std::move(units)}}})}};
    });
}

Schema schema_of(SchemaBuilder& builder, const StatementCodec&) {
    return builder.reference("statement", [&] {
        const Schema claim = builder.reference("claim", [&] {
            return object_schema(
                {{"id", described(schema_of(builder, TextCodec{.min_length = 1}), "Which claim; the same in every run",
                                  nullptr)},
                 {"text", described(schema_of(builder, TextCodec{}), "The same in English, for people", nullptr)},
                 {"figures", described(schema_of(builder, ItemsCodec<FigureCodec>{}),
                                       "What the text has in its places, in that order", nullptr)}});
        });
        return Schema{
            {"description", "Claims: the first says why, the others say more of it. A string is one in words alone"},
            {"anyOf",
             Schema::array({Schema{{"type", "string"}},
                            Schema{{"type", "array"},
                                   {"items", {{"anyOf", Schema::array({claim, Schema{{"type", "string"}}})}}}}})}};
    });
}

}  // namespace detail

namespace {
constexpr std::array<std::string_view, 6> kSchemaNames{"report",     "workload",   "policy",
                                                       "validation", "comparison", "what-if"};
}  // namespace

std::vector<std::string_view> schema_names() {
    return {kSchemaNames.begin(), kSchemaNames.end()};
}

Result<std::string> schema(std::string_view name) {
    if (name == "report") return detail::document_schema<Report>();
    if (name == "workload") return detail::document_schema<Workload>();
    if (name == "policy") return detail::document_schema<Policy>();
    if (name == "validation") return detail::document_schema<Validation>();
    if (name == "comparison") return detail::document_schema<Comparison>();
    if (name == "what-if") return detail::document_schema<WhatIf>();
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("no schema \"{}\"; known are report, workload, policy, validation, comparison and what-if{}", name,
                    nearest_word_hint(name, kSchemaNames)));
}

}  // namespace heapwright::model
