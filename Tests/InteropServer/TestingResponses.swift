import GRPC
import ProtobufWire

/// `SimpleResponse` and `StreamingOutputCallResponse`, which have their payload in the same place: so many zeros.
struct PayloadResponse: WireMessage, OutgoingMessage {
  private struct Payload: WireMessage {
    let bodyByteCount: Int

    func encode(to sink: inout some WireSink) {
      guard bodyByteCount > 0 else { return }
      sink.messageHead(byteCount: bodyByteCount, 2)
      let zeros: StaticString = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      var rest = bodyByteCount
      while rest > 0 {
        let count = min(rest, zeros.utf8CodeUnitCount)
        sink.append(UnsafeRawBufferPointer(start: zeros.utf8Start, count: count))
        rest -= count
      }
    }
  }

  let bodyByteCount: Int

  func encode(to sink: inout some WireSink) { sink.message(Payload(bodyByteCount: bodyByteCount), 1) }

  var byteCount: Int { encodedByteCount }
  func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }
}

/// `StreamingInputCallResponse`.
struct SumResponse: WireMessage {
  let byteCount: Int

  func encode(to sink: inout some WireSink) { sink.integer(byteCount, 1) }
}
