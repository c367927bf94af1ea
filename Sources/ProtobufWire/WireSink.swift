/// Where encoded fields go: a counter or a buffer. Every message is described once, in `encode(to:)`, and run through
/// both, so that the count and the bytes cannot differ.
///
/// Fields are written in the order of their numbers and left out at their default, as protobuf's own serialisers do.
///
/// All of it is inlinable, since messages are described in other targets and written on the hot path.
package protocol WireSink {
  mutating func append(_ byte: UInt8)
  mutating func append(_ bytes: UnsafeRawBufferPointer)
}

/// A message that can write itself.
package protocol WireMessage {
  func encode(to sink: inout some WireSink)
}

extension WireMessage {
  @inlinable package var encodedByteCount: Int {
    var counter = CountingSink()
    encode(to: &counter)
    return counter.count
  }

  /// Fills `buffer`, which must have `encodedByteCount` bytes.
  @inlinable package func encode(into buffer: UnsafeMutableRawBufferPointer) {
    var sink = BufferSink(buffer)
    encode(to: &sink)
    sink.finish()
  }

  @inlinable package var encodedBytes: [UInt8] {
    let count = encodedByteCount
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      encode(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      written = count
    }
  }
}

package struct CountingSink: WireSink {
  @inlinable package var count: Int { counted }
  @usableFromInline var counted = 0

  @inlinable package init() {}

  @inlinable package mutating func append(_ byte: UInt8) { counted += 1 }
  @inlinable package mutating func append(_ bytes: UnsafeRawBufferPointer) { counted += bytes.count }
}

package struct BufferSink: WireSink {
  @usableFromInline var rest: UnsafeMutableRawBufferPointer

  @inlinable package init(_ buffer: UnsafeMutableRawBufferPointer) {
    rest = buffer
  }

  @inlinable package mutating func append(_ byte: UInt8) {
    precondition(!rest.isEmpty, "a message is longer than it was counted")
    rest[0] = byte
    rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst())
  }

  @inlinable package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= rest.count, "a message is longer than it was counted")
    rest.copyMemory(from: bytes)
    rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(bytes.count))
  }

  @inlinable package func finish() {
    precondition(rest.isEmpty, "a message is shorter than it was counted")
  }
}
