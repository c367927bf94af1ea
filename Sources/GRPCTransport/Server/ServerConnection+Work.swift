import GRPC
import Synchronization

/// Calls at work, and what became of those that are not any more (G-079, G-137).
extension ServerConnection {
  /// Why a call of this method cannot begin now, judged before anything is done for it.
  func overload(of method: Method, _ index: Int) -> Status? {
    // Calls that the client has cancelled, but that have not ended here, are twice as many as it may have open
    // (G-087, G-140).
    if lingeringCount.load(ordering: .relaxed) >= 2 * home.limits.streamsPerConnection {
      return .overloaded("cancelled ones of this connection, which have not ended yet")
    }
    guard !method.isLongLived else { return nil }
    if callsAtWork >= home.limits.callsPerConnection { return .overloaded("those of this connection") }
    if let limit = method.maximumCallsAtWork, home.callsAtWork[index] >= home.work.ownShare(of: limit) {
      return .overloaded("those of this method")
    }
    return home.work.isReached ? .overloaded("those of the server") : nil
  }

  func beginWork(_ call: ServerStream, _ method: Method) {
    guard !method.isLongLived else { return }
    call.flags.insert(.atWork)
    callsAtWork += 1
    home.callsAtWork[Int(call.methodIndex)] += 1
    home.work.add(1)
  }

  private func endWork(_ call: ServerStream) {
    guard call.flags.contains(.atWork) else { return }
    call.flags.remove(.atWork)
    callsAtWork -= 1
    home.callsAtWork[Int(call.methodIndex)] -= 1
    home.work.add(-1)
  }

  /// Once for each call that was begun, refused or not.
  func ended(_ call: ServerStream, _ end: CallEnd) {
    endWork(call)
    switch end {
    case .cancelled: home.figures.connections.resetCount += 1
    case .finished, .deadlineExceeded, .connectionLost: break
    }
    let age = call.age
    home.figures.ended(
      call.methodIndex, end.code, milliseconds: age, requestBytes: call.requestByteCount,
      responseBytes: call.responseByteCount)
    guard let onCall = home.onCall else { return }
    onCall(
      CallRecord(
        path: home.figures.path(call.methodIndex), code: end.code, milliseconds: age,
        requestByteCount: call.requestByteCount, responseByteCount: call.responseByteCount, peer: context.peer,
        caller: call.caller, trace: call.extras?.trace))
  }

  /// A call that was refused from its headers, before there was one.
  func countRefusal(_ code: StatusCode, _ head: RequestHead) {
    let place = head.withValue(.path) { home.services.router.index(of: $0) } ?? nil
    let index = place.map { UInt16(truncatingIfNeeded: $0) } ?? home.figures.unknownPlace
    home.figures.began(index)
    home.figures.ended(index, code, milliseconds: 0, requestBytes: 0, responseBytes: 0)
    guard let onCall = home.onCall else { return }
    onCall(
      CallRecord(
        path: home.figures.path(index), code: code, milliseconds: 0, requestByteCount: 0, responseByteCount: 0,
        peer: context.peer, caller: nil, trace: head.traceParent))
  }
}
