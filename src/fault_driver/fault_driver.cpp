// A Vulkan driver that fails on demand, for programs that must outlive bad drivers: an ICD around a real one. Every
// function that the loader or the application gets from it leads through a gate that counts the calls and, at the one
// that the environment names, crashes, hangs, spins, starts a helper, ends the process or gives back an error.
//
//   application -> loader -> gate (count; fault?) -> the real driver's function
//
// HEAPWRIGHT_FAULT_DRIVER  the real driver's ICD manifest, or its library
// HEAPWRIGHT_FAULT         faults, separated by ';': FUNCTION@CALL=FAULT. CALL counts from 1; "3+" is from the third
// on.
//                          FUNCTION may be '*', all functions together. FAULT is one of
//                            crash  a write to address 0        abort  abort()
//                            hang   never returns, idle         spin   never returns, busy
//                            fork   a helper that sleeps for ever and holds what is open; then the real call
//                            exit   exit code 3                 a number: given back as VkResult, nothing is called
//                            zero-size, odd-alignment, no-types of functions that give VkMemoryRequirements(2): the
//                            real call, then that in its answer
// HEAPWRIGHT_FAULT_COUNTS  a file to which each process appends "FUNCTION CALLS" lines when it ends
//
// x86-64 with the System V calling convention alone: the gates are machine code, so that they fit functions of any
// signature without knowing it. Sources: Vulkan loader, LoaderDriverInterface.md (what an ICD exports); System V AMD64
// ABI, 3.2 (which registers carry arguments).
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#if !defined(__x86_64__) || defined(_WIN32)
#error "the gates are machine code of x86-64 with the System V calling convention"
#endif

namespace {

using Function = void (*)();
using GetProcAddr = Function (*)(void* handle, const char* name);

enum class Fault : std::uint8_t {
    kCrash,
    kAbort,
    kHang,
    kSpin,
    kFork,
    kExit,
    kResult,
    kZeroSize,
    kOddAlignment,
    kNoTypes
};

struct Order {
    std::string function;
    std::uint64_t call = 1;
    bool and_later = false;
    Fault fault = Fault::kCrash;
    std::int32_t result = 0;
};

struct Gate {
    std::string name;
    Function real = nullptr;
    Function entry = nullptr;
    std::vector<Order> orders;
    std::atomic<std::uint64_t>* calls = nullptr;  // of all gates of this name
};

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "fault driver: %s\n", why.c_str());
    std::abort();
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

Order parse_order(const std::string& text) {
    const std::size_t at = text.find('@');
    const std::size_t equals = text.find('=', at == std::string::npos ? 0 : at);
    if (at == std::string::npos || equals == std::string::npos) give_up("\"" + text + "\" is not FUNCTION@CALL=FAULT");
    Order order{.function = text.substr(0, at)};
    std::string call = text.substr(at + 1, equals - at - 1);
    if (!call.empty() && call.back() == '+') {
        order.and_later = true;
        call.pop_back();
    }
    char* end = nullptr;
    order.call = std::strtoull(call.c_str(), &end, 10);
    if (call.empty() || *end != '\0' || order.call == 0) give_up("\"" + call + "\" is no call's number");
    const std::string fault = text.substr(equals + 1);
    static const std::map<std::string, Fault, std::less<>> kFaults{
        {"crash", Fault::kCrash},        {"abort", Fault::kAbort},
        {"hang", Fault::kHang},          {"spin", Fault::kSpin},
        {"fork", Fault::kFork},          {"exit", Fault::kExit},
        {"zero-size", Fault::kZeroSize}, {"odd-alignment", Fault::kOddAlignment},
        {"no-types", Fault::kNoTypes}};
    if (const auto known = kFaults.find(fault); known != kFaults.end()) {
        order.fault = known->second;
        return order;
    }
    order.fault = Fault::kResult;
    order.result = static_cast<std::int32_t>(std::strtol(fault.c_str(), &end, 10));
    if (fault.empty() || *end != '\0') give_up("\"" + fault + "\" is no fault");
    return order;
}

// VkMemoryRequirements, and where it stands in VkMemoryRequirements2.
struct MemoryRequirements {
    std::uint64_t size;
    std::uint64_t alignment;
    std::uint32_t memory_type_bits;
};
constexpr std::size_t kInRequirements2 = 16;  // after sType and pNext

class Driver {
public:
    static Driver& get() {
        static Driver driver;
        return driver;
    }

    Function gate_to(const char* name, Function real) {
        if (real == nullptr) return nullptr;
        const std::scoped_lock lock(mutex_);
        std::unique_ptr<Gate>& gate = gates_[{name, real}];
        if (!gate) {
            gate = std::make_unique<Gate>();
            gate->name = name;
            gate->real = real;
            gate->calls = &calls_[name];
            for (const Order& order : orders_) {
                if (order.function == name || order.function == "*") gate->orders.push_back(order);
            }
            gate->entry = make_entry(*gate);
        }
        return gate->entry;
    }

