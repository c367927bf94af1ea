import CNghttp2

/// One side of an HTTP/2 connection: bytes in, events and bytes out. It owns no socket and no clock.
///
/// Not thread-safe: belongs to the executor of its connection.
package final class HTTP2Session {
  package enum Role: Hashable, Sendable {
    case server
    case client
  }

  package let role: Role
  let settings: HTTP2Settings
  /// Outlives nghttp2's session, whose memory it manages.
  private let memory: SessionMemory
  /// Set at once, by the delegate, which owns this session and calls `close` before it goes.
  @exclusivity(unchecked) package unowned(unsafe) var delegate: (any HTTP2SessionDelegate)?
  // Touched several times for every frame, and nothing is called while one of these is being changed: the dynamic checks
  // of exclusive access would cost a tenth of a request.
  @exclusivity(unchecked) private var raw: OpaquePointer?
  @exclusivity(unchecked) private var contexts = StreamContexts()
  /// Fields for the next submission; emptied by it.
  @exclusivity(unchecked) private var fields: [nghttp2_nv] = []
  /// What nghttp2 gave last and did not fit into the buffer; valid until nghttp2 is asked again.
  @exclusivity(unchecked) private var leftover = UnsafeRawBufferPointer(start: nil, count: 0)
  @exclusivity(unchecked) private var receivedByteCount = 0
  /// Streams that the peer has opened and that have not closed, refused ones among them.
  @exclusivity(unchecked) package private(set) var peerStreamCount = 0
  /// The stream whose header block is coming in, else 0.
  @exclusivity(unchecked) private var headerBlockStreamID: Int32 = 0
  @exclusivity(unchecked) private var refusedStreamID: Int32 = 0
  /// As the last GOAWAY says that was submitted.
  private var lastServedStreamID = Int32.max
  private var unsentStreamID: Int32 = 0
  @exclusivity(unchecked) package private(set) var counts = FrameCounts()
  private var hasAnnounced = false
  private var isAnnouncementAcknowledged = false
  private var isPulling = false

  /// Makes the session and queues its SETTINGS.
  ///
  /// - Parameter memory: Shared with other sessions of the same executor.
  /// - Throws: where there is no memory.
  package init(
    _ role: Role, settings: HTTP2Settings = HTTP2Settings(), memory: SessionMemory = SessionMemory()
  ) throws(HTTP2Error) {
    self.role = role
    self.settings = settings
    self.memory = memory
    raw = nil
    raw = try SessionConfiguration.makeSession(
      role, memory: memory, userData: Unmanaged.passUnretained(self).toOpaque())
    try announce()
  }

  deinit {
    nghttp2_session_del(raw)
  }

  /// Ends the use of the session without a word to the peer and lets go of all contexts, which it returns; everything
  /// else is a no-op afterwards. Not within a callback.
  @discardableResult
  package func close() -> [AnyObject] {
    nghttp2_session_del(raw)
    raw = nil
    leftover = UnsafeRawBufferPointer(start: nil, count: 0)
    return contexts.removeAll()
  }

  // MARK: - Bytes

  /// Takes bytes from the peer, in any split. After an error no more may be given; `pull` still works and tells the peer
  /// why, where there is something to tell.
  package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
    guard let raw, let start = bytes.baseAddress else { return }
    receivedByteCount = 0
    let result = nghttp2_session_mem_recv(raw, start.assumingMemoryBound(to: UInt8.self), bytes.count)
    if receivedByteCount > 0, let raw = self.raw { nghttp2_session_consume_connection(raw, receivedByteCount) }
    try check(result, "nghttp2_session_mem_recv")
  }

  /// Fills `buffer` with frames for the peer and returns how much of it; less than all only if nothing is left.
  package func pull(into buffer: UnsafeMutableRawBufferPointer) throws(HTTP2Error) -> Int {
    guard !isPulling else { return 0 }
    isPulling = true
    defer { isPulling = false }
    var filled = 0
    while filled < buffer.count {
      if leftover.isEmpty { try nextFrame() }
      if leftover.isEmpty { break }
      let count = min(leftover.count, buffer.count - filled)
      UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: leftover[..<count]))
      leftover = UnsafeRawBufferPointer(rebasing: leftover[count...])
      filled += count
    }
    return filled
  }

  private func nextFrame() throws(HTTP2Error) {
    guard let raw else { return }
    var start: UnsafePointer<UInt8>?
    let count = try check(nghttp2_session_mem_send(raw, &start), "nghttp2_session_mem_send")
    leftover = UnsafeRawBufferPointer(start: start, count: count)
    if !hasAnnounced && role == .server && count > 0 {
      hasAnnounced = true
      announceStreamCount()
    }
  }

  /// Whether there is a reason to keep the connection: `false` once both sides are through with it (after GOAWAY and the
  /// last stream, or a fatal error).
  package var isFinished: Bool {
    guard let raw else { return true }
    return leftover.isEmpty && nghttp2_session_want_read(raw) == 0 && nghttp2_session_want_write(raw) == 0
  }

  /// Frames other than DATA that wait to be pulled.
  package var queuedFrameCount: Int { raw.map { nghttp2_session_get_outbound_queue_size($0) } ?? 0 }

  /// Whether a header block has begun to come in and not ended (G-152).
  package var isWithinHeaderBlock: Bool { headerBlockStreamID != 0 }

  /// Streams with a context.
  package var streamCount: Int { contexts.count }

  /// SETTINGS_MAX_HEADER_LIST_SIZE of the peer, or the largest number.
  package var peerHeaderListBytes: Int {
    guard let raw else { return Int(UInt32.max) }
    return Int(nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE))
  }

  /// SETTINGS_MAX_CONCURRENT_STREAMS of the peer, or the largest number.
  package var peerMaximumStreamCount: Int {
    guard let raw else { return 0 }
    return Int(nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  // MARK: - Streams

  /// Stores what belongs to a stream, once; kept until the stream has closed or `close` was called.
  package func setContext(_ context: AnyObject, streamID: Int32) {
    guard let raw else { return }
    let place = contexts.insert(context)
    if nghttp2_session_set_stream_user_data(raw, streamID, Self.userData(place)) != 0 { contexts.remove(place) }
  }

  /// The contexts of all streams.
  package var streamContexts: [AnyObject] { contexts.all }

  /// Adds a field to the next header block submitted. The bytes need to live until then.
  package func addField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    // nghttp2 copies both at submission and reads only.
    fields.append(
      nghttp2_nv(
        name: Self.mutable(name), value: Self.mutable(value), namelen: name.count, valuelen: value.count,
        flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
  }

  /// Adds a field that lives for ever, without a copy. `name` in lower case.
  package func addField(_ name: StaticString, _ value: StaticString) {
    fields.append(
      nghttp2_nv(
        name: UnsafeMutablePointer(mutating: name.utf8Start), value: UnsafeMutablePointer(mutating: value.utf8Start),
        namelen: name.utf8CodeUnitCount, valuelen: value.utf8CodeUnitCount,
        flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)))
  }

  /// Answers a request with the fields added. Where they do not end the stream, a body may follow by `submitBody`.
  package func submitHeaders(streamID: Int32, endsStream: Bool) {
    defer { fields.removeAll(keepingCapacity: true) }
    guard let raw else { return }
    let flags = endsStream ? NGHTTP2_FLAG_END_STREAM : NGHTTP2_FLAG_NONE
    nghttp2_submit_headers(raw, UInt8(flags.rawValue), streamID, nil, fields, fields.count, nil)
  }

  /// Has `readBody` asked for bytes of a stream until it says `pause` or `end`; not again before.
  package func submitBody(streamID: Int32) {
    guard let raw, let place = nghttp2_session_get_stream_user_data(raw, streamID) else { return }
    var provider = Self.provider(place)
    nghttp2_submit_data(raw, UInt8(NGHTTP2_FLAG_END_STREAM.rawValue), streamID, &provider)
  }

  /// Ends a stream with the fields added; while no body is asked for, or within `readBody`, which then says `pause`.
  package func submitTrailers(streamID: Int32) {
    defer { fields.removeAll(keepingCapacity: true) }
    guard let raw else { return }
    nghttp2_submit_trailer(raw, streamID, fields, fields.count)
  }

  /// Opens a stream with the fields added; at a client. With a body, `readBody` is asked as after `submitBody`.
  ///
  /// - Returns: its id, or `nil` where no stream can be opened.
  package func submitRequest(context: AnyObject, hasBody: Bool) -> Int32? {
    defer { fields.removeAll(keepingCapacity: true) }
    guard let raw else { return nil }
    let place = contexts.insert(context)
    let userData = Self.userData(place)
    let id: Int32
    if hasBody, let userData {
      var provider = Self.provider(userData)
      id = nghttp2_submit_request(raw, nil, fields, fields.count, &provider, userData)
    } else {
      id = nghttp2_submit_request(raw, nil, fields, fields.count, nil, userData)
    }
    guard id > 0 else {
      contexts.remove(place)
      return nil
    }
    return id
  }

  /// Lets a stream that sends a lot share the connection byte by byte with others like it; others go before it in the
  /// order in which they have something to send (RFC 9218 §10).
  package func shareFairly(streamID: Int32) {
    guard let raw else { return }
    var priority = nghttp2_extpri(urgency: UInt32(NGHTTP2_EXTPRI_DEFAULT_URGENCY), inc: 1)
    nghttp2_session_change_extpri_stream_priority(raw, streamID, &priority, 1)
  }

  /// Ends a stream at once; nothing of it is sent afterwards.
  package func reset(streamID: Int32, _ errorCode: HTTP2ErrorCode) {
    guard let raw else { return }
    nghttp2_submit_rst_stream(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, errorCode.rawValue)
  }

  /// Returns the credit of `byteCount` bytes of a stream: the peer may send as many more (G-092).
  package func consume(_ byteCount: Int, streamID: Int32) {
    guard let raw, byteCount > 0 else { return }
    nghttp2_session_consume_stream(raw, streamID, byteCount)
  }

  /// Lets the peer have so many bytes on their way on a stream, more than what is announced for all (G-095).
  package func growWindow(of streamID: Int32, to byteCount: Int) {
    guard let raw, let size = Int32(exactly: byteCount) else { return }
    _ = nghttp2_session_set_local_window_size(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, size)
  }

  // MARK: - Connection

  package func submitPing(_ payload: UInt64) {
    guard let raw else { return }
    withUnsafeBytes(of: payload.bigEndian) { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      _ = nghttp2_submit_ping(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), start)
    }
  }

  /// GOAWAY with the last id possible: no new streams, please, but those on their way are served (G-100).
  package func submitShutdownNotice() {
    guard let raw else { return }
    nghttp2_submit_shutdown_notice(raw)
  }

  /// GOAWAY with the last stream taken: later ones are ignored, the others served to their end (G-100).
  ///
  /// - Parameter reason: Goes with it as debug data, for whoever reads the client's log.
  package func submitGoAway(_ errorCode: HTTP2ErrorCode = .noError, reason: StaticString = "") {
    guard let raw else { return }
    let last = nghttp2_session_get_last_proc_stream_id(raw)
    lastServedStreamID = min(lastServedStreamID, last)
    nghttp2_submit_goaway(
      raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, errorCode.rawValue, reason.utf8Start, reason.utf8CodeUnitCount)
  }

  /// GOAWAY, after which nothing more is sent or taken.
  package func terminate(_ errorCode: HTTP2ErrorCode) {
    guard let raw else { return }
    nghttp2_session_terminate_session(raw, errorCode.rawValue)
  }

  // MARK: - SETTINGS

  private func announce() throws(HTTP2Error) {
    var entries = [
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: settings.streamWindow),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: settings.headerListBytes),
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1),
    ]
    switch role {
    case .server:
      // Stands for the number announced, see `announceStreamCount`.
      entries.append(
        nghttp2_settings_entry(
          settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: UInt32(Int32.max)))
    case .client:
      entries.append(nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0))
    }
    let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    try check(Int(nghttp2_submit_settings(raw, none, entries, entries.count)), "nghttp2_submit_settings")
    try check(
      Int(nghttp2_session_set_local_window_size(raw, none, 0, settings.connectionWindow)),
      "nghttp2_session_set_local_window_size")
  }

  /// Puts the number of streams into the outgoing SETTINGS. nghttp2 must not know it: it would end the connection of a
  /// client that goes above it, instead of refusing the stream (G-017); `acceptsRequest` counts in its place.
  private func announceStreamCount() {
    guard let start = leftover.baseAddress, leftover.count >= 9, leftover[3] == 4 else { return }
    let frame = UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(mutating: start), count: leftover.count)
    for entry in stride(from: 9, through: frame.count - 6, by: 6) where frame[entry] == 0 && frame[entry + 1] == 3 {
      frame.storeBytes(of: settings.maximumStreamCount.bigEndian, toByteOffset: entry + 2, as: UInt32.self)
    }
  }

  // MARK: - nghttp2's pointers

  private static func userData(_ place: Int) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: place + 1)
  }

  private static func provider(_ userData: UnsafeMutableRawPointer) -> nghttp2_data_provider {
    nghttp2_data_provider(
      source: nghttp2_data_source(ptr: userData), read_callback: SessionConfiguration.readBody)
  }

  private static func mutable(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
    UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
  }
}

