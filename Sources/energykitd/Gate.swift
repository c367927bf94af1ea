import Glibc

/// Lets a thread wait for something that is done elsewhere, for some time.
///
/// `@unchecked Sendable`: the semaphore is made for it.
final class Gate: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open() { sem_post(semaphore) }

  /// Returns whether it was opened in time.
  func wait(milliseconds: Int) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let nanoseconds = end.tv_nsec + (milliseconds % 1_000) * 1_000_000
    end.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    while sem_timedwait(semaphore, &end) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
