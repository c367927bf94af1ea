package import FoundationEssentials
internal import Locking

/// What was changed about who may do what; caches drop what it names, open streams are judged again.
package enum AccessChange: Hashable, Sendable {
  /// A client was made, changed or disabled, or its keys were.
  case client(UUID)
  /// A venue was made, changed or deleted.
  case venue(UUID)
  case access(clientID: UUID, venueID: UUID)
}

/// Carries changes to all who keep copies, one per event loop.
package final class AccessChanges: Sendable {
  private let listeners = Lock<[@Sendable (AccessChange) -> Void]>([])

  package init() {}

  /// `onChange` is called for every later change, on the thread that made it: hop to the loop in it. Listeners stay as
  /// long as this object.
  package func register(_ onChange: @escaping @Sendable (AccessChange) -> Void) {
    listeners.withLock { $0.append(onChange) }
  }

  /// To be called after the change is durable, so that whoever reads the store on hearing of it reads the new state.
  package func publish(_ change: AccessChange) {
    let everyone = listeners.withLock { $0 }
    for listener in everyone { listener(change) }
  }
}
