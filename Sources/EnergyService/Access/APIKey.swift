internal import Cryptography
package import EnergyModel
internal import Locking

/// `ek_` and 43 characters of base64url: 32 random bytes (docs/architecture.md, Callers). Shown once, kept nowhere.
package struct APIKey: Sendable {
  package static let prefix = "ek_"
  package static let characterCount = 46
  private static let secretByteCount = 32

  /// The secret itself: for the one who asked for it, never for a log.
  package let text: String

  /// A new key from the system's secure random source.
  package static func make() throws(EnergyKitError) -> APIKey {
    do {
      return APIKey(unchecked: prefix + Base64URL.text(of: try SecureRandom.bytes(secretByteCount)))
    } catch {
      throw .serviceUnavailable(retryAfterSeconds: 5)
    }
  }

  /// Returns `nil` for a text that `make` cannot have made.
  package init?(_ text: String) {
    guard text.utf8.count == Self.characterCount, text.hasPrefix(Self.prefix),
      Base64URL.bytes(of: text.dropFirst(Self.prefix.count))?.count == Self.secretByteCount
    else { return nil }
    self.text = text
  }

  private init(unchecked text: String) {
    self.text = text
  }

  package var hash: KeyHash {
    var copy = text
    return copy.withUTF8 { KeyHash(of: UnsafeRawBufferPointer($0)) }
  }

  /// The key in the value of an `authorization` field: after `Bearer` in any case and one space or more
  /// (RFC 6750 §2.1). `nil` where the scheme is another or there is none.
  package static func bearerKey(in value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let scheme: StaticString = "bearer "
    guard value.count > scheme.utf8CodeUnitCount else { return nil }
    for index in 0..<scheme.utf8CodeUnitCount where value[index] | 0x20 != scheme.utf8Start[index] { return nil }
    let rest = value.dropFirst(scheme.utf8CodeUnitCount).drop { $0 == UInt8(ascii: " ") }
    return UnsafeRawBufferPointer(rebasing: rest)
  }
}

/// SHA-256 of an API key's text: what the store keeps and caches look up by. The key cannot be had from it.
package struct KeyHash: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// Of whatever the caller sent as its key; a malformed one is merely unknown, on the same path as a wrong one.
  package init(of key: UnsafeRawBufferPointer) {
    self.init(digest: SHA256.hash(key))
  }

  private init(digest: [UInt8]) {
    words = digest.withUnsafeBytes { $0.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self) }
  }

  /// The 32 bytes, as `EnergyStore` takes them.
  package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

  /// Looks at all bytes whatever they are.
  package static func == (a: KeyHash, b: KeyHash) -> Bool {
    let difference =
      (a.words.0 ^ b.words.0) | (a.words.1 ^ b.words.1) | (a.words.2 ^ b.words.2) | (a.words.3 ^ b.words.3)
    return difference == 0
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }
}

/// The operator's key: text of the file `admin.key`, compared without telling where a wrong one differs. Another may take
/// its place at any time, from any thread.
package final class AdminKey: Sendable {
  private let hash: Lock<KeyHash>

  /// Returns `nil` for an empty text, which would let everybody in.
  package init?(_ text: String) {
    guard let hash = Self.hash(of: text) else { return nil }
    self.hash = Lock(hash)
  }

  /// The key is `text` from now on. Returns whether it was another before; an empty text changes nothing.
  @discardableResult
  package func replace(by text: String) -> Bool {
    guard let new = Self.hash(of: text) else { return false }
    return hash.withLock { hash in
      defer { hash = new }
      return hash != new
    }
  }

  /// Whether `key`, as sent, is the operator's: compares hashes, in constant time.
  package func matches(_ key: UnsafeRawBufferPointer) -> Bool { matches(KeyHash(of: key)) }
  package func matches(_ other: KeyHash) -> Bool { hash.withLock { $0 == other } }

  private static func hash(of text: String) -> KeyHash? {
    guard !text.isEmpty else { return nil }
    var copy = text
    return copy.withUTF8 { KeyHash(of: UnsafeRawBufferPointer($0)) }
  }
}