    template <class Signature>
    [[nodiscard]] Signature exported(const char* name) const {
        return reinterpret_cast<Signature>(dlsym(library_, name));
    }

    GetProcAddr instance_proc_addr = nullptr;
    GetProcAddr physical_device_proc_addr = nullptr;
    GetProcAddr device_proc_addr = nullptr;
    std::atomic<std::uint64_t> all_calls{0};

private:
    Driver() {
        std::stringstream orders(environment("HEAPWRIGHT_FAULT"));
        for (std::string order; std::getline(orders, order, ';');) {
            if (!order.empty()) orders_.push_back(parse_order(order));
        }
        const std::string library = library_of(environment("HEAPWRIGHT_FAULT_DRIVER"));
        library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) give_up("HEAPWRIGHT_FAULT_DRIVER: " + std::string(dlerror()));
        instance_proc_addr = exported<GetProcAddr>("vk_icdGetInstanceProcAddr");
        physical_device_proc_addr = exported<GetProcAddr>("vk_icdGetPhysicalDeviceProcAddr");
        if (instance_proc_addr == nullptr) give_up(library + " is no Vulkan driver");
    }

    ~Driver() {
        const std::string file = environment("HEAPWRIGHT_FAULT_COUNTS");
        if (file.empty()) return;
        std::ofstream out(file, std::ios::app);
        for (const auto& [name, calls] : calls_)
            if (calls != 0) out << name << ' ' << calls << '\n';
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

    Function make_entry(Gate& gate);

    std::mutex mutex_;
    void* library_ = nullptr;
    std::vector<Order> orders_;
    std::map<std::pair<std::string, Function>, std::unique_ptr<Gate>> gates_;
    std::map<std::string, std::atomic<std::uint64_t>> calls_;
    unsigned char* page_ = nullptr;
    std::size_t page_left_ = 0;
};

void act(const Order& order) {
    switch (order.fault) {
        case Fault::kCrash: *static_cast<volatile int*>(nullptr) = 1; break;
        case Fault::kAbort: std::abort();
        case Fault::kHang:
            for (;;) pause();
        case Fault::kSpin:
            for (std::atomic<std::uint64_t> turns = 0;;) ++turns;
        case Fault::kFork:
            if (fork() == 0) {
                for (;;) pause();
            }
            break;
        case Fault::kExit: _exit(3);
        case Fault::kResult:
        case Fault::kZeroSize:
        case Fault::kOddAlignment:
        case Fault::kNoTypes: break;
    }
}

constexpr std::uint64_t kGoOn = ~0ull;

// Of functions whose third argument is VkMemoryRequirements(2)*. The answer is changed after the real call.
void change_answer(const Gate& gate, const Order& order, std::uint64_t* arguments) {
    using Call = void (*)(std::uint64_t, std::uint64_t, std::uint64_t);
    reinterpret_cast<Call>(gate.real)(arguments[0], arguments[1], arguments[2]);
    const bool second = gate.name.find('2') != std::string::npos || gate.name.starts_with("vkGetDevice");
    auto* answer = reinterpret_cast<MemoryRequirements*>(arguments[2] + (second ? kInRequirements2 : 0));
    if (order.fault == Fault::kZeroSize) answer->size = 0;
    if (order.fault == Fault::kOddAlignment) answer->alignment = 3;
    if (order.fault == Fault::kNoTypes) answer->memory_type_bits = 0;
}

}  // namespace

// What a gate calls first, with the integer arguments in order. kGoOn: the real function follows; else what it gives.
extern "C" __attribute__((visibility("hidden"))) std::uint64_t heapwright_fault_gate(void* opaque,
                                                                                     std::uint64_t* arguments) {
    auto& gate = *static_cast<Gate*>(opaque);
    const std::uint64_t call = ++*gate.calls;
    const std::uint64_t any_call = ++Driver::get().all_calls;
    for (const Order& order : gate.orders) {
        const std::uint64_t number = order.function == "*" ? any_call : call;
        if (number != order.call && !(order.and_later && number > order.call)) continue;
        act(order);
        if (order.fault == Fault::kResult) return static_cast<std::uint32_t>(order.result);
        if (order.fault >= Fault::kZeroSize) {
            change_answer(gate, order, arguments);
            return 0;
        }
    }
    return kGoOn;
}

