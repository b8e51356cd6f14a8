// TransformBuffer (src/device/submitter.hpp): transform_word() of the same file, a word each invocation. Rows
// of groups, so that neither dimension of a dispatch comes near its limit.
#version 460

layout(local_size_x = 64) in;

layout(push_constant) uniform Push {
    uint word_count;
    uint row_words;  // that one row of groups reaches
    uint key;
    uint rounds;
} push;

layout(set = 0, binding = 0) readonly buffer Source { uint words[]; } source;
layout(set = 0, binding = 1) writeonly buffer Destination { uint words[]; } destination;

void main() {
    const uint index = gl_GlobalInvocationID.y * push.row_words + gl_GlobalInvocationID.x;
    if (index >= push.word_count) return;
    uint word = source.words[index];
    for (uint i = 0; i < push.rounds; ++i) word = (word ^ push.key) * 1664525u + 1013904223u;
    destination.words[index] = word;
}
