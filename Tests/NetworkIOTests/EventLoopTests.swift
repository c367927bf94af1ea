import Glibc
import Locking
import NetworkIO
import TestSupport
import Testing

@Suite struct `An event loop` {
  @Test func `runs the work of each thread in its order`() async throws {
    let seen = Lock([Int](repeating: 0, count: 8))
    let mistakes = Lock(0)
    try await withEventLoop { loop in
      await withTaskGroup(of: Void.self) { group in
        for thread in 0..<8 {
          group.addTask {
            for number in 0..<5_000 {
              loop.execute {
                let previous = seen.withLock { seen in
                  defer { seen[thread] = number + 1 }
                  return seen[thread]
                }
                if previous != number { mistakes.withLock { $0 += 1 } }
              }
            }
          }
        }
      }
      try await loop.run {}
    }
    #expect(seen.withLock { $0 } == [Int](repeating: 5_000, count: 8))
    #expect(mistakes.withLock { $0 } == 0)
  }

  /// The loop's thread asks for "own" when it knows that another thread has asked for "other" before, and the other way
  /// round.
  @Test(arguments: [true, false])
  func `keeps the order between its own thread and others`(otherFirst: Bool) async throws {
    let order = Lock([String]())
    try await withEventLoop { loop in
      try await loop.run {
        let asked = DispatchedThread {
          loop.execute { order.withLock { $0.append("other") } }
        }
        if otherFirst { asked.run() }
        loop.execute { order.withLock { $0.append("own") } }
        if !otherFirst { asked.run() }
      }
      try await loop.run {}
    }
    #expect(order.withLock { $0 } == (otherFirst ? ["other", "own"] : ["own", "other"]))
  }

  @Test func `never runs work within the call that asks for it`() async throws {
    let order = Lock([String]())
    try await withEventLoop { loop in
      try await loop.run {
        loop.execute { order.withLock { $0.append("work") } }
        order.withLock { $0.append("after the call") }
      }
      try await loop.run {}
    }
    #expect(order.withLock { $0 } == ["after the call", "work"])
  }

  @Test func `does not wait for the kernel while its own work waits`() async throws {
    let left = Lock(10_000)
    try await withEventLoop { loop in
      @Sendable func again() {
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if !isLast { loop.execute(again) }
      }
      loop.execute(again)
      #expect(await eventually { left.withLock { $0 } == 0 })
    }
  }

  @Test func `knows its own thread`() async throws {
    try await withEventLoop { loop in
      #expect(!loop.isCurrent)
      #expect(try await loop.run { loop.isCurrent })
      try await withEventLoop { other in
        let onlyOther = try await other.run { !loop.isCurrent && other.isCurrent }
        #expect(onlyOther)
      }
    }
  }

  @Test func `has a clock that goes on while it waits`() async throws {
    try await withEventLoop { loop in
      let start = try await loop.run { loop.nowMilliseconds }
      try await Task.sleep(for: .milliseconds(60))
      let end = try await loop.run { loop.nowMilliseconds }
      #expect((50...10_000).contains(end - start))
    }
  }
}

@Suite struct `An event loop as executor` {
  @Test func `runs the tasks that prefer it`() async throws {
    try await withEventLoop { loop in
      let isCurrent = await Task(executorPreference: loop) {
        await Task.yield()
        return await nonisolatedWork(loop)
      }.value
      #expect(isCurrent)
    }
  }

  @Test func `runs the actors pinned to it`() async throws {
    try await withEventLoop { loop in
      let pinned = Pinned(loop)
      #expect(await pinned.isOnLoop)
      let fromPreference = await Task(executorPreference: loop) { await pinned.isOnLoop && loop.isCurrent }.value
      #expect(fromPreference)
    }
  }

  @Test func `lets a callback enter its actors without a hop`() async throws {
    try await withEventLoop { loop in
      let pinned = Pinned(loop)
      let count = try await loop.run { pinned.assumeIsolated { $0.increment() } }
      #expect(count == 1)
    }
  }

  @Test func `traps where another thread says it is the loop's`() async {
    await #expect(processExitsWith: .signal(SIGILL)) {
      let pinned = Pinned(try EventLoop(name: "trap"))
      DispatchedThread { pinned.assumeIsolated { _ = $0.increment() } }.run()
    }
  }

  private func nonisolatedWork(_ loop: EventLoop) async -> Bool { loop.isCurrent }
}

private actor Pinned {
  private let loop: EventLoop
  private var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  var isOnLoop: Bool { loop.isCurrent }

  func increment() -> Int {
    count += 1
    return count
  }
}

@Suite struct `The end of a turn` {
  @Test func `is told once, after the turn's work`() async throws {
    let recorder = TurnRecorder()
    try await withEventLoop { loop in
      try await loop.run {
        loop.atTurnEnd(recorder)
        loop.execute { recorder.note("work") }
        recorder.note("callback")
      }
      for _ in 0..<5 { try await loop.run {} }
    }
    #expect(recorder.notes == ["callback", "work", "end"])
  }

