"""Recordings: pcapng files, and recording of lines."""
