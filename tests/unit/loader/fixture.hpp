// A device as an engine would give it to the loader, taken from a committed report, and folders of policies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/policy_loader.h"

namespace heapwright::test {

// The C structure and what its pointers point to. Not copied: the structure points into it.
class Engine {
public:
    explicit Engine(const model::DeviceReport& report);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    heapwright_device device{};
    std::vector<heapwright_heap> heaps;
    std::vector<heapwright_memory_type> memory_types;

private:
    model::DeviceIdentity identity_;
};

// A committed report's first device: "nvidia-h100-580.159.04-vulkan.json".
[[nodiscard]] model::DeviceReport committed_device(const std::string& name);

// A new folder that is removed with its contents.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string path() const { return path_.string(); }
    void write(const std::string& name, const std::string& text) const;
    void copy_committed_policies() const;

private:
    std::filesystem::path path_;
};

// Handles that end with their scope. The open and the selection must succeed.
class Set {
public:
    explicit Set(const std::string& folder);
    ~Set() { heapwright_policies_close(set_); }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;
    [[nodiscard]] const heapwright_policies* get() const { return set_; }

private:
    heapwright_policies* set_ = nullptr;
};

class Selected {
public:
    Selected(const heapwright_policies* set, const heapwright_device& device,
             const heapwright_fallback* fallback = nullptr);
    ~Selected() { heapwright_policy_free(policy_); }
    Selected(const Selected&) = delete;
    Selected& operator=(const Selected&) = delete;
    [[nodiscard]] const heapwright_policy* get() const { return policy_; }
    [[nodiscard]] heapwright_policy_info info() const;
    [[nodiscard]] std::string explanation() const { return info().explanation; }
    [[nodiscard]] heapwright_bucket bucket(std::uint32_t index) const;
    [[nodiscard]] heapwright_heap_limit heap(std::uint32_t index) const;

private:
    heapwright_policy* policy_ = nullptr;
};

[[nodiscard]] heapwright_fallback fallback(const char* workload = nullptr, const char* report_file = nullptr);

}  // namespace heapwright::test
