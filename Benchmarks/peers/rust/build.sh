#!/bin/sh
# Builds the Rust peer with a cargo of 1.85 or newer. Debian packages: librust-hyper-dev librust-h2-dev
# librust-prost-dev librust-prost-derive-dev librust-tokio-dev librust-http-body-dev librust-bytes-dev
set -e
cd "$(dirname "$0")"
build=$(cd ../.. && pwd)/build
# A copy, since cargo writes its lock file beside the sources.
rm -rf "$build/rust-source"
mkdir -p "$build/rust-source"
cp -R Cargo.toml .cargo src "$build/rust-source"
cd "$build/rust-source"
cargo build --offline --release --target-dir "$build/rust"
cp "$build/rust/release/peer-rust" "$build/peer-rust"
