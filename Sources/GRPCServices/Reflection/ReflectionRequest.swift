internal import CGRPCProto
internal import GRPC
internal import ProtobufWire

/// grpc.reflection.v1.ServerReflectionRequest; v1alpha's is the same.
struct ReflectionRequest {
  enum Question {
    case fileNamed(String)
    case fileDefining(symbol: String)
    case fileExtending(type: String, number: Int32)
    case extensionNumbers(type: String)
    case services
    /// The request asks nothing (G-127).
    case none
  }

  let host: String
  let question: Question
  /// As it came, to be repeated in the answer.
  let bytes: [UInt8]

  init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(Status) {
    let raw = try arena.unpack(message, grpc__reflection__v1__server_reflection_request__unpack)
    host = try arena.text(of: raw.host)
    question = try Self.question(raw, arena)
    bytes = Array(message)
  }

  private static func question(
    _ raw: Grpc__Reflection__V1__ServerReflectionRequest, _ arena: DecodeArena
  ) throws(Status) -> Question {
    switch raw.message_request_case {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
      return .fileNamed(try arena.text(of: raw.file_by_filename))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
      return .fileDefining(symbol: try arena.text(of: raw.file_containing_symbol))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
      guard let field = raw.file_containing_extension?.pointee else { return .none }
      return .fileExtending(type: try arena.text(of: field.containing_type), number: field.extension_number)
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
      return .extensionNumbers(type: try arena.text(of: raw.all_extension_numbers_of_type))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
      _ = try arena.text(of: raw.list_services)
      return .services
    case _:
      return .none
    }
  }
}
