internal import CZlib

/// Why compressed bytes did not become a message.
package enum InflationError: Error, Hashable, Sendable {
  /// Not of the format, a wrong checksum or length, or bytes behind the end.
  case corrupt
  /// The data ends too early.
  case truncated
  /// More than the limit comes out; inflation stopped there.
  case tooLarge
  case outOfMemory
}

/// Inflates whole messages, each by itself. One for all the messages of a thread: about 40 KiB.
package final class Inflater {
  /// A gzip file may have several members (RFC 1952 §2.2); more than this are taken for an attack, for each costs time
  /// and may hold nothing.
  static let maximumMemberCount = 16

  private let stream: UnsafeMutablePointer<z_stream>

  /// `nil` where there is no memory.
  package init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard energykit_inflate_init(stream, CompressionFormat.gzip.windowBits) == Z_OK else {
      stream.deallocate()
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Puts what is in `input` into `output`, at most `limit` bytes and never more than one above it.
  package func inflate(
    _ input: UnsafeRawBufferPointer, _ format: CompressionFormat, into output: ByteBuffer, limit: Int
  ) throws(InflationError) {
    output.removeAll()
    guard inflateReset2(stream, format.windowBits) == Z_OK else { throw .corrupt }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(clamping: input.count)
    defer { stream.pointee.next_in = nil }
    var memberCount = 0
    while true {
      let code = step(into: output, limit: limit, hint: 4 * input.count)
      guard output.bytes.count <= limit else { throw .tooLarge }
      guard code == Z_STREAM_END else {
        try judge(code)
        continue
      }
      memberCount += 1
      if stream.pointee.avail_in == 0 { return }
      guard format == .gzip, memberCount < Self.maximumMemberCount, inflateReset(stream) == Z_OK else {
        throw .corrupt
      }
    }
  }

  private func step(into output: ByteBuffer, limit: Int, hint: Int) -> CInt {
    var code = Z_OK
    output.append(limit: limit + 1, hint: hint) { room in
      stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(clamping: room.count)
      let before = stream.pointee.avail_out
      code = CZlib.inflate(stream, Z_NO_FLUSH)
      return Int(before - stream.pointee.avail_out)
    }
    return code
  }

  /// Returns where more can come.
  private func judge(_ code: CInt) throws(InflationError) {
    switch code {
    case Z_OK: return
    // There is always room, so that what is missing is input.
    case Z_BUF_ERROR: throw .truncated
    case Z_MEM_ERROR: throw .outOfMemory
    case _: throw .corrupt
    }
  }
}
