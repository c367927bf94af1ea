package import EnergyWire
import GRPC
import GRPCTransport

/// The answers of a call, in order, for one reader.
package struct AnswerSequence<Call: ContractCall>: AsyncSequence, Sendable {
  private let responses: ResponseSequence

  init(_ responses: ResponseSequence) {
    self.responses = responses
  }

  /// Ends the call; the reader gets CANCELLED.
  package func cancel() { responses.stream.cancel() }

  package func makeAsyncIterator() -> Iterator { Iterator(responses.makeAsyncIterator()) }

  package struct Iterator: AsyncIteratorProtocol {
    private let responses: ResponseSequence.Iterator

    init(_ responses: ResponseSequence.Iterator) {
      self.responses = responses
    }

    package func next() async throws -> ReceivedAnswer<Call>? { try await next(isolation: nil) }

    package func next(isolation actor: isolated (any Actor)?) async throws(CallFailure) -> ReceivedAnswer<Call>? {
      let bytes: [UInt8]?
      do throws(Status) {
        bytes = try await responses.next(isolation: actor)
      } catch {
        throw CallFailure(error)
      }
      guard let bytes else { return nil }
      return try ReceivedAnswer(bytes)
    }
  }
}
