package import EnergyModel
internal import GRPC
package import ProtobufWire

/// What became of one batch of a stream.
package struct StreamLoadEventsResponse: ResponseMessage, WireMessage {
  package let sequence: UInt64
  package let outcome: Outcome

  package enum Outcome {
    case accepted(SubmitLoadEventsResponse)
    case refused(BatchError)
  }

  package init(sequence: UInt64, _ outcome: Outcome) {
    self.sequence = sequence
    self.outcome = outcome
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    sink.integer(Int64(bitPattern: sequence), 1)
    switch outcome {
    case .accepted(let response): sink.message(response, 2)
    case .refused(let error): sink.message(error, 3)
    }
  }
}

/// Why one batch of a stream was refused: what a call of its own would have failed with.
package struct BatchError: WireMessage {
  private let code: Int
  private let reason: String
  private let message: String
  private let retrySeconds: Int?
  private let faults: [LoadEventFault]
  private let rejectedCount: Int
  private let serverTime: Timestamp?

  /// - Parameter rejectedCount: Events that have a fault.
  package init(_ error: EnergyKitError, rejectedCount: Int = 0) {
    let rich = RichStatus(error, venueID: nil)
    code = rich.code.rawValue
    reason = rich.reason
    message = rich.message
    retrySeconds = rich.retrySeconds
    self.rejectedCount = rejectedCount
    if case .invalidLoadEvent(let invalid) = error {
      faults = invalid.faults
      serverTime = invalid.serverTime
    } else {
      faults = []
      serverTime = nil
    }
  }

  /// `nil` where the stream cannot go on: what does not parse may be cut anywhere.
  package init?(_ error: WireError) {
    switch error {
    case .unparsable: return nil
    case .tooComplex:
      self.init(code: StatusCode.resourceExhausted.rawValue, reason: "", message: "the batch is too much to be decoded")
    case .invalid(let request): self.init(request)
    }
  }

  package init(_ request: InvalidRequest) {
    self.init(
      code: StatusCode.invalidArgument.rawValue, reason: "INVALID_REQUEST",
      message: "\(request.field): \(request.description)")
  }

  private init(code: Int, reason: String, message: String) {
    self.code = code
    self.reason = reason
    self.message = message
    retrySeconds = nil
    faults = []
    rejectedCount = 0
    serverTime = nil
  }

  package func encode(to sink: inout some WireSink) {
    sink.integer(code, 1)
    sink.string(reason, 2)
    sink.string(message, 3)
    sink.message(retrySeconds.map { DurationMessage(seconds: $0) }, 4)
    for fault in faults.prefix(SubmitLoadEventsResponse.maximumFaultCount) {
      sink.message(RejectedEventMessage(fault), 5)
    }
    sink.integer(rejectedCount, 6)
    sink.message(serverTime.map { TimestampMessage($0) }, 7)
  }
}
