#!/usr/bin/env bash
# usage: check_sources_alone.sh SOURCE_FOLDER BUILD_FOLDER
#
# Compiles every source of the program and every header by itself, where the usual build compiles several at once: each
# must bring the headers that it uses. Exit codes: 0 all compile, 1 otherwise.
set -euo pipefail
cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DHEAPWRIGHT_BATCHES=OFF \
    -DHEAPWRIGHT_BENCHMARKS=OFF || exit 1
cmake --build "$2" --target heapwright test_headers -- -k 0 || exit 1
