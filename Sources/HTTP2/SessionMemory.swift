import CNghttp2
import Glibc

/// Small blocks of memory that nghttp2 has let go of, for its next requests for some: a stream and a frame cost it half a
/// dozen of them, more at once than the C library keeps at hand. For the sessions of one executor.
///
/// A block is an ordinary one of `malloc`, so that any may be kept and any given away.
package final class SessionMemory {
  /// Blocks of `16 * index` bytes and up, linked by their first word.
  private struct Lists {
    var first = InlineArray<33, UnsafeMutableRawPointer?>(repeating: nil)
    var byteCounts = InlineArray<33, Int>(repeating: 0)
  }

  private static let unit = 16
  private static let largest = 32 * unit
  /// Bytes kept of one size at most. Not of all sizes together: the C library gives a block a little larger than asked
  /// for now and then, which comes back as one of the next size, and those must not take the place of what is needed.
  private static let maximumByteCount = 192 << 10

  private let lists = UnsafeMutablePointer<Lists>.allocate(capacity: 1)
  /// For `nghttp2_session_server_new3`, which copies it.
  let functions = UnsafeMutablePointer<nghttp2_mem>.allocate(capacity: 1)

  /// Bytes that wait to be used again.
  package var keptByteCount: Int {
    (0..<33).reduce(0) { $0 + lists.pointee.byteCounts[$1] }
  }

  package init() {
    lists.initialize(to: Lists())
    functions.initialize(
      to: nghttp2_mem(
        mem_user_data: UnsafeMutableRawPointer(lists), malloc: { SessionMemory.allocate($0, $1) },
        free: { SessionMemory.release($0, $1) }, calloc: { SessionMemory.allocateZeroed($0, $1, $2) },
        realloc: { SessionMemory.reallocate($0, $1, $2) }))
  }

  deinit {
    for index in 0..<33 {
      while let block = Self.pop(index, lists) { free(block) }
    }
    lists.deallocate()
    functions.deallocate()
  }

  private static func pop(_ index: Int, _ lists: UnsafeMutablePointer<Lists>) -> UnsafeMutableRawPointer? {
    guard let block = lists.pointee.first[index] else { return nil }
    lists.pointee.first[index] = block.load(as: UnsafeMutableRawPointer?.self)
    lists.pointee.byteCounts[index] -= index * unit
    return block
  }

  private static func allocate(_ byteCount: Int, _ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard byteCount <= largest, let context else { return allocateLarge(byteCount) }
    let index = max(1, (byteCount + unit - 1) / unit)
    return pop(index, context.assumingMemoryBound(to: Lists.self)) ?? malloc(index * unit)
  }

  private static let pageByteCount = 4 << 10

  /// A session has a buffer for a whole frame, of 16 KiB, and an idle one uses hardly any of it. Where that buffer is made
  /// of memory that others have used before, as the buffers of TLS handshakes, all of it would be resident: its pages are
  /// given back, to come again, empty, when they are needed.
  private static func allocateLarge(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    guard let block = malloc(byteCount) else { return nil }
    let start = (Int(bitPattern: block) + pageByteCount - 1) & -pageByteCount
    let end = (Int(bitPattern: block) + byteCount) & -pageByteCount
    if byteCount >= 4 * pageByteCount, start < end {
      madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_DONTNEED)
    }
    return block
  }

  private static func allocateZeroed(
    _ count: Int, _ size: Int, _ context: UnsafeMutableRawPointer?
  ) -> UnsafeMutableRawPointer? {
    let (byteCount, overflows) = count.multipliedReportingOverflow(by: size)
    guard !overflows, byteCount <= largest else { return calloc(count, size) }
    let block = allocate(byteCount, context)
    if let block { memset(block, 0, byteCount) }
    return block
  }

  /// Small blocks come from the lists here too: else every session would leave some there that none takes out again.
  private static func reallocate(
    _ block: UnsafeMutableRawPointer?, _ byteCount: Int, _ context: UnsafeMutableRawPointer?
  ) -> UnsafeMutableRawPointer? {
    guard let block else { return allocate(byteCount, context) }
    let present = malloc_usable_size(block)
    guard present < byteCount else { return block }
    guard present < largest + unit else { return realloc(block, byteCount) }
    guard let larger = allocate(byteCount, context) else { return nil }
    memcpy(larger, block, present)
    release(block, context)
    return larger
  }

  private static func release(_ block: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?) {
    guard let block, let context else { return free(block) }
    let lists = context.assumingMemoryBound(to: Lists.self)
    let index = malloc_usable_size(block) / unit
    guard (1...32).contains(index), lists.pointee.byteCounts[index] < maximumByteCount else { return free(block) }
    block.storeBytes(of: lists.pointee.first[index], as: UnsafeMutableRawPointer?.self)
    lists.pointee.first[index] = block
    lists.pointee.byteCounts[index] += index * unit
  }
}
