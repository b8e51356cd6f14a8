#include "heapwright/export/policy_values.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heapwright/model/json.hpp"

namespace heapwright::exporting {
namespace {

using Json = nlohmann::ordered_json;

std::string label_of(const Json& item) {
    for (const char* key : {"id", "use", "work", "hint"}) {
        if (const auto found = item.find(key); found != item.end() && found->is_string()) return *found;
    }
    return {};
}

class Walk {
public:
    explicit Walk(std::vector<PolicyValue>& out) : out_(out) {}

    void visit(const Json& node, const PolicyValue& place) {
        if (node.is_object() && node.contains("value") && node.contains("reason")) {
            add(node["value"], place, node["reason"].is_string() ? node["reason"].get<std::string>() : std::string());
        } else if (node.is_object()) {
            for (const auto& [key, value] : node.items()) {
                PolicyValue inner = place;
                inner.path += "/" + key;
                inner.pattern += "/" + key;
                const bool of_bucket =
                    inner.pattern == "/buckets/*/resource_classes" || inner.pattern == "/buckets/*/expected_bytes";
                if (of_bucket) {
                    add(value, inner, {});
                } else {
                    visit(value, inner);
                }
            }
        } else if (node.is_array()) {
            for (std::size_t index = 0; index < node.size(); ++index) {
                PolicyValue inner = place;
                inner.path += fmt::format("/{}", index);
                inner.pattern += "/*";
                if (node[index].is_object()) inner.label = label_of(node[index]);
                visit(node[index], inner);
            }
        }
    }

private:
    void add(const Json& value, const PolicyValue& place, std::string reason) {
        out_.push_back(place);
        out_.back().text = value.dump();
        out_.back().reason = std::move(reason);
    }

    std::vector<PolicyValue>& out_;
};

}  // namespace

std::vector<PolicyValue> policy_values(const model::Policy& policy, std::size_t device) {
    std::vector<PolicyValue> values;
    // The text is this program's own writing: it parses.
    const Json document = Json::parse(model::write(policy), nullptr, false);
    if (document.is_discarded() || !document.contains("devices") || device >= document["devices"].size()) return values;
    Walk(values).visit(document["devices"][device], {});
    return values;
}

std::string name_of(const PolicyValue& value) {
    return value.label.empty() ? value.path : fmt::format("{} ({})", value.path, value.label);
}

}  // namespace heapwright::exporting
