// A Vulkan driver that fails on demand, for programs that must outlive bad drivers: an ICD around a real one. Every
// function that the loader or the application gets from it leads through a gate (faults_on_demand.hpp), which counts
// the calls and misbehaves at those that the environment names.
//
//   application -> loader -> gate (count; fault?) -> the real driver's function
//
// HEAPWRIGHT_FAULT_DRIVER  the real driver's ICD manifest, or its library
// A number as fault is given back as VkResult. Faults that change an answer make the real call first:
//   zero-size, larger, odd-alignment, no-types   of functions that give VkMemoryRequirements(2)
//   odd-name                             of vkGetPhysicalDeviceProperties(2)
// twice and barrier are for functions of at most six arguments: vkCmdCopyBuffer. in-turn is for vkQueueSubmit of one
// device with timeline semaphores, and for programs that submit no wait before its signal: those would wait for ever.
//
// Source: Vulkan loader, LoaderDriverInterface.md (what an ICD exports).
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>

#include "fault_driver/faults_on_demand.hpp"

namespace {

using namespace heapwright::fault_driver;
using GetProcAddr = Function (*)(void* handle, const char* name);

Function gate_to(const char* name, Function real) {
    return Gates::get().gate_to(name, real, Convention::kSystemV);
}

// VkMemoryRequirements, and where it and VkPhysicalDeviceProperties stand in the structures of the second functions.
struct MemoryRequirements {
    std::uint64_t size;
    std::uint64_t alignment;
    std::uint32_t memory_type_bits;
};
constexpr std::size_t kInSecond = 16;  // after sType and pNext

// Names as no driver should give them: a line of its own, a workflow command, an escape sequence, what is no UTF-8.
constexpr char kOddDeviceName[] = "odd\n::error::device\r\x1b[31m\x07\xff\xc3(\xe2\x80\xae\x7f##[error]";
constexpr char kOddDriverName[] = "odd\n::error::driver\t\x1b]0;title\x07\xfe";
constexpr char kOddDriverInfo[] = "1.0\n::warning::info\x1b[2J\xc0\x80";

struct NextStructure {
    std::uint32_t type;
    NextStructure* next;
};
constexpr std::uint32_t kDriverProperties = 1000196000;
constexpr std::uint32_t kVulkan12Properties = 51;

void give_odd_names(void* properties, bool second) {
    constexpr std::size_t kDeviceNameAt = 20;  // after apiVersion, driverVersion, vendorID, deviceID, deviceType
    constexpr std::size_t kDriverNameAt = 20;  // after sType, pNext, driverID
    constexpr std::size_t kDriverInfoAt = kDriverNameAt + 256;
    auto* bytes = static_cast<char*>(properties);
    std::memcpy(bytes + (second ? kInSecond : 0) + kDeviceNameAt, kOddDeviceName, sizeof kOddDeviceName);
    if (!second) return;
    for (auto* next = static_cast<NextStructure*>(properties)->next; next != nullptr; next = next->next) {
        if (next->type != kDriverProperties && next->type != kVulkan12Properties) continue;
        std::memcpy(reinterpret_cast<char*>(next) + kDriverNameAt, kOddDriverName, sizeof kOddDriverName);
        std::memcpy(reinterpret_cast<char*>(next) + kDriverInfoAt, kOddDriverInfo, sizeof kOddDriverInfo);
    }
}

constexpr std::uint64_t kMore = 64 * 1024;

// Calls the real function, and changes what it gave.
void change_answer(const Gate& gate, Fault fault, std::uint64_t* arguments) {
    using Call = void (*)(std::uint64_t, std::uint64_t, std::uint64_t);
    reinterpret_cast<Call>(gate.real)(arguments[0], arguments[1], arguments[2]);
    if (fault == Fault::kOddName) {
        const bool second = gate.name.find("Properties2") != std::string::npos;
        give_odd_names(reinterpret_cast<void*>(arguments[1]), second);
        return;
    }
    const bool second = gate.name.find('2') != std::string::npos || gate.name.starts_with("vkGetDevice");
    auto* answer = reinterpret_cast<MemoryRequirements*>(arguments[2] + (second ? kInSecond : 0));
    if (fault == Fault::kZeroSize) answer->size = 0;
    if (fault == Fault::kLarger) answer->size += kMore;
    if (fault == Fault::kOddAlignment) answer->alignment = 3;
    if (fault == Fault::kNoTypes) answer->memory_type_bits = 0;
}

void call(const Gate& gate, const std::uint64_t* arguments) {
    using Call = void (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
    reinterpret_cast<Call>(gate.real)(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                                      arguments[5]);
}

// All commands before it are over, and what they wrote is seen, before any one after it begins.
void record_barrier(std::uint64_t commands) {
    struct MemoryBarrier {
        std::uint32_t type = 46;  // VK_STRUCTURE_TYPE_MEMORY_BARRIER
        const void* next = nullptr;
        std::uint32_t source_access = 0x10000;       // MEMORY_WRITE
        std::uint32_t destination_access = 0x18000;  // MEMORY_READ, MEMORY_WRITE
    };
    constexpr std::uint32_t kAllCommands = 0x10000;
    using PipelineBarrier = void (*)(std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                                     const MemoryBarrier*, std::uint32_t, const void*, std::uint32_t, const void*);
    const auto record = reinterpret_cast<PipelineBarrier>(Gates::get().real_of("vkCmdPipelineBarrier"));
    if (record == nullptr) give_up("vkCmdPipelineBarrier was never asked for");
    const MemoryBarrier everything;
    record(commands, kAllCommands, kAllCommands, 0, 1, &everything, 0, nullptr, 0, nullptr);
}

class Driver {
public:
    static Driver& get() {
        static Driver driver;
        return driver;
    }

    template <class Signature>
    [[nodiscard]] Signature exported(const char* name) const {
        return reinterpret_cast<Signature>(dlsym(library_, name));
    }

    GetProcAddr instance_proc_addr = nullptr;
    GetProcAddr physical_device_proc_addr = nullptr;
    GetProcAddr device_proc_addr = nullptr;

private:
    Driver() {
        const std::string library = library_of(environment("HEAPWRIGHT_FAULT_DRIVER"));
        library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) give_up("HEAPWRIGHT_FAULT_DRIVER: " + std::string(dlerror()));
        instance_proc_addr = exported<GetProcAddr>("vk_icdGetInstanceProcAddr");
        physical_device_proc_addr = exported<GetProcAddr>("vk_icdGetPhysicalDeviceProcAddr");
        if (instance_proc_addr == nullptr) give_up(library + " is no Vulkan driver");
    }

    // A manifest names its library, from its own folder where the path is relative and not a bare name.
    static std::string library_of(const std::string& manifest) {
        if (manifest.empty()) give_up("HEAPWRIGHT_FAULT_DRIVER names no driver");
        if (!manifest.ends_with(".json")) return manifest;
        std::ifstream file(manifest);
        std::stringstream text;
        text << file.rdbuf();
        const std::string json = text.str();
        std::size_t at = json.find("\"library_path\"");
        if (at != std::string::npos) at = json.find('"', json.find(':', at));
        if (at == std::string::npos) give_up(manifest + " names no library_path");
        std::string library = json.substr(at + 1, json.find('"', at + 1) - at - 1);
        if (library.find('/') != std::string::npos && library.front() != '/')
            library = manifest.substr(0, manifest.rfind('/') + 1) + library;
        return library;
    }

    void* library_ = nullptr;
};

// The queues of a device take turns: each call's work begins after that of the call before it, whatever its queue.
class Turns {
public:
    static Turns& get() {
        static Turns turns;
        return turns;
    }

