/// A method as its caller knows it.
package struct ClientMethod: Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    case unary, serverStream, clientStream, bidirectional
  }

  /// `/package.Service/Method`, case-sensitive.
  package let path: String
  package let kind: Kind

  package init(_ path: String, _ kind: Kind = .unary) {
    self.path = path
    self.kind = kind
  }

  /// Whether an answer has exactly one message, unless it is an error.
  package var givesOneMessage: Bool {
    switch kind {
    case .unary, .clientStream: true
    case .serverStream, .bidirectional: false
    }
  }

  /// Whether a request has exactly one message, with which it ends.
  package var takesOneMessage: Bool {
    switch kind {
    case .unary, .serverStream: true
    case .clientStream, .bidirectional: false
    }
  }
}

/// What a caller wants of one call.
package struct CallOptions: Sendable {
  package var metadata = Metadata()
  /// From the start of the call, all attempts and the wait for a connection included; `nil`: no limit. 0 is already over.
  package var timeoutMilliseconds: UInt64?
  /// Whether the call waits while the server cannot be reached, instead of failing (gRPC, "Wait for Ready").
  package var waitsForReady = false
  /// `nil`: as the channel's.
  package var retryPolicy: RetryPolicy?
  /// Largest message taken; `nil`: as the channel's.
  package var maximumResponseByteCount: Int?
  /// Whether the server's own fields are read; costs a copy of them per call.
  package var keepsMetadata = false

  package init() {}
}
