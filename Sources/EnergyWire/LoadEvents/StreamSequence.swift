/// The number that the caller has given a batch of a stream.
package enum StreamSequence {
  /// Reads the number alone, so that a batch that cannot be decoded is answered under it. Throws `unparsable` where the
  /// message is cut or garbled at its top level.
  package static func read(_ message: UnsafeRawBufferPointer) throws(WireError) -> UInt64 {
    var scanner = WireScanner()
    var sequence: UInt64 = 0
    while let field = try scanner.next(in: message) {
      guard field.number == 1 else { continue }
      guard field.type == .varint else { throw .unparsable }
      sequence = field.value
    }
    return sequence
  }
}
