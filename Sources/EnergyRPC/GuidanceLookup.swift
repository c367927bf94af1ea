internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import FoundationEssentials
internal import GRPC

/// What a caller may have of a series at this moment.
struct GuidanceView {
  let pass: VenuePass
  let feed: GuidanceFeed
  let publication: GuidancePublication
  let tag: TokenTag
  let token: UUID
}

extension EnergyLoop {
  /// The current guidance where this loop holds all that is needed, for almost every call: nothing is allocated. Where it
  /// is `nil`, `withGuidance` finds out the rest, also why there is none.
  func guidanceAtHand(at venueID: UUID, _ action: SuggestedAction, of caller: Caller) -> GuidanceView? {
    switch access.pass(clientID: caller.id, venueID: venueID) {
    case .hit(let pass):
      guard let pass = try? (pass as VenuePass?).visible(),
        let series = try? shared.guidance.series(for: pass, action: action)
      else {
        return nil
      }
      let feed = feeds[series]
      guard let publication = feed.current, let tag = try? tokens.tag(for: pass) else { return nil }
      return try? view(publication, pass, feed, tag)
    case .absent, .miss: return nil
    }
  }

  /// Checks what comes before guidance and calls `body` with the current guidance, at once where this loop holds
  /// it, or fails the call.
  func withGuidance(
    at venueID: UUID, _ action: SuggestedAction, of caller: Caller, for call: any ServerCall,
    _ body: @escaping (GuidanceView) -> Void
  ) {
    withPass(to: venueID, of: caller, for: call) { [self] pass in
      do throws(EnergyKitError) {
        let pass = try pass.visible()
        let series = try shared.guidance.series(for: pass, action: action)
        let feed = feeds[series]
        let tag = try tokens.tag(for: pass)
        if let publication = feed.current {
          return body(try view(publication, pass, feed, tag))
        }
        awaitRevision(of: series, feed: feed, pass: pass, tag: tag, for: call, body)
      } catch {
        call.fail(error, venueID: venueID)
      }
    }
  }

  /// The first to ask for a series on this loop waits for the engine.
  private func awaitRevision(
    of series: GuidanceSeries, feed: GuidanceFeed, pass: VenuePass, tag: TokenTag, for call: any ServerCall,
    _ body: @escaping (GuidanceView) -> Void
  ) {
    let finish = LoopContinuation { [self] (result: Result<GuidanceRevision, EnergyKitError>) in
      do throws(EnergyKitError) {
        let found = GuidancePublication(try result.get())
        feed.publish(found)
        // A newer one may have come in meanwhile.
        body(try view(feed.current ?? found, pass, feed, tag))
      } catch {
        call.fail(error)
      }
    }
    let guidance = shared.guidance
    Task.immediate(executorPreference: executor) {
      do throws(EnergyKitError) {
        finish.resume(.success(try await guidance.revision(of: series)))
      } catch {
        finish.resume(.failure(error))
      }
    }
  }

  private func view(
    _ publication: GuidancePublication, _ pass: VenuePass, _ feed: GuidanceFeed, _ tag: TokenTag
  ) throws(EnergyKitError) -> GuidanceView {
    let revision = publication.revision
    let token = try tokens.token(issueTime: revision.issueTime, number: revision.number, tag: tag)
    return GuidanceView(pass: pass, feed: feed, publication: publication, tag: tag, token: token)
  }
}
