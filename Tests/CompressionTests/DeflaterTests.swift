import Testing

@testable import Compression

@Suite struct `The deflater` {
  // G-054: a new context for every message.
  @Test func `makes whole gzip messages, each by itself`() throws {
    let deflater = try #require(Deflater())
    let inflater = try #require(Inflater())
    let output = ByteBuffer()
    for byteCount in [1000, 100_000, 1000, 5] {
      let message = [UInt8](repeating: 9, count: byteCount)
      var room = [UInt8](repeating: 0, count: 1000)
      let count = try #require(
        room.withUnsafeMutableBytes { room in message.withUnsafeBytes { deflater.deflate($0, into: room) } })
      #expect(count < 500)
      try room.withUnsafeBytes {
        try inflater.inflate(.init(rebasing: $0[..<count]), .gzip, into: output, limit: byteCount)
      }
      #expect(Array(output.bytes) == message)
    }
  }

  @Test(arguments: [0, 1, 19, 900]) func `says where it does not fit`(room: Int) throws {
    let deflater = try #require(Deflater())
    var output = [UInt8](repeating: 0, count: room)
    let message = Sample.bytes(900)
    #expect(
      output.withUnsafeMutableBytes { room in message.withUnsafeBytes { deflater.deflate($0, into: room) } } == nil)
  }
}
