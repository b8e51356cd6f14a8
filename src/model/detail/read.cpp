#include "model/detail/read.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "model/claim_words.hpp"
#include "model/detail/fields_common.hpp"

namespace heapwright::model::detail {
namespace {

std::string escape_pointer_token(std::string_view token) {
    std::string escaped;
    for (const char c : token) {
        if (c == '~') {
            escaped += "~0";
        } else if (c == '/') {
            escaped += "~1";
        } else {
            escaped += c;
        }
    }
    return escaped;
}

constexpr std::size_t kListedNames = 40;  // more are a page that nobody reads

std::optional<std::uint64_t> parse_wide(std::string_view text) {
    if (text.size() != 18 || text.substr(0, 2) != "0x") return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text.substr(2)) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit && (c < 'a' || c > 'f')) return std::nullopt;
        value = value << 4 | static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
    }
    if (value <= kMaxPlainInteger) return std::nullopt;
    return value;
}

template <class T>
bool read_power_of_two(ReadContext& context, const PowerOfTwoCodec& codec, std::uint32_t index, T& value) {
    std::uint64_t wide = 0;
    if (!read_integer(context, context.node(index), 1, codec.max, wide)) return false;
    if (!std::has_single_bit(wide)) return context.fail("not a power of two", wide);
    value = static_cast<T>(wide);
    return true;
}

}  // namespace

std::string place(std::string_view source, std::string_view pointer) {
    if (pointer.empty()) return std::string(source);
    return fmt::format("{}: {}", source, pointer);
}

bool ReadContext::fail(std::string message, std::optional<std::uint64_t> value, std::optional<std::uint64_t> limit,
                       ErrorCode code) {
    std::string pointer;
    for (const auto& step : path_) {
        pointer += '/';
        if (const auto* key = std::get_if<std::string_view>(&step)) {
            pointer += escape_pointer_token(*key);
        } else {
            pointer += fmt::format("{}", std::get<std::size_t>(step));
        }
    }
    error_ = Error{
        .code = code, .message = std::move(message), .where = place(source_, pointer), .value = value, .limit = limit};
    return false;
}

bool ReadContext::charge(std::uint64_t count, std::uint64_t bytes_each) {
    const std::uint64_t most = spare_bytes_ / bytes_each;
    if (count > most) return fail("more values than a document of its size may hold", count, most);
    spare_bytes_ -= count * bytes_each;
    return true;
}

bool ReadContext::wrong_type(const Node& node, std::string_view expected) {
    return fail(fmt::format("expected {}, found {}", expected, to_string(node.kind)));
}

bool read_integer(ReadContext& context, const Node& node, std::uint64_t min, std::uint64_t max, std::uint64_t& value) {
    if (node.kind == NodeKind::kNegative) {
        return context.fail(fmt::format("{} is negative", node.negative), {}, min);
    }
    if (node.kind != NodeKind::kUnsigned) return context.wrong_type(node, "an integer");
    if (node.number < min) return context.fail("below the smallest value", node.number, min);
    if (node.number > max) return context.fail("above the largest value", node.number, max);
    value = node.number;
    return true;
}

bool read_wide(ReadContext& context, const Node& node, std::uint64_t min, std::uint64_t max, std::uint64_t& value) {
    if (node.kind != NodeKind::kString) {
        return read_integer(context, node, min, std::min(max, kMaxPlainInteger), value);
    }
    const std::string_view text = context.tape().text(node);
    const auto parsed = max > kMaxPlainInteger ? parse_wide(text) : std::nullopt;
    if (!parsed) {
        if (!text.starts_with("0x")) {
            return context.fail(
                fmt::format("\"{}\" is not an integer; expected is the number alone, without quotes or a unit", text));
        }
        return context.fail(fmt::format(
            "\"{}\" is no integer above {}, which is written as \"0x\" and 16 lower-case hexadecimal digits", text,
            kMaxPlainInteger));
    }
    value = *parsed;
    return true;
}

