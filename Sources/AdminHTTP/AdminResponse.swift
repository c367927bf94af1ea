/// What the operator's tools get.
package struct AdminResponse: Sendable {
  package var status: Int
  package var body: [UInt8]
  package var headers: [(String, String)]

  package init(status: Int = 200, text: String, contentType: String = "text/plain; charset=utf-8") {
    self.status = status
    body = Array(text.utf8)
    headers = [("Content-Type", contentType), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
  }
}
