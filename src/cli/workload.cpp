#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "workload/read.hpp"
#include "workload/stream.hpp"

namespace heapwright::cli {
namespace {

using Json = nlohmann::ordered_json;

// What the annotated example says of every member that may be left out without a default.
Json optional_value(const std::string& key) {
    if (key == "flags") return Json::array({"MUTABLE_FORMAT"});
    if (key == "host_access") return "sequential";
    if (key == "dedicated") return "auto";
    if (key == "caps") return Json{{"device_local_bytes", 4294967296}, {"host_bytes", 2147483648}};
    if (key == "requires") return Json::array({"acceleration_structures"});
    if (key == "splittable") return true;
    return 50;
}

// One member a line, each below its description in the schema. Members that mean nothing until they are set stand in a
// comment, with the comma that they need there: the last member of an object is one that is set.
class Annotator {
public:
    explicit Annotator(const Json& definitions) : definitions_(definitions) {}

    void members(const Json& schema, const Json& values, int depth) {
        const Json& properties = schema.at("properties");
        std::string last;
        for (const auto& [key, member] : properties.items()) {
            if (values.contains(key)) last = key;
        }
        for (const auto& [key, member] : properties.items()) {
            if (key == "tool" || key == "sources" || key == last) continue;
            const bool set = values.contains(key);
            if (!set && !member.contains("description")) continue;
            comment(member, depth);
            if (set) {
                pair(key, member, values, depth);
            } else {
                text_ += fmt::format("{}// \"{}\": {}", indent(depth), key, optional_value(key).dump());
            }
            text_ += ",\n";
        }
        comment(properties.at(last), depth);
        pair(last, properties.at(last), values, depth);
        text_ += '\n';
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    static std::string indent(int depth) { return std::string(static_cast<std::size_t>(depth) * 2, ' '); }

    void comment(const Json& member, int depth) {
        if (!member.contains("description")) return;
        std::string line = member.at("description").get<std::string>() + ".";
        if (member.contains("default")) line += fmt::format(" Default: {}.", shown(member.at("default")));
        while (!line.empty()) {
            constexpr std::size_t kWidth = 100;
            const std::size_t end = line.size() <= kWidth ? line.size() : line.rfind(' ', kWidth);
            text_ += fmt::format("{}// {}\n", indent(depth), line.substr(0, end));
            line.erase(0, end == line.size() ? end : end + 1);
        }
    }

    static std::string shown(const Json& value) {
        if (value.is_object()) return "as below";
        return value.dump();
    }

    void pair(const std::string& key, const Json& member, const Json& values, int depth) {
        text_ += fmt::format("{}\"{}\": ", indent(depth), key);
        value(member, values.at(key), depth);
    }

    const Json& definition(const Json& schema) const {
        const Json& one = schema.contains("allOf") ? schema.at("allOf").at(0) : schema;
        if (!one.contains("$ref")) return one;
        const auto name = one.at("$ref").get<std::string>();
        return definitions_.at(name.substr(name.rfind('/') + 1));
    }

    void value(const Json& member, const Json& of, int depth) {
        const Json& schema = definition(member);
        if (of.is_object()) {
            text_ += "{\n";
            members(schema, of, depth + 1);
            text_ += indent(depth) + "}";
        } else if (of.is_array() && !of.empty() && of.front().is_object()) {
            text_ += "[\n";
            std::string separator;
            for (const Json& item : of) {
                text_ += separator + indent(depth + 1) + "{\n";
                members(definition(schema.at("items")), item, depth + 2);
                text_ += indent(depth + 1) + "}";
                separator = ",\n";
            }
            text_ += "\n" + indent(depth) + "]";
        } else {
            text_ += of.dump();
        }
    }

    const Json& definitions_;
    std::string text_;
};

// A workload of one hint each, whose comments are the schema's descriptions. It reads back.
Result<std::string> example() {
    model::Workload workload;
    workload.name = "example";
    workload.description = "Textures that are streamed, and the vertices that go with them";
    workload.images = {{.count = 200, .mip_levels = 8}};
    workload.buffers = {{.count = 300, .memory_use = model::MemoryUse::kStreaming}};
    HEAPWRIGHT_ASSIGN(const std::string schema_text, model::schema("workload"));
    const Json schema = Json::parse(schema_text);
    const Json values = Json::parse(model::write(workload));
    Annotator annotator(schema.at("definitions"));
    annotator.members(schema, values, 1);
    return "{\n" + annotator.take() + "}\n";
}

std::string list(bool json) {
    std::string text;
    Json presets = Json::array();
    for (const std::string_view name : workload::preset_names()) {
        const auto preset = workload::preset(name);
        if (!preset) continue;
        const std::string& description = preset->description;
        text += fmt::format("{:<22}{}\n", name, description.substr(0, description.find_first_of(".:")));
        presets.push_back({{"name", name}, {"description", description}});
    }
    return json ? Json{{"presets", std::move(presets)}}.dump(2) + "\n" : text;
}

Result<std::string> check(const std::string& file, const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(const model::Workload workload, load_workload(file, output));
    HEAPWRIGHT_ASSIGN(const workload::ExpectedBytes expected, workload::expected_live_bytes(workload));
    std::uint64_t images = 0;
    std::uint64_t buffers = 0;
    for (const model::ImageHint& hint : workload.images) images += hint.count;
    for (const model::BufferHint& hint : workload.buffers) buffers += hint.count;
    if (output.json) {
        return Json{{"name", workload.name}, {"image_hints", workload.images.size()},
                    {"images", images},      {"buffer_hints", workload.buffers.size()},
                    {"buffers", buffers},    {"peak_bytes", expected.total()}}
                   .dump(2, ' ', false, Json::error_handler_t::replace) +
               "\n";
    }
    return fmt::format("{}: good.\n{} by {} and {} by {}, {} at the peak.\n", printable(workload.name),
                       counted(images, "image"), counted(workload.images.size(), "hint"), counted(buffers, "buffer"),
                       counted(workload.buffers.size(), "hint"), byte_text(expected.total()));
}

struct Wanted {
    bool example = false;
    bool list = false;
    std::string show;
    std::string check;
};

// A list and a check are words unless JSON is asked for; an example and a preset are documents, to be kept and changed.
Status answer(const Wanted& wanted, const OutputOptions& output) {
    if (wanted.example) {
        HEAPWRIGHT_ASSIGN(const std::string text, example());
        return write_output(text, output.file);
    }
    if (!wanted.check.empty()) {
        HEAPWRIGHT_ASSIGN(const std::string text, check(wanted.check, output));
        return output.json ? write_output(text, output.file) : write_text(text, output.file);
    }
    if (wanted.show.empty()) return write_output(list(output.json), output.file);
    HEAPWRIGHT_ASSIGN(const std::string_view text, workload::preset_text(wanted.show));
    HEAPWRIGHT_ASSIGN(const model::Workload preset, workload::preset(wanted.show));
    const auto document = [&] { return std::string(text); };
    return give({.document = document,
                 .screen = [&](const render::ScreenStyle& style) { return render::overview(preset, style); },
                 .all = document},
                output);
}

}  // namespace

void add_workload_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command =
        program.add_subcommand("workload", "Lists the presets, shows one or an annotated example, checks a file");
    auto wanted = std::make_shared<Wanted>();
    auto output = std::make_shared<OutputOptions>();
    CLI::Option_group* one = command->add_option_group("what");
    one->add_flag("--list", wanted->list, "The presets, a line each; this is what happens without an option");
    one->add_flag("--example", wanted->example, "A workload whose comments say what each member means");
    one->add_option("--show", wanted->show, "This preset's document, to be copied and changed");
    one->add_option(
        "--check", wanted->check,
        "Whether this file (a workload, a trace, a dump or a recording), or preset, is one that can be drawn from");
    one->require_option(0, 1);
    add_output_options(*command, *output);
    add_answer_options(*command, *output);
    command->callback([=, &exit_code] {
        if (const auto done = answer(*wanted, *output); !done) exit_code = report_error(done.error());
    });
}

}  // namespace heapwright::cli
