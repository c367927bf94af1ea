package import EnergyModel
package import FoundationEssentials

/// The client that a call is made by: known, enabled, immutable. A change makes a new one (`AccessCache`).
package final class Caller: Sendable {
  package let client: Client
  private let hasEnergyKit: Bool
  private let hasLoadEventsExperience: Bool

  package init(_ client: Client) {
    self.client = client
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
