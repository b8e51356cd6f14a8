#include "compare/detail/device_json.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <functional>

#include "compare/device_pairing.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::compare::detail {
namespace {

using KeyOf = std::function<std::string(const Tree&, std::size_t)>;

void key_array(Tree& parent, const char* name, const KeyOf& key_of) {
    const auto array = parent.find(name);
    if (array == parent.end() || !array->is_array()) return;
    Tree object = Tree::object();
    for (std::size_t index = 0; index < array->size(); ++index) {
        const std::string key = key_of((*array)[index], index);
        std::string unique = key;
        for (int count = 2; object.contains(unique); ++count) unique = fmt::format("{}#{}", key, count);
        object[unique] = std::move((*array)[index]);
    }
    *array = std::move(object);
}

KeyOf by_record() {
    return [](const Tree& element, std::size_t) { return record_key(element); };
}

KeyOf by_member(const char* member) {
    return [member](const Tree& element, std::size_t) { return text_of(element.at(member)); };
}

// A queue family is what it can run. Sparse binding and protection come and go with features.
std::string queue_role(const Tree& flags) {
    std::string role;
    for (const Tree& flag : flags) {
        const auto& name = flag.get_ref<const std::string&>();
        if (name != "SPARSE_BINDING" && name != "PROTECTED") append(role, "|", name);
    }
    return role.empty() ? "NONE" : role;
}

// Written and read back, so that the tree is what the document says.
template <class Document>
Tree first_device(const Document& document) {
    return std::move(Tree::parse(model::write(document)).at("devices").at(0));
}

}  // namespace

bool is_claim(const Tree& value) {
    return value.is_object() && value.contains("figures") && value.contains("text");
}

std::string record_key(const Tree& record) {
    // The members that name an entry of any document's lists; the first that it has stand for it.
    constexpr std::array<std::string_view, 22> kNaming{
        "id",     "group",  "name",      "api",  "use",     "work",   "heap",   "description",
        "format", "tiling", "dimension", "kind", "usage",   "engine", "bucket", "aspects",
        "first",  "second", "property",  "call", "feature", "hint"};
    std::string key;
    for (const std::string_view member : kNaming) {
        const auto found = record.find(member);
        if (found == record.end()) continue;
        if (found->is_object()) {
            for (const auto& entry : *found) append(key, " ", text_of(entry));
        } else {
            append(key, " ", text_of(*found));
        }
    }
    return key.empty() ? text_of(record) : key;
}

std::string text_of(const Tree& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array()) {
        std::string text;
        for (const Tree& element : value) append(text, ", ", text_of(element));
        return text.empty() ? "none" : text;
    }
    constexpr std::size_t kShort = 80;
    if (!value.is_object()) return value.dump();
    if (is_claim(value)) return value.at("text").get<std::string>();
    std::string text;
    for (const auto& [key, member] : value.items()) append(text, ", ", fmt::format("{} {}", key, text_of(member)));
    if (text.size() > kShort) text.replace(kShort, std::string::npos, "...");
    return text;
}

std::optional<std::uint64_t> bits_of(const Tree& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    if (!text.starts_with("0x")) return std::nullopt;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<double> number_of(const Tree& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number()) return value.get<double>();
    if (const auto wide = bits_of(value)) return static_cast<double>(*wide);
    return std::nullopt;
}

Tree tree_of(const model::DeviceReport& device) {
    model::DeviceReport facts = device;
    facts.image_sweep = {};
    facts.buffer_sweep = {};
    facts.observations = {};
    facts.run = {};
    Tree tree = first_device(model::Report{.devices = {std::move(facts)}});
    const MemoryLayout layout = layout_of(device);
    for (Tree& type : tree["memory_types"]) {
        const auto heap = type.at("heap_index").get<std::size_t>();
        if (heap < layout.heaps.size()) type["heap_index"] = layout.heaps[heap];
    }
    key_array(tree, "heaps", [&](const Tree&, std::size_t index) { return layout.heaps[index]; });
    key_array(tree, "memory_types", [&](const Tree&, std::size_t index) { return layout.types[index]; });
    key_array(tree, "queue_families", [](const Tree& family, std::size_t) { return queue_role(family.at("flags")); });
    key_array(tree, "extensions", by_member("name"));
    key_array(tree, "findings", by_member("id"));
    key_array(tree, "unreported", by_member("name"));
    for (const char* list : {"sparse_images", "sparse_buffers"}) {
        const auto found = tree.find(list);
        if (found == tree.end()) continue;
        for (Tree& entry : *found) {
            Tree& bits = entry.at("requirements").at("memory_type_bits");
            const auto value = bits.get<std::uint32_t>();
            bits = Tree::array();
            for (std::size_t type = 0; type < layout.types.size(); ++type) {
                if ((value >> type & 1u) != 0) bits.push_back(layout.types[type]);
            }
        }
    }
    for (const char* list : {"texts", "layered_apis", "sparse_images", "sparse_buffers", "image_compression"})
        key_array(tree, list, by_record());
    return tree;
}

Tree tree_of(const model::DevicePolicy& device) {
    Tree tree = first_device(model::Policy{.devices = {device}});
    key_array(tree, "heaps", by_member("heap"));
    key_array(tree, "memory_uses", by_member("use"));
    key_array(tree, "buckets", by_member("id"));
    key_array(tree, "feasibility", by_member("heap"));
    if (const auto engines = tree.find("engines"); engines != tree.end()) {
        key_array(*engines, "assignments", by_member("work"));
    }
    return tree;
}

Tree tree_of(const model::DeviceValidation& device) {
    Tree tree = first_device(model::Validation{.devices = {device}});
    key_array(tree, "scenarios", by_member("name"));
    key_array(tree, "baselines", by_member("name"));
    return tree;
}

}  // namespace heapwright::compare::detail