bool read_flags(ReadContext& context, std::uint32_t index, std::span<const FlagName> names, Flags& flags) {
    const Node& node = context.node(index);
    if (node.kind != NodeKind::kArray) return context.wrong_type(node, "an array");
    flags = 0;
    std::uint32_t child = index + 1;
    for (std::size_t i = 0; i < node.child_count; ++i, child = context.node(child).next) {
        context.enter(i);
        const Node& item = context.node(child);
        if (item.kind != NodeKind::kString) return context.wrong_type(item, "a string");
        const std::string_view text = context.tape().text(item);
        const std::optional<Flags> bit = parse_flag_name(text, names);
        if (!bit) return context.fail(fmt::format("unknown flag \"{}\"{}", text, nearest_flag_hint(text, names)));
        if ((flags & *bit) != 0) return context.fail(fmt::format("flag \"{}\" stands twice", text));
        flags |= *bit;
        context.leave();
    }
    return true;
}

bool read_name(ReadContext& context, const Node& node, std::span<const std::string_view> names, NearestHint nearest,
               std::size_t& position) {
    if (node.kind != NodeKind::kString) return context.wrong_type(node, "a string");
    const std::string_view text = context.tape().text(node);
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
        const std::string hint = nearest(text, names);
        if (names.size() <= kListedNames) {
            return context.fail(fmt::format("\"{}\" is none of: {}{}", text, fmt::join(names, ", "), hint));
        }
        return context.fail(fmt::format("\"{}\" is none of the {} names{}", text, names.size(), hint));
    }
    position = static_cast<std::size_t>(found - names.begin());
    return true;
}

bool read_object_start(ReadContext& context, std::uint32_t index) {
    const Node& node = context.node(index);
    return node.kind == NodeKind::kObject || context.wrong_type(node, "an object");
}

std::optional<std::uint32_t> find_key(const JsonTape& tape, std::uint32_t object, std::string_view key,
                                      std::uint32_t hint) {
    const std::uint32_t end = tape.node(object).next;
    if (hint < end && tape.key(tape.node(hint)) == key) return hint;
    for (std::uint32_t child = object + 1; child < end; child = tape.node(child).next) {
        if (tape.key(tape.node(child)) == key) return child;
    }
    return std::nullopt;
}

bool KeyReader::finish(std::span<const std::string_view> keys) {
    if (known_ == context_.node(object_).child_count) return true;
    const auto key_at = [this](std::uint32_t child) { return context_.tape().key(context_.node(child)); };
    std::uint32_t child = object_ + 1;
    while (std::find(keys.begin(), keys.end(), key_at(child)) != keys.end()) child = context_.node(child).next;
    context_.enter(key_at(child));
    return context_.fail("unknown key" + nearest_word_hint(key_at(child), keys));
}

bool KeyReader::missing(std::string_view key) {
    return context_.fail(fmt::format("missing key \"{}\"", key));
}

std::string other_version(DocumentKind kind, std::string_view version) {
    const std::uint32_t ours = schema_version(kind);
    std::string text =
        fmt::format("a {} of schema version {}, this heapwright reads version {}", name_of(kind), version, ours);
    const bool is_older = version.size() == 1 && version.front() < static_cast<char>('0' + ours);
    if (kind == DocumentKind::kPolicy && is_older) text += "; make it anew from its report: heapwright advise REPORT";
    return text;
}

