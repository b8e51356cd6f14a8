// Fields<T> to JSON Schema (draft 7). Every struct is a definition of its own.
#pragma once

#include <bit>
#include <functional>
#include <nlohmann/json.hpp>

#include "model/detail/codec.hpp"
#include "model/detail/document_id.hpp"
#include "model/detail/write.hpp"
#include "model/names.hpp"

namespace heapwright::model::detail {

using Schema = nlohmann::ordered_json;

class SchemaBuilder {
public:
    // A reference to the definition `name`, which `make` fills when it is asked for the first time.
    template <class Make>
    Schema reference(const std::string& name, Make&& make) {
        if (!definitions_.contains(name)) {
            definitions_[name] = nullptr;  // holds the place while what it refers to is made
            definitions_[name] = make();
        }
        return Schema{{"$ref", "#/definitions/" + name}};
    }

    [[nodiscard]] const Schema& definitions() const { return definitions_; }

private:
    Schema definitions_ = Schema::object();
};

Schema schema_of(SchemaBuilder& builder, const BoolCodec& codec);
Schema schema_of(SchemaBuilder& builder, const UintCodec& codec);
Schema schema_of(SchemaBuilder& builder, const WideCodec& codec);
Schema schema_of(SchemaBuilder& builder, const PowerOfTwoCodec& codec);
Schema schema_of(SchemaBuilder& builder, const SignedCodec& codec);
Schema schema_of(SchemaBuilder& builder, const RealCodec& codec);
Schema schema_of(SchemaBuilder& builder, const TextCodec& codec);
Schema schema_of(SchemaBuilder& builder, const PatternCodec& codec);
Schema schema_of(SchemaBuilder& builder, const PromiseNameCodec& codec);
Schema schema_of(SchemaBuilder& builder, const FlagsCodec& codec);
Schema schema_of(SchemaBuilder& builder, const FactsCodec& codec);
Schema schema_of(SchemaBuilder& builder, const RunsCodec& codec);
Schema schema_of(SchemaBuilder& builder, const ToolCodec& codec);
Schema schema_of(SchemaBuilder& builder, const FigureCodec& codec);
Schema schema_of(SchemaBuilder& builder, const StatementCodec& codec);

// {"type": "object", ...} of (key, schema) pairs that are all required.
Schema object_schema(const std::vector<std::pair<std::string, Schema>>& properties);

template <class T>
Schema record_schema(SchemaBuilder& builder);

template <class E>
Schema schema_of(SchemaBuilder&, const NameCodec<E>&) {
    Schema names = Schema::array();
    for (const std::string_view name : names_of<E>()) names.push_back(name);
    return Schema{{"enum", std::move(names)}};
}

template <class T>
Schema schema_of(SchemaBuilder& builder, const RecordCodec<T>&) {
    return builder.reference(std::string(Fields<T>::kName), [&] { return record_schema<T>(builder); });
}

template <class C, std::size_t N>
Schema schema_of(SchemaBuilder& builder, const TupleCodec<C, N>& codec) {
    return Schema{{"type", "array"}, {"items", schema_of(builder, codec.item)}, {"minItems", N}, {"maxItems", N}};
}

template <class C>
Schema schema_of(SchemaBuilder& builder, const ItemsCodec<C>& codec) {
    Schema schema{{"type", "array"}, {"items", schema_of(builder, codec.item)}};
    if (codec.min_items != 0) schema["minItems"] = codec.min_items;
    if (codec.max_items != std::numeric_limits<std::size_t>::max()) schema["maxItems"] = codec.max_items;
    return schema;
}

template <class C>
Schema schema_of(SchemaBuilder& builder, const DecidedCodec<C>& codec) {
    return object_schema({{"value", schema_of(builder, codec.value)},
                          {"reason", schema_of(builder, StatementCodec{})},
                          {"inputs", schema_of(builder, ItemsCodec<RecordCodec<DecisionInput>>{})},
                          {"alternatives", schema_of(builder, ItemsCodec<RecordCodec<Alternative>>{})}});
}

// `property` with what people read of it: a draft 7 reference stands alone, so it moves into an allOf.
Schema described(Schema property, std::string_view description, const Schema* default_value);

template <class F>
void add_field(SchemaBuilder& builder, const F& entry, Schema& schema, const Schema* defaults) {
    Schema property = schema_of(builder, entry.codec);
    if (entry.presence == Presence::kRequired) schema["required"].push_back(entry.key);
    if (entry.presence == Presence::kOptional && property.value("type", "") == "string") property["minLength"] = 1;
    if (entry.presence == Presence::kOptional && property.value("type", "") == "array") property["minItems"] = 1;
    const std::string key(entry.key);
    const bool has_default = entry.presence == Presence::kDefaulted && defaults != nullptr && defaults->contains(key);
    schema["properties"][key] =
        described(std::move(property), entry.description, has_default ? &defaults->at(key) : nullptr);
}

template <class T>
Schema record_schema(SchemaBuilder& builder) {
    Schema schema{{"type", "object"}, {"additionalProperties", false}, {"required", Schema::array()}};
    schema["properties"] = Schema::object();
    if constexpr (kIsDocument<T>) {
        schema["required"] = Schema::array({"$schema", "schema_version"});
        const auto only = [](auto value, std::string_view description) {
            return Schema{{"enum", Schema::array({value})}, {"description", description}};
        };
        schema["properties"]["$schema"] =
            only(document_id(Fields<T>::kKind), "Names this schema: the document's kind and the version of its form");
        schema["properties"]["schema_version"] =
            only(schema_version(Fields<T>::kKind), "The same version as a number; another one is refused");
    }
    Schema defaults;
    if constexpr (kStatesDefaults<T>) defaults = Schema::parse(write_document(T{}, false));
    std::apply(
        [&](const auto&... entry) {
            (add_field(builder, entry, schema, defaults.is_null() ? nullptr : &defaults), ...);
        },
        Fields<T>::list);
    if (schema["required"].empty()) schema.erase("required");
    return schema;
}

template <class T>
std::string document_schema() {
    SchemaBuilder builder;
    Schema body = record_schema<T>(builder);
    Schema schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"$id", document_id(Fields<T>::kKind)},
                  {"title", std::string("heapwright ") + std::string(Fields<T>::kName)},
                  {"description", Fields<T>::kPurpose}};
    schema.update(body);
    schema["definitions"] = builder.definitions();
    return schema.dump(2) + "\n";
}

}  // namespace heapwright::model::detail