// MARK: - Events

extension HTTP2Session {
  /// Called for every frame but DATA on a stream that is gone.
  func beganFrame(_ header: UnsafePointer<nghttp2_frame_hd>) {
    counts.began(type: header.pointee.type, byteCount: header.pointee.length)
    if header.pointee.type != UInt8(NGHTTP2_CONTINUATION.rawValue) { headerBlockStreamID = 0 }
  }

  func beganHeaders(_ frame: UnsafePointer<nghttp2_frame>) {
    let id = frame.pointee.hd.stream_id
    guard let kind = Self.kind(frame) else { return }
    headerBlockStreamID = id
    if kind == .request && !acceptsRequest(id) { return }
    delegate?.didBeginHeaders(kind, streamID: id)
  }

  /// The client knows the number once it has acknowledged our SETTINGS; before, bursts above it are honest, unless the
  /// answers pile up already since it gives no credit for them (G-091).
  private var servedStreamCount: Int {
    let announced = Int(settings.maximumStreamCount)
    let knowsOrStalls = isAnnouncementAcknowledged || nghttp2_session_get_remote_window_size(raw) <= 0
    return knowsOrStalls ? announced : 2 * announced
  }

  private func acceptsRequest(_ id: Int32) -> Bool {
    peerStreamCount += 1
    if id > lastServedStreamID {
      // The GOAWAY that waits to leave says that this one was not looked at.
      refusedStreamID = id
      reset(streamID: id, .refusedStream)
      return false
    }
    guard peerStreamCount > servedStreamCount else { return true }
    refusedStreamID = id
    if isAnnouncementAcknowledged { counts.refusedOpening() }
    reset(streamID: id, .refusedStream)
    return false
  }

