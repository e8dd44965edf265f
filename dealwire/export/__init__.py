"""Exports of a running table: JSON lines, MQTT, metrics, and the database of a fleet. Only published data is
exported."""
