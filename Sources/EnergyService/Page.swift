package import Storage

/// Part of a listing and where it goes on.
package struct Page<Item: Sendable>: Sendable {
  package let items: [Item]
  /// `nil` at the end.
  package let next: NameCursor?

  /// `found` holds up to `limit` + 1 items; the last one too many says that there is more.
  init(_ found: [Item], limit: Int, cursor: (Item) -> NameCursor) {
    items = Array(found.prefix(limit))
    next = found.count > limit ? items.last.map(cursor) : nil
  }
}
