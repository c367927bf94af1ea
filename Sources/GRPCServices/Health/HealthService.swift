internal import CGRPCProto
package import GRPC
internal import ProtobufWire

/// `grpc.health.v1.Health` on one loop: Check, List and Watch (G-120...123). Needs no credentials, for those who ask are
/// load balancers.
///
/// A watch that waits has no task and no buffer: the newest status takes the place of one that has not left.
package final class HealthService {
  package static let name = "grpc.health.v1.Health"
  /// More services than this are not listed (G-122).
  static let maximumListCount = 100
  /// Longer than any service name.
  private static let maximumRequestByteCount = 1 << 10

  private let board: HealthBoard
  private let arena = DecodeArena()
  private var watched: [String: Watchers] = [:]

  /// - Parameters:
  ///   - methods: Their services serve.
  ///   - executor: Where the service is made and used.
  package init(of methods: [Method], board: HealthBoard, on executor: any CallExecutor) {
    self.board = board
    board.add(self, of: methods.compactMap(\.serviceName), on: executor)
  }

  package var methods: [Method] {
    [
      method("Check") { service, call, message throws(Status) in
        try service.check(call, message)
      },
      method("List") { service, call, _ throws(Status) in try service.list(call) },
      method("Watch", isLongLived: true) { service, call, message throws(Status) in try service.watch(call, message) },
    ]
  }

  private func method(
    _ name: String, isLongLived: Bool = false,
    _ handle: @escaping (HealthService, any ServerCall, UnsafeRawBufferPointer) throws(Status) -> Void
  ) -> Method {
    let handler = MethodHandler.oneRequest { call, message in
      do throws(Status) {
        try handle(self, call, message)
      } catch {
        call.finish(error)
      }
    }
    return Method(
      path: "/\(Self.name)/\(name)", handler: handler, maximumRequestByteCount: Self.maximumRequestByteCount,
      needsAdmission: false, isLongLived: isLongLived)
  }

  // MARK: - Methods

  private func check(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) throws(Status) {
    let service = try service(in: message)
    guard let status = board.status(of: service) else {
      throw Status(.notFound, "unknown service \(service.prefix(256))")
    }
    call.send(HealthCheckResponse(status: status).encodedBytes)
    call.finish(.ok)
  }

  private func list(_ call: any ServerCall) throws(Status) {
    let statuses = board.all
    guard statuses.count <= Self.maximumListCount else {
      throw Status(.resourceExhausted, "\(statuses.count) services are more than the \(Self.maximumListCount) listed")
    }
    call.send(HealthListResponse(statuses: statuses).encodedBytes)
    call.finish(.ok)
  }

  private func watch(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) throws(Status) {
    let service = try service(in: message)
    let watchers = watched[service] ?? Watchers(status: status(of: service))
    watched[service] = watchers
    let watch = HealthWatch(service) { [weak self] in self?.ended($0, $1) }
    watchers.calls[ObjectIdentifier(call)] = call
    call.observer = watch
    watchers.offer(to: call)
  }

  private func service(in message: UnsafeRawBufferPointer) throws(Status) -> String {
    try arena.text(of: arena.unpack(message, grpc__health__v1__health_check_request__unpack).service)
  }

  // MARK: - Watching

  private func status(of service: String) -> ServingStatus { board.status(of: service) ?? .serviceUnknown }

  func changed(_ service: String) {
    guard let watchers = watched[service] else { return }
    let status = status(of: service)
    guard status != watchers.status else { return }
    watchers.status = status
    for call in watchers.calls.values { watchers.offer(to: call) }
  }

  func changedAll() {
    for service in watched.keys { changed(service) }
  }

  private func ended(_ call: any ServerCall, _ service: String) {
    guard let watchers = watched[service] else { return }
    watchers.calls[ObjectIdentifier(call)] = nil
    if watchers.calls.isEmpty { watched[service] = nil }
  }

  /// Calls that watch now; for tests.
  var watchCount: Int { watched.values.reduce(0) { $0 + $1.calls.count } }
  var watchedNameCount: Int { watched.count }
}

/// Those who watch one service on one loop.
private final class Watchers {
  var status: ServingStatus
  var calls: [ObjectIdentifier: any ServerCall] = [:]

  init(status: ServingStatus) {
    self.status = status
  }

  func offer(to call: any ServerCall) {
    call.offer(SharedMessage(HealthCheckResponse(status: status).encodedBytes), to: NoPrefix.shared)
  }
}

private final class HealthWatch: CallObserver {
  private let service: String
  private let onEnd: (any ServerCall, String) -> Void

  init(_ service: String, onEnd: @escaping (any ServerCall, String) -> Void) {
    self.service = service
    self.onEnd = onEnd
  }

  func callEnded(_ call: any ServerCall, _ end: CallEnd) { onEnd(call, service) }
  func callCanSend(_ call: any ServerCall) {}
}

/// What is offered is the whole message.
private final class NoPrefix: BroadcastSubscriber, Sendable {
  static let shared = NoPrefix()

  func prefixByteCount(before sharedByteCount: Int) -> Int { 0 }
  func writePrefix(before sharedByteCount: Int, into buffer: UnsafeMutableRawBufferPointer) {}
}
