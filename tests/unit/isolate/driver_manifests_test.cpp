#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "isolate/driver_manifests.hpp"

using namespace heapwright;
namespace fs = std::filesystem;

namespace {

// Sets a variable for the length of a test.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (old_) {
            setenv(name_, old_->c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

void touch(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "{}";
}

}  // namespace

TEST_CASE("manifests come from the variables first, then from the folders in the loader's order") {
    const fs::path root = fs::temp_directory_path() / "heapwright-manifests-test";
    fs::remove_all(root);
    touch(root / "data" / "vulkan" / "icd.d" / "b.json");
    touch(root / "data" / "vulkan" / "icd.d" / "a.json");
    touch(root / "data" / "vulkan" / "icd.d" / "readme.txt");
    touch(root / "config" / "vulkan" / "icd.d" / "c.json");
    const Variable home("HOME", (root / "nobody").string());
    const Variable config_home("XDG_CONFIG_HOME", (root / "config").string());
    const Variable config("XDG_CONFIG_DIRS", (root / "none").string());
    const Variable data_home("XDG_DATA_HOME", (root / "none").string());
    const Variable data("XDG_DATA_DIRS", (root / "data").string() + ":" + (root / "data").string());
    {
        const Variable files("VK_DRIVER_FILES", "");
        const Variable names("VK_ICD_FILENAMES", "");
        const auto found = isolate::vulkan_driver_manifests();
        std::vector<fs::path> ours;
        for (const auto& path : found) {
            if (path.string().starts_with(root.string())) ours.push_back(path.filename());
        }
        CHECK(ours == std::vector<fs::path>{"c.json", "a.json", "b.json"});
    }
    const Variable names("VK_ICD_FILENAMES", "");
    const Variable files("VK_DRIVER_FILES", (root / "data/vulkan/icd.d/b.json").string() + ":" + "/absent.json");
    CHECK(isolate::vulkan_driver_manifests() == std::vector<fs::path>{root / "data/vulkan/icd.d/b.json"});
    fs::remove_all(root);
}
