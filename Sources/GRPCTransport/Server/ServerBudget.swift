import Locking
import Synchronization

/// Request bytes in memory over all loops of a server: messages that are not complete or wait for their turn, and those
/// that handlers keep (docs/architecture.md, Limits).
///
/// Above the limit those pay who hold most. A level sinks until the connections that stick out above it can make room by
/// coming down to it, and their calls fail, on their loops. What other connections hold stays, and they get credit.
final class ServerBudget: Sendable {
  /// What one connection holds.
  final class Account: Sendable {
    fileprivate let held = Atomic(0)

    var heldByteCount: Int { held.load(ordering: .relaxed) }
  }

  let limit: Int
  private let used = Atomic(0)
  private let accounts = Lock<[ObjectIdentifier: Account]>([:])
  private let collectors = Lock<[@Sendable (ServerBudget) -> Void]>([])
  /// Loops that have been asked to make room and have not done so yet.
  private let askedCount = Atomic(0)

  init(limit: Int) {
    self.limit = limit
  }

  var usedByteCount: Int { used.load(ordering: .relaxed) }

  func open() -> Account {
    let account = Account()
    accounts.withLock { $0[ObjectIdentifier(account)] = account }
    return account
  }

  /// The connection is gone, and holds nothing any more.
  func close(_ account: Account) {
    accounts.withLock { $0[ObjectIdentifier(account)] = nil }
  }

  /// Has `collect` called, on any thread, when there is too much; it has a loop make room and then say `hasMadeRoom`.
  func whenExceeded(_ collect: @escaping @Sendable (ServerBudget) -> Void) {
    collectors.withLock { $0.append(collect) }
  }

  func add(_ byteCount: Int, to account: Account) {
    account.held.wrappingAdd(byteCount, ordering: .relaxed)
    let now = used.wrappingAdd(byteCount, ordering: .relaxed).newValue
    if byteCount > 0, now > limit { askForRoom() }
  }

  private func askForRoom() {
    let collectors = self.collectors.withLock { $0 }
    guard askedCount.compareExchange(expected: 0, desired: collectors.count, ordering: .relaxed).exchanged else {
      return
    }
    for collect in collectors { collect(self) }
  }

  func hasMadeRoom() {
    askedCount.wrappingSubtract(1, ordering: .relaxed)
  }

  /// What a connection may hold at this moment; `nil` where there is room for what all hold.
  var level: Int? {
    // Some more than is needed, so that the next bytes do not find it full again.
    let target = limit - limit / 8
    guard usedByteCount > target else { return nil }
    return Self.level(of: accounts.withLock { $0.values.map(\.heldByteCount) }, target: target)
  }

  /// The highest level to which those above it have to come down, so that all together hold `target` at most.
  static func level(of amounts: [Int], target: Int) -> Int? {
    var left = target
    let sorted = amounts.sorted()
    for (index, amount) in sorted.enumerated() {
      let share = left / (sorted.count - index)
      if amount > share { return share }
      left -= amount
    }
    return nil
  }
}
