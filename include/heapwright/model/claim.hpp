// What the program says of a number, as data: claims, each an id with its figures. The words that a claim has in
// English are in claim_words.hpp, which rules do not include; a document has both. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace heapwright::model {

enum class Unit : std::uint8_t {
    kText,            // a name of an API, of a document or of a value: it is shown as it is
    kCount,           // also a number of any unit that has none here
    kBytes,           // shown in KiB, MiB, ...
    kNanoseconds,     // shown in ns, us, ms, s
    kShare,           // of 1; shown in percent
    kBytesPerSecond,  // shown in MiB/s, GiB/s, ...
};

struct Figure {
    Unit unit = Unit::kText;
    std::variant<std::string, std::uint64_t, double> value;

    Figure() = default;
    Figure(std::string text) : value(std::move(text)) {}  // NOLINT(google-explicit-constructor): a text is a figure
    Figure(std::string_view text) : Figure(std::string(text)) {}  // NOLINT(google-explicit-constructor)
    Figure(const char* text) : Figure(std::string(text)) {}       // NOLINT(google-explicit-constructor)
    Figure(Unit of, std::uint64_t number) : unit(of), value(number) {}
    Figure(Unit of, double number) : unit(of), value(number) {}

    bool operator==(const Figure&) const = default;
};

[[nodiscard]] inline Figure bytes(std::uint64_t bytes) {
    return {Unit::kBytes, bytes};
}
[[nodiscard]] inline Figure count(std::uint64_t count) {
    return {Unit::kCount, count};
}
// A whole number is a count.
[[nodiscard]] inline Figure number(double number) {
    constexpr double kMostExact = 9007199254740992;  // 2 to the power of 53
    const auto whole = number >= 0 && number < kMostExact ? static_cast<std::uint64_t>(number) : 0;
    if (static_cast<double>(whole) == number) return count(whole);
    return {Unit::kCount, number};
}
template <class Number>
[[nodiscard]] Figure nanoseconds(Number ns) {
    return {Unit::kNanoseconds, static_cast<double>(ns)};
}
[[nodiscard]] inline Figure share(double of_one) {
    return {Unit::kShare, of_one};
}
[[nodiscard]] inline Figure bytes_per_second(double rate) {
    return {Unit::kBytesPerSecond, rate};
}

enum class ClaimId : std::uint16_t;

// Made by claim() (claims.hpp), or from plain text that was not made as a claim: an older document's, a driver's.
// Nothing reads what it holds but claim_words.hpp: what decides reads the value that the claim stands beside.
class Claim {
public:
    Claim() = default;
    explicit Claim(std::string text) : figures_{Figure(std::move(text))} {}

    bool operator==(const Claim&) const = default;

private:
    friend struct ClaimMaker;  // claims.hpp
    friend struct ClaimParts;  // claim_words.hpp

    Claim(ClaimId id, std::vector<Figure> figures) : id_(id), figures_(std::move(figures)) {}

    ClaimId id_{};  // ClaimId::kText
    std::vector<Figure> figures_;
};

// Claims. Of a reason the first says why and the others say more of it; of warnings and notes each is one.
class Statement {
public:
    Statement() = default;
    Statement(Claim claim) { claims_.push_back(std::move(claim)); }       // NOLINT(google-explicit-constructor)
    Statement(std::vector<Claim> claims) : claims_(std::move(claims)) {}  // NOLINT(google-explicit-constructor)
    Statement(std::string text) : Statement(Claim(std::move(text))) {}    // NOLINT(google-explicit-constructor)
    Statement(std::string_view text) : Statement(std::string(text)) {}    // NOLINT(google-explicit-constructor)
    Statement(const char* text) : Statement(Claim(text)) {}               // NOLINT(google-explicit-constructor)

    Statement& operator+=(const Statement& more) {
        claims_.insert(claims_.end(), more.claims_.begin(), more.claims_.end());
        return *this;
    }

    void push_back(const Statement& more) { *this += more; }

    [[nodiscard]] bool empty() const { return claims_.empty(); }
    [[nodiscard]] const std::vector<Claim>& claims() const { return claims_; }

    bool operator==(const Statement&) const = default;

private:
    std::vector<Claim> claims_;
};

// "message: words of `why`", for an error and for what else is told to people at once; the message alone where `why` is
// empty. Nothing takes it apart.
[[nodiscard]] std::string with_reason(std::string message, const Statement& why);

}  // namespace heapwright::model
