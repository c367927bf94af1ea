/// Encoded bytes that many calls send, shared and never changed.
package final class SharedMessage: Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// One subscriber's own part of a shared message: a few bytes before it, since protobuf allows fields in any order
/// (docs/architecture.md, Fan-out).
package protocol BroadcastSubscriber: AnyObject {
  /// Bytes before the shared ones, for a message with `sharedByteCount` of those; may depend on nothing else.
  func prefixByteCount(before sharedByteCount: Int) -> Int
  /// Fills `buffer` with the prefix. Called when the message's first byte is about to leave.
  func writePrefix(before sharedByteCount: Int, into buffer: UnsafeMutableRawBufferPointer)
}

/// One shared message for many calls: the home of fan-out. One per executor and subject; used on that executor only.
package protocol Broadcast: AnyObject {
  var count: Int { get }
  /// Adds a call, which stays until it ends, and offers it the newest message if `offersNewest`.
  func join(_ call: any ServerCall, as subscriber: any BroadcastSubscriber, offersNewest: Bool)
  /// Offers `message` to every call, in slices, so that other calls on the executor keep their latency. `prepare` is
  /// called before each slice with its subscribers, in order: the place to make their prefixes in one go.
  func publish(_ message: SharedMessage, prepare: @escaping ([any BroadcastSubscriber]) -> Void)
  /// Ends every call with a status of its own, in slices as well.
  func finishAll(_ status: @escaping () -> Status)
}
