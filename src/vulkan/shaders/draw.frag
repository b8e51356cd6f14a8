// DrawBuffer (src/device/submitter.hpp): each fragment takes its texel from the buffer, whose rows are packed.
#version 460

layout(push_constant) uniform Push {
    uint width;
} push;

layout(set = 0, binding = 0) readonly buffer Texels { uint words[]; } texels;

layout(location = 0) out vec4 color;

void main() {
    const uvec2 at = uvec2(gl_FragCoord.xy);
    color = unpackUnorm4x8(texels.words[at.y * push.width + at.x]);
}
