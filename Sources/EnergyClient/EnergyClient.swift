package import EnergyWire
import GRPC
package import GRPCTransport

/// The calls of the contract, typed, over a channel. One key for all; the operator's calls want the operator's.
package struct EnergyClient: Sendable {
  package let channel: ClientChannel
  private let key: String?
  /// Of calls with one answer, from their start; `nil`: no limit.
  package var timeoutMilliseconds: UInt64?

  /// - Parameter key: `nil`: none is sent, and the server refuses.
  package init(channel: ClientChannel, key: String?) {
    self.channel = channel
    self.key = key
  }

  /// Makes a call and reads its answer.
  package func call<Call: ContractCall>(_ call: Call) async throws(CallFailure) -> Call.Answer {
    try Self.read(Call.self, try await bytes(of: call))
  }

  /// Makes a call and gives its answer as it came.
  package func bytes(of call: some ContractCall) async throws(CallFailure) -> [UInt8] {
    do throws(Status) {
      return try await channel.unary(type(of: call).method.path, call.requestBytes, options).message
    } catch {
      throw CallFailure(error)
    }
  }

  /// Makes a call with many answers. Ends where the server ends it well; when nothing refers to it any more the call is
  /// cancelled.
  package func stream<Call: ContractCall>(_ call: Call) -> AnswerSequence<Call> {
    var options = options
    options.timeoutMilliseconds = nil
    return AnswerSequence(channel.serverStream(Call.method.path, call.requestBytes, options))
  }

  /// All pages of a listing, each asked for when it is wanted.
  package func pages<Call: PagedCall>(_ call: Call) -> PageSequence<Call> {
    PageSequence(client: self, first: call)
  }

  static func read<Call: ContractCall>(
    _: Call.Type, _ bytes: [UInt8]
  ) throws(CallFailure) -> Call.Answer {
    do throws(WireError) {
      return try Call.answer(decoding: bytes)
    } catch {
      throw CallFailure(error, of: Call.method)
    }
  }

  private var options: CallOptions {
    var options = CallOptions()
    if let key {
      options.metadata.fields.append(.init(name: "authorization", value: Array("Bearer \(key)".utf8)))
    }
    options.timeoutMilliseconds = timeoutMilliseconds
    return options
  }
}

/// An answer, read and as it came.
package struct ReceivedAnswer<Call: ContractCall>: Sendable {
  package let value: Call.Answer
  package let bytes: [UInt8]

  init(_ bytes: [UInt8]) throws(CallFailure) {
    value = try EnergyClient.read(Call.self, bytes)
    self.bytes = bytes
  }
}
