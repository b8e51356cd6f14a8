// What one exporter decided, while it decides: which setting took which policy value and what changed on the way. It
// knows every value of the policy, so that whatever no setting took ends as "not expressible", with a reason.
// Not thread-safe; one for each export.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/setting.hpp"
#include "heapwright/model/policy.hpp"

namespace heapwright::exporting {

// Why values of this pattern ("/buckets/*/chunk_choice") have no setting in a target.
struct Reason {
    std::string_view pattern;
    std::string_view reason;
};

class Sheet {
public:
    // `policy`: what is exported of the policy whose hash this is.
    Sheet(std::string_view target_title, const model::Policy& policy, std::size_t device, std::string policy_hash);

    [[nodiscard]] const model::DevicePolicy& device() const { return policy_.devices[device_]; }
    [[nodiscard]] const model::Policy& policy() const { return policy_; }
    [[nodiscard]] const std::string& policy_hash() const { return policy_hash_; }
    [[nodiscard]] std::size_t device_index() const { return device_; }

    // The setting's value for the number of the policy at `path`; `where` tells apart what a key holds several of.
    std::uint64_t set(const Setting& setting, std::uint64_t policy_value, std::string_view path,
                      std::string_view where = {});
    // The same for a value that has no number, or that several values decide together.
    void set_text(const Setting& setting, std::string_view value, const std::vector<std::string>& paths,
                  std::string_view where = {});
    // The same for a decided value; leaves the setting out where the policy has none (0).
    std::optional<std::uint64_t> set_decided(const Setting& setting, const model::Decided<std::uint64_t>& decided,
                                             std::string_view path, std::string_view where = {});
    // The policy says nothing for this setting: the output leaves it to the target's default.
    void leave_out(const Setting& setting, std::string_view why);
    // A clamp or a rounding that no setting's own rule made.
    void change(std::string_view key, std::string_view what);
    // Takes the place of the general reason for this pattern, or for one path.
    void explain(std::string_view pattern_or_path, std::string_view reason);

    [[nodiscard]] const std::vector<std::string>& values() const { return values_; }
    [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }
    [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }
    [[nodiscard]] std::vector<std::string> not_expressible() const;

private:
    void mark(std::string_view path);
    [[nodiscard]] std::string named(std::string_view path) const;
    [[nodiscard]] std::string reason_for(const PolicyValue& value) const;

    std::string title_;
    const model::Policy& policy_;
    std::size_t device_;
    std::string policy_hash_;
    std::vector<PolicyValue> all_;
    std::set<std::string, std::less<>> used_;
    std::map<std::string, std::string, std::less<>> reasons_;
    std::vector<std::string> values_;
    std::vector<std::string> changes_;
    std::vector<std::string> left_out_;
};

}  // namespace heapwright::exporting
