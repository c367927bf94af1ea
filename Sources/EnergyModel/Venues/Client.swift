package import FoundationEssentials

/// An app, hub or back end that calls the server.
package struct Client: Hashable, Sendable, Codable {
  package let id: UUID
  package var name: String
  package var entitlements: Set<Entitlement>
  package var isDisabled: Bool
  package let createTime: Timestamp

  package init(id: UUID, name: String, entitlements: Set<Entitlement>, isDisabled: Bool, createTime: Timestamp) {
    self.id = id
    self.name = name
    self.entitlements = entitlements
    self.isDisabled = isDisabled
    self.createTime = createTime
  }
}

/// Apple's two entitlements, by the ends of their names.
package enum Entitlement: UInt8, Hashable, Sendable, Codable, CaseIterable {
  case energyKit = 1
  case loadEventsExperience = 2

  /// Apple's name of the key.
  package var name: String {
    switch self {
    case .energyKit: "com.apple.developer.energykit"
    case .loadEventsExperience: "com.apple.developer.energykit.loadevents-experience"
    }
  }
}
