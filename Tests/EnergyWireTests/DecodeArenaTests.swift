import CEnergyProto
import CProtobufC
import TestSupport
import Testing

@testable import EnergyWire
@testable import ProtobufWire

@Suite struct `The decode arena` {
  private let arena = DecodeArena()

  private func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    arena.allocator.pointee.alloc(arena.allocator.pointee.allocator_data, size)
  }

  @Test(arguments: [
    (0, 64 << 10), (100, 64 << 10), (8 << 10, 64 << 10), (10_000, 80_000), (4 << 20, 32 << 20), (5 << 20, 32 << 20),
    (Int.max, 32 << 20),
  ])
  func `refuses above eight times the message and 32 MiB`(messageByteCount: Int, limit: Int) {
    arena.begin(messageByteCount: messageByteCount)
    var count = 0
    while allocate(1000 - 8) != nil { count += 1 }
    #expect(arena.hasRefused)
    #expect(count == limit / 1000)
    #expect(arena.usedByteCount <= limit)
    #expect(arena.reservedByteCount <= 2 * limit + (1 << 20))
    arena.begin(messageByteCount: 0)
    #expect(!arena.hasRefused)
    #expect(arena.usedByteCount == 0)
    #expect(arena.reservedByteCount == 256 << 10)
  }

  @Test(arguments: [-1, Int.min, Int.max, Int.max - 7, 64 << 10])
  func `refuses impossible sizes`(size: Int) {
    arena.begin(messageByteCount: 0)
    #expect(allocate(size) == nil)
    #expect(arena.hasRefused)
  }

  @Test func `hands out pieces that do not overlap, aligned, of any size`() {
    arena.begin(messageByteCount: 4 << 20)
    var random = SeededRandom(seed: 7)
    var pieces: [(UnsafeMutableRawBufferPointer, UInt8)] = []
    for number in 0..<2000 {
      let size = Int.random(in: 0...(number % 100 == 0 ? 600_000 : 300), using: &random)
      guard let start = allocate(size) else { break }
      #expect(UInt(bitPattern: start) % 8 == 0)
      let piece = UnsafeMutableRawBufferPointer(start: start, count: size)
      piece.initializeMemory(as: UInt8.self, repeating: UInt8(number & 255))
      pieces.append((piece, UInt8(number & 255)))
    }
    #expect(pieces.count == 2000)
    #expect(pieces.allSatisfy { piece, mark in piece.allSatisfy { $0 == mark } })
  }

  @Test(arguments: ["", "a", "a\0b", "ü", String(repeating: "x", count: 300)])
  func `knows the length of strings with NUL in them`(text: String) throws {
    let message = WireBuilder { $0.text(2, text) }.bytes
    arena.begin(messageByteCount: message.count)
    let raw = try #require(energykit__v1__list_venues_request__unpack(arena.allocator, message.count, message))
    #expect(Array(arena.bytes(of: raw.pointee.page_token)) == Array(text.utf8))
    #expect(try arena.text(of: raw.pointee.page_token) == text)
  }

  @Test func `knows the string that was not sent`() throws {
    arena.begin(messageByteCount: 0)
    let raw = try #require(energykit__v1__list_venues_request__unpack(arena.allocator, 0, nil))
    #expect(arena.bytes(of: raw.pointee.page_token).isEmpty)
  }
}