    // Of one device at a time: the last one that was asked for functions.
    void set_device(void* device) {
        const std::scoped_lock lock(mutex_);
        device_ = device;
    }
    // Before the real vkDestroyDevice.
    void end_device(std::uint64_t device) {
        const std::scoped_lock lock(mutex_);
        if (owner_ == nullptr || reinterpret_cast<void*>(device) != owner_) return;
        const auto function = [&](const char* name) { return Driver::get().device_proc_addr(owner_, name); };
        reinterpret_cast<std::int32_t (*)(void*)>(function("vkDeviceWaitIdle"))(owner_);
        using Destroy = void (*)(void*, std::uint64_t, const void*);
        reinterpret_cast<Destroy>(function("vkDestroySemaphore"))(owner_, semaphore_, nullptr);
        owner_ = nullptr;
    }

    std::uint64_t submit(const Gate& gate, const std::uint64_t* arguments) {
        const std::scoped_lock lock(mutex_);
        if (owner_ != device_) make_semaphore();
        const auto real = reinterpret_cast<Submit>(gate.real);
        std::int32_t result = pass(real, arguments[0], last_, 0);
        if (result == 0)
            result = real(arguments[0], static_cast<std::uint32_t>(arguments[1]),
                          reinterpret_cast<const void*>(arguments[2]), arguments[3]);
        if (result == 0) result = pass(real, arguments[0], 0, last_ + 1);
        if (result == 0) ++last_;
        return static_cast<std::uint32_t>(result);
    }

private:
    using Submit = std::int32_t (*)(std::uint64_t queue, std::uint32_t count, const void* submits, std::uint64_t fence);

    void make_semaphore() {
        struct TypeInfo {
            std::uint32_t type = 1000207002;  // VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO
            const void* next = nullptr;
            std::uint32_t semaphore_type = 1;  // VK_SEMAPHORE_TYPE_TIMELINE
            std::uint64_t initial_value = 0;
        };
        struct CreateInfo {
            std::uint32_t type = 9;  // VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO
            const void* next = nullptr;
            std::uint32_t flags = 0;
        };
        using Create = std::int32_t (*)(void*, const CreateInfo*, const void*, std::uint64_t*);
        const auto create = reinterpret_cast<Create>(Driver::get().device_proc_addr(device_, "vkCreateSemaphore"));
        const TypeInfo timeline;
        const CreateInfo info{.next = &timeline};
        if (create == nullptr || create(device_, &info, nullptr, &semaphore_) != 0)
            give_up("the driver makes no timeline semaphore for in-turn");
        owner_ = device_;
        last_ = 0;
    }

