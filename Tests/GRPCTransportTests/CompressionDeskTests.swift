import Compression
import GRPC
import NetworkIO
import TestSupport
import Testing

@testable import GRPCTransport

@Suite struct `A loop's share of compression` {
  /// `byteCount` zeros in gzip.
  private static func zeros(_ byteCount: Int) throws -> [UInt8] {
    let deflater = try #require(Deflater())
    let message = [UInt8](repeating: 0, count: byteCount)
    var room = [UInt8](repeating: 0, count: byteCount / 50 + 100)
    let count = room.withUnsafeMutableBytes { room in message.withUnsafeBytes { deflater.deflate($0, into: room) } }
    return Array(room.prefix(try #require(count)))
  }

  // G-057, G-156
  @Test func `inflates a bounded number of bytes a turn`() async throws {
    try await withEventLoop("inflation") { loop in
      let message = try Self.zeros(600 << 10)
      let desk = try await loop.run { Desk(InflationDesk(loop: loop)) }
      for _ in 0..<3 {
        let hadTime = try await loop.run {
          var hadTime: [Bool] = []
          for _ in 0..<3 {
            hadTime.append(desk.desk.hasTime)
            try? message.withUnsafeBytes { try desk.desk.inflate($0, .gzip, limit: 600 << 10) { _ in } }
          }
          return hadTime
        }
        #expect(hadTime == [true, true, false])
        _ = try await eventually { try await loop.run { desk.desk.hasTime } ? true : nil }
      }
    }
  }

  // G-055, G-057
  @Test func `counts what did not inflate, too`() async throws {
    try await withEventLoop("inflation") { loop in
      let bomb = try Self.zeros(8 << 20)
      let desk = try await loop.run { Desk(InflationDesk(loop: loop)) }
      let (error, hasTime) = try await loop.run {
        var found: FramingError?
        do {
          try bomb.withUnsafeBytes { try desk.desk.inflate($0, .gzip, limit: 2 << 20) { _ in } }
        } catch {
          found = error as? FramingError
        }
        return (found, desk.desk.hasTime)
      }
      #expect(error == .decompressedTooLarge(limit: 2 << 20))
      #expect(!hasTime)
    }
  }

  // G-040
  @Test func `deflates a bounded number of bytes a turn, of messages that are worth it`() async throws {
    try await withEventLoop("deflation") { loop in
      let desk = try await loop.run { Desk(DeflationDesk(loop: loop)) }
      for _ in 0..<2 {
        let takes = try await loop.run {
          let sizes = [1023, 1024, 1 << 20, (1 << 20) + 1].map { desk.desk.takes($0) }
          desk.desk.deflate(byteCount: 256 << 10) { _ in
          } _: { _, _ in
          }
          return sizes + [desk.desk.takes(1024)]
        }
        #expect(takes == [false, true, true, false, false])
        _ = try await eventually { try await loop.run { desk.desk.takes(1024) } ? true : nil }
      }
    }
  }
}

/// `@unchecked Sendable`: used on its loop only.
private final class Desk<Value>: @unchecked Sendable {
  let desk: Value
  init(_ desk: Value) { self.desk = desk }
}
