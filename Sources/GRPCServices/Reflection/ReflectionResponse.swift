internal import GRPC
internal import ProtobufWire

/// grpc.reflection.v1.ServerReflectionResponse; v1alpha's is the same.
struct ReflectionResponse: WireMessage {
  enum Answer {
    /// Serialised FileDescriptorProtos.
    case files([[UInt8]])
    case extensionNumbers(type: String, [Int32])
    case services([String])
    case error(StatusCode, String)
  }

  let request: ReflectionRequest
  let answer: Answer

  func encode(to sink: inout some WireSink) {
    sink.string(request.host, 1)
    request.bytes.withUnsafeBytes { sink.bytes($0, 2) }
    switch answer {
    case .files(let files): sink.message(FileDescriptorResponse(files: files), 4)
    case .extensionNumbers(let type, let numbers):
      sink.message(ExtensionNumberResponse(type: type, numbers: numbers), 5)
    case .services(let names): sink.message(ListServiceResponse(names: names), 6)
    case .error(let code, let text): sink.message(ErrorResponse(code: code, text: text), 7)
    }
  }
}

private struct FileDescriptorResponse: WireMessage {
  let files: [[UInt8]]

  func encode(to sink: inout some WireSink) {
    for file in files { file.withUnsafeBytes { sink.bytes($0, 1) } }
  }
}

private struct ExtensionNumberResponse: WireMessage {
  let type: String
  let numbers: [Int32]

  func encode(to sink: inout some WireSink) {
    sink.string(type, 1)
    if !numbers.isEmpty { sink.message(PackedNumbers(numbers: numbers), 2) }
  }
}

/// The content of a packed repeated int32.
private struct PackedNumbers: WireMessage {
  let numbers: [Int32]

  func encode(to sink: inout some WireSink) {
    for number in numbers { sink.varint(UInt64(bitPattern: Int64(number))) }
  }
}

private struct ListServiceResponse: WireMessage {
  let names: [String]

  func encode(to sink: inout some WireSink) {
    for name in names { sink.message(ServiceResponse(name: name), 1) }
  }
}

private struct ServiceResponse: WireMessage {
  let name: String

  func encode(to sink: inout some WireSink) { sink.string(name, 1) }
}

private struct ErrorResponse: WireMessage {
  let code: StatusCode
  let text: String

  func encode(to sink: inout some WireSink) {
    sink.integer(code.rawValue, 1)
    sink.string(text, 2)
  }
}
