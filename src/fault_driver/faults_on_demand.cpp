#include "fault_driver/faults_on_demand.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <sstream>

namespace heapwright::fault_driver {
namespace {

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
        {"crash", Fault::kCrash},      {"abort", Fault::kAbort},
        {"hang", Fault::kHang},        {"spin", Fault::kSpin},
        {"fork", Fault::kFork},        {"leave", Fault::kLeave},
        {"exit", Fault::kExit},        {"zero-size", Fault::kZeroSize},
        {"no-types", Fault::kNoTypes}, {"odd-alignment", Fault::kOddAlignment},
        {"larger", Fault::kLarger},    {"odd-name", Fault::kOddName},
        {"twice", Fault::kTwice},      {"barrier", Fault::kBarrier},
        {"in-turn", Fault::kInTurn}};
    if (const auto known = kFaults.find(fault); known != kFaults.end()) {
        order.fault = known->second;
        return order;
    }
    order.fault = Fault::kResult;
    order.result = static_cast<std::int32_t>(std::strtoll(fault.c_str(), &end, 0));
    if (fault.empty() || *end != '\0') give_up("\"" + fault + "\" is no fault");
    return order;
}

// What stands in LIBRARY.fault beside this library; empty where there is no such file.
std::optional<std::string> own_orders() {
    Dl_info library{};
    if (dladdr(reinterpret_cast<const void*>(&own_orders), &library) == 0) return std::nullopt;
    std::ifstream file(std::string(library.dli_fname) + ".fault");
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    return line;
}

void start_helper(bool in_its_own_session) {
    if (fork() != 0) return;
    if (in_its_own_session) setsid();
    for (;;) pause();
}

void misbehave(Fault fault) {
    switch (fault) {
        case Fault::kCrash: *static_cast<volatile int*>(nullptr) = 1; break;
        case Fault::kAbort: std::abort();
        case Fault::kHang:
            for (;;) pause();
        case Fault::kSpin:
            for (std::atomic<std::uint64_t> turns = 0;;) ++turns;
        case Fault::kFork:
        case Fault::kLeave: start_helper(fault == Fault::kLeave); break;
        case Fault::kExit: Gates::get().write_counts(); _exit(3);
        case Fault::kResult:
        case Fault::kTwice:
        case Fault::kBarrier:
        case Fault::kInTurn:
        case Fault::kZeroSize:
        case Fault::kLarger:
        case Fault::kOddAlignment:
        case Fault::kNoTypes:
        case Fault::kOddName: break;
    }
}

// Saves the registers that carry arguments, asks the handler, and goes to the real function or returns.
struct Code {
    std::span<const unsigned char> bytes;
    std::size_t gate_at;
    std::size_t handler_at;
    std::size_t real_at;
    const void* handler;
};