  func receivedField(
    _ frame: UnsafePointer<nghttp2_frame>, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) -> CInt {
    guard frame.pointee.hd.stream_id != refusedStreamID else { return 0 }
    switch delegate?.didReceive(name: name, value: value) {
    case .goOn, nil: return 0
    case .endConnection:
      terminate(.enhanceYourCalm)
      return energykit_nghttp2_callback_failure
    }
  }

  func receivedFrame(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    switch nghttp2_frame_type(UInt32(header.type)) {
    case NGHTTP2_HEADERS: endedHeaders(frame)
    case NGHTTP2_DATA:
      guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else {
        if header.length == frame.pointee.data.padlen { receivedEmptyData(header.stream_id) }
        return
      }
      guard let context = context(of: header.stream_id) else { return }
      delegate?.didEndStream(header.stream_id, context: context)
    case NGHTTP2_SETTINGS:
      let isAcknowledgement = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
      if isAcknowledgement { isAnnouncementAcknowledged = true }
      delegate?.didReceiveSettings(isAcknowledgement: isAcknowledgement)
    case NGHTTP2_PING:
      guard header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 else {
        delegate?.didReceivePing()
        return
      }
      let payload = withUnsafeBytes(of: frame.pointee.ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) }
      delegate?.didReceivePingAcknowledgement(UInt64(bigEndian: payload))
    case NGHTTP2_GOAWAY:
      let goAway = frame.pointee.goaway
      delegate?.didReceiveGoAway(
        lastStreamID: goAway.last_stream_id, errorCode: HTTP2ErrorCode(rawValue: goAway.error_code))
    default: break
    }
  }

  /// A frame that broke the protocol: its stream is going to be reset, or the connection to end.
  func rejectedFrame(_ frame: UnsafePointer<nghttp2_frame>) {
    guard let context = context(of: frame.pointee.hd.stream_id) else { return }
    delegate?.didBreakStream(frame.pointee.hd.stream_id, context: context)
  }

  private func receivedEmptyData(_ streamID: Int32) {
    guard let raw, let place = Self.place(nghttp2_session_get_stream_user_data(raw, streamID)) else { return }
    counts.emptyData = max(counts.emptyData, contexts.countEmptyFrame(place))
  }

  private func endedHeaders(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    headerBlockStreamID = 0
    guard let kind = Self.kind(frame) else { return }
    guard header.stream_id != refusedStreamID else {
      refusedStreamID = 0
      return
    }
    let context = kind == .request ? nil : context(of: header.stream_id)
    if kind != .request && context == nil { return }
    delegate?.didEndHeaders(
      kind, streamID: header.stream_id, endsStream: header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
      context: context)
  }

  func receivedData(_ bytes: UnsafeRawBufferPointer, streamID: Int32) {
    receivedByteCount += bytes.count
    guard let context = context(of: streamID) else { return }
    delegate?.didReceiveData(bytes, streamID: streamID, context: context)
  }

  func closedStream(_ streamID: Int32, errorCode: UInt32) {
    if role == .server && streamID & 1 == 1 { peerStreamCount -= 1 }
    if streamID == refusedStreamID { refusedStreamID = 0 }
    if streamID == headerBlockStreamID { headerBlockStreamID = 0 }
    guard let raw, let place = Self.place(nghttp2_session_get_stream_user_data(raw, streamID)),
      let context = contexts[place]
    else { return }
    contexts.remove(place)
    var code = HTTP2ErrorCode(rawValue: errorCode)
    if streamID == unsentStreamID {
      unsentStreamID = 0
      code = .refusedStream
    }
    delegate?.didCloseStream(streamID, errorCode: code, context: context)
  }

  /// A client's request that could not leave any more, after the server's GOAWAY: its stream is closed next, as one that
  /// the server has refused.
  func didNotSend(_ frame: UnsafePointer<nghttp2_frame>) {
    guard role == .client, Self.isRequest(frame) else { return }
    unsentStreamID = frame.pointee.hd.stream_id
  }

  private static func isRequest(_ frame: UnsafePointer<nghttp2_frame>) -> Bool {
    frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) && frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
  }

  func readBody(
    into buffer: UnsafeMutableRawBufferPointer, streamID: Int32, userData: UnsafeMutableRawPointer?,
    flags: UnsafeMutablePointer<UInt32>
  ) -> Int {
    guard let place = Self.place(userData), let context = contexts[place], let delegate else {
      return Int(energykit_nghttp2_temporal_failure)
    }
    switch delegate.readBody(into: buffer, streamID: streamID, context: context) {
    case .bytes(let count):
      return count
    case .pause(let count):
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      return count
    case .end(let count):
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      return count
    case .failed:
      return Int(energykit_nghttp2_temporal_failure)
    }
  }

  /// A server's answer that ends before the request has: the client is told to stop, and the stream is freed (G-072).
  func sentFrame(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    guard header.type == UInt8(NGHTTP2_HEADERS.rawValue) || header.type == UInt8(NGHTTP2_DATA.rawValue) else {
      if header.type == UInt8(NGHTTP2_RST_STREAM.rawValue) {
        counts.sentReset(errorCode: frame.pointee.rst_stream.error_code)
      }
      return
    }
    counts.useful += 1
    counts.sent += 1
    guard role == .server, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0, let raw,
      nghttp2_session_get_stream_remote_close(raw, header.stream_id) == 0
    else { return }
    reset(streamID: header.stream_id, .noError)
  }

  private func context(of streamID: Int32) -> AnyObject? {
    guard let raw, let place = Self.place(nghttp2_session_get_stream_user_data(raw, streamID)) else { return nil }
    return contexts[place]
  }

  private static func place(_ userData: UnsafeMutableRawPointer?) -> Int? {
    guard let userData else { return nil }
    return Int(bitPattern: userData) - 1
  }

  private static func kind(_ frame: UnsafePointer<nghttp2_frame>) -> HTTP2HeadersKind? {
    guard frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return nil }
    return switch frame.pointee.headers.cat {
    case NGHTTP2_HCAT_REQUEST: .request
    case NGHTTP2_HCAT_RESPONSE: .response
    case NGHTTP2_HCAT_HEADERS: .later
    default: nil
    }
  }
}
