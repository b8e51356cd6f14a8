// Two queues that stand before waits with signals of both fences still to come: a gate that the host never opens, and a
// fence whose value 3 nothing signals while its values 1 and 2 stand behind the gate.
#pragma once

#include "engines/conductor.hpp"

namespace heapwright::test {

inline void play_mixed_signals(engines::Conductor& conductor) {
    const auto copy = conductor.queue("copy", engines::ActorKind::kCopy);
    const auto compute = conductor.queue("compute", engines::ActorKind::kCompute);
    const auto fence = conductor.fence("fence");
    const auto gate = conductor.fence("gate");
    const auto done = conductor.fence("done");
    const auto uploads = conductor.buffer("uploads", 1024, engines::Place::kUpload);
    const auto data = conductor.buffer("data", 1024);
    conductor.begin();
    conductor.wait(compute, fence, 3);
    conductor.signal(compute, done, 1);
    conductor.wait(copy, gate, 5);
    conductor.execute(copy, "copy", {device::CopyBuffer{{uploads.value}, {data.value}, 0, 0, 1024}}, 1);
    conductor.signal(copy, fence, 1);
    conductor.wait(copy, gate, 7);
    conductor.signal(copy, fence, 2);
    conductor.wait(copy, done, 1);
    conductor.signal(copy, gate, 9);
    conductor.host_wait(done, 1);
}

}  // namespace heapwright::test
