// That this program was linked is the test: each of its other sources is one header of the project, alone.
#include <cstdio>

int main() {
    std::printf("%d headers compile alone and define nothing twice\n", HEAPWRIGHT_HEADER_COUNT);
    return HEAPWRIGHT_HEADER_COUNT > 0 ? 0 : 1;
}
