import Glibc
import Locking
import NetworkIO
import TestSupport
import Testing

@Suite struct `A signal watcher` {
  @Test func `calls its handler on the loop`() async throws {
    let count = Lock(0)
    try await withEventLoop { loop in
      let watcher = Holder<SignalWatcher>()
      try await loop.run {
        watcher.value = try SignalWatcher(loop: loop, signal: SIGUSR1) {
          if loop.isCurrent { count.withLock { $0 += 1 } }
        }
      }
      kill(getpid(), SIGUSR1)
      #expect(await eventually { count.withLock { $0 } == 1 })
      kill(getpid(), SIGUSR1)
      #expect(await eventually { count.withLock { $0 } == 2 })
      try await loop.run { watcher.value?.close() }
    }
  }

  @Test(arguments: [0, SIGKILL, 1_000])
  func `refuses what cannot be watched`(signal: CInt) async throws {
    try await withEventLoop { loop in
      let name = try await loop.run {
        do throws(NetworkError) {
          try SignalWatcher(loop: loop, signal: signal) {}.close()
          return "watched"
        } catch {
          return error.name
        }
      }
      #expect(name == "EINVAL")
    }
  }
}