  @Test func `comes after timers`() async throws {
    let recorder = TurnRecorder()
    try await withEventLoop { loop in
      try await loop.run {
        for name in ["first", "second"] {
          let holder = Holder<LoopTimer>()
          holder.value = LoopTimer(loop: loop) {
            if name == "first" { loop.atTurnEnd(recorder) }
            recorder.note(name)
            holder.value?.close()
          }
          holder.value?.start(afterMilliseconds: 20)
        }
      }
      #expect(await eventually { recorder.notes.count == 3 })
    }
    #expect(recorder.notes == ["first", "second", "end"])
  }

  @Test func `comes after reads and the work they make`() async throws {
    let recorder = TurnRecorder()
    let (one, onePeer) = try connectedSockets()
    let (two, twoPeer) = try connectedSockets()
    try await withEventLoop { loop in
      try await loop.run {
        for descriptor in [one, two] {
          let stream = try TCPStream(loop: loop, adopting: descriptor)
          stream.delegate = TurnReader(recorder)
          stream.startReading()
        }
        // Within one callback, so that one turn finds both.
        onePeer.write([1])
        twoPeer.write([2])
      }
      #expect(await eventually { recorder.notes.count == 4 })
      onePeer.close()
      twoPeer.close()
    }
    #expect(recorder.notes == ["read", "read", "work", "end"])
  }

  @Test func `asked for at the end of a turn is the next one's, without a wait`() async throws {
    let recorder = TurnRecorder()
    try await withEventLoop { loop in
      recorder.again = (loop, 3)
      try await loop.run { loop.atTurnEnd(recorder) }
      #expect(await eventually { recorder.notes.count == 4 })
    }
    #expect(recorder.notes == ["end", "end", "end", "end"])
  }
}

/// `@unchecked Sendable`: `again` is set before the loop uses the recorder, then touched on its thread only.
private final class TurnRecorder: TurnEndObserver, @unchecked Sendable {
  private let list = Lock([String]())
  var again: (loop: EventLoop, times: Int)?

  var notes: [String] { list.withLock { $0 } }

  func note(_ text: String) { list.withLock { $0.append(text) } }

  func turnEnded() {
    note("end")
    if let again, again.times > 0 {
      self.again = (again.loop, again.times - 1)
      again.loop.atTurnEnd(self)
    }
  }
}

private final class TurnReader: TCPStreamDelegate {
  private let recorder: TurnRecorder
  private static let asked = Lock(Set<ObjectIdentifier>())

  init(_ recorder: TurnRecorder) { self.recorder = recorder }

  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {
    let isFirst = Self.asked.withLock { $0.insert(ObjectIdentifier(recorder)).inserted }
    recorder.note("read")
    if isFirst {
      stream.loop.atTurnEnd(recorder)
      stream.loop.execute { [recorder] in recorder.note("work") }
    }
  }

  func streamDidReachEnd(_ stream: TCPStream) { stream.close() }
  func streamDidDrain(_ stream: TCPStream) {}
  func streamDidClose(_ stream: TCPStream, error: NetworkError?) {}
}

@Suite struct `Stopping a loop` {
  @Test func `closes what is open and tells the streams`() async throws {
    let (descriptor, peer) = try connectedSockets()
    defer { peer.close() }
    let recorder = StreamRecorder()
    let loop = try EventLoop(name: "test")
    let address = try #require(SocketAddress("127.0.0.1:0"))
    _ = try TCPListener(loop: loop, address: address, backlog: 1) { descriptor, _ in close(descriptor) }
    try await loop.run {
      let stream = try TCPStream(loop: loop, adopting: descriptor)
      stream.delegate = recorder
      LoopTimer(loop: loop) {}.start(afterMilliseconds: 1_000_000)
      _ = try SignalWatcher(loop: loop, signal: SIGWINCH) {}
    }
    #expect(loop.openHandleCount == 4)
    loop.stop()
    #expect(loop.openHandleCount == 0)
    #expect(recorder.closings == ["closed"])
    #expect(peer.read(1) == [])
  }

  @Test func `runs the work that waits, and drops what comes later`() async throws {
    let count = Lock(0)
    let loop = try EventLoop(name: "test")
    try await loop.run {
      for _ in 0..<100 { loop.execute { count.withLock { $0 += 1 } } }
      loop.stop()
    }
    loop.stop()
    #expect(count.withLock { $0 } == 100)
    loop.execute { count.withLock { $0 += 1 } }
    #expect(count.withLock { $0 } == 100)
  }

  @Test func `may be asked of many threads at once`() async throws {
    let loop = try EventLoop(name: "test")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { loop.stop() } }
    }
    #expect(loop.openHandleCount == 0)
  }

  @Test func `leaves no descriptor, thread or memory of the loop`() async {
    // In a process of its own, where nothing else opens descriptors.
    await #expect(processExitsWith: .success) {
      weak var last: EventLoop?
      // libuv opens a pipe for signals with its first loop.
      try EventLoop(name: "first").stop()
      let before = openDescriptorCount()
      for _ in 0..<50 {
        let loop = try EventLoop(name: "test")
        last = loop
        try await loop.run {}
        loop.stop()
      }
      guard openDescriptorCount() <= before + 3 else { exit(10) }
      guard await eventually({ last == nil }) else { exit(11) }
    }
  }
}