    // Work of no commands that waits for a value, or signals one; 0: it does not.
    std::int32_t pass(Submit real, std::uint64_t queue, std::uint64_t waits_for, std::uint64_t signals) const {
        struct Values {
            std::uint32_t type = 1000207003;  // VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO
            const void* next = nullptr;
            std::uint32_t wait_count = 0;
            const std::uint64_t* waits = nullptr;
            std::uint32_t signal_count = 0;
            const std::uint64_t* signals = nullptr;
        };
        struct SubmitInfo {
            std::uint32_t type = 4;  // VK_STRUCTURE_TYPE_SUBMIT_INFO
            const void* next = nullptr;
            std::uint32_t wait_count = 0;
            const std::uint64_t* waits = nullptr;
            const std::uint32_t* wait_stages = nullptr;
            std::uint32_t command_buffer_count = 0;
            const void* command_buffers = nullptr;
            std::uint32_t signal_count = 0;
            const std::uint64_t* signals = nullptr;
        };
        constexpr std::uint32_t kAllCommands = 0x10000;
        const std::uint32_t waiting = waits_for > 0 ? 1 : 0;
        const std::uint32_t signalling = signals > 0 ? 1 : 0;
        if (waiting + signalling == 0) return 0;
        const Values values{
            .wait_count = waiting, .waits = &waits_for, .signal_count = signalling, .signals = &signals};
        const SubmitInfo info{.next = &values,
                              .wait_count = waiting,
                              .waits = &semaphore_,
                              .wait_stages = &kAllCommands,
                              .signal_count = signalling,
                              .signals = &semaphore_};
        return real(queue, 1, &info, 0);
    }

    std::mutex mutex_;
    void* device_ = nullptr;
    void* owner_ = nullptr;  // the semaphore's device; null without one
    std::uint64_t semaphore_ = 0;
    std::uint64_t last_ = 0;  // the value that the last call's work signals
};

Function get_device_proc_addr(void* device, const char* name) {
    Driver& driver = Driver::get();
    Turns::get().set_device(device);
    return gate_to(name, driver.device_proc_addr(device, name));
}

Function get_instance_proc_addr(void* instance, const char* name) {
    Driver& driver = Driver::get();
    const Function real = driver.instance_proc_addr(instance, name);
    if (std::string_view(name) == "vkGetInstanceProcAddr") return reinterpret_cast<Function>(&get_instance_proc_addr);
    if (std::string_view(name) == "vkGetDeviceProcAddr" && real != nullptr) {
        driver.device_proc_addr = reinterpret_cast<GetProcAddr>(real);
        return reinterpret_cast<Function>(&get_device_proc_addr);
    }
    return gate_to(name, real);
}

}  // namespace

extern "C" {

std::uint64_t heapwright_fault_handler(void* opaque, std::uint64_t* arguments) {
    auto& gate = *static_cast<Gate*>(opaque);
    if (gate.name == "vkDestroyDevice") Turns::get().end_device(arguments[0]);
    const Order* order = Gates::get().take_call(gate);
    if (order == nullptr) return kGoOn;
    if (order->fault == Fault::kResult) return static_cast<std::uint32_t>(order->result);
    if (order->fault == Fault::kTwice) {
        call(gate, arguments);
        return kGoOn;
    }
    if (order->fault == Fault::kBarrier) {
        call(gate, arguments);
        record_barrier(arguments[0]);
        return 0;
    }
    if (order->fault == Fault::kInTurn) return Turns::get().submit(gate, arguments);
    change_answer(gate, order->fault, arguments);
    return 0;
}

std::uint64_t heapwright_fault_method_handler(void*, std::uint64_t*, const void*) {
    return kGoOn;  // Vulkan has no methods
}

__attribute__((visibility("default"))) Function vk_icdGetInstanceProcAddr(void* instance, const char* name) {
    return get_instance_proc_addr(instance, name);
}

__attribute__((visibility("default"))) Function vk_icdGetPhysicalDeviceProcAddr(void* instance, const char* name) {
    Driver& driver = Driver::get();
    if (driver.physical_device_proc_addr == nullptr) return nullptr;
    return gate_to(name, driver.physical_device_proc_addr(instance, name));
}

__attribute__((visibility("default"))) std::int32_t vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
    const auto real =
        Driver::get().exported<std::int32_t (*)(std::uint32_t*)>("vk_icdNegotiateLoaderICDInterfaceVersion");
    return real == nullptr ? -1 : real(version);
}

}  // extern "C"
