#include "heapwright/model/detail/write.hpp"

#include <algorithm>
#include <bit>

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

}  // namespace heapwright::model::detail
