internal import CProtobufC

/// Memory for what protobuf-c unpacks: handed out front to back, taken back all at once by the next message.
///
/// Refuses above 8 times the message and above 32 MiB (docs/architecture.md, Limits), a small message having 64 KiB at
/// least. Between messages one block of 256 KiB stays. One per event loop: not safe on two threads.
package final class DecodeArena {
  package static let maximumByteCount = 32 << 20
  static let maximumGrowth = 8
  static let alwaysAllowedByteCount = 64 << 10
  static let keptByteCount = 256 << 10

  private let state: UnsafeMutablePointer<ArenaState>
  /// Its `allocator_data` is `state`.
  private let allocator: UnsafeMutablePointer<ProtobufCAllocator>

  package init() {
    state = .allocate(capacity: 1)
    state.initialize(to: ArenaState())
    allocator = .allocate(capacity: 1)
    allocator.initialize(
      to: ProtobufCAllocator(
        alloc: { data, size in data?.assumingMemoryBound(to: ArenaState.self).pointee.allocate(size) },
        free: { _, _ in },
        allocator_data: UnsafeMutableRawPointer(state)))
  }

  deinit {
    state.pointee.freeAll()
    state.deallocate()
    allocator.deallocate()
  }

  /// The `ProtobufCAllocator *` for protobuf-c's unpack functions, without its type: only targets that wrap generated C
  /// know that.
  package var allocatorForC: OpaquePointer { OpaquePointer(allocator) }

  /// Takes everything back and sets the bound for a message of `byteCount` bytes.
  package func begin(messageByteCount byteCount: Int) {
    let (grown, overflow) = byteCount.multipliedReportingOverflow(by: Self.maximumGrowth)
    let wanted = max(overflow ? .max : grown, Self.alwaysAllowedByteCount)
    state.pointee.begin(limit: min(wanted, Self.maximumByteCount))
  }

  /// Whether something was refused since `begin`.
  package var hasRefused: Bool { state.pointee.hasRefused }
  /// Bytes handed out since `begin`.
  package var usedByteCount: Int { state.pointee.used }
  /// Bytes the arena holds from the system at this moment.
  package var reservedByteCount: Int { state.pointee.reserved }

  /// The bytes of a string that protobuf-c unpacked into this arena, NUL bytes in it included. Not checked for UTF-8.
  ///
  /// protobuf-c ends each string with a NUL of its own and keeps no length; the arena knows the length, since each
  /// string is one allocation of its bytes and that NUL.
  package func bytes(of string: UnsafeMutablePointer<CChar>?) -> UnsafeRawBufferPointer {
    guard let string, UnsafePointer(string) != energykit_protobuf_c_empty_string() else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let start = UnsafeRawPointer(string)
    let size = start.load(fromByteOffset: -ArenaState.headerByteCount, as: Int.self)
    return UnsafeRawBufferPointer(start: start, count: max(0, size - 1))
  }
}

/// The arena's own numbers, apart from the class so that a C callback reaches them without reference counting.
private struct ArenaState {
  /// Before each piece stands its size, as asked for.
  static let headerByteCount = 8
  private static let blockHeaderByteCount = 16
  private static let alignment = 16

  private var next: UnsafeMutableRawPointer
  /// Where the block ends, or the limit is reached if that is earlier.
  private var end: UnsafeMutableRawPointer
  /// Where the block's pieces begin.
  private var start: UnsafeMutableRawPointer
  private let kept: UnsafeMutableRawPointer
  /// Further blocks, each with the pointer to the one before at its front.
  private var extra: UnsafeMutableRawPointer?
  private var limit = 0
  private var usedInEarlierBlocks = 0
  private(set) var reserved = DecodeArena.keptByteCount
  private(set) var hasRefused = false

  var used: Int { usedInEarlierBlocks + (next - start) }

  init() {
    kept = .allocate(byteCount: DecodeArena.keptByteCount, alignment: Self.alignment)
    start = kept
    next = kept
    end = kept
  }

  mutating func begin(limit: Int) {
    if extra != nil { freeExtra() }
    start = kept
    next = kept
    end = kept + min(limit, DecodeArena.keptByteCount)
    self.limit = limit
    usedInEarlierBlocks = 0
    hasRefused = false
  }

  mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    guard UInt(bitPattern: size) <= UInt(DecodeArena.maximumByteCount) else { return refuse() }
    let byteCount = (size &+ 7) & ~7 &+ Self.headerByteCount
    guard byteCount <= end - next || addBlock(for: byteCount) else { return refuse() }
    let piece = next
    piece.storeBytes(of: size, as: Int.self)
    next = piece + byteCount
    return piece + Self.headerByteCount
  }

  private mutating func refuse() -> UnsafeMutableRawPointer? {
    hasRefused = true
    return nil
  }

  /// Blocks double with what is used, so that their number stays small. Returns `false` where the limit is reached.
  private mutating func addBlock(for byteCount: Int) -> Bool {
    let rest = limit - used
    guard byteCount <= rest else { return false }
    let capacity = max(byteCount, min(max(used, DecodeArena.keptByteCount), rest))
    let size = capacity + Self.blockHeaderByteCount
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: Self.alignment)
    block.storeBytes(of: extra, as: UnsafeMutableRawPointer?.self)
    extra = block
    reserved += size
    usedInEarlierBlocks = used
    start = block + Self.blockHeaderByteCount
    next = start
    end = start + capacity
    return true
  }

  private mutating func freeExtra() {
    while let block = extra {
      extra = block.load(as: UnsafeMutableRawPointer?.self)
      block.deallocate()
    }
    reserved = DecodeArena.keptByteCount
  }

  mutating func freeAll() {
    freeExtra()
    kept.deallocate()
  }
}
