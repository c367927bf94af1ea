/// What the sessions of one thread share, since each uses it within a call only: room for plaintext, and bytes for the
/// wire, which the owner of a session sends after each call to it.
package final class TLSBuffers {
  /// A plaintext that is handed on is that of one read from the socket, as far as it fits.
  static let plaintextByteCount = 96 << 10
  private static let smallestCapacity = 16 << 10
  /// Room above this is given back.
  private static let largestCapacity = 512 << 10

  let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: plaintextByteCount, alignment: 64)
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  @exclusivity(unchecked) private var count = 0

  package init() {}

  deinit {
    plaintext.deallocate()
    base?.deallocate()
  }

  /// Bytes for the wire, until `removeOutput`.
  package var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: count)
  }

  package func removeOutput() {
    count = 0
    guard capacity > Self.largestCapacity else { return }
    base?.deallocate()
    base = nil
    capacity = 0
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    if capacity - count < bytes.count { grow(toHold: count + bytes.count) }
    if let base, let source = bytes.baseAddress { (base + count).copyMemory(from: source, byteCount: bytes.count) }
    count += bytes.count
  }

  private func grow(toHold needed: Int) {
    var wanted = max(Self.smallestCapacity, capacity * 2)
    while wanted < needed { wanted *= 2 }
    let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 64)
    if let base {
      larger.copyMemory(from: base, byteCount: count)
      base.deallocate()
    }
    base = larger
    capacity = wanted
  }
}
