"""What `dealwire run` is told: a strict TOML file of tables, devices and where things are kept; `docs/service.md`."""
