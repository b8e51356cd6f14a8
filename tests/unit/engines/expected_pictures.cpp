#include "expected_pictures.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <catch2/catch_test_macros.hpp>

namespace heapwright::test {
namespace {

using engines::EngineProgram;
using engines::ResourceIndex;

ResourceIndex resource_named(const EngineProgram& program, std::string_view name) {
    for (std::uint32_t i = 0; i < program.resources.size(); ++i) {
        if (program.resources[i].name == name) return {i};
    }
    FAIL("no resource " << name);
    return {};
}

// TransformBuffer's linear congruential steps, written again.
Words transformed(Words words, std::uint64_t key, std::uint32_t rounds) {
    for (std::uint32_t& word : words) {
        for (std::uint32_t round = 0; round < rounds; ++round)
            word = (word ^ static_cast<std::uint32_t>(key)) * 1664525u + 1013904223u;
    }
    return words;
}

class Expectation {
public:
    Expectation(const engines::ExampleSettings& settings, const EngineProgram& program)
        : settings_(settings), program_(program), words_(std::uint64_t{settings.side} * settings.side) {}

    std::vector<Words> lit_frame() const {
        // The lit pre-pass, then the four textures.
        std::vector<Words> pictures{transformed(uploaded(0), 301, settings_.rounds)};
        for (std::uint64_t texture = 1; texture <= 4; ++texture) pictures.push_back(uploaded(texture));
        return pictures;
    }

    std::vector<Words> copy_ring() const {
        std::vector<Words> pictures;
        for (std::uint64_t i = 0; i < settings_.frames; ++i) pictures.push_back(uploaded(i));
        return pictures;
    }

    std::vector<Words> pipelined() const {
        std::vector<Words> pictures;
        for (std::uint64_t frame = 1; frame <= settings_.frames; ++frame) {
            const bool drawn = frame + settings_.engine_latency <= settings_.frames;
            pictures.push_back(drawn ? computed(frame) : untouched());
        }
        return pictures;
    }

    // The newest result that the host had seen complete, the first one where it had seen none.
    std::vector<Words> async(bool in_place) const {
        return per_picture(
            [&](std::uint64_t seen) {
                const std::uint64_t result = std::max<std::uint64_t>(1, seen);
                return in_place ? computed_in_place(result) : computed(result);
            },
            "computeFence");
    }
    [[nodiscard]] Words computed_in_place(std::uint64_t frames) const {
        Words scene = uploaded(0);
        for (std::uint64_t i = 0; i < frames; ++i) scene = transformed(std::move(scene), 7, settings_.rounds);
        return scene;
    }

    // The newest asset that the host had seen arrive; before the first one the placeholder, which nothing fills.
    std::vector<Words> streaming() const {
        return per_picture([&](std::uint64_t arrived) { return arrived == 0 ? untouched() : asset(arrived); },
                           "copyFence");
    }
    std::vector<Words> assets() const {
        std::vector<Words> all;
        for (std::uint64_t i = 1; i <= settings_.frames; ++i) all.push_back(asset(i));
        return all;
    }

    // A job is four slices, each in the place of the one before.
    std::vector<Words> background() const {
        return per_picture([&](std::uint64_t slices) { return job(slices / 4); }, "backgroundFence");
    }
    [[nodiscard]] Words job(std::uint64_t number) const {
        Words words = computed(number);
        for (std::uint64_t slice = 1; slice < 4; ++slice)
            words = transformed(std::move(words), slice, settings_.rounds);
        return words;
    }

    std::vector<Words> interrupting() const {
        std::vector<Words> pictures;
        Words scene = uploaded(0);
        for (std::uint64_t frame = 1; frame <= settings_.frames; ++frame) {
            scene = transformed(std::move(scene), frame, settings_.rounds);
            pictures.push_back(scene);
            // What the host makes of the urgent result: each word inverted, its place in bytes added.
            Words decision = computed(frame);
            for (std::uint32_t i = 0; i < decision.size(); ++i) decision[i] = ~decision[i] + 4 * i;
            pictures.push_back(std::move(decision));
        }
        return pictures;
    }

