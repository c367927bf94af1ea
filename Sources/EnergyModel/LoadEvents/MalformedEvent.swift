package import FoundationEssentials

/// What can still be judged of an event whose shape, device or range is at fault, so that one answer names all that is
/// wrong with it.
package struct MalformedEvent: Hashable, Sendable {
  package let position: EventPosition
  /// `nil` where the time itself is at fault.
  package let timestamp: Timestamp?
  /// `nil` where the token itself is at fault, and of a status event, which needs none.
  package let guidanceToken: UUID?

  package init(position: EventPosition, timestamp: Timestamp?, guidanceToken: UUID?) {
    self.position = position
    self.timestamp = timestamp
    self.guidanceToken = guidanceToken
  }
}
