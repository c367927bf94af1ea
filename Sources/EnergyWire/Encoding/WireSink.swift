/// Where encoded fields go: a counter or a buffer. Every message is described once, in `encode(to:)`, and run through
/// both, so that the count and the bytes cannot differ.
///
/// Fields are written in the order of their numbers and left out at their default, as protobuf's own serialisers do.
protocol WireSink {
  mutating func append(_ byte: UInt8)
  mutating func append(_ bytes: UnsafeRawBufferPointer)
}

/// A message that can write itself.
protocol WireMessage {
  func encode(to sink: inout some WireSink)
}

extension WireMessage {
  var encodedByteCount: Int {
    var counter = CountingSink()
    encode(to: &counter)
    return counter.count
  }

  /// Fills `buffer`, which must have `encodedByteCount` bytes.
  func encode(into buffer: UnsafeMutableRawBufferPointer) {
    var sink = BufferSink(buffer)
    encode(to: &sink)
    sink.finish()
  }

  var encodedBytes: [UInt8] {
    let count = encodedByteCount
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      encode(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      written = count
    }
  }
}

struct CountingSink: WireSink {
  private(set) var count = 0

  mutating func append(_ byte: UInt8) { count += 1 }
  mutating func append(_ bytes: UnsafeRawBufferPointer) { count += bytes.count }
}

struct BufferSink: WireSink {
  private var rest: UnsafeMutableRawBufferPointer

  init(_ buffer: UnsafeMutableRawBufferPointer) {
    rest = buffer
  }

  mutating func append(_ byte: UInt8) {
    precondition(!rest.isEmpty, "a message is longer than it was counted")
    rest[0] = byte
    rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst())
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= rest.count, "a message is longer than it was counted")
    rest.copyMemory(from: bytes)
    rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(bytes.count))
  }

  func finish() {
    precondition(rest.isEmpty, "a message is shorter than it was counted")
  }
}
