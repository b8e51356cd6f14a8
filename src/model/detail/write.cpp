#include "model/detail/write.hpp"

#include <algorithm>
#include <bit>

#include "model/claim_words.hpp"

namespace heapwright::model::detail {

void write_flags(TextWriter& text, Flags flags, std::span<const FlagName> names) {
    text.begin_array(true);
    for (int bit = 0; bit < 32; ++bit) {
        const Flags mask = Flags{1} << bit;
        if ((flags & mask) == 0) continue;
        text.string(flag_name(mask, names));
    }
    text.end_array();
}

void write_facts(TextWriter& text, const std::vector<Fact>& facts) {
    std::vector<std::string_view> groups;
    for (const Fact& fact : facts) {
        if (std::find(groups.begin(), groups.end(), fact.group) == groups.end()) groups.push_back(fact.group);
    }
    text.begin_object();
    for (const std::string_view group : groups) {
        text.key(group);
        text.begin_object();
        for (const Fact& fact : facts) {
            if (fact.group != group) continue;
            text.key(fact.name);
            write_wide(text, fact.value);
        }
        text.end_object();
    }
    text.end_object();
}

void write_runs(TextWriter& text, const std::vector<std::uint16_t>& values) {
    text.begin_rows(0);
    for (std::size_t start = 0; start < values.size();) {
        std::size_t stop = start;
        while (stop < values.size() && values[stop] == values[start]) ++stop;
        text.begin_array(true);
        text.number(values[start]);
        text.number(stop - start);
        text.end_array();
        start = stop;
    }
    text.end_rows();
}

void write_wide(TextWriter& text, std::uint64_t value) {
    if (value <= kMaxPlainInteger) {
        text.number(value);
    } else {
        text.string(fmt::format("0x{:016x}", value));
    }
}

void write_value(WriteContext& context, const ToolCodec&, const std::string& version) {
    context.text.begin_object(true);
    context.text.key("name");
    context.text.string("heapwright");
    context.text.key("version");
    context.text.string(version);
    context.text.end_object();
}

void write_value(WriteContext& context, const FigureCodec&, const Figure& figure) {
    TextWriter& text = context.text;
    if (figure.unit == Unit::kText) return text.string(std::get<std::string>(figure.value));
    const auto* whole = std::get_if<std::uint64_t>(&figure.value);
    const bool is_plain = figure.unit == Unit::kCount && (whole == nullptr || *whole <= kMaxPlainInteger);
    if (!is_plain) {
        text.begin_object(true);
        text.key(std::ranges::find(kFigureUnits, figure.unit, &FigureUnit::unit)->key);
    }
    if (whole != nullptr) {
        write_wide(text, *whole);
    } else {
        text.real(std::get<double>(figure.value));
    }
    if (!is_plain) text.end_object();
}

void write_value(WriteContext& context, const StatementCodec&, const Statement& statement) {
    TextWriter& text = context.text;
    text.begin_array();
    for (const Claim& claim : statement.claims()) {
        if (!context.with_reasons) break;
        const std::string_view name = name_of_claim(claim);
        if (name.empty()) {
            text.string(text_of(claim));
            continue;
        }
        text.begin_object(true);
        text.key("id");
        text.string(name);
        text.key("text");
        text.string(text_of(claim));
        text.key("figures");
        text.begin_array(true);
        for (const Figure& figure : ClaimParts::figures(claim)) write_value(context, FigureCodec{}, figure);
        text.end_array();
        text.end_object();
    }
    text.end_array();
}

}  // namespace heapwright::model::detail
