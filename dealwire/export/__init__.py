"""What leaves a running table: lines of JSON, MQTT, metrics, and the database of a fleet. Only publications go out."""