bool check_document_id(ReadContext& context, std::uint32_t index, DocumentKind expected) {
    const auto id = find_key(context.tape(), index, "$schema", index + 1);
    if (!id) return context.fail("missing key \"$schema\"");
    context.enter("$schema");
    const Node& id_node = context.node(*id);
    if (id_node.kind != NodeKind::kString) return context.wrong_type(id_node, "a string");
    const std::string_view found = context.tape().text(id_node);
    if (found != document_id(expected)) {
        return context.fail(kind_of_id(found) == expected
                                ? other_version(expected, version_of_id(found))
                                : fmt::format("document is \"{}\", expected \"{}\"", found, document_id(expected)),
                            {}, {}, ErrorCode::kUnsupportedVersion);
    }
    context.leave();
    const auto version = find_key(context.tape(), index, "schema_version", index + 2);
    if (!version) return context.fail("missing key \"schema_version\"");
    context.enter("schema_version");
    const Node& version_node = context.node(*version);
    if (version_node.kind != NodeKind::kUnsigned) return context.wrong_type(version_node, "an integer");
    if (version_node.number != schema_version(expected)) {
        return context.fail(other_version(expected, std::to_string(version_node.number)), {}, {},
                            ErrorCode::kUnsupportedVersion);
    }
    context.leave();
    return true;
}

bool read_value(ReadContext& context, const BoolCodec&, std::uint32_t index, bool& value) {
    const Node& node = context.node(index);
    if (node.kind != NodeKind::kBool) return context.wrong_type(node, "a boolean");
    value = node.number != 0;
    return true;
}

bool read_value(ReadContext& context, const PowerOfTwoCodec& codec, std::uint32_t index, std::uint64_t& value) {
    return read_power_of_two(context, codec, index, value);
}

bool read_value(ReadContext& context, const PowerOfTwoCodec& codec, std::uint32_t index, std::uint32_t& value) {
    return read_power_of_two(context, codec, index, value);
}

bool read_value(ReadContext& context, const WideCodec& codec, std::uint32_t index, std::uint64_t& value) {
    return read_wide(context, context.node(index), codec.min, std::numeric_limits<std::uint64_t>::max(), value);
}

bool read_value(ReadContext& context, const SignedCodec&, std::uint32_t index, std::int64_t& value) {
    const Node& node = context.node(index);
    constexpr auto kMax = static_cast<std::int64_t>(kMaxPlainInteger);
    if (node.kind == NodeKind::kNegative) {
        if (node.negative < -kMax) return context.fail(fmt::format("{} is below {}", node.negative, -kMax));
        value = node.negative;
        return true;
    }
    std::uint64_t positive = 0;
    if (!read_integer(context, node, 0, kMaxPlainInteger, positive)) return false;
    value = static_cast<std::int64_t>(positive);
    return true;
}

bool read_value(ReadContext& context, const RealCodec& codec, std::uint32_t index, double& value) {
    const Node& node = context.node(index);
    switch (node.kind) {
        case NodeKind::kReal:
        case NodeKind::kTooLarge: value = node.real; break;
        case NodeKind::kUnsigned: value = static_cast<double>(node.number); break;
        case NodeKind::kNegative: value = static_cast<double>(node.negative); break;
        default: return context.wrong_type(node, "a number");
    }
    if (value < codec.min) return context.fail(fmt::format("{} is below {}", value, codec.min));
    if (value > codec.max) return context.fail(fmt::format("{} is above {}", value, codec.max));
    return true;
}

bool read_value(ReadContext& context, const TextCodec& codec, std::uint32_t index, std::string& value) {
    const Node& node = context.node(index);
    if (node.kind != NodeKind::kString) return context.wrong_type(node, "a string");
    value = context.tape().text(node);
    if (value.size() < codec.min_length) return context.fail("empty text", value.size(), codec.min_length);
    return true;
}

bool read_value(ReadContext& context, const PatternCodec& codec, std::uint32_t index, std::string& value) {
    const Node& node = context.node(index);
    if (node.kind != NodeKind::kString) return context.wrong_type(node, "a string");
    value = context.tape().text(node);
    if (!codec.matches(value)) return context.fail(fmt::format("\"{}\" is not {}", value, codec.form));
    return true;
}

