"""Configuration of `dealwire run`: a strict TOML file of tables, devices and storage; see `docs/service.md`."""