    [[nodiscard]] Words computed(std::uint64_t frame) const {
        return transformed(uploaded(0), frame, settings_.rounds);
    }

private:
    [[nodiscard]] Words untouched() const { return Words(words_, engines::kUntouchedWord); }
    // What the example's upload buffer holds from the start.
    [[nodiscard]] Words uploaded(std::uint64_t piece) const {
        const ResourceIndex uploads = resource_named(program_, "uploads");
        Words words(words_);
        for (std::uint64_t i = 0; i < words_; ++i)
            words[i] = engines::initial_word(program_.seed, uploads, piece * words_ + i);
        return words;
    }
    [[nodiscard]] Words asset(std::uint64_t number) const {
        Words words(words_);
        for (std::uint64_t i = 0; i < words_; ++i)
            words[i] = static_cast<std::uint32_t>(number << 24) ^ static_cast<std::uint32_t>(i * 0x9E37'79B1u);
        return words;
    }

    // `make` gets the highest value that the host had seen on the fence when it told a queue to make the picture.
    template <class Make>
    [[nodiscard]] std::vector<Words> per_picture(const Make& make, std::string_view fence) const {
        const ResourceIndex buffer = resource_named(program_, "pictures");
        std::vector<Words> pictures(program_.resources[buffer.value].size_bytes / (words_ * 4), untouched());
        std::uint64_t seen = 0;
        for (std::size_t position = 0; position < program_.steps.size(); ++position) {
            const engines::Operation& operation = program_.schedule.operations[position];
            const auto* wait = std::get_if<engines::Wait>(&operation.what);
            if (wait != nullptr && operation.actor.value == 0 && name_of(wait->fence) == fence)
                seen = std::max(seen, wait->value);
            for (const engines::Step& step : program_.steps[position]) {
                if (const auto offset = offset_in(buffer, step)) pictures.at(*offset / (words_ * 4)) = make(seen);
            }
        }
        return pictures;
    }
    [[nodiscard]] const std::string& name_of(engines::FenceIndex fence) const {
        return program_.schedule.fences[fence.value].name;
    }
    static std::optional<std::uint64_t> offset_in(ResourceIndex buffer, const engines::Step& step) {
        const auto* work = std::get_if<device::Work>(&step);
        if (work == nullptr) return std::nullopt;
        const auto* image = std::get_if<device::CopyImageToBuffer>(work);
        if (image != nullptr && image->buffer.value == buffer.value) return image->buffer_offset_bytes;
        const auto* copy = std::get_if<device::CopyBuffer>(work);
        if (copy != nullptr && copy->destination.value == buffer.value) return copy->destination_offset_bytes;
        return std::nullopt;
    }

    const engines::ExampleSettings& settings_;
    const EngineProgram& program_;
    std::uint64_t words_;
};

}  // namespace

std::vector<Words> expected_pictures(const engines::Example& example, const engines::ExampleSettings& settings,
                                     const EngineProgram& program) {
    const Expectation expectation(settings, program);
    if (example.name == "multi-engine-frame") return expectation.lit_frame();
    if (example.name == "copy-ring") return expectation.copy_ring();
    if (example.name == "pipelined-compute") return expectation.pipelined();
    if (example.name == "async-compute") return expectation.async(false);
    if (example.name == "async-compute-one-fence") return expectation.async(false);
    if (example.name == "async-compute-renamed") return expectation.async(true);
    if (example.name == "streaming-copy") return expectation.streaming();
    if (example.name == "background-compute") return expectation.background();
    if (example.name == "interrupting-compute") return expectation.interrupting();
    FAIL("nothing is expected of " << example.name);
    return {};
}

std::vector<Words> expected_assets(const engines::ExampleSettings& settings, const EngineProgram& program) {
    return Expectation(settings, program).assets();
}

Words expected_last_version(const engines::Example& example, const EngineProgram& program) {
    const Expectation expectation(example.settings, program);
    if (example.name == "background-compute") return expectation.job(example.settings.frames);
    if (example.name == "async-compute-renamed") return expectation.computed_in_place(example.settings.frames);
    return expectation.computed(example.settings.frames);
}

std::vector<Words> pieces_of(const EngineProgram& program, const engines::HostMemory& memory, std::string_view name,
                             std::uint64_t piece_bytes) {
    const auto bytes = memory.bytes(resource_named(program, name));
    REQUIRE(bytes.size() % piece_bytes == 0);
    std::vector<Words> pieces(bytes.size() / piece_bytes, Words(piece_bytes / 4));
    for (std::size_t i = 0; i < pieces.size(); ++i)
        std::memcpy(pieces[i].data(), bytes.data() + i * piece_bytes, piece_bytes);
    return pieces;
}

}  // namespace heapwright::test
