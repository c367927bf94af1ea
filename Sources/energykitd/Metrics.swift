import AdminHTTP
import EnergyService
import GRPC
import GRPCServices
import GRPCTransport
import Glibc
import Locking

/// `--admin-http`: what the operator's tools ask for (docs/operating.md, Metrics).
struct Metrics: Sendable {
  /// A loop that has not answered by then is stuck; so says the answer.
  private static let patienceMilliseconds = 5_000

  private let server: GRPCServer
  private let health: HealthBoard
  private let counters: EventCounters
  private let startedAt: Int64

  init(server: GRPCServer, health: HealthBoard, counters: EventCounters, startedAt: Int64) {
    self.server = server
    self.health = health
    self.counters = counters
    self.startedAt = startedAt
  }

  var routes: [String: AdminServer.Handler] {
    [
      "/healthz": { AdminResponse(text: "ok\n") },
      "/readyz": { [health] in
        health.status(of: "") == .serving
          ? AdminResponse(text: "ready\n") : AdminResponse(status: 503, text: "not serving\n")
      },
      "/metrics": { metricsResponse() },
    ]
  }

  private func metricsResponse() -> AdminResponse {
    guard let figures = figures() else { return AdminResponse(status: 503, text: "an event loop does not answer\n") }
    var text = MetricsText()
    text.addCalls(figures.methods)
    text.addConnections(figures.connections)
    text.addEvents(counters)
    text.addProcess(startedAt: startedAt)
    return AdminResponse(text: text.text, contentType: MetricsText.contentType)
  }

  /// Waits for the loops, on the thread that asks.
  private func figures() -> ServerFigures? {
    let answer = Lock<ServerFigures?>(nil)
    let gate = Gate()
    Task { [server] in
      let figures = await server.figures()
      answer.withLock { $0 = figures }
      gate.open()
    }
    guard gate.wait(milliseconds: Self.patienceMilliseconds) else { return nil }
    return answer.withLock { $0 }
  }
}

// MARK: - Families

extension MetricsText {
  fileprivate mutating func addCalls(_ methods: [String: CallFigures]) {
    let methods = methods.sorted { $0.key < $1.key }.map {
      (path: $0.key, name: MethodLabels($0.key), figures: $0.value)
    }
    family("grpc_server_started_total", .counter, "Calls begun, those refused at once among them.")
    for method in methods {
      sample("grpc_server_started_total", method.name.labels, method.figures.startedCount)
    }
    family("grpc_server_handled_total", .counter, "Calls ended, by code.")
    for method in methods {
      for code in StatusCode.allCases where method.figures[code] > 0 {
        let labels: KeyValuePairs = [
          "grpc_service": method.name.service, "grpc_method": method.name.method, "grpc_code": code.name,
        ]
        sample("grpc_server_handled_total", labels, method.figures[code])
      }
    }
    family("grpc_server_in_flight", .gauge, "Calls that have begun and not ended.")
    for method in methods { sample("grpc_server_in_flight", method.name.labels, method.figures.inFlightCount) }
    family("grpc_server_request_bytes_total", .counter, "Messages of ended calls, with their prefixes, as they came.")
    for method in methods {
      sample("grpc_server_request_bytes_total", method.name.labels, method.figures.requestByteCount)
    }
    family("grpc_server_response_bytes_total", .counter, "Messages of ended calls, with their prefixes, as they left.")
    for method in methods {
      sample("grpc_server_response_bytes_total", method.name.labels, method.figures.responseByteCount)
    }
    addDurations(methods.map { ($0.name, $0.figures) })
  }

  private mutating func addDurations(_ methods: [(MethodLabels, CallFigures)]) {
    let name = "grpc_server_handling_seconds"
    family(name, .histogram, "From the headers of a call to its end, in whole milliseconds.")
    for (labels, figures) in methods {
      var sum: UInt64 = 0
      for (index, bound) in CallFigures.durationBounds.enumerated() {
        sum += figures.durationCount(index)
        let pairs: KeyValuePairs = [
          "grpc_service": labels.service, "grpc_method": labels.method, "le": "\(Double(bound) / 1_000)",
        ]
        sample(name + "_bucket", pairs, sum)
      }
      let all: KeyValuePairs = ["grpc_service": labels.service, "grpc_method": labels.method, "le": "+Inf"]
      sample(name + "_bucket", all, figures.endedCount)
      sample(name + "_sum", labels.labels, Double(figures.durationMilliseconds) / 1_000)
      sample(name + "_count", labels.labels, figures.endedCount)
    }
  }

  fileprivate mutating func addConnections(_ figures: ConnectionFigures) {
    family("energykit_connections", .gauge, "Connections that are open.")
    sample("energykit_connections", UInt64(figures.openCount))
    for (name, help, value) in [
      ("connections_opened", "Connections taken.", figures.openedCount),
      ("connections_security_failed", "TLS connections that failed.", figures.failedSecurityCount),
      (
        "connections_sent_away", "Connections ended since the client broke the protocol or flooded.",
        figures.endedForCauseCount
      ),
      ("received_bytes", "Bytes read from sockets.", figures.receivedByteCount),
      ("sent_bytes", "Bytes written to sockets.", figures.sentByteCount),
      ("calls_reset", "Calls that clients gave up.", figures.resetCount),
      ("foreign_requests", "Requests that were no gRPC.", figures.foreignRequestCount),
      ("calls_refused_overload", "Calls refused since too many were at work.", figures.overloadCount),
    ] as [(String, String, UInt64)] {
      family("energykit_\(name)_total", .counter, help)
      sample("energykit_\(name)_total", value)
    }
  }

  fileprivate mutating func addEvents(_ counters: EventCounters) {
    family("energykit_load_events_total", .counter, "Load and status events, by what became of them.")
    let counts = counters.counts
    for (outcome, count) in [
      ("stored", counts.stored), ("duplicate", counts.duplicate), ("refused", counts.refused),
      ("failed", counts.failed),
    ] {
      sample("energykit_load_events_total", ["outcome": outcome], count)
    }
    family(
      "energykit_load_events_zeroed_total", .counter,
      "Events taken in with a zero in the place of something else, by lenient session rules.")
    sample("energykit_load_events_zeroed_total", counts.zeroed)
  }

  fileprivate mutating func addProcess(startedAt: Int64) {
    let process = ProcessFigures()
    family("process_resident_memory_bytes", .gauge, "Resident memory.")
    sample("process_resident_memory_bytes", process.residentByteCount)
    family("process_open_fds", .gauge, "Open descriptors.")
    sample("process_open_fds", process.descriptorCount)
    family("process_cpu_seconds_total", .counter, "User and system time.")
    sample("process_cpu_seconds_total", process.cpuSeconds)
    family("process_start_time_seconds", .gauge, "Start, in seconds since 1970.")
    sample("process_start_time_seconds", Double(startedAt) / 1_000)
  }
}

/// `/package.Service/Method` as labels; what there is no method for is "unknown".
private struct MethodLabels {
  let service: String
  let method: String

  init(_ path: String) {
    let parts = path.split(separator: "/")
    service = parts.count == 2 ? String(parts[0]) : "unknown"
    method = parts.count == 2 ? String(parts[1]) : "unknown"
  }

  var labels: KeyValuePairs<String, String> { ["grpc_service": service, "grpc_method": method] }
}
