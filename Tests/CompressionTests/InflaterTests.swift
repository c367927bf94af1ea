import CZlib
import Testing

@testable import Compression

@Suite struct `The inflater` {
  private let output = ByteBuffer()

  private func inflate(_ bytes: [UInt8], _ format: CompressionFormat = .gzip, limit: Int = 1 << 20) throws -> [UInt8] {
    let inflater = try #require(Inflater())
    return try inflate(bytes, format, limit: limit, by: inflater)
  }

  private func inflate(
    _ bytes: [UInt8], _ format: CompressionFormat = .gzip, limit: Int = 1 << 20, by inflater: Inflater
  ) throws -> [UInt8] {
    try bytes.withUnsafeBytes { try inflater.inflate($0, format, into: output, limit: limit) }
    return Array(output.bytes)
  }

  // G-054
  @Test(arguments: [CompressionFormat.gzip, .zlib], [0, 1, 1000, 1 << 16, 1 << 20])
  func `gives back what was deflated`(format: CompressionFormat, byteCount: Int) throws {
    let message = Sample.bytes(byteCount)
    #expect(try inflate(Sample.deflated(message, format), format) == message)
  }

  // G-057
  @Test(arguments: [0, 1, 999, 1000, 4096, 65_536])
  func `takes what is at the limit and no byte more`(limit: Int) throws {
    let inflater = try #require(Inflater())
    for format in [CompressionFormat.gzip, .zlib] {
      let message = Sample.bytes(limit)
      #expect(try inflate(Sample.deflated(message, format), format, limit: limit, by: inflater) == message)
      #expect(throws: InflationError.tooLarge) {
        try inflate(Sample.deflated(message + [0], format), format, limit: limit, by: inflater)
      }
      #expect(output.bytes.count <= limit + 1)
    }
  }

  // G-057: 64 MiB of zeros are 64 KiB.
  @Test func `holds no more than the limit of a bomb`() throws {
    let bomb = Sample.deflated([UInt8](repeating: 0, count: 64 << 20), .gzip)
    #expect(bomb.count < 70_000)
    #expect(throws: InflationError.tooLarge) { try inflate(bomb, limit: 100_000) }
    #expect(output.capacity <= 100_001)
  }

  // G-055
  @Test func `refuses every truncation`() throws {
    let inflater = try #require(Inflater())
    for format in [CompressionFormat.gzip, .zlib] {
      let whole = Sample.deflated(Sample.bytes(2000), format)
      for count in 0..<whole.count {
        #expect(throws: InflationError.truncated) { try inflate(Array(whole.prefix(count)), format, by: inflater) }
      }
      #expect(try inflate(whole, format, by: inflater) == Sample.bytes(2000))
    }
  }

  // G-055: a flipped bit is found by a checksum at the latest, where it means anything: the last bits of the deflated
  // data do not, nor do some of gzip's header.
  @Test(arguments: [CompressionFormat.gzip, .zlib])
  func `refuses what was damaged`(format: CompressionFormat) throws {
    let inflater = try #require(Inflater())
    let message = Sample.bytes(500)
    let whole = Sample.deflated(message, format)
    var harmlessCount = 0
    for index in (format == .gzip ? 10 : 0)..<whole.count {
      for bit in 0..<8 as Range<UInt8> {
        var bytes = whole
        bytes[index] ^= 1 << bit
        do {
          #expect(try inflate(bytes, format, by: inflater) == message)
          harmlessCount += 1
        } catch is InflationError {
          continue
        }
      }
    }
    #expect(harmlessCount <= 7)
  }

  // G-055
  @Test(arguments: [[0], [1, 2, 3], Array("hello, world".utf8), [0x1F, 0x8B, 0x08]] as [[UInt8]])
  func `refuses garbage, before and behind`(garbage: [UInt8]) throws {
    let whole = Sample.deflated([1, 2, 3], .gzip)
    #expect(throws: InflationError.self) { try inflate(garbage) }
    #expect(throws: InflationError.self) { try inflate(garbage + whole) }
    #expect(throws: InflationError.self) { try inflate(whole + garbage) }
    #expect(throws: InflationError.self) { try inflate(Sample.deflated([1], .zlib) + garbage, .zlib) }
  }

  // G-055
  @Test func `does not take one format for the other`() throws {
    #expect(throws: InflationError.corrupt) { try inflate(Sample.deflated([1, 2, 3], .zlib), .gzip) }
    #expect(throws: InflationError.corrupt) { try inflate(Sample.deflated([1, 2, 3], .gzip), .zlib) }
  }

  // A gzip file is one or more members (RFC 1952 §2.2).
  @Test(arguments: [1, 2, 16, 17, 10_000]) func `takes members one behind the other, not too many`(count: Int) throws {
    let members = (0..<count).flatMap { _ in Sample.deflated([7, 8], .gzip) }
    if count <= Inflater.maximumMemberCount {
      #expect(try inflate(members) == (0..<count).flatMap { _ in [7, 8] as [UInt8] })
    } else {
      #expect(throws: InflationError.corrupt) { try inflate(members) }
    }
  }

  @Test func `counts the members together`() throws {
    let members = Sample.deflated(Sample.bytes(600), .gzip) + Sample.deflated(Sample.bytes(600), .gzip)
    #expect(throws: InflationError.tooLarge) { try inflate(members, limit: 1000) }
  }

  // zlib has preset dictionaries (RFC 1950 §2.2), which nobody has agreed on.
  @Test func `refuses a preset dictionary`() throws {
    #expect(throws: InflationError.corrupt) { try inflate([0x78, 0x20, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1], .zlib) }
  }

  @Test func `survives random bytes`() throws {
    let inflater = try #require(Inflater())
    var random = SystemRandomNumberGenerator()
    for _ in 0..<3000 {
      let tail = (0..<Int.random(in: 0...60)).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(throws: InflationError.self) {
        try inflate([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3] + tail, limit: 500, by: inflater)
      }
    }
  }
}