namespace {

// Saves the registers that carry arguments, asks heapwright_fault_gate(), and goes to the real function or returns.
Function Driver::make_entry(Gate& gate) {
    // push rbp; mov rbp, rsp; sub rsp, 0xc0; the integer arguments at [rbp-0x30..], the vectors below them, rax last.
    static constexpr unsigned char kCode[] = {
        0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 0xc0, 0x00, 0x00, 0x00,        // frame
        0x48, 0x89, 0x7d, 0xd0,                                                  // mov [rbp-0x30], rdi
        0x48, 0x89, 0x75, 0xd8,                                                  // mov [rbp-0x28], rsi
        0x48, 0x89, 0x55, 0xe0,                                                  // mov [rbp-0x20], rdx
        0x48, 0x89, 0x4d, 0xe8,                                                  // mov [rbp-0x18], rcx
        0x4c, 0x89, 0x45, 0xf0,                                                  // mov [rbp-0x10], r8
        0x4c, 0x89, 0x4d, 0xf8,                                                  // mov [rbp-0x08], r9
        0xf3, 0x0f, 0x7f, 0x45, 0xc0,                                            // movdqu [rbp-0x40], xmm0
        0xf3, 0x0f, 0x7f, 0x4d, 0xb0,                                            // movdqu [rbp-0x50], xmm1
        0xf3, 0x0f, 0x7f, 0x55, 0xa0,                                            // movdqu [rbp-0x60], xmm2
        0xf3, 0x0f, 0x7f, 0x5d, 0x90,                                            // movdqu [rbp-0x70], xmm3
        0x48, 0x8d, 0x75, 0xd0,                                                  // lea rsi, [rbp-0x30]
        0x48, 0xbf, 0,    0,    0,    0,    0,    0,    0,    0,                 // mov rdi, gate
        0x48, 0xb8, 0,    0,    0,    0,    0,    0,    0,    0,                 // mov rax, heapwright_fault_gate
        0xff, 0xd0,                                                              // call rax
        0x48, 0x83, 0xf8, 0xff,                                                  // cmp rax, -1
        0x75, 0x3a,                                                              // jne leave
        0x48, 0x8b, 0x7d, 0xd0, 0x48, 0x8b, 0x75, 0xd8, 0x48, 0x8b, 0x55, 0xe0,  // the arguments again
        0x48, 0x8b, 0x4d, 0xe8, 0x4c, 0x8b, 0x45, 0xf0, 0x4c, 0x8b, 0x4d, 0xf8,  //
        0xf3, 0x0f, 0x6f, 0x45, 0xc0, 0xf3, 0x0f, 0x6f, 0x4d, 0xb0,              //
        0xf3, 0x0f, 0x6f, 0x55, 0xa0, 0xf3, 0x0f, 0x6f, 0x5d, 0x90,              //
        0xc9,                                                                    // leave
        0x49, 0xbb, 0,    0,    0,    0,    0,    0,    0,    0,                 // mov r11, real
        0x41, 0xff, 0xe3,                                                        // jmp r11
        0xc9, 0xc3};                                                             // leave; ret
    constexpr std::size_t kGateAt = 61;
    constexpr std::size_t kHandlerAt = 71;
    constexpr std::size_t kRealAt = 134;
    static_assert(kCode[kGateAt - 1] == 0xbf && kCode[kHandlerAt - 1] == 0xb8 && kCode[kRealAt - 1] == 0xbb);
    constexpr std::size_t kPage = 1 << 16;
    constexpr std::size_t kAligned = (sizeof kCode + 15) / 16 * 16;
    if (page_left_ < kAligned) {
        void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) give_up("no memory for gates");
        page_ = static_cast<unsigned char*>(page);
        page_left_ = kPage;
    }
    unsigned char* code = page_;
    page_ += kAligned;
    page_left_ -= kAligned;
    std::memcpy(code, kCode, sizeof kCode);
    const auto put = [code](std::size_t at, const void* address) { std::memcpy(code + at, &address, sizeof address); };
    put(kGateAt, &gate);
    put(kHandlerAt, reinterpret_cast<const void*>(&heapwright_fault_gate));
    put(kRealAt, reinterpret_cast<const void*>(gate.real));
    return reinterpret_cast<Function>(code);
}

Function get_device_proc_addr(void* device, const char* name) {
    Driver& driver = Driver::get();
    return driver.gate_to(name, driver.device_proc_addr(device, name));
}

Function get_instance_proc_addr(void* instance, const char* name) {
    Driver& driver = Driver::get();
    const Function real = driver.instance_proc_addr(instance, name);
    if (std::string_view(name) == "vkGetInstanceProcAddr") return reinterpret_cast<Function>(&get_instance_proc_addr);
    if (std::string_view(name) == "vkGetDeviceProcAddr" && real != nullptr) {
        driver.device_proc_addr = reinterpret_cast<GetProcAddr>(real);
        return reinterpret_cast<Function>(&get_device_proc_addr);
    }
    return driver.gate_to(name, real);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) Function vk_icdGetInstanceProcAddr(void* instance, const char* name) {
    return get_instance_proc_addr(instance, name);
}

__attribute__((visibility("default"))) Function vk_icdGetPhysicalDeviceProcAddr(void* instance, const char* name) {
    Driver& driver = Driver::get();
    if (driver.physical_device_proc_addr == nullptr) return nullptr;
    return driver.gate_to(name, driver.physical_device_proc_addr(instance, name));
}

__attribute__((visibility("default"))) std::int32_t vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
    const auto real =
        Driver::get().exported<std::int32_t (*)(std::uint32_t*)>("vk_icdNegotiateLoaderICDInterfaceVersion");
    return real == nullptr ? -1 : real(version);
}

}  // extern "C"
