import Glibc

/// Why a request's bytes are no sequence of messages (G-050...053, G-056).
package enum FramingError: Error, Hashable, Sendable {
  /// The first octet of a message is neither 0 nor 1.
  case reservedFlag(UInt8)
  /// The first octet is 1, and no coding was agreed on.
  case compressedWithoutEncoding
  /// Bytes announced and allowed.
  case messageTooLarge(byteCount: Int, limit: Int)
  /// The stream ended within a prefix or a message.
  case truncated
  /// A compressed message does not decompress (G-055).
  case corruptCompression
  /// A compressed message becomes larger than this; the rest was not looked at (G-057).
  case decompressedTooLarge(limit: Int)
  /// There is no memory to decompress with.
  case outOfMemory

  package var status: Status {
    switch self {
    case .reservedFlag(let flag):
      Status(.internal, "message with the reserved flag \(flag)")
    case .compressedWithoutEncoding:
      Status(.internal, "compressed message without grpc-encoding")
    case .messageTooLarge(let byteCount, let limit):
      Status(.resourceExhausted, "message of \(byteCount) bytes is larger than the limit of \(limit) bytes")
    case .truncated:
      Status(.internal, "the request ended within a message")
    case .corruptCompression:
      Status(.internal, "a compressed message of the request does not decompress")
    case .decompressedTooLarge(let limit):
      Status(.resourceExhausted, "message is, decompressed, larger than the limit of \(limit) bytes")
    case .outOfMemory:
      Status(.resourceExhausted, "no memory to decompress the message")
    }
  }
}

/// Finds the messages in the DATA of one request (gRPC over HTTP2, "Length-Prefixed-Message"): any split, several in a
/// chunk (G-050). A message that lies whole in a chunk is handed out in place; any other is assembled in a buffer that
/// exists only while there is something in it.
///
/// To use:
///
///     var rest = chunk
///     while let message = try framer.next(&rest) {
///       guard deliver(message) else { framer.hold(rest); break }
///     }
///
/// After an error the call is over and the framer is not used again.
package struct MessageFramer {
  /// Bytes before each message: a flag and a big-endian length.
  package static let prefixByteCount = 5

  private let limit: UInt32
  private let allowsCompression: Bool
  private var assembly: Assembly?

  /// - Parameters:
  ///   - maximumMessageByteCount: Longer messages are refused as soon as their prefix is known (G-056).
  ///   - allowsCompression: Whether a coding was agreed on: messages may be flagged as compressed then.
  package init(maximumMessageByteCount: Int, allowsCompression: Bool = false) {
    limit = UInt32(clamping: maximumMessageByteCount)
    self.allowsCompression = allowsCompression
  }

  package var maximumMessageByteCount: Int { Int(limit) }

  /// Whether the message is flagged as compressed.
  ///
  /// - Parameter message: As `next` gave it: its prefix lies before it.
  package static func isCompressed(_ message: UnsafeRawBufferPointer) -> Bool {
    guard let start = message.baseAddress else { return false }
    return (start - prefixByteCount).load(as: UInt8.self) == 1
  }

  /// Whether nothing is held: neither a part of a message nor messages that wait.
  package var isEmpty: Bool { heldByteCount == 0 }

  /// Bytes in memory: a message being assembled, and what `hold` was given.
  package var heldByteCount: Int { assembly?.unread.count ?? 0 }

  /// Bytes still to come of the message that is being assembled: the credit it needs (G-092). 0 where its prefix is not
  /// known yet.
  package var missingByteCount: Int {
    guard let unread = assembly?.unread, let length = Self.length(of: unread) else { return 0 }
    return max(0, Self.prefixByteCount + length - unread.count)
  }

  /// The next message, without its prefix, valid until `rest` loses its bytes or the framer is used again or goes away.
  /// Takes from `rest` what it needs; `nil` once that is empty.
  package mutating func next(_ rest: inout UnsafeRawBufferPointer) throws(FramingError) -> UnsafeRawBufferPointer? {
    assembly?.dropRead()
    guard let assembly, !assembly.unread.isEmpty else {
      assembly = nil
      return try nextInPlace(&rest)
    }
    if assembly.unread.count < Self.prefixByteCount {
      assembly.take(Self.prefixByteCount - assembly.unread.count, from: &rest, expecting: 0)
    }
    guard let length = try judge(assembly.unread) else { return nil }
    let whole = Self.prefixByteCount + length
    if assembly.unread.count < whole {
      assembly.take(whole - assembly.unread.count, from: &rest, expecting: whole)
    }
    guard assembly.unread.count >= whole else { return nil }
    let message = assembly.unread[Self.prefixByteCount..<whole]
    assembly.markRead(whole)
    return UnsafeRawBufferPointer(rebasing: message)
  }

  /// Has `next` return again what it returned last, where that was assembled; a message handed out in place is kept by
  /// `hold`, prefix included.
  package mutating func putBack() {
    assembly?.putBack()
  }

  /// Keeps bytes for later calls of `next`, while the consumer takes no more messages. What is held is bounded by the
  /// stream's window, since credit is given for delivered messages only.
  package mutating func hold(_ rest: UnsafeRawBufferPointer) {
    guard !rest.isEmpty else {
      releaseIfEmpty()
      return
    }
    let assembly = self.assembly ?? Assembly()
    self.assembly = assembly
    assembly.dropRead()
    var rest = rest
    assembly.take(rest.count, from: &rest, expecting: 0)
  }

  /// The client has sent its last byte; to be called when `next` has returned `nil`.
  package mutating func finish() throws(FramingError) {
    releaseIfEmpty()
    guard assembly == nil else { throw .truncated }
  }

  private mutating func releaseIfEmpty() {
    assembly?.dropRead()
    if isEmpty { assembly = nil }
  }

  private mutating func nextInPlace(
    _ rest: inout UnsafeRawBufferPointer
  ) throws(FramingError) -> UnsafeRawBufferPointer? {
    guard !rest.isEmpty else { return nil }
    let length = try judge(rest)
    if let length, rest.count - Self.prefixByteCount >= length {
      let whole = Self.prefixByteCount + length
      let message = UnsafeRawBufferPointer(rebasing: rest[Self.prefixByteCount..<whole])
      rest = UnsafeRawBufferPointer(rebasing: rest[whole...])
      return message
    }
    let assembly = Assembly()
    assembly.take(rest.count, from: &rest, expecting: Self.prefixByteCount + (length ?? 0))
    self.assembly = assembly
    return nil
  }

  /// The length of the message that begins `bytes`; `nil` where its prefix is not complete.
  private func judge(_ bytes: UnsafeRawBufferPointer) throws(FramingError) -> Int? {
    guard let length = Self.length(of: bytes) else { return nil }
    switch bytes[0] {
    case 0: break
    case 1: guard allowsCompression else { throw .compressedWithoutEncoding }
    case let flag: throw .reservedFlag(flag)
    }
    guard length <= limit else { throw .messageTooLarge(byteCount: length, limit: Int(limit)) }
    return length
  }

  private static func length(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= prefixByteCount else { return nil }
    return Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
  }
}

