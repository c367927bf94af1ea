package import EnergyWire
import GRPC

/// The pages of a listing, each asked for when it is wanted.
package struct PageSequence<Call: PagedCall>: AsyncSequence, Sendable {
  let client: EnergyClient
  let first: Call

  package func makeAsyncIterator() -> Iterator { Iterator(client: client, next: first) }

  package struct Iterator: AsyncIteratorProtocol {
    private let client: EnergyClient
    /// `nil` after the last page.
    private var next: Call?

    init(client: EnergyClient, next: Call) {
      self.client = client
      self.next = next
    }

    package mutating func next() async throws -> ReceivedAnswer<Call>? { try await next(isolation: nil) }

    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(CallFailure) -> ReceivedAnswer<Call>? {
      guard var call = next else { return nil }
      let page = try ReceivedAnswer<Call>(try await client.bytes(of: call))
      let token = page.value.nextPageToken
      guard token != call.pageToken else {
        // Empty both times: the first page is the last.
        guard token.isEmpty else {
          throw CallFailure(code: .internal, message: "the server's listing goes in a circle")
        }
        next = nil
        return page
      }
      call.pageToken = token
      next = token.isEmpty ? nil : call
      return page
    }
  }
}
