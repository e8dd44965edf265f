"""People and programs that may act at tables: the users file, passwords, passkeys, badges."""