/// Bytes of a framer that had to be copied. Lives only while there are some.
private final class Assembly {
  private static let smallestCapacity = 512

  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private var read = 0
  private var end = 0
  private var handedOut = 0

  deinit { free(base) }

  /// Bytes that were not handed out.
  var unread: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base.map { $0 + read + handedOut }, count: end - read - handedOut)
  }

  /// The first `count` unread bytes are handed out; they stay in place until `dropRead`.
  func markRead(_ count: Int) {
    handedOut = count
  }

  func putBack() {
    handedOut = 0
  }

  func dropRead() {
    read += handedOut
    handedOut = 0
    if read == end {
      read = 0
      end = 0
    }
  }

  /// Appends up to `count` bytes of `rest`. The buffer grows with what is there, never at once to what is announced: an
  /// announcement alone costs nothing.
  ///
  /// - Parameter expecting: Unread bytes that will be here in the end, as far as is known.
  func take(_ count: Int, from rest: inout UnsafeRawBufferPointer, expecting: Int) {
    let count = min(count, rest.count)
    guard count > 0, let source = rest.baseAddress else { return }
    makeRoom(for: count, expecting: expecting)
    guard let base else { return }
    memcpy(base + end, source, count)
    end += count
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }

  private func makeRoom(for count: Int, expecting: Int) {
    guard capacity - end < count else { return }
    if read > 0, let base {
      memmove(base, base + read, end - read)
      end -= read
      read = 0
    }
    guard capacity - end < count else { return }
    let doubled = max(Self.smallestCapacity, 2 * capacity)
    let wanted = max(end + count, expecting > end ? min(doubled, expecting) : doubled)
    guard let larger = realloc(base, wanted) else { preconditionFailure("out of memory") }
    base = larger
    capacity = wanted
  }
}
