// That this program was linked is the test: its other sources are the project's headers.
#include <cstdio>

int main() {
    std::printf("%d headers compile and define nothing twice\n", HEAPWRIGHT_HEADER_COUNT);
    return HEAPWRIGHT_HEADER_COUNT > 0 ? 0 : 1;
}
