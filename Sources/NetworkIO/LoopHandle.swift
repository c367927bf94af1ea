import CUV

/// A class that libuv holds through a handle: one reference from the end of `init` until the close callback has run.
///
/// A forgotten `close()` is a leak until the loop is stopped; `EventLoop.openHandleCount` shows it.
protocol LoopHandle: AnyObject {
  /// Closes the handle, on the loop's thread; nothing if it is closing already.
  func close()
}

extension EventLoop {
  /// Memory for a handle, counted in `openHandleCount`. Handles never move, so Swift never holds one by value.
  func makeHandle<Handle>(of type: Handle.Type) -> UnsafeMutablePointer<Handle> {
    assert(isCurrent)
    handleMade()
    return .allocate(capacity: 1)
  }

  /// Frees a handle that libuv has refused to initialise.
  func discardHandle<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    handleFreed()
    handle.deallocate()
  }
}

extension LoopHandle {
  /// Gives libuv its reference. Last thing in `init`: from then on the close callback must take it back.
  func attach<Handle>(to handle: UnsafeMutablePointer<Handle>) {
    base(handle).pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  /// The object that a handle belongs to; within a callback of that handle.
  static func of<Handle>(_ handle: UnsafeMutablePointer<Handle>?) -> Self {
    guard let handle, let context = base(handle).pointee.data else {
      preconditionFailure("libuv lost the owner of a handle")
    }
    return Unmanaged<Self>.fromOpaque(context).takeUnretainedValue()
  }

  /// In the close callback: frees the handle and takes back libuv's reference.
  static func detach(from handle: UnsafeMutablePointer<uv_handle_t>?) -> Self {
    let owner = Self.of(handle)
    freeHandle(handle)
    Unmanaged.passUnretained(owner).release()
    return owner
  }
}

/// Every handle begins with the fields of `uv_handle_t`.
func base<Handle>(_ handle: UnsafeMutablePointer<Handle>) -> UnsafeMutablePointer<uv_handle_t> {
  UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
}

/// Closes and frees a handle whose `init` has failed, before it had an owner.
func closeUnowned<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
  base(handle).pointee.data = nil
  uv_close(base(handle)) { freeHandle($0) }
}

private func freeHandle(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  guard let handle else { return }
  EventLoop.of(handle).handleFreed()
  UnsafeMutableRawPointer(handle).deallocate()
}

/// Closes whatever of ours a handle belongs to, for a loop that ends.
func closeOwner(of handle: UnsafeMutablePointer<uv_handle_t>?) {
  guard let handle, uv_is_closing(handle) == 0, handle.pointee.data != nil else { return }
  switch uv_handle_get_type(handle) {
  case UV_TCP: TCPStream.of(handle).close()
  case UV_TIMER: LoopTimer.of(handle).close()
  case UV_SIGNAL: SignalWatcher.of(handle).close()
  case UV_POLL: TCPListener.of(handle).close()
  case let type: preconditionFailure("a handle of type \(type.rawValue) that nobody closes")
  }
}
