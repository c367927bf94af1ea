import Testing

@testable import GRPCTransport

@Suite struct `The budget of a server` {
  @Test(
    arguments: [
      ([], nil), ([100], nil), ([101], 100), ([30, 30, 40], nil),
      // Who holds little keeps it, however many of them there are.
      ([1, 200], 99), ([10, 10, 10, 90, 90], 35), ([50, 50, 50], 33), ([1, 0, 0, 0, 1_000], 99),
      // More connections than bytes.
      ([Int](repeating: 1, count: 200), 0),
    ] as [([Int], Int?)])
  func `sinks to a level that those who hold most can make room by`(amounts: [Int], level: Int?) {
    #expect(ServerBudget.level(of: amounts, target: 100) == level)
    if let level { #expect(amounts.map { min($0, level) }.reduce(0, +) <= 100) }
  }

  @Test func `asks for room once, until there is some`() {
    let budget = ServerBudget(limit: 800)
    let account = budget.open()
    nonisolated(unsafe) var asked = 0
    budget.whenExceeded { _ in asked += 1 }
    budget.add(800, to: account)
    #expect(asked == 0 && budget.level == 700)
    budget.add(1, to: account)
    budget.add(1, to: account)
    #expect(asked == 1)
    budget.add(-200, to: account)
    budget.hasMadeRoom()
    #expect(budget.level == nil)
    budget.add(300, to: account)
    #expect(asked == 2)
    budget.add(-902, to: account)
    #expect(budget.usedByteCount == 0 && account.heldByteCount == 0)
  }
}
