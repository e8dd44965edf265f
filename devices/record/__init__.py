"""Recordings: pcapng files, and lines that are recorded."""
