import GRPC
import Testing

@Suite struct `A message framer` {
  // G-050, G-062
  @Test func `hands out messages that lie whole in a chunk in place`() throws {
    var framer = MessageFramer(maximumMessageByteCount: 100)
    try (framed([1, 2, 3]) + framed([]) + framed([4])).withUnsafeBytes { chunk in
      var rest = chunk
      let first = try #require(try framer.next(&rest))
      #expect(first.baseAddress == chunk.baseAddress.map { $0 + 5 })
      #expect(Array(first) == [1, 2, 3])
      let second = try #require(try framer.next(&rest))
      #expect(second.isEmpty)
      let third = try #require(try framer.next(&rest))
      #expect(Array(third) == [4])
      #expect(try framer.next(&rest) == nil)
    }
    #expect(framer.heldByteCount == 0)
    try framer.finish()
  }

  // G-050
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `finds the same messages however they are split and paused`(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let messages = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      (0..<Int.random(in: 0...[0, 3, 40, 3_000].randomElement(using: &random)!, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    }
    var framer = MessageFramer(maximumMessageByteCount: 3_000)
    var bytes = messages.flatMap(framed)[...]
    var found: [[UInt8]] = []
    while !bytes.isEmpty {
      let count = min(bytes.count, Int.random(in: 1...[1, 7, 5_000].randomElement(using: &random)!, using: &random))
      let chunk = Array(bytes.prefix(count))
      bytes = bytes.dropFirst(count)
      try feed(chunk, to: &framer) {
        found.append($0)
        return Bool.random(using: &random)
      }
    }
    try feed([], to: &framer) {
      found.append($0)
      return true
    }
    try framer.finish()
    #expect(found == messages)
    #expect(framer.heldByteCount == 0 && framer.missingByteCount == 0)
  }

  @Test func `holds nothing and is two words when idle`() throws {
    var framer = MessageFramer(maximumMessageByteCount: 100)
    #expect(MemoryLayout<MessageFramer>.size <= 16)
    try feed([0, 0, 0], to: &framer) { _ in true }
    #expect(framer.heldByteCount == 3)
    #expect(framer.missingByteCount == 0)
    try feed([0, 4, 9], to: &framer) { _ in true }
    #expect(framer.heldByteCount == 6)
    #expect(framer.missingByteCount == 3)
    var found: [[UInt8]] = []
    try feed([8, 7, 6], to: &framer) {
      found.append($0)
      return true
    }
    #expect(found == [[9, 8, 7, 6]])
    #expect(framer.isEmpty && framer.missingByteCount == 0)
  }

  @Test func `keeps the rest of a chunk for a consumer that pauses`() throws {
    var framer = MessageFramer(maximumMessageByteCount: 100)
    var found: [[UInt8]] = []
    try feed(framed([1]) + framed([2]) + [0, 0], to: &framer) {
      found.append($0)
      return false
    }
    #expect(found == [[1]])
    #expect(framer.heldByteCount == 8)
    try feed([], to: &framer) {
      found.append($0)
      return true
    }
    #expect(found == [[1], [2]])
    #expect(framer.heldByteCount == 2)
    #expect(throws: FramingError.truncated) { try framer.finish() }
  }

  // G-052, G-053, G-056
  @Test(
    arguments: [
      ([2, 0, 0, 0, 0], .reservedFlag(2)),
      ([0x80, 0, 0, 0, 0], .reservedFlag(0x80)),
      ([1, 0, 0, 0, 0], .compressedWithoutEncoding),
      ([0, 0, 0, 0, 101], .messageTooLarge(byteCount: 101, limit: 100)),
      ([0, 0xFF, 0xFF, 0xFF, 0xFF], .messageTooLarge(byteCount: 4_294_967_295, limit: 100)),
    ] as [([UInt8], FramingError)])
  func `judges flag and length once the prefix is there, whole or byte by byte`(
    prefix: [UInt8], error: FramingError
  ) throws {
    var whole = MessageFramer(maximumMessageByteCount: 100)
    #expect(throws: error) { try feed(prefix, to: &whole) { _ in true } }
    var split = MessageFramer(maximumMessageByteCount: 100)
    for byte in prefix.dropLast() { try feed([byte], to: &split) { _ in true } }
    #expect(throws: error) { try feed([prefix[4]], to: &split) { _ in true } }
    #expect(split.heldByteCount <= 5)
  }

  // G-056
  @Test func `takes a message of exactly the limit`() throws {
    var framer = MessageFramer(maximumMessageByteCount: 100)
    var found: [[UInt8]] = []
    try feed(framed(Array(repeating: 7, count: 100)), to: &framer) {
      found.append($0)
      return true
    }
    #expect(found.map(\.count) == [100])
  }

  // G-051
  @Test(arguments: [1, 4, 5, 7])
  func `calls a stream that ends within a message truncated`(byteCount: Int) throws {
    var framer = MessageFramer(maximumMessageByteCount: 100)
    try feed(Array(framed([1, 2, 3]).prefix(byteCount)), to: &framer) { _ in true }
    #expect(throws: FramingError.truncated) { try framer.finish() }
  }

  // G-052, G-054
  @Test func `tells compressed messages from others, whole or byte by byte`() throws {
    let bytes: [UInt8] = [1, 0, 0, 0, 1, 7] + [0, 0, 0, 0, 1, 7] + [1, 0, 0, 0, 0]
    for chunks in [[bytes], bytes.map { [$0] }] {
      var framer = MessageFramer(maximumMessageByteCount: 100, allowsCompression: true)
      var found: [Bool] = []
      for chunk in chunks {
        try chunk.withUnsafeBytes { chunk in
          var rest = chunk
          while let message = try framer.next(&rest) { found.append(MessageFramer.isCompressed(message)) }
        }
      }
      #expect(found == [true, false, true])
    }
    #expect(MessageFramer(maximumMessageByteCount: 77).maximumMessageByteCount == 77)
  }

  // G-053
  @Test(arguments: [2, 3, 0x80, 0x81, 0xFF] as [UInt8])
  func `refuses reserved flags also where compression is allowed`(flag: UInt8) throws {
    var framer = MessageFramer(maximumMessageByteCount: 100, allowsCompression: true)
    #expect(throws: FramingError.reservedFlag(flag)) { try feed([flag, 0, 0, 0, 0], to: &framer) { _ in true } }
  }

  // G-056, G-057
  @Test func `names both numbers of a message that is too large`() {
    let status = FramingError.messageTooLarge(byteCount: 4_194_305, limit: 4_194_304).status
    #expect(status.code == .resourceExhausted)
    #expect(status.message.contains("4194305") && status.message.contains("4194304"))
    #expect(FramingError.decompressedTooLarge(limit: 5).status.code == .resourceExhausted)
    for error in [FramingError.reservedFlag(2), .compressedWithoutEncoding, .truncated, .corruptCompression] {
      #expect(error.status.code == .internal)
    }
  }
}

private func framed(_ message: [UInt8]) -> [UInt8] {
  [0] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message
}

/// Feeds a chunk as a transport does; `deliver` returns whether the next message may come.
private func feed(_ chunk: [UInt8], to framer: inout MessageFramer, deliver: ([UInt8]) -> Bool) throws {
  try chunk.withUnsafeBytes { chunk in
    var rest = chunk
    while let message = try framer.next(&rest) {
      guard deliver(Array(message)) else {
        framer.hold(rest)
        return
      }
    }
  }
}
