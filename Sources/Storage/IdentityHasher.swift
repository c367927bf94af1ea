import EnergyModel
import FoundationEssentials

/// Hashes event identities: 64 bits of folded 128-bit products, a few cycles for each word.
///
/// Keyed anew by each table, since clients choose their ids and times: without the key nobody can tell which collide.
struct IdentityHasher {
  private let key: (UInt64, UInt64)

  init() {
    key = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
  }

  func hash(_ identity: EventIdentity) -> UInt64 {
    var hash = key.0
    add(identity.id.high, identity.id.low, to: &hash)
    add(UInt64(bitPattern: identity.timestamp.milliseconds), 0, to: &hash)
    add(identity.venueID.high, identity.venueID.low, to: &hash)
    add(identity.clientID.high, identity.clientID.low, to: &hash)
    return hash
  }

  private func add(_ high: UInt64, _ low: UInt64, to hash: inout UInt64) {
    let product = (high ^ hash).multipliedFullWidth(by: low ^ key.1)
    hash = (product.high ^ product.low) &+ key.0
  }
}
