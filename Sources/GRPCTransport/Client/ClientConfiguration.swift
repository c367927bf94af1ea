package import GRPC
package import NetworkIO
package import TLS

/// How a channel behaves. Bytes and milliseconds where not said otherwise.
package struct ClientConfiguration: Sendable {
  /// PINGs that find out whether the server is still there (gRFC A8). The server may take offence at those that come too
  /// often (G-108): then their period is doubled.
  package struct Keepalive: Hashable, Sendable {
    /// Without a byte from the server for so long, it is asked.
    package var timeMilliseconds: UInt64
    /// Without a byte for so long after that, the connection is given up.
    package var timeoutMilliseconds: UInt64
    /// Whether a connection without calls is asked too.
    package var isPermittedWithoutCalls: Bool

    package init(timeMilliseconds: UInt64, timeoutMilliseconds: UInt64 = 20_000, isPermittedWithoutCalls: Bool = false)
    {
      self.timeMilliseconds = timeMilliseconds
      self.timeoutMilliseconds = timeoutMilliseconds
      self.isPermittedWithoutCalls = isPermittedWithoutCalls
    }
  }

  /// How the server is to prove who it is, and the client too where it has a certificate.
  package struct Security: Sendable {
    package var context: TLSContext
    /// The name, or address in numbers, that the server's certificate must be for; `nil`: the target's host.
    package var serverName: String?

    /// - Parameter context: A client's.
    package init(context: TLSContext, serverName: String? = nil) {
      self.context = context
      self.serverName = serverName
    }
  }

  package var target: ChannelTarget
  /// Outlives the channel.
  package var loop: EventLoop
  /// `:authority`; `nil`: the target's.
  package var authority: String?
  /// `nil`: in the clear.
  package var security: Security?
  package var userAgent = "grpc-swift-energykit/1"
  /// `nil`: no PINGs.
  package var keepalive: Keepalive?
  package var backoff = ConnectionBackoff()
  /// What one address gets for the connection and the server's SETTINGS.
  package var connectMilliseconds: UInt64 = 20_000
  /// Of calls that name none themselves; `nil`: a call fails as its first attempt does, unless the server has not seen it.
  package var retryPolicy: RetryPolicy?
  package var throttle = RetryThrottle()
  /// Request bytes that one call keeps to be sent again; a call with more is not tried again.
  package var retryBytesPerCall = 256 << 10
  /// The same for all calls of the channel.
  package var retryBytesPerChannel = 16 << 20
  /// Calls that wait for a connection or for the server's permission (SETTINGS_MAX_CONCURRENT_STREAMS); those above fail
  /// with RESOURCE_EXHAUSTED.
  package var maximumWaitingCallCount = 10_000
  package var maximumResponseByteCount = 4 << 20
  /// Larger requests fail with RESOURCE_EXHAUSTED before a byte of them is sent (G-061).
  package var maximumRequestByteCount = Int(UInt32.max)
  /// Receive window of a stream (G-092).
  package var streamWindow = 64 << 10
  /// Receive window of the connection.
  package var connectionWindow = 1 << 20
  package var clock: any ChannelClock = LoopClock()
  /// Random numbers from 0 up to 1.
  package var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// Told of each change, on the loop.
  package var onStateChange: (@Sendable (ClientChannel.Connectivity) -> Void)?

  package init(target: ChannelTarget, loop: EventLoop) {
    self.target = target
    self.loop = loop
  }
}
