internal import Cryptography
package import EnergyModel
package import FoundationEssentials

/// What binds a token to its client and venue: HMAC-SHA256 under k2, cut to 9 bytes. Computed once per
/// subscription.
package struct TokenTag: Hashable, Sendable {
  /// Which key it was made with.
  let keyIndex: UInt8
  let keyID: UInt8
  let last: UInt8
  let first: UInt64
}

/// Makes and checks guidance tokens: one AES-128 block
/// `issue seconds since 2020 (4 bytes) ‖ number (2) ‖ flags (1) ‖ tag (9)`, a UUID (docs/architecture.md, Guidance
/// token).
///
/// One per event loop: its ciphers change with each call.
package final class GuidanceTokenCodec {
  /// Older tokens are refused (docs/architecture.md, Guidance token).
  package static let maximumAgeMilliseconds: Int64 = 35 * 24 * 3600 * 1000
  /// How far a token's issue may lie ahead of our clock: another node's may be a little fast.
  package static let maximumLeadMilliseconds: Int64 = 5 * 60 * 1000
  /// 2020-01-01T00:00:00Z.
  private static let epochSeconds: Int64 = 1_577_836_800
  /// Times of issue that fit a token: from 2020 for 2^32 seconds, into February 2156. Outside of these two tokens could
  /// be the same.
  package static let issueTimes =
    Timestamp(seconds: epochSeconds)...Timestamp(seconds: epochSeconds + Int64(UInt32.max))

  private let keys: GuidanceTokenKeys
  private let ciphers: [AES128]

  /// - Throws: `serviceUnavailable` where the cryptography fails.
  package init(_ keys: GuidanceTokenKeys) throws(EnergyKitError) {
    self.keys = keys
    do {
      ciphers = try keys.pairs.map { pair throws(CryptographyError) in try AES128(key: pair.blockKey) }
    } catch {
      throw .serviceUnavailable(retryAfterSeconds: 5)
    }
  }

  // MARK: Making

  /// The tag under the newest key.
  /// - Throws: `serviceUnavailable` where the cryptography fails.
  package func tag(clientID: UUID, venueID: UUID) throws(EnergyKitError) -> TokenTag {
    try tag(clientID: clientID, venueID: venueID, keyIndex: 0)
  }

  /// The same for a pass, which remembers it.
  /// - Throws: `serviceUnavailable` where the cryptography fails.
  package func tag(for pass: VenuePass) throws(EnergyKitError) -> TokenTag {
    if let known = pass.tokenMemory.tag(at: 0) { return known }
    let made = try tag(clientID: pass.clientID, venueID: pass.venue.id)
    pass.tokenMemory.remember(made)
    return made
  }

  /// The token of the revision issued at `issueTime` with `number`, for whom `tag` stands for.
  /// - Throws: `serviceUnavailable` where the cryptography fails, or the time is none of `issueTimes`.
  package func token(issueTime: Timestamp, number: UInt16, tag: TokenTag) throws(EnergyKitError) -> UUID {
    var token = try Self.block(issueTime: issueTime, number: number, tag: tag)
    try withUnsafeMutableBytes(of: &token) { bytes throws(EnergyKitError) in
      try run { () throws(CryptographyError) in try ciphers[Int(tag.keyIndex)].encrypt(bytes) }
    }
    return token
  }

  /// One token per tag, at the same positions, in one cipher call (one per run of tags made with the same key).
  /// `tokens` holds at least as many as `tags`.
  package func makeTokens(
    issueTime: Timestamp, number: UInt16, tags: UnsafeBufferPointer<TokenTag>,
    into tokens: UnsafeMutableBufferPointer<UUID>
  ) throws(EnergyKitError) {
    precondition(tokens.count >= tags.count, "a place for each token")
    for (index, tag) in tags.enumerated() {
      tokens[index] = try Self.block(issueTime: issueTime, number: number, tag: tag)
    }
    var start = 0
    while start < tags.count {
      let keyIndex = tags[start].keyIndex
      let end = tags[start...].firstIndex { $0.keyIndex != keyIndex } ?? tags.count
      let run = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: tokens[start..<end]))
      try self.run { () throws(CryptographyError) in try ciphers[Int(keyIndex)].encrypt(run) }
      start = end
    }
  }

  // MARK: Checking

  /// When the guidance behind `token` was issued to this client for this venue, or `nil` where it was not, or lies too
  /// far back or ahead of `now`.
  package func verify(_ token: UUID, clientID: UUID, venueID: UUID, now: Timestamp) -> Timestamp? {
    var memory = TokenMemory()
    return verify(token, clientID: clientID, venueID: venueID, now: now, memory: &memory)
  }

  /// The same for the client and venue of a pass, which remembers what was found out.
  package func verify(_ token: UUID, for pass: VenuePass, now: Timestamp) -> Timestamp? {
    verify(token, clientID: pass.clientID, venueID: pass.venue.id, now: now, memory: &pass.tokenMemory)
  }

  /// The same; `memory` holds what was computed for this client and venue before.
  func verify(
    _ token: UUID, clientID: UUID, venueID: UUID, now: Timestamp, memory: inout TokenMemory
  ) -> Timestamp? {
    let issueTime: Timestamp
    if let known = memory.issueTime(of: token) {
      issueTime = known
    } else {
      guard let found = open(token, clientID: clientID, venueID: venueID, memory: &memory) else { return nil }
      memory.remember(token, issuedAt: found)
      issueTime = found
    }
    let age = now.milliseconds(since: issueTime)
    return (-Self.maximumLeadMilliseconds...Self.maximumAgeMilliseconds).contains(age) ? issueTime : nil
  }

  /// Tries the keys, newest first: the flags must repeat the key's id, then the tag must be this client's and venue's.
  private func open(
    _ token: UUID, clientID: UUID, venueID: UUID, memory: inout TokenMemory
  ) -> Timestamp? {
    for (index, pair) in keys.pairs.enumerated() {
      var block = token
      let isDecrypted = withUnsafeMutableBytes(of: &block) { bytes in
        do { try ciphers[index].decrypt(bytes) } catch { return false }
        return true
      }
      guard isDecrypted else { return nil }
      let high = block.high
      guard UInt8(truncatingIfNeeded: high >> 8) == pair.id else { continue }
      guard let tag = memory.tag(at: index) ?? (try? self.tag(clientID: clientID, venueID: venueID, keyIndex: index))
      else { return nil }
      memory.remember(tag)
      let difference = UInt64(UInt8(truncatingIfNeeded: high) ^ tag.last) | (block.low ^ tag.first)
      guard difference == 0 else { continue }
      return Timestamp(seconds: Self.epochSeconds + Int64(high >> 32))
    }
    return nil
  }

  // MARK: Parts

  private func tag(clientID: UUID, venueID: UUID, keyIndex: Int) throws(EnergyKitError) -> TokenTag {
    var message: [UInt8] = []
    message.reserveCapacity(32)
    withUnsafeBytes(of: clientID) { message.append(contentsOf: $0) }
    withUnsafeBytes(of: venueID) { message.append(contentsOf: $0) }
    let code = try run { () throws(CryptographyError) in try keys.pairs[keyIndex].tagCode.code(for: message) }
    let first = code.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    return TokenTag(keyIndex: UInt8(keyIndex), keyID: keys.pairs[keyIndex].id, last: code[8], first: first)
  }

  private static func block(issueTime: Timestamp, number: UInt16, tag: TokenTag) throws(EnergyKitError) -> UUID {
    guard issueTimes.contains(issueTime) else { throw .serviceUnavailable(retryAfterSeconds: 60) }
    let seconds = UInt64(issueTime.seconds - epochSeconds)
    let high = seconds << 32 | UInt64(number) << 16 | UInt64(tag.keyID) << 8 | UInt64(tag.last)
    return UUID(high: high, low: tag.first)
  }

  private func run<Result>(_ body: () throws(CryptographyError) -> Result) throws(EnergyKitError) -> Result {
    do { return try body() } catch { throw .serviceUnavailable(retryAfterSeconds: 5) }
  }
}

/// What one loop has lately found out about tokens of one client and venue: the tag under each key and the tokens
/// verified last. A device sends one token with many events, and few in a day.
struct TokenMemory {
  private static let capacity = 4

  private var tags: [TokenTag] = []
  private var verified: [(token: UUID, issueTime: Timestamp)] = []
  private var oldest = 0

  func tag(at keyIndex: Int) -> TokenTag? { tags.first { Int($0.keyIndex) == keyIndex } }

  mutating func remember(_ tag: TokenTag) {
    if self.tag(at: Int(tag.keyIndex)) == nil { tags.append(tag) }
  }

  func issueTime(of token: UUID) -> Timestamp? {
    for entry in verified where entry.token == token { return entry.issueTime }
    return nil
  }

  mutating func remember(_ token: UUID, issuedAt issueTime: Timestamp) {
    if verified.count < Self.capacity { return verified.append((token, issueTime)) }
    verified[oldest] = (token, issueTime)
    oldest = (oldest + 1) % Self.capacity
  }
}
