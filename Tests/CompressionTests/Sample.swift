import CZlib

@testable import Compression

enum Sample {
  /// Bytes that do not get smaller.
  static func bytes(_ count: Int) -> [UInt8] {
    var state: UInt64 = 42
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }

  /// By zlib itself, at its best level.
  static func deflated(_ bytes: [UInt8], _ format: CompressionFormat) -> [UInt8] {
    var stream = z_stream()
    energykit_deflate_init(&stream, 9, format.windowBits, 8)
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    var input = bytes
    let count = output.withUnsafeMutableBufferPointer { output in
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        deflate(&stream, Z_FINISH)
        return Int(stream.total_out)
      }
    }
    return Array(output.prefix(count))
  }
}
