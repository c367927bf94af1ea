"""Python client of the EnergyKit server: the generated gRPC stubs (`energykit.v1`) and `energykit.errors`."""
