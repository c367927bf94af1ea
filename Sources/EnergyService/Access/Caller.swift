package import EnergyModel
package import FoundationEssentials

/// What a caller has shown of itself.
package enum Credential: Hashable, Sendable {
  case key(KeyHash)
  /// A verified certificate that names the client.
  case certificate(clientID: UUID)
}

/// The client that a call is made by: known, enabled, immutable. A change makes a new one (`AccessCache`).
package final class Caller: Sendable {
  package let client: Client
  package let credential: Credential
  /// When the key stops working; `nil`: not known to.
  package let keyEndTime: Timestamp?
  /// `AccessCache.epoch` when the store was asked.
  let epoch: UInt64
  /// Shared by all that is called for the client.
  package let budget: ClientBudget
  private let hasEnergyKit: Bool
  private let hasLoadEventsExperience: Bool

  package init(
    _ client: Client, credential: Credential? = nil, keyEndTime: Timestamp? = nil, epoch: UInt64 = 0,
    budget: ClientBudget = .unlimited
  ) {
    self.client = client
    self.credential = credential ?? .certificate(clientID: client.id)
    self.keyEndTime = keyEndTime
    self.epoch = epoch
    self.budget = budget
    hasEnergyKit = client.entitlements.contains(.energyKit)
    hasLoadEventsExperience = client.entitlements.contains(.loadEventsExperience)
  }

  package var id: UUID { client.id }

  package func has(_ entitlement: Entitlement) -> Bool {
    switch entitlement {
    case .energyKit: hasEnergyKit
    case .loadEventsExperience: hasLoadEventsExperience
    }
  }

  /// The first check of every call, before its request is looked at (docs/architecture.md, Order of checks).
  /// - Throws: `permissionDenied` naming the entitlement.
  package func require(_ entitlement: Entitlement) throws(EnergyKitError) {
    guard has(entitlement) else { throw .permissionDenied(.entitlement(entitlement)) }
  }
}