bool read_value(ReadContext& context, const PromiseNameCodec&, std::uint32_t index, PromiseName& name) {
    const Node& node = context.node(index);
    if (node.kind != NodeKind::kString) return context.wrong_type(node, "a string");
    const std::string_view text = context.tape().text(node);
    // The kind that is of heaps comes last.
    constexpr auto kOfHeaps = static_cast<std::size_t>(PromiseKind::kPeakReservedBytes);
    for (std::size_t i = 0; i < kOfHeaps + kMaxHeaps; ++i) {
        name = {.kind = static_cast<PromiseKind>(std::min(i, kOfHeaps))};
        if (i >= kOfHeaps) name.heap = static_cast<std::uint32_t>(i - kOfHeaps);
        if (text == text_of(name)) return true;
    }
    const std::span<const std::string_view> kinds = names_of<PromiseKind>();
    return context.fail(
        fmt::format("\"{}\" is none of: {}/HEAP{}", text, fmt::join(kinds, ", "), nearest_word_hint(text, kinds)));
}

bool read_value(ReadContext& context, const FlagsCodec& codec, std::uint32_t index, Flags& value) {
    return read_flags(context, index, codec.names(), value);
}

bool read_value(ReadContext& context, const FactsCodec& codec, std::uint32_t index, std::vector<Fact>& facts) {
    if (!read_object_start(context, index)) return false;
    facts.clear();
    const JsonTape& tape = context.tape();
    for (std::uint32_t group = index + 1; group < context.node(index).next; group = context.node(group).next) {
        const std::string_view group_name = tape.key(context.node(group));
        context.enter(group_name);
        if (!read_object_start(context, group)) return false;
        if (context.node(group).child_count == 0) return context.fail("empty; leave the key out instead");
        // Twice: the vector grows by doubling.
        if (!context.charge(context.node(group).child_count, 2 * sizeof(Fact) + group_name.size())) return false;
        for (std::uint32_t fact = group + 1; fact < context.node(group).next; fact = context.node(fact).next) {
            const std::string_view name = tape.key(context.node(fact));
            context.enter(name);
            std::uint64_t value = 0;
            if (!read_wide(context, context.node(fact), 0, codec.max, value)) return false;
            facts.push_back({.group = std::string(group_name), .name = std::string(name), .value = value});
            context.leave();
        }
        context.leave();
    }
    return true;
}

bool read_value(ReadContext& context, const RunsCodec&, std::uint32_t index, std::vector<std::uint16_t>& values) {
    const Node& node = context.node(index);
    if (node.kind != NodeKind::kArray) return context.wrong_type(node, "an array");
    values.clear();
    std::uint32_t child = index + 1;
    for (std::size_t i = 0; i < node.child_count; ++i, child = context.node(child).next) {
        context.enter(i);
        const Node& run = context.node(child);
        if (run.kind != NodeKind::kArray) return context.wrong_type(run, "an array of value and count");
        if (run.child_count != 2) return context.fail("a run is a value and a count", run.child_count, 2);
        std::uint64_t value = 0;
        std::uint64_t count = 0;
        context.enter(std::size_t{0});
        if (!read_integer(context, context.node(child + 1), 0, kMaxRunValue, value)) return false;
        context.leave();
        context.enter(std::size_t{1});
        if (!read_integer(context, context.node(context.node(child + 1).next), 1, kMaxRunLength, count)) return false;
        if (values.size() + count > kMaxRunTotal) {
            return context.fail("runs are longer than any table", values.size() + count, kMaxRunTotal,
                                ErrorCode::kOutOfRange);
        }
        if (!context.charge(count, 2 * sizeof(std::uint16_t))) return false;
        context.leave();
        values.insert(values.end(), count, static_cast<std::uint16_t>(value));
        context.leave();
    }
    return true;
}

