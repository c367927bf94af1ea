package import ProtobufWire

/// The contract as its callers see it: a type per call, which writes itself and reads the server's answer. The server's
/// half, requests to be read and responses to be written, lies beside it in this module.
package enum Contract {}

/// One call of the contract.
package protocol ContractCall: WireMessage, Sendable {
  associatedtype Answer: Sendable

  static var method: MethodName { get }
  static var answerType: ContractMessage { get }
  /// Reads an answer of `answerType`. Throws where it does not say what the contract promises.
  static func answer(_ message: DecodedMessage) throws(WireError) -> Answer
}

extension ContractCall {
  /// The request as it goes on the wire.
  package var requestBytes: [UInt8] { encodedBytes }

  /// Reads an answer. Whatever the bytes are, this ends: with a value, or with the reason why there is none.
  package static func answer(decoding bytes: [UInt8]) throws(WireError) -> Answer {
    try withDecoded(bytes) { message throws(WireError) in try answer(message) }
  }

  /// Reads an answer as a message, which lives as long as `body` runs.
  package static func withDecoded<Result>(
    _ bytes: [UInt8], _ body: (DecodedMessage) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try body(DecodedMessage(UnsafeRawBufferPointer(copy), answerType, arena: DecodeArena()))
  }
}

/// A call whose answer comes in pages.
package protocol PagedCall: ContractCall where Answer == Contract.Page<Item> {
  associatedtype Item: Sendable

  /// Where to go on; empty: at the beginning.
  var pageToken: String { get set }
}

extension Contract {
  /// A part of a listing.
  package struct Page<Item: Sendable>: Sendable {
    package let items: [Item]
    /// Empty at the end.
    package let nextPageToken: String

    package init(items: [Item], nextPageToken: String) {
      self.items = items
      self.nextPageToken = nextPageToken
    }
  }
}
