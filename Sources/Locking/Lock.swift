import Glibc

/// A value that one thread at a time may touch: the project's one lock.
///
/// pthread_mutex rather than `Synchronization.Mutex`, which ThreadSanitizer does not understand and reports falsely.
///
/// `@unchecked Sendable`: `value` is touched inside `withLock` only, between lock and unlock of `mutex`; `mutex` is a
/// fixed allocation that lives as long as the lock.
package final class Lock<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let code = pthread_mutex_init(mutex, nil)
    precondition(code == 0, "pthread_mutex_init failed with \(code)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` while no other thread can. Decide inside, act outside: `body` must not wait, call out or lock again.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
