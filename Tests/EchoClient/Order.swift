import GRPC
import GRPCTransport

/// One line of the input: `KIND PATH [timeout=MS] [wait=1] [cancel=COUNT] [times=COUNT] [meta=NAME:HEX]... [message=HEX|xCOUNT]...`
struct Order {
  enum Kind: String {
    case unary, server, client, bidirectional
  }

  let kind: Kind
  let path: String
  var options = CallOptions(keepsMetadata: true)
  var messages: [[UInt8]] = []
  /// The call is cancelled after so many messages of the answer.
  var cancelAfter: Int?
  /// So many calls at once.
  var times = 1

  init?(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count >= 2, let kind = Kind(rawValue: String(words[0])) else { return nil }
    self.kind = kind
    path = String(words[1])
    for word in words.dropFirst(2) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, take(parts[0], parts[1]) else { return nil }
    }
  }

  private mutating func take(_ name: Substring, _ value: Substring) -> Bool {
    switch name {
    case "timeout": options.timeoutMilliseconds = UInt64(value)
    case "wait": options.waitsForReady = value == "1"
    case "cancel": cancelAfter = Int(value)
    case "times": times = Int(value) ?? 1
    case "message":
      guard let bytes = Self.bytes(value) else { return false }
      messages.append(bytes)
    case "meta":
      let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let bytes = Self.bytes(parts[1]) else { return false }
      options.metadata.fields.append(.init(name: String(parts[0]), value: bytes))
    case _: return false
    }
    return true
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    if text.first == "x" { return Int(text.dropFirst()).map { [UInt8](repeating: 0x61, count: max(0, $0)) } }
    let digits = Array(text)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(digits[index...(index + 1)]), radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  // MARK: - Calls

  /// What came of it, or of all where there are several.
  func run(on channel: ClientChannel) async -> String {
    guard times > 1 else { return await call(channel).json }
    let codes = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<times { group.addTask { await call(channel).status.code.rawValue } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    return "{\"codes\": \(codes.sorted())}"
  }

  private func call(_ channel: ClientChannel) async -> Outcome {
    var outcome = Outcome()
    do throws(Status) {
      switch kind {
      case .unary: outcome.take(try await channel.unary(path, messages.first ?? [], options))
      case .client:
        let stream = channel.clientStream(path, options)
        for message in messages { try await stream.send(message) }
        outcome.take(try await stream.response())
      case .server:
        try await read(channel.serverStream(path, messages.first ?? [], options), into: &outcome)
      case .bidirectional: try await talk(channel.bidirectionalStream(path, options), &outcome)
      }
    } catch {
      outcome.status = error
    }
    return outcome
  }

  private func read(_ responses: ResponseSequence, into outcome: inout Outcome) async throws(Status) {
    for try await message in responses {
      outcome.messages.append(message)
      if outcome.messages.count == cancelAfter { responses.stream.cancel() }
    }
    outcome.status = await responses.stream.status()
    outcome.metadata = try await responses.stream.headers()
  }

  /// To and fro: each message is answered before the next.
  private func talk(_ stream: ClientStream, _ outcome: inout Outcome) async throws(Status) {
    let responses = stream.responses.makeAsyncIterator()
    for message in messages {
      try await stream.send(message)
      guard let answer = try await responses.next(isolation: nil) else { break }
      outcome.messages.append(answer)
    }
    stream.finishSending()
    try await read(stream.responses, into: &outcome)
  }
}

/// What came of a call.
struct Outcome {
  var status = Status.ok
  var messages: [[UInt8]] = []
  var metadata = Metadata()

  mutating func take(_ response: ClientResponse) {
    messages = [response.message]
    metadata = response.metadata
    status.trailers = response.trailers
  }

  /// Bytes in hexadecimal; of messages above 64 bytes only their number.
  var json: String {
    let messages = messages.map { $0.count > 64 ? "\"x\($0.count)\"" : "\"\(Self.hex($0))\"" }.joined(separator: ", ")
    return "{\"code\": \(status.code.rawValue), \"text\": \"\(Self.hex(Array(status.message.utf8)))\", "
      + "\"details\": \"\(Self.hex(status.details))\", \"messages\": [\(messages)], "
      + "\"metadata\": \(Self.json(metadata)), \"trailers\": \(Self.json(status.trailers))}"
  }

  private static func json(_ metadata: Metadata) -> String {
    let fields = metadata.fields.map { "[\"\($0.name)\", \"\(hex($0.value))\"]" }
    return "[\(fields.joined(separator: ", "))]"
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

extension CallOptions {
  fileprivate init(keepsMetadata: Bool) {
    self.init()
    self.keepsMetadata = keepsMetadata
  }
}
