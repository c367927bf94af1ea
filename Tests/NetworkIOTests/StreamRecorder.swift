import Glibc
import Locking
import NetworkIO

/// Notes what a stream tells, for tests to look at from any thread.
///
/// `@unchecked Sendable`: the handlers are set before the stream has the recorder and called on the loop's thread.
final class StreamRecorder: TCPStreamDelegate, @unchecked Sendable {
  private struct Notes {
    var bytes: [UInt8] = []
    var ends = 0
    var drains = 0
    var closings: [String] = []
    var maximumRead = 0
  }

  private let notes = Lock(Notes())
  var onRead: ((TCPStream, UnsafeRawBufferPointer) -> Void)?
  var onEnd: ((TCPStream) -> Void)?
  var onDrain: ((TCPStream) -> Void)?

  var bytes: [UInt8] { notes.withLock { $0.bytes } }
  var ends: Int { notes.withLock { $0.ends } }
  var drains: Int { notes.withLock { $0.drains } }
  var maximumRead: Int { notes.withLock { $0.maximumRead } }
  /// "closed", or the name of the error.
  var closings: [String] { notes.withLock { $0.closings } }

  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {
    let copy = [UInt8](bytes)
    notes.withLock {
      $0.bytes += copy
      $0.maximumRead = max($0.maximumRead, copy.count)
    }
    onRead?(stream, bytes)
  }

  func streamDidReachEnd(_ stream: TCPStream) {
    notes.withLock { $0.ends += 1 }
    onEnd?(stream)
  }

  func streamDidDrain(_ stream: TCPStream) {
    notes.withLock { $0.drains += 1 }
    onDrain?(stream)
  }

  func streamDidClose(_ stream: TCPStream, error: NetworkError?) {
    notes.withLock { $0.closings.append(error?.name ?? "closed") }
  }
}

/// A box for what its own handler must refer to; used on one loop's thread.
final class Holder<Value>: @unchecked Sendable {
  var value: Value?

  init(_ value: Value? = nil) { self.value = value }
}

/// What does not keep its object alive.
struct WeakReference<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object) { self.object = object }
}

/// Runs a closure on a thread of its own and waits for it.
final class DispatchedThread {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func run() {
    let context = Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<DispatchedThread>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, context)
    pthread_join(thread, nil)
  }
}

/// Bytes that repeat late, and never at a power of two, so that a lost or doubled piece shows.
func patterned(_ count: Int) -> [UInt8] {
  let block = (0..<65_521).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + block.count)
  while bytes.count < count { bytes += block }
  bytes.removeLast(bytes.count - count)
  return bytes
}
