internal import EnergyModel
package import FoundationEssentials

/// Where a listing that is ordered by name, then id, goes on: after this row. Opaque to callers; a check value keeps
/// garbage, cut tokens and those of other listings from passing for positions. No secret: it holds what the caller was
/// shown.
package struct PageToken: Hashable, Sendable {
  package let name: String
  package let id: UUID

  private static let version: UInt8 = 1
  /// Version, id, check value.
  private static let fixedByteCount = 1 + 16 + 4
  /// Longer ones were not made here.
  private static let maximumTextByteCount = 4096

  package init(name: String, id: UUID) {
    self.name = name
    self.id = id
  }

  /// What is listed: a token of one listing means nothing in another.
  package enum Listing: Hashable, Sendable {
    case venues
    case clients
    case venueSettings
    case access(venueID: UUID?, clientID: UUID?)

    /// The check value of no bytes at all.
    fileprivate var seed: UInt32 {
      switch self {
      case .venues: PageToken.checkValue([1], seed: PageToken.offsetBasis)
      case .clients: PageToken.checkValue([2], seed: PageToken.offsetBasis)
      case .venueSettings: PageToken.checkValue([3], seed: PageToken.offsetBasis)
      case .access(let venueID, let clientID):
        PageToken.checkValue(
          [4]
            + [venueID, clientID].flatMap { id in
              id.map { id in [1] + withUnsafeBytes(of: id.uuid) { Array($0) } } ?? [0]
            }, seed: PageToken.offsetBasis)
      }
    }
  }

  /// As it goes on the wire.
  package func text(in listing: Listing) -> String {
    var bytes: [UInt8] = [Self.version]
    withUnsafeBytes(of: id.uuid) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: name.utf8)
    let check = Self.checkValue(bytes[...], seed: listing.seed)
    withUnsafeBytes(of: check.bigEndian) { bytes.append(contentsOf: $0) }
    return Base64URL.encode(bytes)
  }

  /// `nil` for everything that `text` does not make for this listing.
  package init?(text: UnsafeRawBufferPointer, in listing: Listing) {
    guard text.count <= Self.maximumTextByteCount, let bytes = Base64URL.decode(text),
      bytes.count >= Self.fixedByteCount, bytes[0] == Self.version
    else { return nil }
    let content = bytes.dropLast(4)
    let check = bytes.suffix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard Self.checkValue(content, seed: listing.seed) == check,
      let name = String(validating: content.dropFirst(17), as: UTF8.self)
    else { return nil }
    let halves = [content[1..<9], content[9..<17]].map { $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
    self.init(name: name, id: UUID(high: halves[0], low: halves[1]))
  }

  private static let offsetBasis: UInt32 = 2_166_136_261

  /// FNV-1a.
  private static func checkValue(_ bytes: ArraySlice<UInt8>, seed: UInt32) -> UInt32 {
    bytes.reduce(seed) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}