bool read_value(ReadContext& context, const ToolCodec&, std::uint32_t index, std::string& version) {
    if (!read_object_start(context, index)) return false;
    KeyReader keys(context, index);
    constexpr Presence kRequired = Presence::kRequired;
    static constexpr std::array<std::string_view, 1> kNames{"heapwright"};
    static constexpr std::array<std::string_view, 2> kToolKeys{"name", "version"};
    return keys.read("name", kRequired, [&](std::uint32_t child) {
        std::size_t position = 0;
        return read_name(context, context.node(child), kNames, nearest_word_hint, position);
    }) && keys.read("version", kRequired, [&](std::uint32_t child) {
        return read_value(context, TextCodec{}, child, version);
    }) && keys.finish(kToolKeys);
}

namespace {

// The member that names the unit of a figure.
bool read_figure_number(ReadContext& context, Unit unit, std::uint32_t index, Figure& figure) {
    if (unit == Unit::kBytes || unit == Unit::kCount) {
        std::uint64_t whole = 0;
        if (!read_value(context, WideCodec{}, index, whole)) return false;
        figure = Figure(unit, whole);
        return true;
    }
    double real = 0;
    if (!read_value(context, kAnyReal, index, real)) return false;
    figure = Figure(unit, real);
    return true;
}

bool read_claim(ReadContext& context, std::uint32_t index, Claim& claim) {
    std::string text;
    if (context.node(index).kind == NodeKind::kString) {
        if (!read_value(context, TextCodec{}, index, text)) return false;
        claim = Claim(std::move(text));
        return true;
    }
    if (!read_object_start(context, index)) return false;
    KeyReader keys(context, index);
    std::string id;
    std::vector<Figure> figures;
    const auto into = [&context](auto codec, auto& target) {
        return [&context, codec, &target](std::uint32_t child) { return read_value(context, codec, child, target); };
    };
    constexpr Presence kRequired = Presence::kRequired;
    if (!keys.read("id", kRequired, into(TextCodec{.min_length = 1}, id)) ||
        !keys.read("text", kRequired, into(TextCodec{}, text)) ||
        !keys.read("figures", kRequired, into(ItemsCodec<FigureCodec>{}, figures)) || !keys.finish(kClaimKeys))
        return false;
    auto known = claim_of(id, std::move(figures));
    claim = known ? std::move(*known) : Claim(std::move(text));
    return true;
}

}  // namespace

bool read_value(ReadContext& context, const FigureCodec&, std::uint32_t index, Figure& figure) {
    const Node& node = context.node(index);
    if (node.kind == NodeKind::kString) {
        std::string text;
        if (!read_value(context, TextCodec{}, index, text)) return false;
        figure = Figure(std::move(text));
        return true;
    }
    if (node.kind != NodeKind::kObject) {
        double real = 0;
        if (!read_value(context, kAnyReal, index, real)) return false;
        figure = number(real);
        return true;
    }
    if (node.child_count != 1) return context.fail("a figure has one unit", node.child_count, 1);
    for (const FigureUnit& unit : kFigureUnits) {
        const auto member = find_key(context.tape(), index, unit.key, index + 1);
        if (!member) continue;
        context.enter(unit.key);
        if (!read_figure_number(context, unit.unit, *member, figure)) return false;
        context.leave();
        return true;
    }
    return context.fail("no unit that figures have");
}

bool read_value(ReadContext& context, const StatementCodec&, std::uint32_t index, Statement& statement) {
    const Node& node = context.node(index);
    std::vector<Claim> claims;
    if (node.kind == NodeKind::kString) {
        Claim claim;
        if (!read_claim(context, index, claim)) return false;
        statement = text_of(claim).empty() ? Statement() : Statement(std::move(claim));
        return true;
    }
    if (node.kind != NodeKind::kArray) return context.wrong_type(node, "an array of claims, or a string");
    if (!context.charge(node.child_count, sizeof(Claim))) return false;
    claims.reserve(node.child_count);
    std::uint32_t child = index + 1;
    for (std::size_t i = 0; i < node.child_count; ++i, child = context.node(child).next) {
        context.enter(i);
        if (!read_claim(context, child, claims.emplace_back())) return false;
        context.leave();
    }
    statement = Statement(std::move(claims));
    return true;
}

}  // namespace heapwright::model::detail
