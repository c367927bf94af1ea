/// The rest of some work, for a task that runs on the loop that it was made on.
///
/// `@unchecked Sendable`: the closure is made on a loop and called by a task that prefers that loop's executor.
struct LoopContinuation<Value: Sendable>: @unchecked Sendable {
  let resume: (Value) -> Void

  init(_ resume: @escaping (Value) -> Void) { self.resume = resume }
}
