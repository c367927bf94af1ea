import EnergyWire
import GRPC

/// Why a command has not done what it was asked.
enum Problem: Error {
  case usage(UsageError)
  /// The server has refused, or cannot be reached.
  case call(CallFailure)
  /// Something on this machine: a file, a terminal.
  case local(String)
  /// There is no such thing, found out without the server's saying so.
  case notFound(String)
  /// The server has refused some of what it was sent; that was said already.
  case someRefused
  /// Whoever reads our output has had enough.
  case outputClosed

  init(_ fault: JSONText.Fault, in file: String) {
    self = .local("\(file):\(fault.line): \(fault.message)")
  }
}

/// What the process ends with (docs/ctl.md, Exit codes).
enum ExitCode {
  static let done: CInt = 0
  static let failure: CInt = 1
  static let usage: CInt = 2
  static let notAllowed: CInt = 3
  static let notFound: CInt = 4
  static let later: CInt = 5
  static let refused: CInt = 6

  static func of(_ problem: Problem) -> CInt {
    switch problem {
    case .usage: usage
    case .call(let failure): of(failure.code)
    case .local: failure
    case .notFound: notFound
    case .someRefused: refused
    case .outputClosed: done
    }
  }

  private static func of(_ code: StatusCode) -> CInt {
    switch code {
    case .ok: done
    case .unauthenticated, .permissionDenied: notAllowed
    case .notFound: notFound
    case .unavailable, .deadlineExceeded, .resourceExhausted, .aborted: later
    case .invalidArgument, .failedPrecondition, .alreadyExists, .outOfRange: refused
    case .cancelled, .unknown, .unimplemented, .internal, .dataLoss: failure
    }
  }
}

extension Problem {
  /// One line for standard error; `nil` where there is nothing to be said.
  var line: String? {
    switch self {
    case .usage(let error): error.message
    case .call(let failure): failure.line
    case .local(let message), .notFound(let message): message
    case .someRefused, .outputClosed: nil
    }
  }
}

extension CallFailure {
  /// `VENUE_UNAVAILABLE: there is no such venue; retry in 17 s`.
  var line: String {
    var line = "\(reason.isEmpty ? code.name : Text.clean(reason)): \(Text.clean(message))"
    // The message names the first fault.
    for violation in violations.dropFirst().prefix(Self.shownViolationCount) {
      line += "; \(Text.clean(violation.field)): \(Text.clean(violation.description))"
    }
    if violations.count > Self.shownViolationCount + 1 {
      line += "; and \(violations.count - Self.shownViolationCount - 1) more"
    }
    if let delay = retryAfterMilliseconds, !message.contains("retry in") {
      line += "; retry in \(Decimal.text(Double(delay) / 1000, digits: delay % 1000 == 0 ? 0 : 1)) s"
    }
    return line
  }

  private static let shownViolationCount = 4
}

extension StatusCode {
  /// As gRPC spells it.
  var name: String {
    switch self {
    case .ok: "OK"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}
