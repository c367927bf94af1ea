import GRPC

/// The message framer: the same bytes give the same messages and the same error in any split, put back or held or not,
/// and nothing is lost between them.
@c(fuzz_framer) public func fuzzFramer(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(data, count)
  let cut = Int(input.byte())
  let habit = input.byte()
  let whole = Framing(input.rest, chunkByteCount: .max, habit: 0)
  let split = Framing(input.rest, chunkByteCount: max(1, cut), habit: habit)
  if whole != split { violated("a split changes nothing: \(whole) became \(split)") }
  whole.check(against: input.rest)
  return 0
}

private struct Framing: Equatable {
  private static let limit = 1024

  private var messages: [[UInt8]] = []
  private var error: FramingError?

  /// - Parameter habit: Its lowest bit: whether each message is put back once; the next: whether the rest of a chunk is
  ///   held behind each message.
  init(_ bytes: UnsafeRawBufferPointer, chunkByteCount: Int, habit: UInt8) {
    var framer = MessageFramer(maximumMessageByteCount: Self.limit)
    var rest = bytes
    do throws(FramingError) {
      while !rest.isEmpty {
        var chunk = UnsafeRawBufferPointer(rebasing: rest.prefix(chunkByteCount))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(chunk.count))
        while let message = try framer.next(&chunk) {
          messages.append(Array(message))
          if habit & 2 != 0 {
            framer.hold(chunk)
            chunk = UnsafeRawBufferPointer(start: nil, count: 0)
          }
        }
        if framer.heldByteCount > Self.limit + MessageFramer.prefixByteCount + bytes.count {
          violated("what is held is bounded")
        }
      }
      try framer.finish()
    } catch {
      self.error = error
    }
  }

  func check(against bytes: UnsafeRawBufferPointer) {
    var offset = 0
    for message in messages {
      let start = offset + MessageFramer.prefixByteCount
      guard start + message.count <= bytes.count, bytes[start..<(start + message.count)].elementsEqual(message) else {
        violated("messages are the bytes behind their prefixes")
      }
      offset = start + message.count
    }
    if error == nil && offset != bytes.count { violated("no byte is lost without an error") }
  }
}
