#include "kept_driver.hpp"

#include <map>
#include <utility>

#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include "vulkan/instance.hpp"

namespace heapwright::test {
namespace {

std::map<std::string, vulkan::Instance>& kept() {
    static std::map<std::string, vulkan::Instance> instances;
    return instances;
}

// Before the process's own end, when drivers take themselves down.
class Release final : public Catch::EventListenerBase {
public:
    using Catch::EventListenerBase::EventListenerBase;
    void testRunEnded(const Catch::TestRunStats&) override { kept().clear(); }
};
CATCH_REGISTER_LISTENER(Release)

}  // namespace

Status keep_loaded(const std::string& manifest) {
    if (kept().contains(manifest)) return {};
    HEAPWRIGHT_ASSIGN(vulkan::Instance instance, vulkan::Instance::create({.icd_files = {manifest}}));
    kept().emplace(manifest, std::move(instance));
    return {};
}

}  // namespace heapwright::test
