import EnergyModel

/// The unit that a feed counts in, and the way to ours: gCO2eq/kWh and USD/kWh.
enum SignalUnit: String, CaseIterable {
  case gramsPerKWh = "g/kWh"
  case gramsCO2eqPerKWh = "gCO2eq/kWh"
  case kilogramsPerMWh = "kg/MWh"
  case kilogramsPerKWh = "kg/kWh"
  case poundsPerMWh = "lb/MWh"
  case poundsPerKWh = "lb/kWh"
  case dollarsPerKWh = "USD/kWh"
  case dollarsPerMWh = "USD/MWh"

  /// What to multiply with.
  var factor: Double {
    switch self {
    case .gramsPerKWh, .gramsCO2eqPerKWh, .kilogramsPerMWh, .dollarsPerKWh: 1
    case .kilogramsPerKWh: 1000
    case .poundsPerMWh: 0.45359237
    case .poundsPerKWh: 453.59237
    case .dollarsPerMWh: 0.001
    }
  }

  func suits(_ kind: SignalKind) -> Bool {
    switch self {
    case .gramsPerKWh, .gramsCO2eqPerKWh, .kilogramsPerMWh, .kilogramsPerKWh, .poundsPerMWh, .poundsPerKWh:
      kind != .price
    case .dollarsPerKWh, .dollarsPerMWh: kind == .price
    }
  }
}

extension SignalKind {
  /// No grid is beyond these, so a greater value is a mistake in unit or column: 5,000 gCO2eq/kWh, 100 USD/kWh.
  var greatestMagnitude: Double {
    switch self {
    case .carbonAverage, .carbonMarginal: 5000
    case .price: 100
    }
  }
}
