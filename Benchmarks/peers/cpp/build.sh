#!/bin/sh
# Builds the C++ peer. Debian packages: g++ libgrpc++-dev protobuf-compiler-grpc
set -e
cd "$(dirname "$0")"
out=../../build/cpp
proto=../../../proto
mkdir -p "$out"
names="common venue guidance load_event admin"
files=""
for name in $names; do files="$files energykit/v1/$name.proto"; done
(cd "$proto" && protoc -I. --cpp_out="$OLDPWD/$out" --grpc_out="$OLDPWD/$out" \
  --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" $files)
sources=""
for name in $names; do sources="$sources $out/energykit/v1/$name.pb.cc"; done
for name in guidance load_event admin; do sources="$sources $out/energykit/v1/$name.grpc.pb.cc"; done
g++ -O2 -g -std=c++17 -Wall -I"$out" server.cpp $sources -o ../../build/peer-cpp $(pkg-config --cflags --libs grpc++ protobuf)
