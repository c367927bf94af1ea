internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.ElectricityGuidanceService/PlanLoad`: a plan by the guidance that is current, on the loop.
struct PlanLoad {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let caller = loop.caller(of: call) else { return }
    let request: PlanLoadRequest
    do {
      request = try PlanLoadRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    loop.withGuidance(at: request.venueID, request.action, of: caller, for: call) { view in
      answer(call, request, view)
    }
  }

  private func answer(_ call: any ServerCall, _ request: PlanLoadRequest, _ view: GuidanceView) {
    do throws(EnergyKitError) {
      let plan = try loop.shared.guidance.plan(
        within: view.publication.revision, window: request.window, milliseconds: request.milliseconds,
        isContiguous: request.isContiguous)
      call.answer(PlanLoadResponse(token: view.token, plan: plan))
    } catch {
      call.fail(error)
    }
  }
}
