/// Work for a later turn of the loop that it was made on.
///
/// `@unchecked Sendable`: the closure is made on a loop, given to that loop's `execute`, and run there.
struct LoopBound: @unchecked Sendable {
  let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }
}

/// The rest of some work, for a task that runs on the loop that it was made on.
///
/// `@unchecked Sendable`: as `LoopBound`; the task prefers the loop's executor.
struct LoopContinuation<Value: Sendable>: @unchecked Sendable {
  let resume: (Value) -> Void

  init(_ resume: @escaping (Value) -> Void) { self.resume = resume }
}
