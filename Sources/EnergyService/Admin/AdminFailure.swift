package import EnergyModel
internal import Storage

/// What the operator's calls can fail with (docs/api.md, Errors).
package enum AdminFailure: Error, Hashable, Sendable {
  case notFound(AdminResource)
  /// Known under this id, with other content; the same content is harmless.
  case alreadyExists(AdminResource)
  /// Something is linked to it still.
  case inUse(AdminResource)
  case invalidRequest(InvalidRequest)
  /// A part of the contract that this server does not have; for a person.
  case notServed(String)
  case energyKit(EnergyKitError)

  init(_ error: StoreError) { self = .energyKit(EnergyKitError(error)) }
}

/// What an operator's call is about, for google.rpc.ResourceInfo.
package enum AdminResource: Hashable, Sendable {
  case client(id: String)
  case venue(id: String)
  case device(id: String)
  case ratePlan(id: String)
}
