internal import CMicroHTTPD
internal import Glibc

/// A small HTTP server for the operator's tools, apart from the RPC path: a thread of libmicrohttpd's own, at most 64
/// connections, 10 s each (docs/operating.md, Metrics).
///
/// `@unchecked Sendable`: the daemon is libmicrohttpd's, which locks it; `routes` never changes.
package final class AdminServer: @unchecked Sendable {
  /// What a path is answered with, on the server's thread: it may wait, others wait with it.
  package typealias Handler = @Sendable () -> AdminResponse

  package enum Fault: Error, Hashable, Sendable {
    case cannotListen(String)
  }

  /// Where it listens, with the port that was picked.
  package let address: AdminAddress

  private let routes: [String: Handler]
  private var daemon: OpaquePointer?

  package init(at address: AdminAddress, routes: [String: Handler]) throws(Fault) {
    self.routes = routes
    var wanted = address
    // The handler gets this object without a count: `stop` comes before its end.
    let box = RouteBox(routes)
    self.box = box
    let context = Unmanaged.passUnretained(box).toOpaque()
    daemon = address.withSocketAddress { energykit_http_start($0, Self.answer, context) }
    guard let daemon else {
      throw .cannotListen(String(cString: strerror(errno)))
    }
    let port = energykit_http_port(daemon)
    if port > 0 { wanted.port = UInt16(truncatingIfNeeded: port) }
    self.address = wanted
  }

  private let box: RouteBox

  deinit { stop() }

  /// Ends its thread and its connections.
  package func stop() {
    guard let daemon else { return }
    self.daemon = nil
    MHD_stop_daemon(daemon)
  }

  // MARK: - Requests

  private static let answer: energykit_http_handler = { context, connection, path, method, _, _, bodySize, state in
    guard let context, let connection, let path, let method, let state else { return .NO }
    // The first call tells of the headers alone; a body is not taken.
    if state.pointee == nil {
      state.pointee = context
      return .YES
    }
    if let bodySize, bodySize.pointee > 0 {
      bodySize.pointee = 0
      return .YES
    }
    let box = Unmanaged<RouteBox>.fromOpaque(context).takeUnretainedValue()
    let response = box.response(to: String(cString: path), by: String(cString: method))
    return AdminServer.send(response, on: connection)
  }

  private static func send(_ response: AdminResponse, on connection: OpaquePointer) -> MHD_Result {
    let made = response.body.withUnsafeBytes { bytes in
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
    return MHD_queue_response(connection, UInt32(response.status), made)
  }
}

/// What libmicrohttpd's thread sees of the server.
private final class RouteBox: Sendable {
  private let routes: [String: AdminServer.Handler]

  init(_ routes: [String: AdminServer.Handler]) { self.routes = routes }

  func response(to path: String, by method: String) -> AdminResponse {
    guard let handler = routes[path] else { return AdminResponse(status: 404, text: "not found\n") }
    guard method == "GET" || method == "HEAD" else {
      var response = AdminResponse(status: 405, text: "GET only\n")
      response.headers.append(("Allow", "GET, HEAD"))
      return response
    }
    return handler()
  }
}
