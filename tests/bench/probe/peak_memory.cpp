// Peak resident memory of `heapwright probe` against a bare program that loads the same driver, makes the same device
// and asks the same questions without keeping an answer:
//   bench_probe_memory HEAPWRIGHT ICD_FILE [LIMIT_MIB]
// The peaks are the kernel's own high-water marks, read of every process while it lives; the larger of them is checked
// against what wait4() says after the end. Linux. Exit code 1: above the limit, 3: something did not run.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "probe/cases.hpp"
#include "vulkan/facts.hpp"
#include "vulkan/requirement_query.hpp"
#include "vulkan/sweeps.hpp"

using namespace heapwright;

namespace {

constexpr useconds_t kPollMicroseconds = 500;

void ask_all(const vulkan::Instance& instance, const vulkan::PhysicalDevice& device, vulkan::RequirementQuery& query,
             std::uint64_t max_buffer_bytes) {
    const model::ImageGrid grid = probe::image_grid(device.properties().limits.maxImageDimension2D);
    for (const model::ImageCase& image : probe::standard_image_cases()) {
        const vulkan::ImageSupport support = vulkan::image_support(instance, device.handle(), image);
        if (!support.not_supported.empty()) continue;
        VkImageCreateInfo info = vulkan::create_info(image);
        const bool is_volume = image.dimension == model::ImageDimension::k3d;
        for (std::size_t point = 0; point < grid.point_count(); ++point) {
            const auto [width, height] = grid.point(point);
            info.extent = {width, height, is_volume ? std::min(width, height) : 1};
            if (image.full_mips) info.mipLevels = static_cast<std::uint32_t>(std::bit_width(std::max(width, height)));
            if (support.admits(info.extent, info.mipLevels)) (void)query.image(info);
        }
    }
    for (const model::BufferCase& entry : probe::standard_buffer_cases()) {
        if (!vulkan::unsupported_buffer_usage(query, entry.usage).empty()) continue;
        for (const std::uint64_t size : probe::buffer_sizes(max_buffer_bytes)) {
            (void)query.buffer(vulkan::create_info({.size_bytes = size, .usage = entry.usage}));
        }
    }
}

// The bare program.
Status run_bare(const char* icd) {
    HEAPWRIGHT_ASSIGN(const vulkan::Instance instance, vulkan::Instance::create({.icd_files = {icd}}));
    HEAPWRIGHT_ASSIGN(const auto handles, instance.physical_devices());
    if (handles.empty()) return fail(ErrorCode::kNoDevice, "the driver gives no device", icd);
    HEAPWRIGHT_ASSIGN(const auto device, vulkan::PhysicalDevice::describe(instance, handles[0]));
    HEAPWRIGHT_ASSIGN(const auto query, vulkan::RequirementQuery::create(instance, device));
    ask_all(instance, device, *query, vulkan::largest_buffer_bytes(vulkan::read_limits(instance, device).values));
    return {};
}

std::uint64_t status_field_kib(pid_t process, const char* name) {
    std::ifstream file(fmt::format("/proc/{}/status", process));
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with(name)) return std::strtoull(line.c_str() + std::strlen(name), nullptr, 10);
    }
    return 0;
}

std::vector<pid_t> children_of(pid_t process) {
    std::vector<pid_t> children;
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
    pid_t child = 0;
    while (file >> child) children.push_back(child);
    return children;
}

// High-water marks in KiB: the process's own, and its children's in the order in which they came.
struct Peaks {
    std::uint64_t own = 0;
    std::map<pid_t, std::uint64_t> children;
    std::uint64_t largest_by_kernel = 0;
    int exit_code = -1;

    [[nodiscard]] std::uint64_t largest_child() const {
        std::uint64_t largest = 0;
        for (const auto& [process, peak] : children) largest = std::max(largest, peak);
        return largest;
    }
};

Peaks run(std::vector<std::string> command) {
    Peaks peaks;
    const pid_t process = fork();
    if (process == 0) {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        std::vector<char*> arguments;
        for (std::string& text : command) arguments.push_back(text.data());
        arguments.push_back(nullptr);
        execv(arguments[0], arguments.data());
        _exit(126);
    }
    if (process < 0) return peaks;
    for (;;) {
        int status = 0;
        rusage usage{};
        if (wait4(process, &status, WNOHANG, &usage) == process) {
            peaks.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            peaks.largest_by_kernel = static_cast<std::uint64_t>(usage.ru_maxrss);
            return peaks;
        }
        peaks.own = std::max(peaks.own, status_field_kib(process, "VmHWM:"));
        for (const pid_t child : children_of(process)) {
            std::uint64_t& peak = peaks.children[child];
            peak = std::max(peak, status_field_kib(child, "VmHWM:"));
        }
        usleep(kPollMicroseconds);
    }
}

double mib(std::uint64_t kib) {
    return static_cast<double>(kib) / 1024.0;
}

int compare(const char* self, const char* heapwright, const char* icd, double limit_mib) {
    const Peaks bare = run({self, "--bare", icd});
    const Peaks probe = run({heapwright, "probe", "--api", "vulkan", "--icd", icd, "--no-timing", "-q"});
    if (bare.exit_code != 0 || probe.exit_code != 0 || probe.children.empty()) {
        fmt::print(stderr, "{}: the bare program ended with {}, the probe with {} and {} workers\n", icd,
                   bare.exit_code, probe.exit_code, probe.children.size());
        return 3;
    }
    const std::uint64_t driver = bare.largest_by_kernel;
    // Polling may miss a process's last half millisecond; the kernel's figure is of the larger of the two.
    const std::uint64_t worker = std::max(probe.largest_child(), probe.largest_by_kernel);
    const double above = mib(worker) - mib(driver) + mib(probe.own);
    fmt::print(
        "{}\n  bare driver {:.1f} MiB; probe: parent {:.1f} MiB, worker {:.1f} MiB; together {:.1f} MiB above "
        "the driver's own\n",
        icd, mib(driver), mib(probe.own), mib(worker), above);
    return limit_mib > 0 && above > limit_mib ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--bare") == 0) return run_bare(argv[2]) ? 0 : 3;
    if (argc < 3 || argc > 4) {
        fmt::print(stderr, "usage: bench_probe_memory HEAPWRIGHT ICD_FILE [LIMIT_MIB]\n");
        return 2;
    }
    const std::string self = std::filesystem::canonical("/proc/self/exe").string();
    return compare(self.c_str(), argv[1], argv[2], argc == 4 ? std::strtod(argv[3], nullptr) : 0);
}
