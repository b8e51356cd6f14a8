#include "engines/host_memory.hpp"

#include <algorithm>
#include <cstring>

#include "device/transform.hpp"
#include "engines/progress.hpp"

namespace heapwright::engines {
namespace {

struct Apply {
    std::vector<std::vector<std::byte>>& bytes;
    std::vector<std::vector<std::byte>>& reads;

    [[nodiscard]] std::span<std::byte> range(device::ResourceId id, std::uint64_t offset, std::uint64_t size) const {
        return std::span(bytes[id.value]).subspan(offset, size);
    }
    [[nodiscard]] std::span<std::byte> whole(device::ResourceId id) const { return bytes[id.value]; }

    static void move(std::span<const std::byte> from, std::span<std::byte> to) {
        std::memmove(to.data(), from.data(), from.size());
    }

    void operator()(const device::FillBuffer& work) const {
        const std::span<std::byte> to = range(work.buffer, work.offset_bytes, work.size_bytes);
        for (std::size_t at = 0; at < to.size(); at += 4) std::memcpy(to.data() + at, &work.value, 4);
    }
    void operator()(const device::CopyBuffer& work) const {
        move(range(work.source, work.source_offset_bytes, work.size_bytes),
             range(work.destination, work.destination_offset_bytes, work.size_bytes));
    }
    void operator()(const device::TransformBuffer& work) const {
        const std::span<std::byte> from = range(work.source, work.source_offset_bytes, work.size_bytes);
        const std::span<std::byte> to = range(work.destination, work.destination_offset_bytes, work.size_bytes);
        for (std::size_t at = 0; at < from.size(); at += 4) {
            std::uint32_t word = 0;
            std::memcpy(&word, from.data() + at, 4);
            word = device::transform_word(word, work.key, work.rounds);
            std::memcpy(to.data() + at, &word, 4);
        }
    }
    void operator()(const device::DrawBuffer& work) const {
        const std::span<std::byte> image = whole(work.image);
        move(range(work.source, work.source_offset_bytes, image.size()), image);
    }
    void operator()(const device::CopyImageToBuffer& work) const {
        const std::span<std::byte> image = whole(work.image);
        move(image, range(work.buffer, work.buffer_offset_bytes, image.size()));
    }
    void operator()(const device::CopyBufferToImage& work) const {
        const std::span<std::byte> image = whole(work.image);
        move(range(work.buffer, work.buffer_offset_bytes, image.size()), image);
    }
    // accesses_of() refuses other work before it enters a program.
    template <class Other>
    void operator()(const Other&) const {}

    void operator()(const device::Work& work) const { std::visit(*this, work); }
    void operator()(const HostWrite& host) const {
        move(host.bytes, range({host.resource.value}, host.offset_bytes, host.bytes.size()));
    }
    void operator()(const HostRead& host) const {
        const std::span<std::byte> from = range({host.resource.value}, host.offset_bytes, host.size_bytes);
        reads.emplace_back(from.begin(), from.end());
    }
};

}  // namespace

HostMemory::HostMemory(const std::vector<ProgramResource>& resources, std::uint64_t seed) {
    for (std::uint32_t resource = 0; resource < resources.size(); ++resource) {
        std::vector<std::byte>& bytes = bytes_.emplace_back(resources[resource].size_bytes);
        for (std::size_t word = 0; word < bytes.size() / 4; ++word) {
            const std::uint32_t value =
                resources[resource].place == Place::kUpload ? initial_word(seed, {resource}, word) : kUntouchedWord;
            std::memcpy(bytes.data() + word * 4, &value, 4);
        }
    }
}

void HostMemory::apply(const Step& step) {
    std::visit(Apply{bytes_, reads_}, step);
}

HostMemory run_on_host(const EngineProgram& program, const std::vector<std::size_t>& order) {
    HostMemory memory(program.resources, program.seed);
    for (const std::size_t position : order) memory.apply(program.steps[position]);
    return memory;
}

HostMemory run_on_host(const EngineProgram& program) {
    return run_on_host(program, engines::play(program.schedule).order);
}

}  // namespace heapwright::engines
