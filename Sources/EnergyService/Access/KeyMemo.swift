internal import Cryptography
package import FoundationEssentials

/// The key that came last on a connection and whose it is: most connections send one key with every call, and to
/// compare it is cheaper than to hash it. Belongs to the loop of its connection.
package final class KeyMemo {
  private var key: [UInt8] = []
  private var caller: Caller?
  private var epoch: UInt64 = 0
  /// Whom the connection's certificate names; the outer `nil`: nobody has looked.
  package var certifiedClientID: UUID??

  package init() {}

  /// `nil` where `key` is not the one remembered, or access has changed since.
  package func caller(for key: UnsafeRawBufferPointer, in cache: AccessCache) -> Caller? {
    guard let caller, epoch == cache.epoch, !cache.hasEnded(caller) else { return nil }
    return self.key.withUnsafeBytes { ConstantTime.areEqual($0, key) } ? caller : nil
  }

  /// Keys of impossible length are not remembered: a peer must not choose how much is.
  package func remember(_ caller: Caller, for key: UnsafeRawBufferPointer, in cache: AccessCache) {
    guard key.count == APIKey.characterCount else { return }
    self.key.removeAll(keepingCapacity: true)
    self.key.append(contentsOf: key)
    self.caller = caller
    epoch = cache.epoch
  }
}
