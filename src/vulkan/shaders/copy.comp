// TransformBuffer without rounds (src/device/submitter.hpp): a copy, sixteen bytes at a time. Few groups that each take
// many steps, so that every one of them has copies under way.
#version 460

layout(local_size_x = 128) in;

layout(push_constant) uniform Push {
    uint word_count;  // a multiple of four
} push;

layout(set = 0, binding = 0) readonly buffer Source { uvec4 quads[]; } source;
layout(set = 0, binding = 1) writeonly buffer Destination { uvec4 quads[]; } destination;

void main() {
    const uint count = push.word_count / 4;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < count; i += step) destination.quads[i] = source.quads[i];
}
