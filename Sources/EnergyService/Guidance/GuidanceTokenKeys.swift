internal import Cryptography
package import EnergyModel
package import Storage

/// The keys that guidance tokens are made and checked with, derived from the master keys once and shared by all loops
/// (docs/architecture.md, Guidance token).
package struct GuidanceTokenKeys: Sendable {
  /// One master key's two: k1 encrypts the block, k2 authenticates client and venue.
  struct Pair: Sendable {
    let id: UInt8
    let blockKey: [UInt8]
    let tagCode: HMACSHA256

    init(_ master: MasterKey) throws(CryptographyError) {
      id = master.id
      blockKey = try HKDFSHA256.derive(
        secret: master.secret, info: Array("energykit guidance token block".utf8), byteCount: AES128.keyByteCount)
      tagCode = try HMACSHA256(
        key: HKDFSHA256.derive(
          secret: master.secret, info: Array("energykit guidance token tag".utf8), byteCount: HMACSHA256.byteCount))
    }
  }

  /// Newest first, never empty.
  let pairs: [Pair]

  /// - Parameter masterKeys: as the store gives them, newest first.
  /// - Throws: `serviceUnavailable` where there is none or the cryptography fails.
  package init(_ masterKeys: [MasterKey]) throws(EnergyKitError) {
    guard !masterKeys.isEmpty else { throw .serviceUnavailable(retryAfterSeconds: 5) }
    do {
      pairs = try masterKeys.map { master throws(CryptographyError) in try Pair(master) }
    } catch {
      throw .serviceUnavailable(retryAfterSeconds: 5)
    }
  }

  /// The keys of a store; makes and keeps the first one where it has none.
  /// - Throws: `serviceUnavailable` where the store or the random source fails.
  package static func load(from store: any EnergyStore, now: Timestamp) async throws(EnergyKitError) -> Self {
    do {
      let stored = try await store.masterKeys()
      if !stored.isEmpty { return try Self(stored) }
      let first = MasterKey(id: 0, secret: try SecureRandom.bytes(32), createTime: now)
      try await store.append(first)
      return try Self([first])
    } catch let error as EnergyKitError {
      throw error
    } catch let error as StoreError {
      throw EnergyKitError(error)
    } catch {
      throw .serviceUnavailable(retryAfterSeconds: 5)
    }
  }
}
