package import GRPC

/// A call that notes what a handler does with it.
///
/// `@unchecked Sendable`: used on its executor only, as every call.
package final class RecordedCall: ServerCall, @unchecked Sendable {
  package let manualExecutor: ManualExecutor
  package var executor: any CallExecutor { manualExecutor }
  package var caller: AnyObject?
  package let peer = ConnectionContext(peer: "127.0.0.1:1", allowsAdmin: false)
  package var deadline: Deadline?
  package var metadata = Metadata()
  package var authority = ""
  package var observer: (any CallObserver)?
  package private(set) var initialMetadata: Metadata?
  package private(set) var headersSent = false
  package private(set) var messages: [[UInt8]] = []
  package private(set) var end: CallEnd?
  package private(set) var status: Status?
  /// What the peer has not taken. Grows with each message where `peerTakes` is `false`.
  package private(set) var bufferedByteCount = 0
  package var peerTakes = true
  package var keptByteCount = 0
  package var trailerLimit = 8 << 10
  package var messageWasCompressed = false
  package var compressesMessages = true

  package init(on executor: ManualExecutor = ManualExecutor()) {
    manualExecutor = executor
  }

  package var hasEnded: Bool { end != nil }

  package func setInitialMetadata(_ metadata: Metadata) {
    guard !hasEnded, !headersSent else { return }
    initialMetadata = metadata
  }

  package func sendHeaders() {
    if !hasEnded { headersSent = true }
  }

  package func send(byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    guard !hasEnded else { return }
    headersSent = true
    var message = [UInt8](repeating: 0, count: byteCount)
    message.withUnsafeMutableBytes(write)
    messages.append(message)
    if !peerTakes { bufferedByteCount += byteCount }
  }

  package func offer(_ message: SharedMessage, to subscriber: any BroadcastSubscriber) {
    let prefixByteCount = subscriber.prefixByteCount(before: message.bytes.count)
    send(byteCount: prefixByteCount + message.bytes.count) { buffer in
      subscriber.writePrefix(before: message.bytes.count, into: .init(rebasing: buffer[..<prefixByteCount]))
      UnsafeMutableRawBufferPointer(rebasing: buffer[prefixByteCount...]).copyBytes(from: message.bytes)
    }
  }

  package func finish(_ status: Status) {
    guard !hasEnded else { return }
    self.status = status
    end(.finished(status.code))
  }

  // MARK: - The peer

  /// Takes all that is buffered.
  package func drain() {
    bufferedByteCount = 0
    observer?.callCanSend(self)
  }

  /// Ends the call as a peer, a deadline or a lost connection does.
  package func end(_ end: CallEnd) {
    guard !hasEnded else { return }
    self.end = end
    bufferedByteCount = 0
    let observer = self.observer
    self.observer = nil
    observer?.callEnded(self, end)
  }
}
