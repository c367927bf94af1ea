/// What gRPC-Web and CORS add to answers (gRPC-Web, "Protocol differences"; WHATWG Fetch, "CORS protocol").
extension FieldBlock {
  /// What a page may read of an answer.
  ///
  /// - Parameter origin: The page's; empty where the caller is no browser.
  package mutating func appendCORSHeaders(origin: [UInt8]) {
    guard !origin.isEmpty else { return }
    append("access-control-allow-origin") { $0.append(contentsOf: origin) }
    append(
      "access-control-expose-headers", "grpc-status,grpc-message,grpc-status-details-bin,grpc-retry-pushback-ms")
    append("vary", "origin")
  }

  /// The whole answer to a preflight of a page that may call (G-133).
  ///
  /// - Parameter wanted: `access-control-request-headers`, allowed as it is where it is a list of names and not long.
  package mutating func appendPreflightAnswer(origin: [UInt8], wanted: [UInt8]) {
    append(":status", "204")
    append("access-control-allow-origin") { $0.append(contentsOf: origin) }
    append("access-control-allow-methods", "POST")
    append("access-control-allow-headers") { value in
      if Self.isListOfNames(wanted) {
        value.append(contentsOf: wanted)
      } else {
        value.append(contentsOf: "content-type,x-grpc-web,x-user-agent,grpc-timeout,authorization".utf8)
      }
    }
    append("access-control-max-age", "7200")
    append("vary", "origin")
  }

  private static func isListOfNames(_ wanted: [UInt8]) -> Bool {
    let isName: (UInt8) -> Bool = { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: " "): true
      case _: false
      }
    }
    return (1...1_024).contains(wanted.count) && wanted.allSatisfy(isName)
  }

  /// The fields as the last frame of an answer has them, `name: value` a line (G-134).
  package var trailerFrameLines: [UInt8] {
    withFields { fields in
      var lines: [UInt8] = []
      for (name, value) in fields {
        lines.append(contentsOf: name)
        lines.append(contentsOf: ": ".utf8)
        lines.append(contentsOf: value)
        lines.append(contentsOf: "\r\n".utf8)
      }
      return lines
    }
  }
}

extension RequestHead {
  /// The page that calls; `nil` where the caller is no browser.
  package var origin: [UInt8]? { withFirstValue("origin") { Array($0) } }

  /// What a preflight wants to send.
  package var wantedHeaders: [UInt8] { withFirstValue("access-control-request-headers") { Array($0) } ?? [] }

  /// A browser's question before the call itself.
  var isPreflight: Bool {
    withValue(.method, { $0.equals("OPTIONS") }) == true && origin != nil
      && withFirstValue("access-control-request-method", { _ in true }) == true
  }
}
