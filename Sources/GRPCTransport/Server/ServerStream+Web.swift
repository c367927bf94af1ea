import GRPC
import HTTP2

/// gRPC-Web: what differs from gRPC over HTTP/2 (G-131...134). The frames of messages are the same; trailers are one more
/// frame, and in the text form everything is base64, each flush padded by itself.
extension ServerStream {
  /// Flag of the frame that holds the trailers.
  private static let trailerFlag: UInt8 = 0x80

  // MARK: - Reading

  /// Bytes of a request in base64. What they say is copied: the bytes that `take` is given otherwise live longer.
  func receiveText(_ text: UnsafeRawBufferPointer) {
    let extras = ensuredExtras
    let capacity = extras.base64.maximumByteCount(of: text.count)
    withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { buffer in
      do throws(Base64Decoder.Fault) {
        let count = try extras.base64.decode(text, into: buffer)
        takeDecoded(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      } catch {
        fail(Status(.internal, "the request is not base64"))
      }
    }
  }

  private func takeDecoded(_ bytes: UnsafeRawBufferPointer) {
    guard !flags.contains(.messageComplete) || bytes.isEmpty else { return fail(Self.secondMessage) }
    framer.hold(bytes)
    take(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Whether the request ended between two groups of four digits; the call fails otherwise.
  func isTextWhole() -> Bool {
    guard extras?.base64.isAtBoundary ?? true else {
      fail(Status(.internal, "the request's base64 is cut off"))
      return false
    }
    return true
  }

  // MARK: - Writing

  func addWebHeaders() {
    connection.addFields {
      $0.appendResponseHeaders(terms, metadata: extras?.initialMetadata ?? Metadata(), limit: connection.trailerLimit)
      $0.appendCORSHeaders(origin: extras?.webOrigin ?? [])
    }
  }

  /// Appends a message of `byteCount` bytes in base64.
  func appendText(
    byteCount: Int, flag: UInt8 = 0, to output: StreamOutput, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    let whole = MessageFramer.prefixByteCount + byteCount
    withUnsafeTemporaryAllocation(byteCount: whole, alignment: 8) { frame in
      Self.writePrefix(of: byteCount, into: frame)
      frame[0] = flag
      write(UnsafeMutableRawBufferPointer(rebasing: frame[MessageFramer.prefixByteCount...]))
      Base64.encode(UnsafeRawBufferPointer(frame), into: output.append(Base64.paddedByteCount(whole)))
    }
  }

  /// The status is known, its frame has not been written, and all messages have left.
  var owesWebTrailers: Bool {
    flags.contains(.web) && flags.contains(.finishing) && !flags.contains(.webTrailersSent)
  }

  func appendWebTrailers() {
    flags.insert(.webTrailersSent)
    connection.home.fields.removeAll()
    connection.home.fields.appendTrailers(extras?.finalStatus ?? .ok)
    let lines = connection.home.fields.trailerFrameLines
    let output = ensuredOutput()
    let before = output.byteCount
    if flags.contains(.webText) {
      appendText(byteCount: lines.count, flag: Self.trailerFlag, to: output) { $0.copyBytes(from: lines) }
    } else {
      let room = output.append(MessageFramer.prefixByteCount + lines.count)
      Self.writePrefix(of: lines.count, into: room)
      room[0] = Self.trailerFlag
      room[MessageFramer.prefixByteCount...].copyBytes(from: lines)
    }
    connection.didBuffer(output.byteCount - before)
  }
}
