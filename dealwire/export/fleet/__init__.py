"""Storage of the lines of many tables in one PostgreSQL database, each once."""
