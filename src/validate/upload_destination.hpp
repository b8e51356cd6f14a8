// A device buffer that uploads go to, and where they are read back and compared byte by byte.
// Ownership: the scene outlives it, and at its end the device is done with what it was sent. Not thread-safe; errors as
// the device's. Sizes in bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frame/device_context.hpp"
#include "frame/upload_heap.hpp"
#include "validate/binding_scene.hpp"
#include "validate/pattern.hpp"
#include "validate/scene_memory.hpp"

namespace heapwright::validate {

struct SentUpload {
    std::uint64_t offset_bytes = 0;  // in the destination
    std::uint64_t size_bytes = 0;
    Pattern pattern;
};

class UploadDestination {
public:
    explicit UploadDestination(BindingScene& scene) : scene_(scene) {}
    ~UploadDestination();
    UploadDestination(const UploadDestination&) = delete;
    UploadDestination& operator=(const UploadDestination&) = delete;

    Status set_up(std::uint64_t size_bytes);

    // Writes the bytes and records the upload and its way back.
    Status send(frame::DeviceContext& context, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                std::vector<SentUpload>& sent);
    // The same for a range that has its submission elsewhere: its work is appended.
    void send(const frame::UploadRange& range, std::uint64_t offset_bytes, std::vector<device::Work>& work,
              std::vector<SentUpload>& sent);

    // The device is done with them: all went with one list.
    Status compare(std::vector<SentUpload>& sent, std::uint64_t frame, std::uint64_t command_list);

private:
    [[nodiscard]] device::CopyBuffer way_back(std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    void fill(const frame::UploadRange& range, std::uint64_t offset_bytes, std::vector<SentUpload>& sent);

    BindingScene& scene_;
    std::unique_ptr<SceneMemory> memory_;
    std::unique_ptr<SceneMemory> readback_memory_;
    ScenePlacement to_;
    ScenePlacement back_;
};

}  // namespace heapwright::validate
