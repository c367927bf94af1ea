/// What a store can fail with. Nothing is acknowledged after any of these.
package enum StoreError: Error, Hashable, Sendable {
  /// The queue to the writer is full; try again later.
  case busy
  /// The store was closed.
  case closed
  /// Another process holds the same store.
  case inUse(String)
  /// The store was written by a newer version of this program.
  case newerSchema(found: Int, supported: Int)
  /// What is stored does not allow it: what was tried, and why not.
  case conflict(operation: String, reason: String)
  /// The disk or database refused: what was tried, and the library's own words.
  case failed(operation: String, reason: String)
}
