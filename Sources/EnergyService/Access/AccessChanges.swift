package import FoundationEssentials
internal import Locking

/// What was changed about who may do what; caches drop what it names, open streams are judged again.
package enum AccessChange: Hashable, Sendable {
  /// A client was made, changed, disabled or deleted, or its keys were changed.
  case client(UUID)
  /// A venue was made, changed or deleted.
  case venue(UUID)
  case access(clientID: UUID, venueID: UUID)
}

/// Carries changes to all who keep copies, one per event loop.
package final class AccessChanges: Sendable {
  package typealias Listener = @Sendable (AccessChange) async -> Void

  private let listeners = Lock<[Listener]>([])

  package init() {}

  /// `onChange` is called for every later change and returns when it has taken effect. Listeners stay as long as this
  /// object.
  package func register(_ onChange: @escaping Listener) {
    listeners.withLock { $0.append(onChange) }
  }

  /// To be called after the change is durable, so that whoever reads the store on hearing of it reads the new state.
  /// Returns when everyone has heard of it: from then on nobody acts on what was before.
  package func publish(_ change: AccessChange) async {
    let everyone = listeners.withLock { $0 }
    await withDiscardingTaskGroup { group in
      for listener in everyone { group.addTask { await listener(change) } }
    }
  }
}
