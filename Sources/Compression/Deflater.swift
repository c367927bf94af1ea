internal import CZlib

/// Deflates whole messages to gzip, each by itself, at the fastest level. One for all the messages of a thread: about
/// 260 KiB.
package final class Deflater {
  private static let fastestLevel: CInt = 1
  private static let memoryLevel: CInt = 8

  private let stream: UnsafeMutablePointer<z_stream>

  /// `nil` where there is no memory.
  package init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let windowBits = CompressionFormat.gzip.windowBits
    guard energykit_deflate_init(stream, Self.fastestLevel, windowBits, Self.memoryLevel) == Z_OK else {
      stream.deallocate()
      return nil
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Returns how many bytes of `output` were filled; `nil` where it does not all go in.
  package func deflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    guard deflateReset(stream) == Z_OK else { return nil }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(clamping: input.count)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(clamping: output.count)
    defer {
      stream.pointee.next_in = nil
      stream.pointee.next_out = nil
    }
    guard CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END else { return nil }
    return output.count - Int(stream.pointee.avail_out)
  }
}
