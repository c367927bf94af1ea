import Glibc
import Locking
import Storage
import Testing

@Suite struct `A worker thread` {
  @Test func `does one thing after the other, in order`() async throws {
    let worker = WorkerThread()
    let done = Lock<[Int]>([])
    for number in 0..<1_000 {
      worker.run { done.withLock { $0.append(number) } }
    }
    let seen = try await worker.value { done.withLock { $0 } }
    #expect(seen == Array(0..<1_000))
  }

  @Test func `is one thread and not the caller's`() async throws {
    let worker = WorkerThread()
    let threads = try await [worker.value { pthread_self() }, worker.value { pthread_self() }]
    #expect(threads[0] == threads[1])
    #expect(threads[0] != pthread_self())
  }

  @Test func `hands an error back`() async {
    let worker = WorkerThread()
    await #expect(throws: StoreError.busy) { try await worker.value { () throws(StoreError) in throw .busy } }
  }

  @Test func `runs tasks that prefer it`() async throws {
    let worker = WorkerThread()
    let thread = try await worker.value { pthread_self() }
    let task = Task(executorPreference: worker) { pthread_self() }
    #expect(await task.value == thread)
  }

  @Test func `takes work from eight tasks at once`() async throws {
    let worker = WorkerThread()
    let count = Lock(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<2_000 { worker.run { count.withLock { $0 += 1 } } } }
      }
    }
    #expect(try await worker.value { count.withLock { $0 } } == 16_000)
  }

  @Test func `finishes what it was given and then ends`() async {
    weak var ended: Marker?
    let count = Lock(0)
    await withCheckedContinuation { continuation in
      let worker = WorkerThread()
      let marker = Marker()
      ended = marker
      for _ in 0..<100 { worker.run { count.withLock { $0 += 1 } } }
      worker.run {
        _ = marker
        continuation.resume()
      }
    }
    #expect(count.withLock { $0 } == 100)
    for _ in 0..<1_000 where ended != nil { usleep(1_000) }
    #expect(ended == nil, "nothing of its work stays behind")
  }

  private final class Marker: Sendable {}
}
