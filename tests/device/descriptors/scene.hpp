// An opened device with what a dispatch over two tables needs: buffers and images of known contents, heaps, pipelines.
// finish() demands that nothing lives and that the layers said nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "backends.hpp"

namespace heapwright::test {

inline constexpr std::uint32_t kSlots = 64;  // words in each buffer, 256 bytes apart
inline constexpr std::uint32_t kSlotBytes = 256;
inline constexpr std::uint32_t kImages = 4;
inline constexpr std::uint32_t kImageWidth = 6;  // so that (1.25, 0.5) is the middle of a texel in every address mode
inline constexpr std::uint32_t kImageHeight = 3;
inline constexpr std::uint32_t kOutputWords = 4096;

// What the buffers and images hold.
[[nodiscard]] constexpr std::uint32_t constant_word(std::uint32_t slot) {
    return 0xC0000000u + slot * 7919u;
}
[[nodiscard]] constexpr std::uint32_t buffer_word(std::uint32_t slot) {
    return 0xB0000000u + slot * 104729u;
}
[[nodiscard]] constexpr std::uint32_t texel(std::uint32_t image, std::uint32_t x, std::uint32_t y) {
    return 0xFF000000u | (image + 1) << 16 | (y * 16 + 8) << 8 | (x * 32 + 5);
}

// Which resource parts a dispatch's descriptors point to, and so what it must write.
struct Pick {
    std::uint32_t static_constant = 0;
    std::uint32_t static_word = 0;
    std::uint32_t image = 0;
    std::uint32_t dynamic_constant = 0;
    std::uint32_t dynamic_word = 0;
};
[[nodiscard]] Pick pick(std::uint32_t seed);
[[nodiscard]] std::array<std::uint32_t, device::kReadTablesWords> expected(const Pick& pick, device::AddressMode mode);

// Whether the words begin with what a dispatch of this pick writes.
[[nodiscard]] bool is_output(std::span<const std::uint32_t> words, const Pick& pick, device::AddressMode mode);

class Scene {
public:
    explicit Scene(const Backend& backend, std::optional<device::DescriptorForm> form = std::nullopt,
                   Layers layers = Layers::kOn);
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
    ~Scene();

    device::Device& operator*() { return *opened_.device; }
    [[nodiscard]] device::DescriptorHeapSource& descriptors() { return *opened_.device->descriptors(); }
    [[nodiscard]] device::CommandRecorder& recorder() { return *opened_.device->recorder(); }
    [[nodiscard]] bool is_validated() const { return opened_.is_validated; }

    device::ResourceId constants;  // uniform buffer, constant_word(i) at i * kSlotBytes
    device::ResourceId words;      // storage buffer, buffer_word(i)
    device::ResourceId output;     // storage buffer of kOutputWords
    std::array<device::ResourceId, kImages> images{};
    device::PipelineId pipeline;
    device::PipelineId static_sampler_pipeline;

    // Ended by finish().
    [[nodiscard]] device::DescriptorHeapId heap(device::DescriptorHeapKind kind, std::uint32_t capacity,
                                                bool shader_visible);
    [[nodiscard]] device::CommandAllocatorId allocator(device::EngineId engine = {});
    [[nodiscard]] device::ResourceId dedicated(const model::ResourceDescription& resource);
    void destroy(device::DescriptorHeapId heap);

    void write(device::DescriptorHeapId heap, std::uint32_t index, const device::Descriptor& descriptor);
    void copy(device::DescriptorHeapId destination, std::uint32_t destination_index, device::DescriptorHeapId source,
              std::uint32_t source_index, std::uint32_t count);

    // The descriptors of a pick, written where the two tables begin. The output's view is the whole output buffer.
    void write_static_table(device::DescriptorHeapId heap, std::uint32_t first, const Pick& pick);
    void write_dynamic_table(device::DescriptorHeapId heap, std::uint32_t first, const Pick& pick);

    // A dispatch that names what a pick reads. Without a sampler heap it has the static sampler.
    [[nodiscard]] device::DispatchTables dispatch(device::DescriptorHeapId heap, std::uint32_t static_table,
                                                  std::uint32_t dynamic_table,
                                                  std::optional<device::DescriptorHeapId> samplers,
                                                  std::uint32_t sampler, std::uint32_t output_word, const Pick& pick);

    // Submits and waits.
    void run(std::span<const device::Work> work, std::span<const device::CommandListId> lists = {},
             device::EngineId engine = {});
    // Words brought into a buffer by a copy.
    void upload(device::ResourceId buffer, std::uint32_t first_word, std::span<const std::uint32_t> contents);
    // `count` words of a buffer, fetched by a copy.
    [[nodiscard]] std::vector<std::uint32_t> read(device::ResourceId buffer, std::uint32_t first_word,
                                                  std::uint32_t count);
    // Fails the test when the output from `word` on is not what the pick gives.
    void check_output(std::uint32_t word, const Pick& pick, device::AddressMode mode);

    // Validation messages since the last call; none are expected.
    void check_messages();
    void finish();

private:
    [[nodiscard]] device::ResourceId host_buffer(std::uint64_t size_bytes);
    void fill();

    Opened opened_;
    device::ResourceId staging_;  // host visible
    std::span<std::byte> staging_bytes_;
    std::vector<device::ResourceId> resources_;
    std::vector<device::DescriptorHeapId> heaps_;
    std::vector<device::CommandAllocatorId> allocators_;
    bool finished_ = false;
};

}  // namespace heapwright::test
