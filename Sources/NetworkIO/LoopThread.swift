private import CUV
import Glibc
import Locking

/// A thread that runs one closure; any number of threads may wait for its end.
///
/// `@unchecked Sendable`: `thread` is written in `init` and read by the one who claims the join or, after everyone has
/// let go, by `deinit`; `ended` is a fixed allocation of a semaphore that serves as a latch.
final class LoopThread: @unchecked Sendable {
  private let ended: UnsafeMutablePointer<sem_t>
  private let isJoined = Lock(false)
  private var thread = pthread_t()

  private final class Start {
    let name: String
    let body: () -> Void
    let ended: LoopThread

    init(name: String, body: @escaping () -> Void, ended: LoopThread) {
      self.name = name
      self.body = body
      self.ended = ended
    }
  }

  /// Starts the thread. `name` is cut to the system's 15 bytes.
  init(name: String, _ body: @escaping @Sendable () -> Void) throws(NetworkError) {
    ended = .allocate(capacity: 1)
    sem_init(ended, 0, 0)
    let start = Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body, ended: self))
    let code = pthread_create(&thread, nil, { LoopThread.main($0) }, start.toOpaque())
    if code != 0 {
      start.release()
      isJoined.withLock { $0 = true }
      throw NetworkError(call: "pthread_create", code: -code)
    }
  }

  deinit {
    if !isJoined.withLock({ $0 }) { pthread_detach(thread) }
    sem_destroy(ended)
    ended.deallocate()
  }

  /// Waits until the thread has ended; returns at once the second time. Not on the thread itself.
  func join() {
    while sem_wait(ended) != 0 {}
    sem_post(ended)
    let isFirst = isJoined.withLock { isJoined in
      defer { isJoined = true }
      return !isJoined
    }
    if isFirst { pthread_join(thread, nil) }
  }

  private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    cuv_pthread_setname_np(pthread_self(), start.name)
    start.body()
    sem_post(start.ended.ended)
    return nil
  }
}
