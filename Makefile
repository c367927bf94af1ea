# What a person types. Everything installs what it needs first (scripts/setup) and says what it does.
.PHONY: run test check bench generate format fuzz soak help

help:  ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run:  ## build and start energykitd on real grid data, and say how to call it
	@scripts/run-demo

test:  ## every test that CI runs
	@scripts/test all

check:  ## the quick part of the tests, under five minutes
	@scripts/test quick

bench:  ## the comparison with C++ and Rust servers (takes a while, wants a quiet machine)
	@Benchmarks/run

fuzz:  ## look for inputs that break what parses, ten minutes for each parser
	@scripts/fuzz --seconds 600

soak:  ## an hour of everything at once: memory has to stay flat
	@scripts/soak

generate:  ## write the generated C and Python code anew from proto/
	@scripts/setup test && proto/generate

format:  ## format the Swift code
	@swift format -i -r Sources Tests Benchmarks Package.swift
