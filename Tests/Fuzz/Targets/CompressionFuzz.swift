import Compression

/// Inflation: whatever comes, no more than the limit comes out, the same input gives the same result, and what was
/// deflated comes back.
@c(fuzz_compression) public func fuzzCompression(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(data, count)
  let format = input.byte() & 1 == 0 ? CompressionFormat.gzip : .zlib
  let limit = Int(input.byte()) << 4
  guard let inflater = Inflater(), let deflater = Deflater() else { return 0 }
  let first = inflated(input.rest, format, limit, by: inflater)
  if first != inflated(input.rest, format, limit, by: inflater) { violated("a context is as new for each message") }
  var room = [UInt8](repeating: 0, count: input.rest.count + 64)
  let message = Array(input.rest)
  let byteCount = room.withUnsafeMutableBytes { deflater.deflate(input.rest, into: $0) }
  guard let byteCount else { violated("a message fits with 64 bytes more") }
  let back = room.withUnsafeBytes {
    inflated(UnsafeRawBufferPointer(rebasing: $0[..<byteCount]), .gzip, message.count, by: inflater)
  }
  if back != .success(message) { violated("what was deflated comes back") }
  return 0
}

private func inflated(
  _ bytes: UnsafeRawBufferPointer, _ format: CompressionFormat, _ limit: Int, by inflater: Inflater
) -> Result<[UInt8], InflationError> {
  let output = ByteBuffer()
  do throws(InflationError) {
    try inflater.inflate(bytes, format, into: output, limit: limit)
  } catch {
    if output.capacity > limit + 1 { violated("memory is bounded by the limit") }
    return .failure(error)
  }
  if output.bytes.count > limit { violated("what comes out is bounded") }
  return .success(Array(output.bytes))
}
