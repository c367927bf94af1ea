import Diagnostics
import EnergyModel
import EnergyRPC
import EnergyService
import GRPC
import GRPCTransport

/// `--log-calls`: one line a call, when it has ended: who, what, how it ended; nothing of what it said, and no metadata
/// (G-137, G-161).
struct CallLog: Sendable {
  private let log: Log

  init(_ log: Log) { self.log = log }

  @Sendable func report(_ call: CallRecord) {
    log.info(
      "call",
      [
        "method": LogValue(call.path.isEmpty ? "unknown" : call.path), "code": LogValue(call.code.name),
        "ms": LogValue(Int(call.milliseconds)), "request_bytes": LogValue(Int(call.requestByteCount)),
        "response_bytes": LogValue(Int(call.responseByteCount)), "client": LogValue(Self.name(of: call.caller)),
        "peer": LogValue(call.peer), "trace_id": LogValue(call.trace?.text ?? "-"),
      ])
  }

  private static func name(of caller: AnyObject?) -> String {
    switch caller {
    case let caller as Caller: caller.id.text
    case is Operator: "operator"
    case _: "-"
    }
  }
}
