/// Whether `condition` comes true within `limit`; asked every two milliseconds.
package func eventually(within limit: Duration = .seconds(10), _ condition: () -> Bool) async -> Bool {
  let end = ContinuousClock.now + limit
  while !condition() {
    if ContinuousClock.now > end { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}
