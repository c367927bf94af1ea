import GRPC

/// Request bytes in memory: who gets credit for more of them, and who has had too much (G-092; docs/architecture.md,
/// Limits).
extension ServerConnection {
  static let tooMuchAssembled = Status(
    .resourceExhausted, "too much of requests that are not complete",
    trailers: Metadata([.init(name: "grpc-retry-pushback-ms", value: Array("1000".utf8))]))

  /// Whether the connection is over its share: no call gets credit but one, and new ones are refused.
  var assemblesTooMuch: Bool { account.heldByteCount > home.limits.assembledBytesPerConnection }

  /// How much of `byteCount` the window of a stream may grow by; what is granted comes back when the stream closes.
  func mayGrowWindow(by byteCount: Int) -> Int {
    guard !assemblesTooMuch else { return 0 }
    let growth = min(byteCount, home.limits.windowGrowthPerConnection - windowGrowth)
    guard growth > 0 else { return 0 }
    windowGrowth += growth
    return growth
  }

  func didAssemble(_ byteCount: Int) {
    home.budget.add(byteCount, to: account)
  }

  /// Whether `call` gets no credit for now. One call always gets some, so that something gets done.
  func withholdsCredit(of call: ServerStream) -> Bool {
    guard assemblesTooMuch else { return false }
    if favoured == nil { favoured = call }
    if favoured === call { return false }
    starved.append(call)
    return true
  }

  /// `call` has a whole message and its handler is done with it, or there is none any more.
  func stopAssembling(_ call: ServerStream) {
    if favoured === call { favoured = nil }
    // A call that fails when its turn comes leads here again.
    guard !isFeeding, !starved.isEmpty else { return }
    isFeeding = true
    while favoured == nil || !assemblesTooMuch, let next = starved.popFirst() { next.returnCredit() }
    isFeeding = false
  }

  /// Fails calls, those with the most bytes first, until the connection holds `level` bytes at most.
  func comeDown(to level: Int) {
    let holders = calls.filter { $0.countedByteCount > 0 }.sorted { $0.countedByteCount > $1.countedByteCount }
    for call in holders {
      guard account.heldByteCount > level else { return }
      call.finish(Self.tooMuchAssembled)
    }
  }

  /// The stream of `call` has closed: nothing waits for it, or holds it.
  func forget(_ call: ServerStream) {
    heldBack.forget(call)
    starved.forget(call)
    roomWaiters.forget(call)
    home.inflation.forget(call)
  }
}
