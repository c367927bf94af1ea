import CUV
import Glibc

/// What a stream tells; always on the loop's thread, never within a call to the stream.
package protocol TCPStreamDelegate: AnyObject {
  /// `bytes` are valid within this call only.
  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer)
  /// The peer has finished writing (FIN); it may still read. At most once.
  func streamDidReachEnd(_ stream: TCPStream)
  /// What `write` had to queue has gone to the kernel.
  func streamDidDrain(_ stream: TCPStream)
  /// The last call, exactly once. `error` is `nil` if we closed, else what broke the connection.
  func streamDidClose(_ stream: TCPStream, error: NetworkError?)
}

/// A TCP connection, or one of a unix socket. Belongs to its loop's thread.
///
/// Until it is closed, by `close()`, by an error or by the end of its loop, libuv keeps the stream alive and the
/// stream its delegate.
package final class TCPStream: LoopHandle {
  /// Held strongly and let go of after `streamDidClose`, so a delegate may own its stream without leaking.
  package var delegate: (any TCPStreamDelegate)?
  package let loop: EventLoop

  /// Bytes that one read takes at most, up to `EventLoop.readByteCount`: small where few bytes mean much work, so that
  /// other streams get their turn. libuv reads a stream up to 32 times a turn, while the reads are full.
  @exclusivity(unchecked) package var readLimit = EventLoop.readByteCount

  let handle: UnsafeMutablePointer<uv_tcp_t>
  private var state = State.open

  private enum State {
    case open
    /// The peer's FIN has been read.
    case halfClosed
    case closing(NetworkError?)
  }

  /// Takes over a connected socket, which must be non-blocking and close-on-exec, as `TCPListener` hands out.
  ///
  /// - Throws: what `uv_tcp_open` says of a descriptor that it cannot use. `descriptor` is closed then.
  package init(loop: EventLoop, adopting descriptor: CInt) throws(NetworkError) {
    self.loop = loop
    handle = loop.makeHandle(of: uv_tcp_t.self)
    // Without an address family this makes no socket and cannot fail.
    uv_tcp_init(loop.raw, handle)
    do throws(NetworkError) {
      try check(uv_tcp_open(handle, descriptor), "uv_tcp_open")
    } catch {
      Glibc.close(descriptor)
      closeUnowned(handle)
      throw error
    }
    // Refused only where the connection is gone already; reading will tell.
    uv_tcp_nodelay(handle, 1)
    attach(to: handle)
  }

  /// Makes a stream without a socket, for `connect`.
  init(unconnectedOn loop: EventLoop) {
    self.loop = loop
    handle = loop.makeHandle(of: uv_tcp_t.self)
    uv_tcp_init(loop.raw, handle)
    attach(to: handle)
  }

  private var stream: UnsafeMutablePointer<uv_stream_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self)
  }

  /// Whether `close()` was called or the connection has broken; `streamDidClose` comes or has come.
  package var isClosing: Bool {
    switch state {
    case .open, .halfClosed: false
    case .closing: true
    }
  }

  // MARK: - Reading

  /// Begins to read, or goes on after `stopReading`. Nothing after the peer's end.
  package func startReading() {
    assert(loop.isCurrent)
    switch state {
    case .halfClosed, .closing: return
    case .open: break
    }
    let code = uv_read_start(
      stream, { handle, _, buffer in TCPStream.provideBuffer(handle, buffer) },
      { handle, count, buffer in TCPStream.of(handle).didRead(count, buffer) })
    if code < 0, code != UV_EALREADY.rawValue { fail(NetworkError(call: "uv_read_start", code: code)) }
  }

  /// Leaves further bytes in the kernel, so that the peer is slowed down. Takes effect at once, also within `didRead`.
  package func stopReading() {
    assert(loop.isCurrent)
    guard !isClosing else { return }
    uv_read_stop(stream)
  }

  private static func provideBuffer(
    _ handle: UnsafeMutablePointer<uv_handle_t>?, _ buffer: UnsafeMutablePointer<uv_buf_t>?
  ) {
    let stream = TCPStream.of(handle)
    let shared = stream.loop.readBuffer
    buffer?.pointee.base = shared.baseAddress?.assumingMemoryBound(to: CChar.self)
    buffer?.pointee.len = min(stream.readLimit, shared.count)
  }

  private func didRead(_ count: Int, _ buffer: UnsafePointer<uv_buf_t>?) {
    if count > 0 {
      delegate?.stream(self, didRead: UnsafeRawBufferPointer(start: buffer?.pointee.base, count: count))
    } else if count == Int(UV_EOF.rawValue) {
      reachEnd()
    } else if count < 0 {
      fail(NetworkError(call: "read", code: CInt(truncatingIfNeeded: count)))
    }
  }

  private func reachEnd() {
    switch state {
    case .halfClosed, .closing: return
    case .open: state = .halfClosed
    }
    delegate?.streamDidReachEnd(self)
  }

  // MARK: - Writing

  /// Bytes that `write` took and the kernel has not.
  package var queuedByteCount: Int {
    uv_stream_get_write_queue_size(stream)
  }

  /// Gives `bytes` to the kernel, as far as it takes them now without waiting; the rest is copied and queued, and
  /// `streamDidDrain` tells when it has gone. Nothing on a stream that is closing.
  ///
  /// The queue has no bound of its own: look at `queuedByteCount` first.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    assert(loop.isCurrent)
    guard !isClosing, !bytes.isEmpty else { return }
    let taken = queuedByteCount == 0 ? tryWrite(bytes) : 0
    if !isClosing, taken < bytes.count { queue(UnsafeRawBufferPointer(rebasing: bytes[taken...])) }
  }

  /// Sends a FIN after what is queued; reading goes on. Later writes fail.
  package func finishWriting() {
    assert(loop.isCurrent)
    guard !isClosing else { return }
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    let code = uv_shutdown(request, stream) { request, _ in request?.deallocate() }
    if code < 0 {
      request.deallocate()
      fail(NetworkError(call: "uv_shutdown", code: code))
    }
  }

  private func tryWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
    var buffer = uv_buf_t(bytes)
    let result = uv_try_write(stream, &buffer, 1)
    if result >= 0 { return Int(result) }
    if result != UV_EAGAIN.rawValue { fail(NetworkError(call: "write", code: result)) }
    return 0
  }

  private func queue(_ bytes: UnsafeRawBufferPointer) {
    let request = WriteRequest.make(copying: bytes)
    var buffer = WriteRequest.buffer(of: request, byteCount: bytes.count)
    let code = uv_write(request, stream, &buffer, 1) { TCPStream.didWrite($0, $1) }
    if code < 0 {
      WriteRequest.free(request)
      fail(NetworkError(call: "uv_write", code: code))
    }
  }

  private static func didWrite(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: CInt) {
    guard let request else { return }
    let stream = TCPStream.of(request.pointee.handle)
    WriteRequest.free(request)
    stream.didWrite(status)
  }

  private func didWrite(_ status: CInt) {
    guard !isClosing else { return }
    if status < 0 {
      fail(NetworkError(call: "write", code: status))
    } else if queuedByteCount == 0 {
      delegate?.streamDidDrain(self)
    }
  }

  // MARK: - End

  /// Closes the connection; what is queued is dropped. `streamDidClose` follows, with no error.
  package func close() {
    close(because: nil)
  }

  private func fail(_ error: NetworkError) {
    close(because: error)
  }

  private func close(because error: NetworkError?) {
    guard !isClosing else { return }
    assert(loop.isCurrent)
    state = .closing(error)
    uv_close(base(handle)) { TCPStream.detach(from: $0).didClose() }
  }

  private func didClose() {
    guard let delegate else { return }
    self.delegate = nil
    switch state {
    case .open, .halfClosed: delegate.streamDidClose(self, error: nil)
    case .closing(let error): delegate.streamDidClose(self, error: error)
    }
  }
}

/// A `uv_write_t` with the bytes to write behind it, in one block.
private enum WriteRequest {
  static func make(copying bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<uv_write_t> {
    let header = MemoryLayout<uv_write_t>.stride
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: header + bytes.count, alignment: MemoryLayout<uv_write_t>.alignment)
    if let source = bytes.baseAddress { (block + header).copyMemory(from: source, byteCount: bytes.count) }
    return block.bindMemory(to: uv_write_t.self, capacity: 1)
  }

  static func buffer(of request: UnsafeMutablePointer<uv_write_t>, byteCount: Int) -> uv_buf_t {
    let start = UnsafeMutableRawPointer(request) + MemoryLayout<uv_write_t>.stride
    return uv_buf_t(UnsafeRawBufferPointer(start: start, count: byteCount))
  }

  static func free(_ request: UnsafeMutablePointer<uv_write_t>) {
    UnsafeMutableRawPointer(request).deallocate()
  }
}

extension uv_buf_t {
  /// For writing: libuv does not change what it points to.
  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    self.init(
      base: UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self)), len: bytes.count)
  }
}
