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

  /// Days for which a key checks after a newer one has taken its place: tokens live for 35.
  static let retirementDays: Int64 = 40

  /// The keys of a store; makes and keeps another one where it has none, or where the newest is too old, and removes those
  /// that no valid token was made with.
  ///
  /// - Parameter maximumAgeDays: Of the key that makes tokens; `nil` for any age.
  /// - Throws: `serviceUnavailable` where the store or the random source fails.
  package static func load(
    from store: any EnergyStore, now: Timestamp, maximumAgeDays: Int? = nil
  ) async throws(EnergyKitError) -> Self {
    do {
      let stored = try await store.masterKeys()
      let used = inUse(stored, now)
      for key in stored where !used.contains(key) { try await store.removeMasterKey(id: key.id) }
      guard needsAnother(used, now, maximumAgeDays) else { return try Self(used) }
      let next = MasterKey(
        id: used.first.map { $0.id &+ 1 } ?? 0, secret: try SecureRandom.bytes(32), createTime: now)
      try await store.append(next)
      return try Self([next] + used)
    } catch let error as EnergyKitError {
      throw error
    } catch let error as StoreError {
      throw EnergyKitError(error)
    } catch {
      throw .serviceUnavailable(retryAfterSeconds: 5)
    }
  }

  private static func needsAnother(_ stored: [MasterKey], _ now: Timestamp, _ maximumAgeDays: Int?) -> Bool {
    guard let newest = stored.first else { return true }
    guard let maximumAgeDays else { return false }
    return now.milliseconds(since: newest.createTime) > Int64(maximumAgeDays) * 86_400_000
  }

  /// The newest, and those that were used until lately: each is used until the next one is made.
  private static func inUse(_ stored: [MasterKey], _ now: Timestamp) -> [MasterKey] {
    stored.indices.filter { index in
      index == 0 || now.milliseconds(since: stored[index - 1].createTime) <= retirementDays * 86_400_000
    }.map { stored[$0] }
  }
}