Code code_of(Convention convention) {
    // The integer arguments at [rbp-0x30..], the vectors below them.
    static constexpr unsigned char kSystemV[] = {
        0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 0xc0, 0x00, 0x00, 0x00,        // push rbp; mov rbp, rsp; sub rsp
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
        0x48, 0xb8, 0,    0,    0,    0,    0,    0,    0,    0,                 // mov rax, handler
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
    // The four integer arguments go where the caller left room for them, below those that it pushed.
    static constexpr unsigned char kMicrosoft[] = {
        0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x60,              // push rbp; mov rbp, rsp; sub rsp, 0x60
        0x48, 0x89, 0x4d, 0x10,                                      // mov [rbp+0x10], rcx
        0x48, 0x89, 0x55, 0x18,                                      // mov [rbp+0x18], rdx
        0x4c, 0x89, 0x45, 0x20,                                      // mov [rbp+0x20], r8
        0x4c, 0x89, 0x4d, 0x28,                                      // mov [rbp+0x28], r9
        0xf3, 0x0f, 0x7f, 0x45, 0xf0,                                // movdqu [rbp-0x10], xmm0
        0xf3, 0x0f, 0x7f, 0x4d, 0xe0,                                // movdqu [rbp-0x20], xmm1
        0xf3, 0x0f, 0x7f, 0x55, 0xd0,                                // movdqu [rbp-0x30], xmm2
        0xf3, 0x0f, 0x7f, 0x5d, 0xc0,                                // movdqu [rbp-0x40], xmm3
        0x48, 0xb9, 0,    0,    0,    0,    0,    0,    0,    0,     // mov rcx, gate
        0x48, 0x8d, 0x55, 0x10,                                      // lea rdx, [rbp+0x10]
        0x4c, 0x8b, 0x45, 0x08,                                      // mov r8, [rbp+0x08]
        0x48, 0xb8, 0,    0,    0,    0,    0,    0,    0,    0,     // mov rax, handler
        0xff, 0xd0,                                                  // call rax
        0x48, 0x83, 0xf8, 0xff,                                      // cmp rax, -1
        0x75, 0x32,                                                  // jne leave
        0x48, 0x8b, 0x4d, 0x10, 0x48, 0x8b, 0x55, 0x18,              // the arguments again
        0x4c, 0x8b, 0x45, 0x20, 0x4c, 0x8b, 0x4d, 0x28,              //
        0xf3, 0x0f, 0x6f, 0x45, 0xf0, 0xf3, 0x0f, 0x6f, 0x4d, 0xe0,  //
        0xf3, 0x0f, 0x6f, 0x55, 0xd0, 0xf3, 0x0f, 0x6f, 0x5d, 0xc0,  //
        0xc9,                                                        // leave
        0x49, 0xbb, 0,    0,    0,    0,    0,    0,    0,    0,     // mov r11, real
        0x41, 0xff, 0xe3,                                            // jmp r11
        0xc9, 0xc3};                                                 // leave; ret
    static_assert(kSystemV[60] == 0xbf && kSystemV[70] == 0xb8 && kSystemV[133] == 0xbb);
    static_assert(kMicrosoft[45] == 0xb9 && kMicrosoft[63] == 0xb8 && kMicrosoft[118] == 0xbb);
    if (convention == Convention::kSystemV)
        return {kSystemV, 61, 71, 134, reinterpret_cast<const void*>(&heapwright_fault_handler)};
    return {kMicrosoft, 46, 64, 119, reinterpret_cast<const void*>(&heapwright_fault_method_handler)};
}

}  // namespace

void give_up(const std::string& why) {
    std::fprintf(stderr, "fault driver: %s\n", why.c_str());
    std::abort();
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

Gates& Gates::get() {
    static Gates gates;
    return gates;
}

Gates::Gates() {
    std::stringstream orders(own_orders().value_or(environment("HEAPWRIGHT_FAULT")));
    for (std::string order; std::getline(orders, order, ';');) {
        if (!order.empty()) orders_.push_back(parse_order(order));
    }
}

Gates::~Gates() {
    write_counts();
}

void Gates::write_counts() const {
    const std::string file = environment("HEAPWRIGHT_FAULT_COUNTS");
    if (file.empty()) return;
    std::ofstream out(file, std::ios::app);
    for (const auto& [name, calls] : calls_)
        if (calls != 0) out << name << ' ' << calls << '\n';
}

Function Gates::gate_to(const char* name, Function real, Convention convention) {
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
        gate->entry = make_entry(*gate, convention);
    }
    return gate->entry;
}

Function Gates::real_of(const char* name) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, gate] : gates_)
        if (key.first == name) return gate->real;
    return nullptr;
}

const Order* Gates::take_call(Gate& gate) {
    const std::uint64_t call = ++*gate.calls;
    const std::uint64_t any_call = ++all_calls_;
    for (const Order& order : gate.orders) {
        const std::uint64_t number = order.function == "*" ? any_call : call;
        if (number != order.call && !(order.and_later && number > order.call)) continue;
        misbehave(order.fault);
        if (order.fault >= Fault::kResult) return &order;
    }
    return nullptr;
}

Function Gates::make_entry(Gate& gate, Convention convention) {
    constexpr std::size_t kPage = 1 << 16;
    const Code code = code_of(convention);
    const std::size_t aligned = (code.bytes.size() + 15) / 16 * 16;
    if (page_left_ < aligned) {
        void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) give_up("no memory for gates");
        page_ = static_cast<unsigned char*>(page);
        page_left_ = kPage;
    }
    unsigned char* entry = page_;
    page_ += aligned;
    page_left_ -= aligned;
    std::memcpy(entry, code.bytes.data(), code.bytes.size());
    const auto put = [entry](std::size_t at, const void* address) {
        std::memcpy(entry + at, &address, sizeof address);
    };
    put(code.gate_at, &gate);
    put(code.handler_at, code.handler);
    put(code.real_at, reinterpret_cast<const void*>(gate.real));
    return reinterpret_cast<Function>(entry);
}

}  // namespace heapwright::fault_driver
